//! A C project with the history of the paper's first case study: 344 textual changes in 116 commits, one of which makes it
//! dump core. Some commits do not build.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::shape::Random;

pub const COMMITS: usize = 116;
pub const CHANGES: usize = 344;
/// The commit that breaks it, counted from 0.
pub const CULPRIT: usize = 67;

const MODULES: [&str; 30] = [
    "agent",
    "annotation",
    "args",
    "box",
    "breakpoint",
    "buttons",
    "color",
    "command",
    "complete",
    "cook",
    "data",
    "disp",
    "events",
    "exec",
    "file",
    "font",
    "graph",
    "help",
    "history",
    "hook",
    "label",
    "layout",
    "menu",
    "plotter",
    "regexp",
    "select",
    "settings",
    "source",
    "tips",
    "value",
];
const FUNCTIONS: usize = 10;
const PARAGRAPHS: usize = 40;

/// Broken after the question mark: in the paper it is after the equals sign, and then the second line makes sense without
/// the first, so that one can be left out of the culprit.
const CLASSPATH: [&str; 2] = [
    "    const char *classpath = getenv(\"CLASSPATH\") != 0 ?",
    "        getenv(\"CLASSPATH\") : \".\";",
];
const NEW_CLASSPATH: &str = "    const char *classpath = source_view->classpath();";

/// What the culprit is as lines of a patch.
pub fn culprit_lines() -> [String; 3] {
    [
        format!("-{}", CLASSPATH[0]),
        format!("-{}", CLASSPATH[1]),
        format!("+{NEW_CLASSPATH}"),
    ]
}

/// One textual change: lines of a file that stand there once, and what stands there afterwards.
struct Edit {
    file: String,
    old: Vec<String>,
    new: Vec<String>,
}

/// A function of the first version, by the numbers of its module and within it.
type Function = (usize, usize);

fn name((module, number): Function) -> String {
    format!("{}_{number}", MODULES[module])
}

fn source(module: usize) -> String {
    format!("{}.c", MODULES[module])
}

fn header(module: usize) -> String {
    format!("{}.h", MODULES[module])
}

/// What a function of an odd number calls.
fn callee((module, number): Function) -> Option<Function> {
    let is_caller = module > 0 && number % 2 == 1;
    is_caller.then(|| {
        let called = (module * 7 + number * 5) % module;
        (called, (module + number) % FUNCTIONS)
    })
}

fn signature(function: Function, parameters: &str) -> String {
    format!("unsigned {}({parameters})", name(function))
}

fn title(function: Function) -> String {
    format!("/* Looks after {}. */", name(function))
}

fn start(function: Function, factor: usize) -> String {
    format!("    unsigned sum_{} = x * {factor};", function.1)
}

fn middle(function: Function) -> String {
    match callee(function) {
        Some(called) => call(function, &name(called), ""),
        None => format!("    sum_{0} ^= sum_{0} >> 3;", function.1),
    }
}

fn call((_, number): Function, called: &str, more: &str) -> String {
    format!("    sum_{number} += {called}(sum_{number}{more});")
}

fn paragraph(number: usize) -> String {
    format!("Section {number} is about the {number}th menu.")
}

fn all_functions() -> impl Iterator<Item = Function> {
    (0..MODULES.len()).flat_map(|module| (0..FUNCTIONS).map(move |number| (module, number)))
}

fn first_version() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for module in 0..MODULES.len() {
        let mut text = String::from("#include \"ddd.h\"\n\n");
        let mut declarations = String::new();
        for function in (0..FUNCTIONS).map(|number| (module, number)) {
            let [title, middle] = [title(function), middle(function)];
            let signature = signature(function, "unsigned x");
            text += &format!(
                "{title}\n{signature}\n{{\n{}\n\n    /* What follows depends on {}. */\n{middle}\n    return sum_{};\n}}\n\n",
                start(function, function.1 + 3),
                name(function),
                function.1,
            );
            declarations += &format!("/* See {}. */\n{signature};\n\n", source(module));
        }
        files.insert(source(module), text);
        files.insert(header(module), declarations);
    }
    let includes = MODULES.map(|module| format!("#include \"{module}.h\"\n"));
    let calls = MODULES.map(|module| format!("    sum += {module}_1(sum);\n"));
    let sections = (0..PARAGRAPHS).map(|number| paragraph(number) + "\nIt is short.\n\n");
    let classpath = CLASSPATH.join("\n");
    let others = [
        ("ddd.h", includes.concat() + DDD_H),
        ("ddd.c", DDD_C.replace("    CALLS\n", &calls.concat())),
        (
            "gdbinit.c",
            GDBINIT_C.replace("CLASSPATH_LINES", &classpath),
        ),
        ("ddd.texi", sections.collect()),
        ("Makefile", MAKEFILE.to_owned()),
        (".gitignore", "*.o\n*.d\n/ddd\n".to_owned()),
    ];
    files.extend(others.map(|(name, text)| (name.to_owned(), text)));
    files
}

