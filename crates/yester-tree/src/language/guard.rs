//! A guard between the parser and what each grammar brings along as C code.
//!
//! An external scanner keeps a state between tokens, such as the open tags or the indentation, and writes it into a buffer
//! of 1024 bytes after each token. Deep nesting does not fit, and the scanners answer in three ways: YAML's and Python's
//! write past the buffer and the parser aborts the process, HTML's and XML's forget the innermost tags, Bash's forgets
//! everything. The guard gives the scanner a bigger buffer and notices all three. Whoever parses then gives up before any
//! harm is done.
//!
//! The guard also gives every token a new scanner with the state before it. Bash's keeps what was undone otherwise, so that
//! a text's tree would depend on what was parsed before.
//!
//! At last, the guard counts how often the parser looks for a token that ends an error. The parser counts its own steps, but
//! a step after an error may take as long as a thousand others.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_uint, c_void};
use std::sync::Mutex;

use tree_sitter::ffi::TSLanguage;

/// How many bytes of state a parser takes.
const BUFFER_BYTES: usize = 1024;
/// The scanners look for the end of the buffer before an entry, and an entry has fewer bytes than this.
const OVERHANG_BYTES: usize = 1024;
/// `TREE_SITTER_LANGUAGE_VERSION`s with the layout below.
const KNOWN_VERSIONS: [u32; 2] = [14, 15];

/// Finds the next token, in one of the states of the lexer.
type Lex = unsafe extern "C" fn(*mut c_void, u16) -> bool;

/// The functions of a scanner, as `tree_sitter/parser.h` lays them out.
#[derive(Clone, Copy)]
#[repr(C)]
struct Scanner {
    states: *const bool,
    symbol_map: *const u16,
    create: Option<unsafe extern "C" fn() -> *mut c_void>,
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    scan: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, *const bool) -> bool>,
    serialize: Option<unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_uint>,
    deserialize: Option<unsafe extern "C" fn(*mut c_void, *const c_char, c_uint)>,
}

/// A grammar, as `tree_sitter/parser.h` lays it out.
#[derive(Clone, Copy)]
#[repr(C)]
struct LanguageLayout {
    version: u32,
    symbol_count: u32,
    alias_count: u32,
    token_count: u32,
    counts: [u32; 5],
    max_alias_sequence_length: u16,
    tables: [*const c_void; 12],
    lex_modes: *const u16,
    lex: Option<Lex>,
    keyword_lex: *const c_void,
    keyword_capture_token: u16,
    scanner: Scanner,
    primary_state_ids: *const c_void,
    /// Grammars of version 14 may end before this.
    rest: Rest,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Rest {
    name: *const c_void,
    reserved_words: *const c_void,
    max_reserved_word_set_size: u16,
    supertype_count: u32,
    supertypes: [*const c_void; 3],
    metadata: [u8; 3],
}

/// What the parser takes for the state of a scanner.
struct Guarded {
    scanner: Scanner,
    payload: *mut c_void,
    is_cut: fn(&[u8]) -> bool,
}

/// What the guard stands in front of.
#[derive(Clone, Copy)]
struct Original {
    scanner: Scanner,
    is_cut: fn(&[u8]) -> bool,
    lex: Lex,
    /// The state of the lexer after an error. In a small grammar it has it at other times too.
    error_state: u16,
    token_count: u32,
}

thread_local! {
    /// The grammar of the parse that goes on, or comes next.
    static ORIGINAL: Cell<Option<Original>> = const { Cell::new(None) };
    /// What was noticed in it.
    static NOTICED: Cell<Noticed> = const { Cell::new(Noticed { is_lost: false, errors: 0 }) };
}

/// What the guard has noticed since the last parser of this thread was made.
#[derive(Clone, Copy)]
pub(super) struct Noticed {
    /// Whether the state of a scanner did not fit.
    pub is_lost: bool,
    /// How often the parser looked for a token that ends an error.
    pub errors: usize,
}

/// A grammar with a guard.
pub(super) struct GuardedLanguage {
    language: tree_sitter::Language,
    original: Original,
}

// SAFETY: the pointers in it are to functions and to constant tables.
unsafe impl Send for GuardedLanguage {}
// SAFETY: as above.
unsafe impl Sync for GuardedLanguage {}

impl GuardedLanguage {
    /// Puts a guard in front of a grammar.
    pub(super) fn new(name: &str, language: &tree_sitter::Language) -> GuardedLanguage {
        let raw = language.clone().into_raw();
        // SAFETY: a grammar of any version begins with its version.
        let version = unsafe { raw.cast::<u32>().read() };
        assert!(
            KNOWN_VERSIONS.contains(&version),
            "the layout of grammars of version {version} is not known"
        );
        // SAFETY: the version is known.
        let layout = unsafe { layout(raw, version) };
        let original = Original {
            scanner: layout.scanner,
            is_cut: cut(name),
            lex: layout.lex.expect("a grammar has a lexer"),
            // SAFETY: a grammar has a first state, which is that after an error, and its mode begins with a state of the
            // lexer.
            error_state: unsafe { layout.lex_modes.read() },
            token_count: layout.token_count,
        };
        GuardedLanguage {
            // SAFETY: the copy is a grammar and is never freed.
            language: unsafe { tree_sitter::Language::from_raw(guarded_copy(raw, layout)) },
            original,
        }
    }

