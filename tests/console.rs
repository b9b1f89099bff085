//! Runs the `console` blocks of a Markdown page and compares what they print with what the page shows.
//!
//! A block runs in one shell, in a copy of the directory that an HTML comment above it names:
//!
//! ```text
//! <!-- in: examples/totals; first: cc -o totals totals.c; needs: yester-cc -->
//! ```
//!
//! - `in` is a directory of the repository, or `same` for the one of the block before. Without it the block starts in an
//!   empty directory.
//! - `first` is a command that the page does not show.
//! - `needs` names a program that is not always built. [`check`] skips the block unless it is asked for that program.
//!
//! Each `$ ` line is a command, and the lines below it are its standard output and error. Commands must exit with 0 unless
//! the last of these lines is `[exit CODE]`. `[..]` stands for any text within a line, `...` for any number of lines. Counts
//! of trials and times may differ. Lines that begin with `yester:` or `hint:` are compared only if the page shows them, since
//! progress depends on the speed of the machine.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// Separates the output of one command from the next. No command here prints it.
const MARK: char = '\u{1e}';

/// One `console` block of a page.
#[derive(Debug, Default)]
struct Block {
    /// Where its first command stands.
    line: usize,
    directory: Option<String>,
    first: Option<String>,
    needs: Option<String>,
    steps: Vec<Step>,
}

/// One command and the lines that the page shows below it.
#[derive(Debug, Default)]
struct Step {
    command: String,
    expected: Vec<String>,
    code: i32,
}

/// Runs the blocks of a page that need the given program, or none besides yester, and returns how many commands they have.
///
/// `programs` is the directory of yester itself, which is searched before `PATH`.
#[track_caller]
pub fn check(root: &Path, page: &str, programs: &Path, needs: Option<&str>) -> usize {
    let text = fs::read_to_string(root.join(page)).expect(page);
    let mut commands = 0;
    let mut place = TempDir::new().expect("a directory");
    for block in blocks(&text) {
        if block.needs.as_deref() != needs {
            continue;
        }
        if block.directory.as_deref() != Some("same") {
            place = TempDir::new().expect("a directory");
            if let Some(directory) = &block.directory {
                copy(&root.join(directory), place.path());
            }
        }
        let problem = run(&block, place.path(), programs);
        if let Some(problem) = problem {
            panic!("{page}:{}: {problem}", block.line);
        }
        commands += block.steps.len();
    }
    commands
}

/// The `console` blocks of a page.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().zip(1..);
    let mut comment = "";
    while let Some((line, number)) = lines.next() {
        if line.starts_with("<!--") {
            comment = line;
        } else if line == "```console" {
            let inside: Vec<&str> = (lines.by_ref())
                .map(|(line, _)| line)
                .take_while(|line| *line != "```")
                .collect();
            let (directory, first, needs) = directives(comment);
            blocks.push(Block {
                line: number + 1,
                directory,
                first,
                needs,
                steps: steps(&inside),
            });
            comment = "";
        } else if !line.is_empty() {
            comment = "";
        }
    }
    blocks
}

/// What a comment says about `in`, `first` and `needs`.
fn directives(comment: &str) -> (Option<String>, Option<String>, Option<String>) {
    let inside = comment
        .trim_start_matches("<!--")
        .trim_end()
        .trim_end_matches("-->");
    let value = |key: &str| {
        let parts = inside.split(';').filter_map(|part| part.split_once(':'));
        let mut values = parts.filter(|(name, _)| name.trim() == key);
        values.next().map(|(_, value)| value.trim().to_owned())
    };
    (value("in"), value("first"), value("needs"))
}

fn steps(lines: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_continued = false;
    for line in lines {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                command: command.to_owned(),
                ..Step::default()
            });
        } else {
            let step = steps.last_mut().expect("a block begins with a command");
            if is_continued {
                step.command += "\n";
                step.command += line;
            } else {
                step.expected.push((*line).to_owned());
            }
        }
        let is_command = is_continued || line.starts_with("$ ");
        is_continued = is_command && line.ends_with('\\');
    }
    for step in &mut steps {
        without_empty_end(&mut step.expected);
        let code = step.expected.last().and_then(|line| {
            let code = line.strip_prefix("[exit ")?.strip_suffix(']')?;
            code.parse().ok()
        });
        if let Some(code) = code {
            step.code = code;
            step.expected.pop();
        }
    }
    steps
}