/// Makes edits, each of lines that no other edit touches.
struct Editor {
    random: Random,
    taken: BTreeSet<(String, String)>,
}

impl Editor {
    fn is_free(&self, file: &str, line: &str) -> bool {
        !self.taken.contains(&(file.to_owned(), line.to_owned()))
    }

    fn edit(&mut self, file: String, old: String, new: Vec<String>) -> Edit {
        let is_new = self.taken.insert((file.clone(), old.clone()));
        assert!(is_new, "{file}: {old}");
        Edit {
            file,
            old: vec![old],
            new,
        }
    }

    /// A function that fits, at random.
    fn pick(&mut self, fits: impl Fn(&Self, Function) -> bool) -> Function {
        loop {
            let module = self.random.below(MODULES.len());
            let function = (module, self.random.below(FUNCTIONS));
            if fits(self, function) {
                return function;
            }
        }
    }

    fn has_free_middle(&self, function: Function) -> bool {
        self.is_free(&source(function.0), &middle(function))
    }

    /// A change that needs no other: a number, or a sentence of the manual.
    fn plain(&mut self) -> Edit {
        let number = self.random.below(PARAGRAPHS);
        if self.random.chance(10.0) && self.is_free("ddd.texi", &paragraph(number)) {
            let new = format!("Section {number} tells all about a menu.");
            return self.edit("ddd.texi".to_owned(), paragraph(number), vec![new]);
        }
        let old = |function: Function| start(function, function.1 + 3);
        let function = self.pick(|editor, it| editor.is_free(&source(it.0), &old(it)));
        let new = start(function, function.1 + 20);
        self.edit(source(function.0), old(function), vec![new])
    }

    /// A new function: those who use it, and what declares and defines it.
    fn addition(&mut self) -> (Vec<Edit>, Vec<Edit>) {
        let declaration = |it| signature(it, "unsigned x") + ";";
        let beside = self.pick(|editor, it| {
            editor.is_free(&source(it.0), &title(it))
                && editor.is_free(&header(it.0), &declaration(it))
        });
        let added = format!("{}_more", name(beside));
        let user = self.pick(|editor, it| callee(it).is_none() && editor.has_free_middle(it));
        let uses = vec![self.edit(source(user.0), middle(user), vec![call(user, &added, "")])];
        let declared = vec![
            declaration(beside),
            format!("unsigned {added}(unsigned x);"),
        ];
        let defined = [
            &format!("unsigned {added}(unsigned x)"),
            "{",
            "    return x / 2 + 1;",
            "}",
            "",
            &title(beside),
        ];
        let definitions = vec![
            self.edit(header(beside.0), declaration(beside), declared),
            self.edit(
                source(beside.0),
                title(beside),
                defined.map(str::to_owned).to_vec(),
            ),
        ];
        (uses, definitions)
    }

    /// One more parameter: where the function is, and where it is called.
    fn parameter(&mut self) -> (Vec<Edit>, Vec<Edit>) {
        let callers = |it: Function| all_functions().filter(move |&by| callee(by) == Some(it));
        let old = |it| signature(it, "unsigned x");
        let function = self.pick(|editor, it| {
            let count = callers(it).count();
            // main calls those of number 1.
            (1..=3).contains(&count)
                && it.1 != 1
                && callers(it).all(|by| editor.has_free_middle(by))
                && editor.is_free(&source(it.0), &old(it))
                && editor.is_free(&header(it.0), &(old(it) + ";"))
        });
        let new = signature(function, "unsigned x, unsigned scale");
        let changed = vec![
            self.edit(
                header(function.0),
                old(function) + ";",
                vec![new.clone() + ";"],
            ),
            self.edit(source(function.0), old(function), vec![new]),
        ];
        let calls = callers(function).map(|by| {
            let line = call(by, &name(function), ", 4");
            self.edit(source(by.0), middle(by), vec![line])
        });
        (changed, calls.collect())
    }

