//! The reducers that `bench/reduce` compares, and how each is called.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::case::{Case, InputLanguage, InputSize};
use crate::process_tree::{self, Usage};
use crate::yester;

/// How long a tool that stops by itself may take to write its result.
const GRACE: Duration = Duration::from_secs(10);

/// A reducer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// This project's.
    Yester,
    /// C-Vise, the successor of C-Reduce.
    Cvise,
    /// Shrink Ray.
    Shrinkray,
    /// treereduce, one program for each language.
    Treereduce,
    /// Picire, parallel ddmin.
    Picire,
    /// Lithium, which has one job only.
    Lithium,
    /// Picireny, Picire with ANTLR's grammars; never there, but its absence is to be said.
    Picireny,
}

/// After how many trials it is told how much is left.
pub const MILESTONES: [usize; 2] = [60, 150];

/// What came out of a run.
#[derive(Debug)]
pub struct ToolRun {
    /// How often the test was called.
    pub trials: u64,
    /// Time.
    pub usage: Usage,
    /// The fewest bytes that were interesting after each of [`MILESTONES`], of one file.
    pub milestones: [Option<u64>; MILESTONES.len()],
    /// The result's size.
    pub size: InputSize,
    /// How it ended.
    pub note: String,
    /// Whether it finished or was stopped, and left something interesting.
    pub sound: bool,
}

/// The milestones of a run whose trials left a line each: bytes and exit code.
fn milestones(progress: &str) -> [Option<u64>; MILESTONES.len()] {
    let trials: Vec<Option<u64>> = progress
        .lines()
        .map(|line| line.strip_suffix(" 0")?.parse().ok())
        .collect();
    MILESTONES.map(|trial| trials.get(..trial)?.iter().flatten().copied().min())
}

impl Tool {
    /// All of them, in the order of the tables.
    pub const ALL: [Tool; 7] = [
        Tool::Yester,
        Tool::Cvise,
        Tool::Shrinkray,
        Tool::Treereduce,
        Tool::Picire,
        Tool::Lithium,
        Tool::Picireny,
    ];