    /// The grammar, to look things up in.
    pub(super) fn language(&self) -> &tree_sitter::Language {
        &self.language
    }

    /// How many kinds of tokens there are.
    pub(super) fn token_count(&self) -> usize {
        self.original.token_count as usize
    }

    /// A parser that nobody has used. It is to be used before the next one is made.
    pub(super) fn parser(&self) -> tree_sitter::Parser {
        ORIGINAL.set(Some(self.original));
        NOTICED.set(Noticed {
            is_lost: false,
            errors: 0,
        });
        let mut parser = tree_sitter::Parser::new();
        parser
            .set_language(&self.language)
            .expect("the parser and the grammar are of one time");
        parser
    }
}

/// What was noticed since the last parser of this thread was made.
pub(super) fn noticed() -> Noticed {
    NOTICED.get()
}

/// A copy of a grammar with the guard in it. There is one for each grammar, since it can never be freed: trees refer to
/// it.
fn guarded_copy(raw: *const TSLanguage, layout: LanguageLayout) -> *const TSLanguage {
    static COPIES: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());
    let mut copies = COPIES.lock().expect("nothing panics with this lock");
    let copy = copies.entry(raw as usize).or_insert_with(|| {
        let mut copy = layout;
        copy.lex = Some(lex);
        if copy.scanner.create.is_some() {
            copy.scanner = Scanner {
                create: Some(create),
                destroy: Some(destroy),
                scan: Some(scan),
                serialize: Some(serialize),
                deserialize: Some(deserialize),
                ..copy.scanner
            };
        }
        Box::into_raw(Box::new(copy)) as usize
    });
    *copy as *const TSLanguage
}

/// The fields of a grammar, and zeroes for those that its version does not have.
unsafe fn layout(raw: *const TSLanguage, version: u32) -> LanguageLayout {
    let length = match version {
        14 => std::mem::offset_of!(LanguageLayout, rest),
        _ => size_of::<LanguageLayout>(),
    };
    // SAFETY: all fields may be zero, and the caller knows the version.
    unsafe {
        let mut layout: LanguageLayout = std::mem::zeroed();
        let fields = std::ptr::from_mut(&mut layout).cast::<u8>();
        std::ptr::copy_nonoverlapping(raw.cast::<u8>(), fields, length);
        layout
    }
}

