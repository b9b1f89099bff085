//! What the code of a program reads and writes, as the compiler described it, block by block.

use std::collections::HashMap;

use crate::site::{Function, SiteKind, readable};

/// A block of a function.
#[derive(Clone, Debug)]
pub(crate) struct CodeBlock {
    /// Its class, counted from 1; 0 if unknown.
    pub class: u16,
    /// The branch or switch at its end.
    pub site: Option<u32>,
    /// The blocks that may follow, in order of outcomes.
    pub next: Vec<u32>,
    /// The next block that is always reached.
    pub above: Option<u32>,
    pub steps: Vec<Step>,
}

/// What a block does, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub line: u32,
    /// Of a call; otherwise 0.
    pub column: u32,
    pub kind: StepKind,
    /// What is read, except by the arguments of a call.
    pub reads: Vec<Place>,
}

#[derive(Clone, Debug)]
pub(crate) enum StepKind {
    /// Writes what it names.
    Set(Vec<Write>),
    Call(Box<CallStep>),
    /// Decides which block comes next.
    Test,
    /// Returns.
    Give,
}

#[derive(Clone, Debug)]
pub(crate) struct CallStep {
    /// The name of what is called; none if it is computed.
    pub callee: Option<String>,
    /// Where the result goes.
    pub result: Option<Place>,
    /// What each argument reads.
    pub arguments: Vec<Vec<Place>>,
    /// The memory that each argument points to.
    pub touched: Vec<Option<Place>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Write {
    pub place: Place,
    /// Whether nothing of the old value is left.
    pub is_whole: bool,
}

impl StepKind {
    /// What it assigns.
    pub fn written(&self) -> impl Iterator<Item = Place> + '_ {
        let writes = match self {
            StepKind::Set(writes) => &writes[..],
            _ => &[],
        };
        writes.iter().map(|write| write.place)
    }
}

/// Something that can be read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    /// Of one activation of a function: a variable, a value, or a parameter.
    Local(u32),
    /// All parameters.
    Parameters,
    /// Of all functions, by its number.
    Shared(u32),
}

/// The result of a function.
pub(crate) const RESULT: Place = Place::Local(u32::MAX);
/// Which local places are parameters.
const KINDS: u32 = 3;

impl Place {
    /// The number of a parameter.
    pub fn parameter(self) -> Option<u32> {
        match self {
            Place::Local(number) if self != RESULT && number % KINDS == 2 => Some(number / KINDS),
            _ => None,
        }
    }
}

/// What kind of memory all functions share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shared {
    /// A global variable that no pointer points to, or the state of the library.
    Plain,
    /// A global variable that no pointer points to, but that code without tables may know by its name.
    Visible,
    /// All of these.
    Outside,
    /// A variable that pointers may point to.
    Object,
    /// So many bytes behind a pointer, perhaps at an offset in a structure.
    Pointed { size: u32, offset: Option<u32> },
    /// Anything that a pointer may point to.
    Any,
}

/// The state of the library: how far files are read.
pub(crate) const LIBRARY: Place = Place::Shared(0);
/// Anything that a pointer may point to.
pub(crate) const ANY: Place = Place::Shared(1);

/// The variables that code without tables may know by their names.
pub(crate) const OUTSIDE: Place = Place::Shared(2);

/// The names of shared places.
#[derive(Clone, Debug)]
pub(crate) struct SharedPlaces {
    numbers: HashMap<String, u32>,
    pub kinds: Vec<Shared>,
}

impl Default for SharedPlaces {
    fn default() -> Self {
        SharedPlaces {
            numbers: HashMap::from([("M*".to_owned(), 1)]),
            kinds: vec![Shared::Plain, Shared::Any, Shared::Outside],
        }
    }
}

