//! What a call of the compiler asks for.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A piece of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The flag with its value, or the input.
    pub words: Vec<OsString>,
    /// What it is for.
    pub role: Role,
}

/// What a piece of the command line is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A file to compile or link, with what is in it.
    Input(Content),
    /// Where the result goes.
    Output,
    /// The language of the inputs behind it.
    Language,
    /// How far to go.
    Goal(Goal),
    /// How much to optimise.
    Optimisation,
    /// Which headers are used is to be written down.
    Dependency,
    /// How code is made, from whatever language.
    Code,
    /// For the assembler.
    Assembler,
    /// For the linker.
    Linker,
    /// Makes no sense together with instrumentation.
    Dropped,
    /// For the preprocessor and the compiler.
    Other,
}

/// What is in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A source that can be instrumented.
    Source {
        /// Whether it was named by a flag, so that it must be again.
        named: bool,
    },
    /// An assembler source.
    Assembler {
        /// Whether it was named by a flag.
        named: bool,
    },
    /// A header, for itself.
    Header,
    /// What only clang and the linker understand.
    Linkable,
}

/// How far a compiler is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Objects: `-c`.
    Object,
    /// Assembler: `-S`.
    Assembler,
    /// Something that instrumentation has no part in.
    Elsewhere,
}

/// A call of the compiler.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// Its pieces, in order.
    pub parts: Vec<Part>,
    /// The last language that was named for each input, by the number of its part.
    pub languages: Vec<(usize, OsString)>,
}

/// Flags whose value is the next word.
const WITH_VALUE: &[(&str, Role)] = &[
    ("-o", Role::Output),
    ("-x", Role::Language),
    ("-MF", Role::Dependency),
    ("-MT", Role::Dependency),
    ("-MQ", Role::Dependency),
    ("-Xassembler", Role::Assembler),
    ("-Xlinker", Role::Linker),
    ("-T", Role::Linker),
    ("-u", Role::Linker),
    ("-z", Role::Linker),
    ("-e", Role::Linker),
    ("-L", Role::Linker),
    ("-l", Role::Linker),
    ("-rpath", Role::Linker),
    ("-mllvm", Role::Code),
    ("-target", Role::Code),
    ("--target", Role::Code),
    ("-I", Role::Other),
    ("-D", Role::Other),
    ("-U", Role::Other),
    ("-F", Role::Other),
    ("-B", Role::Code),
    ("-A", Role::Other),
    ("-G", Role::Other),
    ("-include", Role::Other),
    ("-include-pch", Role::Other),
    ("-imacros", Role::Other),
    ("-isystem", Role::Other),
    ("-isystem-after", Role::Other),
    ("-idirafter", Role::Other),
    ("-iquote", Role::Other),
    ("-iprefix", Role::Other),
    ("-iwithprefix", Role::Other),
    ("-iwithprefixbefore", Role::Other),
    ("-iwithsysroot", Role::Other),
    ("-isysroot", Role::Other),
    ("-cxx-isystem", Role::Other),
    ("-stdlib++-isystem", Role::Other),
    ("-Xclang", Role::Other),
    ("-Xpreprocessor", Role::Other),
    ("-Xanalyzer", Role::Other),
    ("-Xcuda-ptxas", Role::Other),
    ("-arch", Role::Code),
    ("-framework", Role::Linker),
    ("-dumpbase", Role::Dropped),
    ("-dumpbase-ext", Role::Dropped),
    ("-dumpdir", Role::Dropped),
    ("-aux-info", Role::Dropped),
    ("--param", Role::Other),
    ("--sysroot", Role::Code),
    ("--config", Role::Code),
    ("-serialize-diagnostics", Role::Other),
    ("--serialize-diagnostics", Role::Other),
    ("-working-directory", Role::Other),
    ("-fplugin-arg", Role::Other),
];

