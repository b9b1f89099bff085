//! A generated repository of 20,000 files and 2,000 commits, one of them guilty, for `git bisect run` and yester.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use yester_bench::script::{count, fresh, succeed, write_counter, write_script};
use yester_bench::{process_tree, yester};

const FILES: usize = 20_000;
const FILES_IN_A_DIRECTORY: usize = 100;
const COMMITS: usize = 2_000;
const CHANGES_IN_A_COMMIT: usize = 3;
const FUNCTIONS: usize = 8;

/// The commit that breaks the test, and the file that it breaks it in.
const GUILTY: usize = 1_377;
const GUILTY_FILE: usize = 12_345;

/// yester takes at most this many times as long for the commit as git bisect, and at most this long in all.
const COMMIT_BAR: f64 = 2.0;
const WHOLE_BAR: Duration = Duration::from_secs(10);

/// SplitMix64: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((word ^ (word >> 31)) % bound as u64) as usize
    }
}

/// A file of the repository.
struct Unit {
    number: usize,
    limit: usize,
    rates: [usize; FUNCTIONS],
}

impl Unit {
    fn path(&self) -> String {
        let directory = self.number / FILES_IN_A_DIRECTORY;
        format!("source/part_{directory:03}/unit_{:05}.py", self.number)
    }

    fn text(&self) -> String {
        let mut text = format!(
            "\"\"\"Unit {}.\"\"\"\n\nLIMIT = {}\n",
            self.number, self.limit
        );
        for (index, rate) in self.rates.iter().enumerate() {
            write!(
                text,
                "\n\ndef rate_{index}(amount):\n    \"\"\"What an amount costs.\"\"\"\n    return {rate} * min(amount, LIMIT)\n"
            )
            .expect("a string takes what is written to it");
        }
        text
    }
}

/// What one tool needed.
struct Measurement {
    commit: Duration,
    whole: Duration,
    trials: u64,
    subject: String,
}

/// Generates the repository, runs both tools and prints how long they took.
pub fn run(place: &Path, limit: Duration) -> ExitCode {
    match compare(place, limit) {
        Ok(missed) => {
            for missed in &missed {
                println!("Not met: {missed}.");
            }
            ExitCode::from(u8::from(!missed.is_empty()))
        }
        Err(message) => {
            println!("Not run: {message}.");
            ExitCode::FAILURE
        }
    }
}

fn compare(place: &Path, limit: Duration) -> Result<Vec<String>, String> {
    let place = fresh(place)?;
    let repository = place.join("repository");
    eprintln!("changes: generating {FILES} files and {COMMITS} commits");
    generate(&repository)?;
    let guilty = Unit {
        number: GUILTY_FILE,
        limit: 0,
        rates: [0; FUNCTIONS],
    };
    let test = write_script(
        &place.join("test.sh"),
        &format!(
            "limit=$(sed -n 's/^LIMIT = //p' {})\n[ \"$limit\" -ge 100 ] && exit 0\necho \"the limit is $limit\" >&2\nexit 1\n",
            guilty.path()
        ),
    )?;
    println!("{FILES} files and {COMMITS} commits, generated.\n");
    println!("| tool | trials | s to the commit | s in all | first bad |");
    println!("|---|---|---|---|---|");
    let bisect = measure_bisect(&place, &repository, &test, limit)?;
    bisect.print("git bisect");
    let own = measure_yester(&place, &repository, &test, limit)?;
    own.print("yester");
    println!();
    let wanted = subject(GUILTY);
    let ratio = own.commit.as_secs_f64() / bisect.commit.as_secs_f64();
    let bars = [
        (own.subject == wanted, format!("the commit is '{wanted}'")),
        (
            ratio <= COMMIT_BAR,
            format!("{ratio:.1} times git bisect's time for the commit, at most {COMMIT_BAR}"),
        ),
        (
            own.whole <= WHOLE_BAR,
            format!(
                "{:.1} s in all, at most {WHOLE_BAR:?}",
                own.whole.as_secs_f64()
            ),
        ),
    ];
    let missed = bars.into_iter().filter(|(is_met, _)| !is_met);
    Ok(missed.map(|(_, bar)| bar).collect())
}

impl Measurement {
    fn print(&self, tool: &str) {
        println!(
            "| {tool} | {} | {:.1} | {:.1} | {} |",
            self.trials,
            self.commit.as_secs_f64(),
            self.whole.as_secs_f64(),
            self.subject
        );
    }
}

fn subject(commit: usize) -> String {
    format!("Change {commit}")
}

/// Writes the whole history as one stream for `git fast-import`.
fn generate(repository: &Path) -> Result<(), String> {
    let text = |error: std::io::Error| error.to_string();
    succeed(
        Command::new("git")
            .args(["init", "--quiet"])
            .arg(repository),
    )?;
    let mut import = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .map_err(text)?;
    let stdin = import.stdin.take().expect("it was asked for");
    write_history(&mut BufWriter::new(stdin)).map_err(text)?;
    if import.wait().map_err(text)?.success() {
        Ok(())
    } else {
        Err("git fast-import failed".to_owned())
    }
}