/// Runs a block and says what is not as the page shows it.
fn run(block: &Block, directory: &Path, programs: &Path) -> Option<String> {
    let first = block.first.as_deref().unwrap_or(":");
    let commands = block.steps.iter().map(|step| step.command.as_str());
    let mut script = "exec 2>&1 < /dev/null\n".to_owned();
    for command in std::iter::once(first).chain(commands) {
        script += command;
        // The command after this one can still ask for `$?`.
        script += "\ncode=$?; printf '\\036%d\\036' $code; (exit $code)\n";
    }
    let mut directories = vec![programs.to_owned()];
    directories.extend(std::env::split_paths(
        &std::env::var_os("PATH").expect("a PATH"),
    ));
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &script])
        .current_dir(directory)
        .env("PATH", std::env::join_paths(directories).expect("a PATH"))
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("LC_ALL", "C");
    // Git sets these for hooks, from which tests may be run.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        shell.env_remove(variable);
    }
    let output = shell.env_remove("CLICOLOR_FORCE").output();
    let output = String::from_utf8_lossy(&output.expect("sh starts").stdout).into_owned();
    let mut parts = output.split(MARK);
    let mut next = || Some((parts.next()?, parts.next()?.parse::<i32>().ok()?));
    match next() {
        Some((_, 0)) => {}
        other => return Some(format!("`{first}` failed: {other:?}")),
    }
    for step in &block.steps {
        let Some((printed, code)) = next() else {
            return Some(format!("`{}` ended the shell", step.command));
        };
        let mut lines: Vec<String> = printed.lines().map(str::to_owned).collect();
        without_empty_end(&mut lines);
        if code != step.code || !matches(&step.expected, &lines) {
            let expected = step.expected.join("\n");
            return Some(format!(
                "`{}` should exit with {} and print:\n{expected}\n\nIt exited with {code} and printed:\n{printed}",
                step.command, step.code
            ));
        }
    }
    None
}

fn without_empty_end(lines: &mut Vec<String>) {
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
}

/// Whether the printed lines are what the page shows.
pub fn matches(expected: &[String], printed: &[String]) -> bool {
    match (expected.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((line, rest)), _) if line == "..." => {
            (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..]))
        }
        (expected_first, Some((printed_line, printed_rest))) => {
            let is_shown = expected_first.is_some_and(|(line, rest)| {
                line_matches(line, printed_line) && matches(rest, printed_rest)
            });
            // How much is wasted depends on the machine, and whether it is told, too.
            let asides = ["yester: ", "hint: ", "wasted ", "report "];
            let is_aside = asides.iter().any(|aside| printed_line.starts_with(aside));
            is_shown || is_aside && matches(expected, printed_rest)
        }
        (Some(_), None) => false,
    }
}

fn line_matches(expected: &str, printed: &str) -> bool {
    let expected = without_figures(expected.trim_end());
    let printed = without_figures(printed.trim_end());
    let mut parts = expected.split("[..]");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// Counts of trials and times differ from machine to machine.
fn without_figures(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let is_number = |word: &str| {
        let is_part = |byte: u8| byte.is_ascii_digit() || byte == b',' || byte == b'.';
        word.starts_with(|first: char| first.is_ascii_digit()) && word.bytes().all(is_part)
    };
    let is_unit = |word: &&str| {
        let unit = word.trim_end_matches(',');
        matches!(unit, "s" | "ms" | "trial" | "trials")
    };
    let figures = words.iter().enumerate().map(|(place, word)| {
        let is_figure = is_number(word) && words.get(place + 1).is_some_and(is_unit);
        if is_figure { "#" } else { word }
    });
    figures.collect::<Vec<_>>().join(" ")
}

/// Copies what is in a directory, in a process of its own: see `tests/executable.rs` for why.
fn copy(from: &Path, to: &Path) {
    let status = Command::new("cp")
        .args(["-R", "-p"])
        .arg(from.join("."))
        .arg(to)
        .status();
    assert!(status.expect("cp starts").success(), "{}", from.display());
}