    /// Changes that need each other, as two parts neither of which builds alone.
    fn pair(&mut self) -> (Vec<Edit>, Vec<Edit>) {
        if self.random.chance(50.0) {
            self.addition()
        } else {
            self.parameter()
        }
    }
}

/// A commit after which it does not build, and the one that repairs it.
type Span = (usize, usize);

/// The edits of each commit.
fn history(around_culprit: Span) -> Vec<Vec<Edit>> {
    let mut editor = Editor {
        random: Random::new(1999),
        taken: BTreeSet::new(),
    };
    let mut commits: Vec<Vec<Edit>> = (0..COMMITS).map(|_| vec![editor.plain()]).collect();
    commits[CULPRIT].push(Edit {
        file: "gdbinit.c".to_owned(),
        old: CLASSPATH.map(str::to_owned).to_vec(),
        new: vec![NEW_CLASSPATH.to_owned()],
    });
    for _ in 0..3 {
        let edit = editor.plain();
        commits[CULPRIT].push(edit);
    }
    let spans: [Span; 6] = [(8, 9), (21, 24), (40, 41), (57, 59), (86, 88), (101, 102)];
    for (broken, repaired) in spans.into_iter().chain([around_culprit]) {
        let (one, other) = editor.pair();
        commits[broken].extend(one);
        commits[repaired].extend(other);
    }
    for commit in (0..COMMITS).step_by(4) {
        let (one, other) = editor.pair();
        commits[commit].extend(one.into_iter().chain(other));
    }
    let count: usize = commits.iter().map(Vec::len).sum();
    for _ in count..CHANGES {
        let commit = editor.random.below(COMMITS);
        let edit = editor.plain();
        commits[commit].push(edit);
    }
    commits
}

pub fn subject(commit: usize) -> String {
    format!("change {commit}")
}

#[track_caller]
pub fn git(place: &Path, words: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Andreas", "-c", "user.email=a@example.org"])
        .args(["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"])
        .args(words)
        .current_dir(place)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .expect("git starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {words:?}: {message}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Makes the repository, with tags for the two releases.
pub fn make(place: &Path, does_culprit_build: bool) {
    let mut files = first_version();
    for (file, text) in &files {
        fs::write(place.join(file), text).expect("room");
    }
    git(place, &["init", "--quiet", "--initial-branch=main"]);
    git(place, &["add", "--all"]);
    git(place, &["commit", "--quiet", "-m", "DDD 3.1.1"]);
    git(place, &["tag", "v3.1.1"]);
    let span = if does_culprit_build {
        (CULPRIT - 4, CULPRIT - 1)
    } else {
        (CULPRIT - 1, CULPRIT + 2)
    };
    for (commit, edits) in history(span).into_iter().enumerate() {
        for Edit { file, old, new } in edits {
            let text = files.get_mut(&file).expect("a file of the first version");
            let [old, new] = [old, new].map(|lines| lines.join("\n") + "\n");
            assert_eq!(text.matches(&old).count(), 1, "{file}: {old}");
            *text = text.replace(&old, &new);
            fs::write(place.join(&file), text).expect("room");
        }
        git(place, &["commit", "--quiet", "-a", "-m", &subject(commit)]);
    }
    git(place, &["tag", "v3.1.2"]);
}

const DDD_H: &str = "
struct source_view {
    const char *(*classpath)(void);
};

extern struct source_view *source_view;

int is_java_class(const char *name);
";

const DDD_C: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include \"ddd.h\"

struct source_view *source_view;

static const char *classpath(void)
{
    return getenv(\"CLASSPATH\") ? getenv(\"CLASSPATH\") : \".\";
}

int main(int count, char **words)
{
    static struct source_view view = { classpath };
    unsigned sum = 1;

    if (count > 1 && access(words[1], R_OK) != 0 && !is_java_class(words[1]))
        fprintf(stderr, \"%s: no such file\\n\", words[1]);
    source_view = &view;
    CALLS
    printf(\"%u items from %s\\n\", sum, source_view->classpath());
    return 0;
}
";

const GDBINIT_C: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include \"ddd.h\"

int is_java_class(const char *name)
{
    char path[4096];
CLASSPATH_LINES

    snprintf(path, sizeof path, \"%s/%s.class\", classpath, name);
    return access(path, R_OK) == 0;
}
";

const MAKEFILE: &str = "\
CFLAGS = -O0 -Wall -Werror=implicit-function-declaration -MMD -MP
objects = $(patsubst %.c,%.o,$(sort $(wildcard *.c)))

ddd: $(objects)
\t$(CC) -o $@ $(objects)

-include $(objects:.o=.d)
";