    /// What the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Yester => "yester",
            Tool::Cvise => "cvise",
            Tool::Shrinkray => "shrinkray",
            Tool::Treereduce => "treereduce",
            Tool::Picire => "picire",
            Tool::Lithium => "lithium",
            Tool::Picireny => "picireny",
        }
    }

    /// The program that reduces the case, or why there is none.
    pub fn program(self, case: &Case, peers: &Path) -> Result<PathBuf, &'static str> {
        let reduces_directories = matches!(self, Tool::Yester | Tool::Shrinkray);
        if case.is_directory() && !reduces_directories {
            return Err("cannot reduce a directory");
        }
        let program = match self {
            Tool::Yester => yester(),
            Tool::Cvise => std::env::var_os("PATH")
                .iter()
                .flat_map(std::env::split_paths)
                .map(|directory| directory.join("cvise"))
                .find(|program| program.exists())
                .ok_or("not installed")?,
            Tool::Treereduce => peers.join("bin").join(match case.language() {
                InputLanguage::C => "treereduce-c",
                InputLanguage::Java => "treereduce-java",
                InputLanguage::JavaScript => "treereduce-javascript",
                InputLanguage::CPlusPlus | InputLanguage::Other => {
                    return Err("has no such language");
                }
            }),
            Tool::Shrinkray | Tool::Picire | Tool::Lithium | Tool::Picireny => {
                peers.join(self.name()).join("bin").join(self.name())
            }
        };
        if program.exists() {
            Ok(program)
        } else {
            Err("not installed")
        }
    }

    /// Reduces the case in the directory `place`, which is made anew.
    pub fn run(
        self,
        program: &Path,
        case: &Case,
        place: &Path,
        limit: Duration,
    ) -> io::Result<ToolRun> {
        let _ = fs::remove_dir_all(place);
        fs::create_dir_all(place.join("tmp"))?;
        let copied = Command::new("cp")
            .arg("-R")
            .arg(case.path())
            .arg(place.join(&case.input))
            .status()?;
        assert!(copied.success(), "the input can be copied");
        fs::write(place.join("trials"), b"")?;
        fs::write(place.join("progress"), b"")?;
        self.write_test(case, place)?;

        let log = File::create(place.join("log"))?;
        let mut command = self.command(program, case, place, limit)?;
        command
            .current_dir(place)
            .env("TMPDIR", place.join("tmp"))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        let grace = match self {
            Tool::Yester => GRACE,
            _ => Duration::ZERO,
        };
        let usage = process_tree::run(&mut command, limit + grace)?;
        let trials = fs::metadata(place.join("trials"))?.len();
        let result = self.result(case, place, usage.code);
        let mut sound = true;
        let mut note = match usage.code {
            Some(0) => "finished".to_owned(),
            Some(3) if self == Tool::Yester => format!("stopped after {} s", limit.as_secs()),
            None => format!("stopped after {} s", limit.as_secs()),
            Some(code) => {
                sound = false;
                format!("failed with exit {code}: {}", last_line(place))
            }
        };
        if !case.accepts(&result)? {
            sound = false;
            note.push_str("; the result is NOT interesting");
        }
        fs::remove_dir_all(place.join("tmp"))?;
        Ok(ToolRun {
            trials,
            usage,
            milestones: milestones(&fs::read_to_string(place.join("progress"))?),
            size: InputSize::of(&result)?,
            note,
            sound,
        })
    }

    /// Whether the result so far is not to be found before the tool has finished, so that the test has to keep it.
    /// Lithium tries its candidates in the input's own place.
    fn hides_the_best(self) -> bool {
        matches!(self, Tool::Treereduce | Tool::Picire | Tool::Lithium)
    }

    /// Writes the script that counts a trial and passes it on to the case's test.
    fn write_test(self, case: &Case, place: &Path) -> io::Result<()> {
        let path = place.join("trial.sh");
        let mut script = File::create(&path)?;
        let (directory, test) = (place.display(), case.test());
        let test = test.display();
        let progress = format!("echo \"$size ${{code:-1}}\" >> '{directory}/progress'");
        // C-Vise passes no argument but leaves the candidate in the current directory.
        writeln!(script, "#!/bin/sh\nfile=${{1:-{}}}", case.input)?;
        writeln!(script, "printf . >> '{directory}/trials'")?;
        if self.hides_the_best() {
            fs::write(
                place.join("size"),
                InputSize::of(&case.path())?.bytes.to_string(),
            )?;
            writeln!(script, "size=$(wc -c < \"$file\")")?;
            writeln!(script, "'{test}' \"$file\" || {{ {progress}; exit 1; }}")?;
            writeln!(script, "code=0; {progress}")?;
            writeln!(
                script,
                "[ \"$size\" -lt \"$(cat '{directory}/size')\" ] || exit 0"
            )?;
            writeln!(script, "cp \"$file\" '{directory}/best'.$$")?;
            writeln!(
                script,
                "mv '{directory}/best'.$$ '{directory}/{}'",
                best(case)
            )?;
            writeln!(script, "echo \"$size\" > '{directory}/size'")?;
        } else if case.is_directory() {
            writeln!(script, "exec '{test}' \"$file\"")?;
        } else {
            writeln!(script, "size=$(wc -c < \"$file\")")?;
            writeln!(script, "'{test}' \"$file\"; code=$?")?;
            writeln!(script, "{progress}; exit $code")?;
        }
        drop(script);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))
    }

    fn command(
        self,
        program: &Path,
        case: &Case,
        place: &Path,
        limit: Duration,
    ) -> io::Result<Command> {
        let test = place.join("trial.sh");
        let mut command = Command::new(program);
        match self {
            Tool::Yester => {
                command.args(["reduce", &case.input, "--output", &output(case)]);
                command.args(["--interesting", "--fresh", "--quiet", "--jobs", "2"]);
                command.args(["--max-time", &format!("{}s", limit.as_secs()), "--"]);
                command.arg(test).arg("{}");
            }
            Tool::Cvise => {
                command.args(["--n", "2", "--timeout", "30"]);
                if !matches!(case.language(), InputLanguage::C | InputLanguage::CPlusPlus) {
                    command.arg("--not-c");
                }
                command.arg(test).arg(&case.input);
            }
            Tool::Shrinkray => {
                command.args(["--parallelism", "2", "--ui", "basic", "--no-history"]);
                command.args(["--input-type", "arg", "--formatter", "none"]);
                command.arg(test).arg(&case.input);
            }
            Tool::Treereduce => {
                command.args(["--source", &case.input, "--output", &output(case)]);
                command.args(["--jobs", "2", "--stable", "--on-parse-error", "ignore"]);
                let candidate = match case.language() {
                    InputLanguage::Java => "@@.java",
                    InputLanguage::JavaScript => "@@.js",
                    _ => "@@.c",
                };
                command.arg("--").arg(test).arg(candidate);
            }
            Tool::Picire => {
                let text = std::str::from_utf8(&fs::read(case.path())?).is_ok();
                let encoding = if text { "utf-8" } else { "latin-1" };
                command.args(["--input", &case.input, "--out", "out", "--atom", "both"]);
                command.args(["--parallel", "--jobs", "2", "--cache", "content"]);
                command.args(["--encoding", encoding, "--test"]).arg(test);
            }
            Tool::Lithium => {
                fs::write(
                    place.join("interesting.py"),
                    "import subprocess\n\n\ndef interesting(args, prefix):\n    return subprocess.call(args) == 0\n",
                )?;
                let script = "\"$1\" --lines interesting.py \"$2\" \"$3\"; \"$1\" --char interesting.py \"$2\" \"$3\"";
                command = Command::new("sh");
                command.args(["-c", script, "lithium"]).arg(program);
                command.arg(test).arg(&case.input);
            }
            Tool::Picireny => unreachable!("it is never installed"),
        }
        Ok(command)
    }

    /// Where the result is after the run.
    fn result(self, case: &Case, place: &Path, code: Option<i32>) -> PathBuf {
        let input = place.join(&case.input);
        let result = match self {
            Tool::Yester => place.join(output(case)),
            Tool::Cvise | Tool::Shrinkray => return input,
            _ if code != Some(0) => place.join(best(case)),
            Tool::Lithium => return input,
            Tool::Treereduce => place.join(output(case)),
            Tool::Picire | Tool::Picireny => place.join("out").join(&case.input),
        };
        if result.exists() { result } else { case.path() }
    }
}

/// The name of a result, with the extension of the input.
fn output(case: &Case) -> String {
    case.input.replacen("input", "result", 1)
}

/// The name of what the test has kept, with the extension of the input.
fn best(case: &Case) -> String {
    case.input.replacen("input", "best", 1)
}

/// The end of what the tool has printed, as the note of a failure.
fn last_line(place: &Path) -> String {
    let log = fs::read(place.join("log")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let line = log.lines().rfind(|line| !line.trim().is_empty());
    let line: String = line.unwrap_or_default().chars().take(120).collect();
    line.replace('|', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_milestone_is_the_smallest_interesting_candidate_so_far() {
        let early = "900 0\n100 1\n700 0\n".to_owned() + &"650 1\n".repeat(57);
        assert_eq!(milestones(&early), [Some(700), None]);
        let late = early + &"50 0\n".repeat(90);
        assert_eq!(milestones(&late), [Some(700), Some(50)]);
    }
}
