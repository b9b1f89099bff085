//! The printf family.

/// A function of the printf family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintFunction {
    /// Its name.
    pub name: &'static str,
    /// Where it prints: 0 to a stream, 1 to memory, 2 to memory with a size, 3 to memory that it allocates.
    pub kind: u32,
    /// The index of the format argument.
    pub format: usize,
    /// Whether it takes a `va_list`.
    pub is_listed: bool,
}

const fn printer(name: &'static str, kind: u32, format: usize) -> PrintFunction {
    PrintFunction {
        name,
        kind,
        format,
        is_listed: false,
    }
}

const fn listed(name: &'static str, format: usize) -> PrintFunction {
    PrintFunction {
        name,
        kind: 0,
        format,
        is_listed: true,
    }
}

/// The printf family. Those that print a `va_list` to memory have models instead.
pub const PRINTERS: &[PrintFunction] = &[
    printer("printf", 0, 0),
    printer("fprintf", 0, 1),
    printer("dprintf", 0, 1),
    printer("__printf_chk", 0, 1),
    printer("__fprintf_chk", 0, 2),
    printer("__dprintf_chk", 0, 2),
    listed("vprintf", 0),
    listed("vfprintf", 1),
    listed("vdprintf", 1),
    listed("__vprintf_chk", 1),
    listed("__vfprintf_chk", 2),
    listed("__vdprintf_chk", 2),
    printer("sprintf", 1, 1),
    printer("__sprintf_chk", 1, 3),
    printer("snprintf", 2, 2),
    printer("__snprintf_chk", 2, 4),
    printer("asprintf", 3, 1),
    printer("__asprintf_chk", 3, 2),
];
