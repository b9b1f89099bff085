//! Writes the recording of a process: its directory, its files, the tables of its modules.

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::file::{self, File, SharedCell, TextWriter, Used, name};
use crate::format::{HEAD_BYTES, MAGIC, MOST_STREAMS, head};
use crate::lock::Lock;
use crate::{fork, stream, symbolic, symbolic_output, system};

const MOST_FILES: usize = 24 + 3 * MOST_STREAMS;
const SITES_BYTES: usize = 1 << 28;
const LOST_BYTES: usize = 1 << 20;
const DEFAULT_LIMIT: u64 = 1 << 30;
const PATH_BYTES: usize = 4096;

/// The recording of this process. Only holders of [`LOCK`] and the child of a fork change it.
pub struct RecordingWriter {
    /// The mapped files, `head` first.
    pub files: [Option<File>; MOST_FILES],
    /// Where `head` is mapped.
    pub head: *mut u64,
    /// The directory of this process.
    pub directory: RecordingDirectory,
    /// The directory of all processes.
    pub root: RecordingDirectory,
    /// The absolute path of the root, with a zero at its end.
    path: [u8; PATH_BYTES],
}

/// A directory, with its device and inode: programs close descriptors that are not theirs, and may reuse the number.
#[derive(Clone, Copy)]
pub struct RecordingDirectory {
    descriptor: i32,
    identity: Option<(u64, u64)>,
}

impl RecordingDirectory {
    const NONE: RecordingDirectory = RecordingDirectory {
        descriptor: -1,
        identity: None,
    };

    fn new(descriptor: i32) -> Self {
        let descriptor = system::move_up(descriptor);
        RecordingDirectory {
            descriptor,
            identity: system::identity(descriptor),
        }
    }

    fn descriptor(self) -> Option<i32> {
        (self.identity.is_some() && system::identity(self.descriptor) == self.identity)
            .then_some(self.descriptor)
    }

    fn close(self) {
        if let Some(descriptor) = self.descriptor() {
            system::close(descriptor);
        }
    }
}

/// The recording of this process.
pub static RECORDING: SharedCell<RecordingWriter> = SharedCell::new(RecordingWriter {
    files: [None; MOST_FILES],
    head: core::ptr::null_mut(),
    directory: RecordingDirectory::NONE,
    root: RecordingDirectory::NONE,
    path: [0; PATH_BYTES],
});
/// Protects [`RECORDING`].
pub static LOCK: Lock = Lock::new();
/// Whether this process is recorded.
pub static ON: AtomicBool = AtomicBool::new(false);
/// How many bytes of events all threads together may write.
pub static LIMIT: AtomicU64 = AtomicU64::new(DEFAULT_LIMIT);

static STARTED: AtomicBool = AtomicBool::new(false);
static NEXT_FUNCTION: AtomicU32 = AtomicU32::new(0);

/// The description that a module's constructor passes.
#[repr(C)]
pub struct Module {
    /// Where the module expects the number of its first function.
    pub first: *mut u32,
    /// How many functions it has.
    pub functions: u32,
    /// The bytes of its source path.
    pub source_bytes: u32,
    /// Its source path.
    pub source: *const u8,
    /// The table of its functions and sites.
    pub table: *const u8,
    /// The bytes of the table.
    pub table_bytes: u64,
}

/// Called by the constructor of each module.
///
/// # Safety
/// The module is one that `yester-cc` made, and the other arguments are those of a constructor.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_module(
    module: *const Module,
    _count: i32,
    _arguments: *const *const c_char,
    environment: *const *const c_char,
) {
    // SAFETY: the compiler has made the module, and the C library hands over the environment.
    unsafe {
        if !STARTED.swap(true, Ordering::Relaxed) {
            start(environment);
        }
        if !ON.load(Ordering::Relaxed) {
            return;
        }
        let module = &*module;
        let first = NEXT_FUNCTION.fetch_add(module.functions, Ordering::Relaxed);
        *module.first = first;
        let source = core::slice::from_raw_parts(module.source, module.source_bytes as usize);
        let table = core::slice::from_raw_parts(module.table, module.table_bytes as usize);
        let mut number = [0; 16];
        let mut writer = TextWriter {
            bytes: &mut number,
            used: 0,
        };
        writer.number(u64::from(first));
        let digits = writer.used;
        LOCK.hold(|| {
            append(
                head::SITES,
                &[b"module\t", &number[..digits], b"\t", source, b"\n", table],
            );
        });
    }
}

