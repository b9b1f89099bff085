//! The command line of a compiler: what each part of it is for.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A flag with its value, or an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPart {
    /// One word, or two if a value follows its flag.
    pub words: Vec<OsString>,
    /// What it is for.
    pub role: PartRole,
}

/// What a part of the command line is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartRole {
    /// A file to compile or link.
    Input(InputContent),
    /// Where the result goes.
    Output,
    /// The language of the inputs that follow.
    Language,
    /// Where to stop.
    Goal(Goal),
    /// How much to optimise.
    Optimisation,
    /// Asks for a list of the headers that a source includes.
    Dependency,
    /// How to generate code. Matters for both runs of clang.
    Code,
    /// For the assembler.
    Assembler,
    /// For the linker.
    Linker,
    /// Does not work with instrumentation, so it is left out.
    Dropped,
    /// For the preprocessor and the compiler.
    Other,
}

/// What is in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputContent {
    /// A source that can be instrumented.
    Source {
        /// Whether a flag gave its language, so that clang must be told too.
        named: bool,
    },
    /// An assembler source.
    Assembler {
        /// Whether a flag gave its language.
        named: bool,
    },
    /// A header to precompile.
    Header,
    /// Anything else: objects, libraries, bitcode.
    Linkable,
}

/// Where compilation stops, if it stops before linking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Objects: `-c`.
    Object,
    /// Assembler: `-S`.
    Assembler,
    /// Before any code is generated, so that clang does it alone.
    NoCode,
}

/// The command line of a compiler.
#[derive(Clone, Debug, Default)]
pub struct CompilerCommand {
    /// In order.
    pub parts: Vec<CommandPart>,
    /// Inputs whose language a flag gave: the index of the part, and the language.
    pub languages: Vec<(usize, OsString)>,
}

/// Flags whose value may be the next word.
const WITH_VALUE: &[(&str, PartRole)] = &[
    ("-o", PartRole::Output),
    ("-x", PartRole::Language),
    ("-MF", PartRole::Dependency),
    ("-MT", PartRole::Dependency),
    ("-MQ", PartRole::Dependency),
    ("-Xassembler", PartRole::Assembler),
    ("-Xlinker", PartRole::Linker),
    ("-T", PartRole::Linker),
    ("-u", PartRole::Linker),
    ("-z", PartRole::Linker),
    ("-e", PartRole::Linker),
    ("-L", PartRole::Linker),
    ("-l", PartRole::Linker),
    ("-rpath", PartRole::Linker),
    ("-mllvm", PartRole::Code),
    ("-target", PartRole::Code),
    ("--target", PartRole::Code),
    ("-I", PartRole::Other),
    ("-D", PartRole::Other),
    ("-U", PartRole::Other),
    ("-F", PartRole::Other),
    ("-B", PartRole::Code),
    ("-A", PartRole::Other),
    ("-G", PartRole::Other),
    ("-include", PartRole::Other),
    ("-include-pch", PartRole::Other),
    ("-imacros", PartRole::Other),
    ("-isystem", PartRole::Other),
    ("-isystem-after", PartRole::Other),
    ("-idirafter", PartRole::Other),
    ("-iquote", PartRole::Other),
    ("-iprefix", PartRole::Other),
    ("-iwithprefix", PartRole::Other),
    ("-iwithprefixbefore", PartRole::Other),
    ("-iwithsysroot", PartRole::Other),
    ("-isysroot", PartRole::Other),
    ("-cxx-isystem", PartRole::Other),
    ("-stdlib++-isystem", PartRole::Other),
    ("-Xclang", PartRole::Other),
    ("-Xpreprocessor", PartRole::Other),
    ("-Xanalyzer", PartRole::Other),
    ("-Xcuda-ptxas", PartRole::Other),
    ("-arch", PartRole::Code),
    ("-framework", PartRole::Linker),
    ("-dumpbase", PartRole::Dropped),
    ("-dumpbase-ext", PartRole::Dropped),
    ("-dumpdir", PartRole::Dropped),
    ("-aux-info", PartRole::Dropped),
    ("--param", PartRole::Other),
    ("--sysroot", PartRole::Code),
    ("--config", PartRole::Code),
    ("-serialize-diagnostics", PartRole::Other),
    ("--serialize-diagnostics", PartRole::Other),
    ("-working-directory", PartRole::Other),
    ("-fplugin-arg", PartRole::Other),
];