impl Call {
    /// Reads a command line.
    #[must_use]
    pub fn read(words: &[OsString]) -> Self {
        let mut call = Call::default();
        let mut language: Option<OsString> = None;
        let mut rest = words.iter();
        let mut only_inputs = false;
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy();
            if only_inputs || text == "-" || !text.starts_with('-') {
                let content = content(word, language.as_deref());
                if let Some(language) = &language {
                    call.languages.push((call.parts.len(), language.clone()));
                }
                call.push(vec![word.clone()], Role::Input(content));
                continue;
            }
            if text == "--" {
                only_inputs = true;
                continue;
            }
            if let Some((_, role)) = WITH_VALUE.iter().find(|(flag, _)| *flag == text) {
                let value = rest.next();
                if *role == Role::Language {
                    language = value.filter(|value| *value != "none").cloned();
                }
                let words = std::iter::once(word).chain(value).cloned().collect();
                call.push(words, role.clone());
                continue;
            }
            if let Some(named) = text.strip_prefix("-x").filter(|rest| !rest.is_empty()) {
                language = (named != "none").then(|| OsString::from(named));
                call.push(vec![word.clone()], Role::Language);
                continue;
            }
            call.push(vec![word.clone()], role(&text));
        }
        call
    }

    fn push(&mut self, words: Vec<OsString>, role: Role) {
        self.parts.push(Part { words, role });
    }

    /// How far to go; `None` is up to a linked program.
    #[must_use]
    pub fn goal(&self) -> Option<Goal> {
        let goals = self.parts.iter().filter_map(|part| match part.role {
            Role::Goal(goal) => Some(goal),
            _ => None,
        });
        // `-S` goes before `-c`, and what stops earlier before both.
        goals.max_by_key(|goal| match goal {
            Goal::Object => 0,
            Goal::Assembler => 1,
            Goal::Elsewhere => 2,
        })
    }

    /// Where the result goes, if the call says so.
    #[must_use]
    pub fn output(&self) -> Option<OsString> {
        let part = self.parts.iter().rfind(|part| part.role == Role::Output)?;
        match part.words.as_slice() {
            [_, value] => Some(value.clone()),
            [joined] => Some(OsStr::from_bytes(joined.as_bytes().get(2..)?).to_owned()),
            _ => None,
        }
    }

    /// The numbers of the parts that are inputs, with what is in them.
    pub fn inputs(&self) -> impl Iterator<Item = (usize, Content)> {
        self.parts.iter().enumerate().filter_map(|(number, part)| {
            let Role::Input(content) = part.role else {
                return None;
            };
            Some((number, content))
        })
    }

    /// The language that a flag has named for an input.
    #[must_use]
    pub fn language(&self, part: usize) -> Option<&OsStr> {
        self.languages
            .iter()
            .find(|(number, _)| *number == part)
            .map(|(_, language)| language.as_os_str())
    }

    /// Whether a flag is given in exactly these letters.
    #[must_use]
    pub fn has(&self, flag: &str) -> bool {
        self.parts.iter().any(|part| part.words[0] == flag)
    }

    /// Whether a flag begins with these letters.
    #[must_use]
    pub fn has_prefix(&self, flag: &str) -> bool {
        self.parts
            .iter()
            .any(|part| part.words[0].as_bytes().starts_with(flag.as_bytes()))
    }
}

fn content(path: &OsStr, language: Option<&OsStr>) -> Content {
    let named = language.is_some();
    let language = match language {
        Some(language) => language.to_string_lossy().into_owned(),
        None => match Path::new(path).extension().and_then(OsStr::to_str) {
            Some(
                "c" | "i" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "CXX" | "c++" | "C" | "ii" | "m"
                | "mi" | "mm" | "M" | "mii",
            ) => "c".to_owned(),
            Some("s" | "S" | "sx") => "assembler".to_owned(),
            Some("h" | "H" | "hh" | "hp" | "hpp" | "hxx" | "h++") => "c-header".to_owned(),
            _ => return Content::Linkable,
        },
    };
    if language.ends_with("header") {
        Content::Header
    } else if language.starts_with("assembler") {
        Content::Assembler { named }
    } else if language == "ir" {
        Content::Linkable
    } else {
        Content::Source { named }
    }
}

