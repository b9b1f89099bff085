//! Calls that write to a stream: the runtime is told what they are about to write.

use super::function::FunctionInstrumenter;
use crate::ir::{TypeKind, Value};

/// What a function writes to a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The character in its first argument.
    Character { to_stdout: bool },
    /// The string in its first argument; to standard output with a new line.
    Text { to_stdout: bool },
    /// As many bytes as its second and third argument say, and its stream is the fourth.
    Block,
    /// The bytes of the number in its first argument.
    Word,
    /// A message, with the string in its first argument, to standard error.
    Error,
}

impl Written {
    /// The argument that is the stream; None for standard output.
    #[must_use]
    pub fn stream(self) -> Option<usize> {
        match self {
            Written::Character { to_stdout } | Written::Text { to_stdout } => {
                (!to_stdout).then_some(1)
            }
            Written::Block => Some(3),
            Written::Word => Some(1),
            Written::Error => None,
        }
    }

    /// How many parameters the function has.
    #[must_use]
    pub fn parameters(self) -> usize {
        self.stream().map_or(1, |stream| stream + 1)
    }
}

const TO_STDOUT: bool = true;
const TO_STREAM: bool = false;

const fn character(to_stdout: bool) -> Written {
    Written::Character { to_stdout }
}

const fn text(to_stdout: bool) -> Written {
    Written::Text { to_stdout }
}

/// Functions that write to a stream.
pub const WRITTEN: &[(&str, Written)] = &[
    ("putchar", character(TO_STDOUT)),
    ("putchar_unlocked", character(TO_STDOUT)),
    ("putc", character(TO_STREAM)),
    ("fputc", character(TO_STREAM)),
    ("putc_unlocked", character(TO_STREAM)),
    ("fputc_unlocked", character(TO_STREAM)),
    ("_IO_putc", character(TO_STREAM)),
    ("puts", text(TO_STDOUT)),
    ("fputs", text(TO_STREAM)),
    ("fputs_unlocked", text(TO_STREAM)),
    ("fwrite", Written::Block),
    ("fwrite_unlocked", Written::Block),
    ("putw", Written::Word),
    ("perror", Written::Error),
];

/// Where a function that prints prints to: 0 standard output, 1 the stream in its first argument, 2 the descriptor there.
#[must_use]
pub fn print_target(name: &str) -> u32 {
    match name {
        "fprintf" | "vfprintf" | "__fprintf_chk" | "__vfprintf_chk" => 1,
        "dprintf" | "vdprintf" | "__dprintf_chk" | "__vdprintf_chk" => 2,
        _ => 0,
    }
}

impl FunctionInstrumenter<'_> {
    /// Tells the runtime what a call that writes to a stream is about to write.
    pub fn written(&mut self, call: Value, name: &str) {
        let Some((_, written)) = WRITTEN.iter().find(|(writer, _)| *writer == name) else {
            return;
        };
        let arguments = call.arguments();
        let is_as_expected = arguments.len() == written.parameters()
            && call.callee().is_declaration()
            && arguments.iter().all(|argument| {
                matches!(
                    argument.type_of().kind(),
                    TypeKind::LLVMPointerTypeKind | TypeKind::LLVMIntegerTypeKind
                )
            });
        if !is_as_expected {
            return;
        }
        let is_pointer =
            |argument: Value| argument.type_of().kind() == TypeKind::LLVMPointerTypeKind;
        let node = match written {
            Written::Character { .. } | Written::Word if arguments[0].type_of().bits() == 32 => {
                let node = self.single(arguments[0]);
                self.outside(node)
            }
            Written::Character { .. } | Written::Word => return,
            _ => self.zero(),
        };
        self.leave_output_place(call);
        let stream = match written.stream() {
            Some(index) if is_pointer(arguments[index]) => arguments[index],
            Some(_) => return,
            None => self.emitter.module.null(),
        };
        match written {
            Written::Character { .. } => {
                let passed = [arguments[0], node, stream];
                self.emitter.call("__yester_writes_character", &passed);
            }
            Written::Text { .. } if is_pointer(arguments[0]) => {
                let line = self.emitter.small(u32::from(written.stream().is_none()));
                let passed = [arguments[0], stream, line];
                self.emitter.call("__yester_writes_text", &passed);
            }
            Written::Text { .. } => {}
            Written::Word => {
                let passed = [arguments[0], node, stream];
                self.emitter.call("__yester_writes_word", &passed);
            }
            Written::Error if is_pointer(arguments[0]) => {
                self.emitter.call("__yester_writes_error", &arguments);
            }
            Written::Error => {}
            Written::Block => {
                let [size, count] = [1, 2].map(|index| {
                    let node = self.single(arguments[index]);
                    self.outside(node)
                });
                self.emitter.before(call);
                let word = |index: usize| self.emitter.word(arguments[index]);
                let passed = [word(0), word(1), word(2), stream, size, count];
                self.emitter.call("__yester_writes_block", &passed);
            }
        }
    }
}