/// Appends to the text file whose size is this word of `head`, if it fits. The caller holds the lock.
unsafe fn append(word: usize, parts: &[&[u8]]) {
    // SAFETY: the files are mapped with their capacity.
    unsafe {
        let recording = &*RECORDING.get();
        let used = &mut *recording.head.add(word);
        let Some(file) = recording.files.iter().flatten().find(
            |file| matches!(file.used, Used::Counted { word: counted, .. } if counted == word),
        ) else {
            return;
        };
        let bytes: usize = parts.iter().map(|part| part.len()).sum();
        if *used as usize + bytes > file.capacity {
            return;
        }
        let mut at = file.place.add(*used as usize);
        for part in parts {
            core::ptr::copy_nonoverlapping(part.as_ptr(), at, part.len());
            at = at.add(part.len());
        }
        *used += bytes as u64;
    }
}

/// Records a loss: something that the recording lacks. Each loss is recorded once.
pub fn lost(what: &[u8], place: &[u8]) {
    if !ON.load(Ordering::Relaxed) {
        return;
    }
    // SAFETY: under the lock, and `lost` is mapped.
    LOCK.hold(|| unsafe {
        let recording = &*RECORDING.get();
        let Some(file) = recording.files.iter().flatten().find(|file| {
            file.used
                == Used::Counted {
                    word: head::LOST,
                    unit: 1,
                }
        }) else {
            return;
        };
        let used = *recording.head.add(head::LOST) as usize;
        let text = core::slice::from_raw_parts(file.place, used);
        let known = text.split(|byte| *byte == b'\n').any(|line| {
            line.len() == what.len() + 1 + place.len()
                && line.starts_with(what)
                && line.ends_with(place)
        });
        if !known {
            append(head::LOST, &[what, b"\t", place, b"\n"]);
        }
    });
}

/// Adds a line to `targets`.
pub fn target(line: &[u8]) {
    // SAFETY: under the lock, and the file is mapped.
    LOCK.hold(|| unsafe { append(head::TARGETS, &[line, b"\n"]) });
}

/// The value of an environment variable.
pub(crate) unsafe fn variable(
    environment: *const *const c_char,
    name: &[u8],
) -> Option<&'static [u8]> {
    // SAFETY: an environment is a list of strings that ends with null.
    unsafe {
        let mut entry = environment;
        while !entry.is_null() && !(*entry).is_null() {
            let text = CStr::from_ptr(*entry).to_bytes();
            if let Some(value) = text
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix(b"="))
            {
                return Some(value);
            }
            entry = entry.add(1);
        }
        None
    }
}

unsafe fn start(environment: *const *const c_char) {
    // SAFETY: this happens once, in the first constructor, and nothing else uses the recording yet.
    unsafe {
        let Some(path) = variable(environment, b"YESTER_RECORD").filter(|path| !path.is_empty())
        else {
            return;
        };
        // The user must not choose where a setuid program writes.
        if system::privileged() {
            return;
        }
        let recording = &mut *RECORDING.get();
        let mut writer = TextWriter {
            bytes: &mut recording.path,
            used: 0,
        };
        if !path.starts_with(b"/") {
            let mut here = [0; PATH_BYTES];
            let bytes = system::current_directory(&mut here);
            writer.text(&here[..bytes.saturating_sub(1)]);
            writer.text(b"/");
        }
        writer.text(path);
        if let Some(limit) = variable(environment, b"YESTER_RECORD_LIMIT")
            && let Some(limit) = number(limit)
        {
            LIMIT.store(limit, Ordering::Relaxed);
        }
        system::make_directory(system::HERE, &recording.path);
        if !recording.open_root() || !recording.open_directory(&[b"0"]) || !recording.create() {
            system::complain(b"yester: cannot record: ");
            system::complain(path);
            system::complain(b" cannot be written\n");
            return;
        }
        ON.store(true, Ordering::Relaxed);
        fork::watch();
        stream::open();
        let given = |name| variable(environment, name).filter(|value| !value.is_empty());
        let sources = given(b"YESTER_SYMBOLIC");
        if sources.is_none() && given(b"YESTER_OUTPUT").is_none() {
            return;
        }
        match symbolic_output::prepare(recording, sources.unwrap_or_default()) {
            Some(output) if sources.is_some() => symbolic::begin(output),
            Some(output) => symbolic::begin_output(output),
            None => lost(b"values and output not recorded: no room for files", b""),
        }
    }
}