/// What a flag of one word is for.
fn role(flag: &str) -> Role {
    const ELSEWHERE: &[&str] = &[
        "-E",
        "-M",
        "-MM",
        "-fsyntax-only",
        "-###",
        "-emit-llvm",
        "-emit-ast",
        "-emit-interface-stubs",
        "-rewrite-objc",
        "--analyze",
        "--preprocess",
        "--precompile",
        "-cc1",
        "-cc1as",
        "--version",
        "--help",
        "-help",
    ];
    const CODE: &[&str] = &[
        "-m",
        "--target=",
        "-fPIC",
        "-fpic",
        "-fPIE",
        "-fpie",
        "-fno-PIC",
        "-fno-pic",
        "-fno-PIE",
        "-fno-pie",
        "-ffunction-sections",
        "-fno-function-sections",
        "-fdata-sections",
        "-fno-data-sections",
        "-funique-section-names",
        "-fno-unique-section-names",
        "-fsanitize",
        "-fno-sanitize",
        "-fno-integrated-as",
        "-fintegrated-as",
        "-fno-plt",
        "-fplt",
        "-fomit-frame-pointer",
        "-fno-omit-frame-pointer",
        "-pthread",
        "--sysroot=",
        "--gcc-toolchain=",
        "-B",
        "-resource-dir",
        "-gz",
        "-gdwarf",
    ];
    const LINKER: &[&str] = &[
        "-l",
        "-L",
        "-Wl,",
        "-T",
        "-u",
        "-z",
        "--ld-path",
        "-fuse-ld",
    ];
    const LINKER_WORDS: &[&str] = &[
        "-shared",
        "--shared",
        "-static",
        "-static-pie",
        "-static-libgcc",
        "-static-libstdc++",
        "-shared-libgcc",
        "-pie",
        "-no-pie",
        "-nopie",
        "-rdynamic",
        "-nostdlib",
        "-nostartfiles",
        "-nodefaultlibs",
        "-nolibc",
        "-s",
        "-r",
    ];
    const DROPPED: &[&str] = &[
        "-flto",
        "-ffat-lto-objects",
        "-fno-fat-lto-objects",
        "-fthinlto",
        "-fwhole-program",
        "-fembed-bitcode",
        "-fprofile-instr-generate",
        "-fprofile-generate",
        "-fcs-profile-generate",
        "-fcoverage-mapping",
        "-save-temps",
        "--save-temps",
        "-gsplit-dwarf",
        "-fsplit-lto-unit",
        "-fuse-linker-plugin",
        "-D_FORTIFY_SOURCE",
        "-Wp,-D_FORTIFY_SOURCE",
    ];
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| flag.starts_with(prefix));
    match flag {
        "-c" | "--compile" => Role::Goal(Goal::Object),
        "-S" | "--assemble" => Role::Goal(Goal::Assembler),
        "-MD" | "-MMD" | "-MP" | "-MG" | "-MV" => Role::Dependency,
        "-g0" => Role::Dropped,
        _ if ELSEWHERE.contains(&flag) || begins(&["-print-", "--print-", "-dump"]) => {
            Role::Goal(Goal::Elsewhere)
        }
        _ if begins(&["-MF", "-MT", "-MQ"]) => Role::Dependency,
        _ if begins(DROPPED) => Role::Dropped,
        _ if begins(&["-Wa,"]) => Role::Assembler,
        _ if LINKER_WORDS.contains(&flag) || begins(LINKER) => Role::Linker,
        _ if begins(&["-O"]) => Role::Optimisation,
        _ if begins(&["-o"]) && !begins(&["-objc", "-object"]) => Role::Output,
        _ if begins(CODE) => Role::Code,
        _ => Role::Other,
    }
}