fn write_history(stream: &mut dyn Write) -> std::io::Result<()> {
    let mut random = Random(1999);
    let mut units: Vec<Unit> = (0..FILES)
        .map(|number| Unit {
            number,
            limit: 100 + random.below(900),
            rates: std::array::from_fn(|_| random.below(1_000)),
        })
        .collect();
    for commit in 0..=COMMITS {
        let subject = subject(commit);
        let seconds = 1_577_836_800 + 3_600 * commit;
        write!(
            stream,
            "commit refs/heads/main\ncommitter bench <bench@localhost> {seconds} +0000\ndata {}\n{subject}\n",
            subject.len()
        )?;
        let mut changed: Vec<usize> = match commit {
            0 => (0..FILES).collect(),
            _ => (0..CHANGES_IN_A_COMMIT)
                .map(|_| random.below(FILES))
                .collect(),
        };
        if commit > 0 {
            for &number in &changed {
                units[number].rates[random.below(FUNCTIONS)] = random.below(1_000);
            }
        }
        if commit == GUILTY {
            units[GUILTY_FILE].limit = 10;
            changed.push(GUILTY_FILE);
        }
        for number in changed {
            let text = units[number].text();
            let path = units[number].path();
            write!(
                stream,
                "M 100644 inline {path}\ndata {}\n{text}\n",
                text.len()
            )?;
        }
        if commit == 0 {
            write!(stream, "\nreset refs/tags/good\nfrom refs/heads/main\n\n")?;
        }
    }
    write!(stream, "\nreset refs/tags/bad\nfrom refs/heads/main\n\n")?;
    stream.flush()
}

fn clone(repository: &Path, clone: &Path) -> Result<(), String> {
    let mut command = Command::new("git");
    command.args(["clone", "--quiet", "--branch", "main"]);
    succeed(command.arg(repository).arg(clone)).map(|_| ())
}

fn measure_bisect(
    place: &Path,
    repository: &Path,
    test: &Path,
    limit: Duration,
) -> Result<Measurement, String> {
    let place = fresh(&place.join("bisect"))?;
    let tree = place.join("repository");
    clone(repository, &tree)?;
    let trial = write_counter(&place, "trial.sh", &[test.to_owned()])?;
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(&tree).args(arguments);
        command
    };
    let start = Instant::now();
    succeed(&mut git(&["bisect", "start", "bad", "good"]))?;
    let mut run = git(&["bisect", "run"]);
    run.arg(trial).stdout(Stdio::null()).stderr(Stdio::null());
    process_tree::run(&mut run, limit).map_err(|error| error.to_string())?;
    let whole = start.elapsed();
    let subject = succeed(&mut git(&["log", "-1", "--format=%s", "refs/bisect/bad"]))?;
    Ok(Measurement {
        commit: whole,
        whole,
        trials: count(&place.join("trials")),
        subject: subject.trim().to_owned(),
    })
}

fn measure_yester(
    place: &Path,
    repository: &Path,
    test: &Path,
    limit: Duration,
) -> Result<Measurement, String> {
    let text = |error: std::io::Error| error.to_string();
    let place = fresh(&place.join("yester"))?;
    let tree = place.join("repository");
    clone(repository, &tree)?;
    let trial = write_counter(&place, "trial.sh", &[test.to_owned()])?;
    let answer = place.join("answer.json");
    let mut command = Command::new(yester());
    command.args(["changes", "--jobs", "2", "--json", "--quiet", "--output"]);
    command.arg(&place);
    command.args(["--max-time", &format!("{}s", limit.as_secs())]);
    command.args(["good", "bad", "--"]).arg(trial);
    command
        .current_dir(&tree)
        .stdin(Stdio::null())
        .stdout(File::create(&answer).map_err(text)?)
        .stderr(File::create(place.join("log")).map_err(text)?);
    let start = SystemTime::now();
    let usage = process_tree::run(&mut command, 2 * limit).map_err(text)?;
    // A run that had to be killed has no answer, but took its time.
    let answer: Value =
        serde_json::from_slice(&fs::read(answer).map_err(text)?).unwrap_or_default();
    let subject = answer["result"]["commit"]["subject"].as_str();
    Ok(Measurement {
        commit: time_of_commit(&tree.join(".yester"), start)?.unwrap_or(usage.wall),
        whole: usage.wall,
        trials: count(&place.join("trials")),
        subject: subject.unwrap_or("none").to_owned(),
    })
}

/// How long after the start the search for the commit was over, by the log of the only run in a state directory.
fn time_of_commit(state: &Path, start: SystemTime) -> Result<Option<Duration>, String> {
    let text = |error: std::io::Error| error.to_string();
    for run in fs::read_dir(state).map_err(text)? {
        let path = run.map_err(text)?.path().join("debug.log");
        let Ok(log) = fs::read_to_string(&path) else {
            continue;
        };
        let mut phases = log.lines().filter(|line| line.contains(" now: "));
        if phases.any(|line| line.contains("looking for the commit")) {
            let seconds = phases
                .next()
                .and_then(|line| line.split_whitespace().next())
                .and_then(|word| word.parse().ok());
            // The clock of the log starts with the log, which is after both versions were read.
            let created = fs::metadata(&path).and_then(|metadata| metadata.created());
            let before = created
                .ok()
                .and_then(|created| created.duration_since(start).ok())
                .unwrap_or_default();
            return Ok(seconds.map(|seconds| before + Duration::from_secs_f64(seconds)));
        }
    }
    Ok(None)
}