impl SharedPlaces {
    fn number(&mut self, name: String, kind: Shared) -> Place {
        let next = self.kinds.len() as u32;
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.kinds.push(kind);
        }
        Place::Shared(number)
    }

    /// Whether a place is a variable of the program: no value that the compiler computed on the way, and not what a pointer points to.
    pub fn is_variable(&self, place: Place) -> bool {
        match place {
            Place::Local(number) => place != RESULT && number % KINDS == 0,
            Place::Parameters => false,
            Place::Shared(number) => {
                let kind = self.kinds.get(number as usize);
                let is_named =
                    matches!(kind, Some(Shared::Plain | Shared::Visible | Shared::Object));
                is_named && place != LIBRARY
            }
        }
    }

    /// Notes that pointers may point to a variable.
    pub fn escape(&mut self, module: &str, name: &str) -> Result<(), String> {
        if let Place::Shared(number) = self.place(module, 0, name)? {
            self.kinds[number as usize] = Shared::Object;
        }
        Ok(())
    }

    /// Reads the name of a place in a function of a module.
    fn place(&mut self, module: &str, function: u32, name: &str) -> Result<Place, String> {
        let wrong = || format!("'{name}' is not the name of a place");
        let kind = name.chars().next().ok_or_else(wrong)?;
        let rest = &name[kind.len_utf8()..];
        let number = || {
            let number = rest.parse::<u32>().map_err(|_| wrong())?;
            number
                .checked_mul(KINDS)
                .filter(|one| *one < u32::MAX - KINDS)
                .ok_or_else(wrong)
        };
        match kind {
            'L' => Ok(Place::Local(number()?)),
            'T' => Ok(Place::Local(number()? + 1)),
            'P' if rest == "*" => Ok(Place::Parameters),
            'P' => Ok(Place::Local(number()? + 2)),
            'E' => Ok(self.number(format!("{function}\t{name}"), Shared::Object)),
            'G' => Ok(self.number(name.to_owned(), Shared::Visible)),
            'S' => Ok(self.number(format!("{module}\t{name}"), Shared::Plain)),
            'M' if rest == "*" => Ok(ANY),
            'M' => {
                let (size, offset) = match rest.split_once('@') {
                    Some((size, offset)) => (size, Some(offset.parse().map_err(|_| wrong())?)),
                    None => (rest, None),
                };
                let size = size.parse().map_err(|_| wrong())?;
                Ok(self.number(name.to_owned(), Shared::Pointed { size, offset }))
            }
            _ => Err(wrong()),
        }
    }

    fn places(&mut self, module: &str, function: u32, list: &str) -> Result<Vec<Place>, String> {
        let names = list.split(',').filter(|name| !name.is_empty());
        names
            .map(|name| self.place(module, function, name))
            .collect()
    }

    /// Reads a line of a block.
    pub fn step(
        &mut self,
        function: &Function,
        kind: &str,
        fields: &[&str],
    ) -> Result<Step, String> {
        let (module, id) = (function.module.as_str(), function.id);
        let place = fields.first().copied().unwrap_or_default();
        let (line, column) = place.split_once('.').unwrap_or((place, "0"));
        let number = |text: &str| {
            text.parse()
                .map_err(|_| format!("'{place}' is not a place"))
        };
        let (line, column) = (number(line)?, number(column)?);
        match (kind, fields) {
            ("set", [_, targets, reads]) => {
                let mut writes = Vec::new();
                for target in targets.split('+') {
                    let (mark, name) = target
                        .split_at_checked(1)
                        .ok_or("a step that writes nothing")?;
                    writes.push(Write {
                        place: self.place(module, id, name)?,
                        is_whole: mark == "=",
                    });
                }
                Ok(Step {
                    line,
                    column,
                    kind: StepKind::Set(writes),
                    reads: self.places(module, id, reads)?,
                })
            }
            ("do", [_, callee, result, called, arguments, touched]) => {
                let mut read = Vec::new();
                for one in arguments.split(';') {
                    read.push(self.places(module, id, one)?);
                }
                let mut memory = Vec::new();
                for one in touched.split(';') {
                    memory.push(self.places(module, id, one)?.first().copied());
                }
                let result = match result.strip_prefix('=') {
                    Some(name) => Some(self.place(module, id, name)?),
                    None => None,
                };
                let callee = Some(*callee).filter(|callee| *callee != "*").map(readable);
                Ok(Step {
                    line,
                    column,
                    kind: StepKind::Call(Box::new(CallStep {
                        callee,
                        result,
                        arguments: read,
                        touched: memory,
                    })),
                    reads: self.places(module, id, called)?,
                })
            }
            ("test" | "give", [_, reads]) => Ok(Step {
                line,
                column,
                kind: match kind {
                    "test" => StepKind::Test,
                    _ => StepKind::Give,
                },
                reads: self.places(module, id, reads)?,
            }),
            _ => Err(format!("{} fields of a step '{kind}'", fields.len())),
        }
    }
}

impl CodeBlock {
    /// Reads the line of a block.
    pub fn parse(fields: &[&str]) -> Result<CodeBlock, String> {
        let number = |text: &str| {
            text.parse::<u32>()
                .map_err(|_| format!("'{text}' is not a number"))
        };
        let maybe = |text: &str| {
            Some(text)
                .filter(|text| !text.is_empty())
                .map(number)
                .transpose()
        };
        let [class, site, next, above] = fields else {
            return Err(format!("{} fields of a block", fields.len()));
        };
        let next = next.split(',').filter(|one| !one.is_empty());
        Ok(CodeBlock {
            class: class
                .parse()
                .map_err(|_| format!("'{class}' is not a class"))?,
            site: maybe(site)?,
            next: next.map(number).collect::<Result<_, _>>()?,
            above: maybe(above)?,
            steps: Vec::new(),
        })
    }