impl CompilerCommand {
    /// Reads a command line.
    #[must_use]
    pub fn read(words: &[OsString]) -> Self {
        let mut compiler_command = CompilerCommand::default();
        let mut language: Option<OsString> = None;
        let mut rest = words.iter();
        let mut only_inputs = false;
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy();
            if only_inputs || text == "-" || !text.starts_with('-') {
                let content = content(word, language.as_deref());
                if let Some(language) = &language {
                    compiler_command
                        .languages
                        .push((compiler_command.parts.len(), language.clone()));
                }
                compiler_command.push(vec![word.clone()], PartRole::Input(content));
                continue;
            }
            if text == "--" {
                only_inputs = true;
                continue;
            }
            if let Some((_, role)) = WITH_VALUE.iter().find(|(flag, _)| *flag == text) {
                let value = rest.next();
                if *role == PartRole::Language {
                    language = value.filter(|value| *value != "none").cloned();
                }
                let words = std::iter::once(word).chain(value).cloned().collect();
                compiler_command.push(words, role.clone());
                continue;
            }
            if let Some(named) = text.strip_prefix("-x").filter(|rest| !rest.is_empty()) {
                language = (named != "none").then(|| OsString::from(named));
                compiler_command.push(vec![word.clone()], PartRole::Language);
                continue;
            }
            compiler_command.push(vec![word.clone()], role(&text));
        }
        compiler_command
    }

    fn push(&mut self, words: Vec<OsString>, role: PartRole) {
        self.parts.push(CommandPart { words, role });
    }

    /// Where to stop; `None` if everything is linked.
    #[must_use]
    pub fn goal(&self) -> Option<Goal> {
        let goals = self.parts.iter().filter_map(|part| match part.role {
            PartRole::Goal(goal) => Some(goal),
            _ => None,
        });
        // The flag that stops earliest wins.
        goals.max_by_key(|goal| match goal {
            Goal::Object => 0,
            Goal::Assembler => 1,
            Goal::NoCode => 2,
        })
    }

    /// The value of `-o`.
    #[must_use]
    pub fn output(&self) -> Option<OsString> {
        let part = self
            .parts
            .iter()
            .rfind(|part| part.role == PartRole::Output)?;
        match part.words.as_slice() {
            [_, value] => Some(value.clone()),
            [joined] => Some(OsStr::from_bytes(joined.as_bytes().get(2..)?).to_owned()),
            _ => None,
        }
    }

    /// The inputs: the index of the part, and what is in the file.
    pub fn inputs(&self) -> impl Iterator<Item = (usize, InputContent)> {
        self.parts.iter().enumerate().filter_map(|(number, part)| {
            let PartRole::Input(content) = part.role else {
                return None;
            };
            Some((number, content))
        })
    }

    /// The language that a flag gave for an input.
    #[must_use]
    pub fn language(&self, part: usize) -> Option<&OsStr> {
        self.languages
            .iter()
            .find(|(number, _)| *number == part)
            .map(|(_, language)| language.as_os_str())
    }

    /// Whether this exact flag is given.
    #[must_use]
    pub fn has(&self, flag: &str) -> bool {
        self.parts.iter().any(|part| part.words[0] == flag)
    }

    /// Whether a flag with this prefix is given.
    #[must_use]
    pub fn has_prefix(&self, flag: &str) -> bool {
        self.parts
            .iter()
            .any(|part| part.words[0].as_bytes().starts_with(flag.as_bytes()))
    }
}

fn content(path: &OsStr, language: Option<&OsStr>) -> InputContent {
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
            _ => return InputContent::Linkable,
        },
    };
    if language.ends_with("header") {
        InputContent::Header
    } else if language.starts_with("assembler") {
        InputContent::Assembler { named }
    } else if language == "ir" {
        InputContent::Linkable
    } else {
        InputContent::Source { named }
    }
}

/// What a flag without a separate value is for.
fn role(flag: &str) -> PartRole {
    const NO_CODE: &[&str] = &[
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
        "-c" | "--compile" => PartRole::Goal(Goal::Object),
        "-S" | "--assemble" => PartRole::Goal(Goal::Assembler),
        "-MD" | "-MMD" | "-MP" | "-MG" | "-MV" => PartRole::Dependency,
        "-g0" => PartRole::Dropped,
        _ if NO_CODE.contains(&flag) || begins(&["-print-", "--print-", "-dump"]) => {
            PartRole::Goal(Goal::NoCode)
        }
        _ if begins(&["-MF", "-MT", "-MQ"]) => PartRole::Dependency,
        _ if begins(DROPPED) => PartRole::Dropped,
        _ if begins(&["-Wa,"]) => PartRole::Assembler,
        _ if LINKER_WORDS.contains(&flag) || begins(LINKER) => PartRole::Linker,
        _ if begins(&["-O"]) => PartRole::Optimisation,
        _ if begins(&["-o"]) && !begins(&["-objc", "-object"]) => PartRole::Output,
        _ if begins(CODE) => PartRole::Code,
        _ => PartRole::Other,
    }
}