/// How to see that a scanner has left something out of a state that it wrote.
fn cut(name: &str) -> fn(&[u8]) -> bool {
    match name {
        // Nothing at all was written, not even the fixed fields.
        "bash" => |state| state.is_empty(),
        // Indentation fills the buffer to its end.
        "python" => |state| state.len() + 1 >= BUFFER_BYTES,
        // How many tags were written, and how many there are.
        "html" => |state| state.get(0..2) != state.get(2..4),
        "xml" => |state| state.get(0..4) != state.get(4..8),
        _ => |_| false,
    }
}

unsafe extern "C" fn lex(lexer: *mut c_void, state: u16) -> bool {
    let original = ORIGINAL.get().expect("a guarded language makes the parser");
    if state == original.error_state {
        let noticed = NOTICED.get();
        NOTICED.set(Noticed {
            errors: noticed.errors + 1,
            ..noticed
        });
    }
    // SAFETY: all of it comes from the parser.
    unsafe { (original.lex)(lexer, state) }
}

unsafe extern "C" fn create() -> *mut c_void {
    let original = ORIGINAL.get().expect("a guarded language makes the parser");
    let Original {
        scanner, is_cut, ..
    } = original;
    let create = scanner.create.expect("a scanner is made somehow");
    Box::into_raw(Box::new(Guarded {
        scanner,
        // SAFETY: this is what the parser would do.
        payload: unsafe { create() },
        is_cut,
    }))
    .cast()
}

unsafe extern "C" fn destroy(guarded: *mut c_void) {
    // SAFETY: the parser gives back what `create` gave it, once.
    let guarded = unsafe { Box::from_raw(guarded.cast::<Guarded>()) };
    if let Some(destroy) = guarded.scanner.destroy {
        // SAFETY: the scanner made it, and it is not used after this.
        unsafe { destroy(guarded.payload) };
    }
}

unsafe extern "C" fn scan(guarded: *mut c_void, lexer: *mut c_void, valid: *const bool) -> bool {
    // SAFETY: the parser passes what `create` gave it.
    let guarded = unsafe { &*guarded.cast::<Guarded>() };
    let scan = guarded.scanner.scan.expect("a scanner scans");
    // SAFETY: all of it comes from the parser.
    unsafe { scan(guarded.payload, lexer, valid) }
}

unsafe extern "C" fn serialize(guarded: *mut c_void, buffer: *mut c_char) -> c_uint {
    // SAFETY: the parser passes what `create` gave it.
    let guarded = unsafe { &*guarded.cast::<Guarded>() };
    let serialize = guarded.scanner.serialize.expect("a scanner has a state");
    let mut state = [0_u8; BUFFER_BYTES + OVERHANG_BYTES];
    // SAFETY: the scanner writes at most one entry past the 1024 bytes that it knows of.
    let length = unsafe { serialize(guarded.payload, state.as_mut_ptr().cast()) } as usize;
    if length > BUFFER_BYTES || (guarded.is_cut)(&state[..length]) {
        NOTICED.set(Noticed {
            is_lost: true,
            ..NOTICED.get()
        });
        return 0;
    }
    // SAFETY: the parser's buffer has room for 1024 bytes.
    unsafe { std::ptr::copy_nonoverlapping(state.as_ptr().cast(), buffer, length) };
    length as c_uint
}

unsafe extern "C" fn deserialize(guarded: *mut c_void, state: *const c_char, length: c_uint) {
    // SAFETY: the parser passes what `create` gave it, and nobody else has it.
    let guarded = unsafe { &mut *guarded.cast::<Guarded>() };
    let scanner = &guarded.scanner;
    // SAFETY: this is what the parser would do at the end of one parse and the beginning of the next.
    unsafe {
        if let (Some(destroy), Some(create)) = (scanner.destroy, scanner.create) {
            destroy(guarded.payload);
            guarded.payload = create();
        }
        if let Some(deserialize) = scanner.deserialize {
            deserialize(guarded.payload, state, length);
        }
    }
}