    /// The block that comes next if that is certain: not after a branch, and not after a jump to a computed address.
    pub fn only_next(&self) -> Option<u32> {
        let is_call = |step: &Step| matches!(step.kind, StepKind::Call(_));
        match (self.site, &self.next[..]) {
            (None, [next]) => Some(*next),
            // A call that may throw: what is thrown lands with an event.
            (None, [next, _]) if self.steps.last().is_some_and(is_call) => Some(*next),
            _ => None,
        }
    }

    /// Whether the function returns at its end.
    pub fn returns(&self) -> bool {
        matches!(self.steps.last(), Some(step) if matches!(step.kind, StepKind::Give))
    }
}

/// Whether the blocks of a function fit it.
pub(crate) fn check(function: &Function) -> Result<(), String> {
    let blocks = &function.code;
    let exists = |block: &u32| (*block as usize) < blocks.len();
    let fits = |block: &CodeBlock| {
        let site = block.site.map(|site| function.sites.get(site as usize));
        let is_site = match site {
            Some(Some(site)) => site.kind != SiteKind::Call && site.outcomes() == block.next.len(),
            Some(None) => false,
            None => true,
        };
        is_site
            && usize::from(block.class) <= function.classes.len()
            && block.next.iter().chain(&block.above).all(exists)
    };
    if blocks.iter().all(fits) {
        Ok(())
    } else {
        Err(format!("a block of {} does not fit", function.name))
    }
}

/// What a function of the library does to memory.
pub(crate) struct LibraryEffect {
    /// The arguments through which it writes.
    pub written: Vec<usize>,
    /// The arguments through which it reads.
    pub read: Vec<usize>,
    /// Whether it reads and changes the state of the library.
    pub has_state: bool,
    /// Whether it may read and write whatever pointers point to.
    pub is_unknown: bool,
}

/// What a function that is not instrumented does.
pub(crate) fn effect(callee: Option<&str>) -> LibraryEffect {
    let known = |written: &[usize], read: &[usize], has_state| LibraryEffect {
        written: written.to_vec(),
        read: read.to_vec(),
        has_state,
        is_unknown: false,
    };
    match callee.unwrap_or_default() {
        "strlen" | "strnlen" | "atoi" | "atol" | "atoll" | "strchr" | "strrchr" | "memchr" => {
            known(&[], &[0], false)
        }
        "strcmp" | "strncmp" | "strcasecmp" | "strncasecmp" | "memcmp" | "strstr" | "strspn"
        | "strcspn" | "strpbrk" => known(&[], &[0, 1], false),
        "strdup" | "strndup" => known(&[], &[0], false),
        "isupper"
        | "islower"
        | "isalpha"
        | "isdigit"
        | "isxdigit"
        | "isspace"
        | "isprint"
        | "isgraph"
        | "isblank"
        | "iscntrl"
        | "ispunct"
        | "isalnum"
        | "tolower"
        | "toupper"
        | "abs"
        | "labs"
        | "llabs"
        | "malloc"
        | "calloc"
        | "free"
        | "__ctype_b_loc"
        | "__ctype_tolower_loc"
        | "__ctype_toupper_loc" => known(&[], &[], false),
        "strcpy" | "strncpy" | "memcpy" | "memmove" | "stpcpy" => known(&[0], &[1], false),
        "strcat" | "strncat" => known(&[0], &[0, 1], false),
        "memset" => known(&[0], &[], false),
        "printf" | "puts" | "putchar" | "vprintf" | "perror" => {
            known(&[], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], false)
        }
        "fprintf" => known(&[], &[1, 2, 3, 4, 5, 6, 7, 8, 9], false),
        "fputs" | "fwrite" | "fputs_unlocked" => known(&[], &[0], false),
        "fputc" | "putc" | "_IO_putc" | "fflush" => known(&[], &[], false),
        "write" => known(&[], &[1], false),
        "exit" | "_exit" | "_Exit" | "quick_exit" | "abort" => known(&[], &[], false),
        "__assert_fail" => known(&[], &[], false),
        "getchar" | "getc" | "fgetc" | "_IO_getc" | "getchar_unlocked" | "ungetc" | "feof"
        | "ferror" => known(&[], &[], true),
        "fgets" | "fread" | "fread_unlocked" => known(&[0], &[], true),
        "read" => known(&[1], &[], true),
        "fopen" => known(&[], &[0, 1], true),
        "fclose" | "rewind" | "fseek" | "ftell" | "open" | "close" => known(&[], &[0], true),
        _ => LibraryEffect {
            written: Vec::new(),
            read: Vec::new(),
            has_state: true,
            is_unknown: true,
        },
    }
}

/// Functions that end the program, or the function that calls.
pub(crate) fn ends(callee: &str) -> bool {
    const ENDS: [&str; 9] = [
        "exit",
        "_exit",
        "_Exit",
        "quick_exit",
        "abort",
        "longjmp",
        "_longjmp",
        "siglongjmp",
        "__assert_fail",
    ];
    ENDS.contains(&callee)
}