/// A decimal number.
pub(crate) fn number(text: &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    Some(number)
}

impl RecordingWriter {
    fn open_root(&mut self) -> bool {
        if self.root.descriptor().is_some() {
            return true;
        }
        let descriptor = system::open_directory(system::HERE, &self.path);
        if descriptor < 0 {
            return false;
        }
        self.root = RecordingDirectory::new(descriptor as i32);
        true
    }

    /// Makes the directory of this process. It has the given name or, if that exists, the number of the process.
    fn open_directory(&mut self, first: &[&[u8]]) -> bool {
        let Some(root) = self.root.descriptor() else {
            return false;
        };
        let process = system::process();
        let numbers = (0..10_000).map(|again| {
            let mut name = name(b"", Some(process));
            if again > 0 {
                let used = name.iter().position(|byte| *byte == 0).unwrap_or(0);
                let mut writer = TextWriter {
                    bytes: &mut name,
                    used,
                };
                writer.text(b".");
                writer.number(again);
            }
            name
        });
        for name in first.iter().map(|text| name(text, None)).chain(numbers) {
            match system::make_directory(root, &name) {
                0 => {
                    let descriptor = system::open_directory(root, &name);
                    if descriptor < 0 {
                        return false;
                    }
                    self.directory = RecordingDirectory::new(descriptor as i32);
                    return true;
                }
                system::EXISTS => {}
                _ => return false,
            }
        }
        false
    }

    fn create(&mut self) -> bool {
        let counted = |word| Used::Counted { word, unit: 1 };
        self.add(b"head", None, HEAD_BYTES, Used::All)
            && self.add(b"sites", None, SITES_BYTES, counted(head::SITES))
            && self.add(b"lost", None, LOST_BYTES, counted(head::LOST))
    }

    /// Makes a file and closes its descriptor.
    pub fn add(&mut self, text: &[u8], number: Option<u32>, capacity: usize, used: Used) -> bool {
        match self.add_open(text, number, capacity, capacity.min(1 << 20), used) {
            Some((_, descriptor)) => {
                system::close(descriptor);
                true
            }
            None => false,
        }
    }

    /// Makes a file of records. Returns where the first one is and how many fit.
    pub fn add_places<T>(
        &mut self,
        text: &[u8],
        most: usize,
        used: impl FnOnce(usize) -> Used,
    ) -> Option<(*mut T, usize)> {
        let unit = size_of::<T>();
        let (file, descriptor) = self.add_open(text, None, most * unit, 1 << 20, used(unit))?;
        system::close(descriptor);
        Some((file.place.cast(), file.capacity / unit))
    }

    /// Makes a file with a constant text.
    pub fn add_text(&mut self, text: &[u8], content: &[u8]) -> Option<()> {
        let capacity = (content.len() + 4095) & !4095;
        let (file, descriptor) = self.add_open(
            text,
            None,
            capacity,
            capacity,
            Used::Text {
                bytes: content.len(),
            },
        )?;
        let written = system::write_at(descriptor, content, 0)
            && system::set_size(descriptor, content.len()) == 0;
        system::close(descriptor);
        debug_assert!(content.len() <= file.capacity);
        written.then_some(())
    }

    /// Makes a file; the caller closes its descriptor.
    pub fn add_open(
        &mut self,
        text: &[u8],
        number: Option<u32>,
        capacity: usize,
        least: usize,
        used: Used,
    ) -> Option<(File, i32)> {
        let directory = self.directory.descriptor()?;
        let free = self.files.iter().position(Option::is_none)?;
        let (file, descriptor) =
            file::create(directory, name(text, number), capacity, least, used)?;
        self.files[free] = Some(file);
        if free == 0 {
            self.head = file.place.cast();
            // SAFETY: the first file is `head`, a page.
            unsafe {
                *self.head.add(head::MAGIC) = MAGIC;
                *self.head.add(head::PROCESS) = u64::from(system::process());
            }
        }
        Some((file, descriptor))
    }

    /// In the child of a fork: opens a directory of its own.
    pub fn open_child(&mut self) -> Option<i32> {
        self.directory.close();
        self.directory = RecordingDirectory::NONE;
        (self.open_root() && self.open_directory(&[])).then_some(self.directory.descriptor)
    }
}
