//! Nasty tests and bad luck, as functions that say what went wrong. The tests run each once and small, the benchmark
//! `bench/faults` runs them at full size.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;

use tempfile::TempDir;

use crate::executable;
use crate::leash::{HOLD, Leash};

pub type Verdict = Result<String, String>;

/// A project directory with an input, a test script, and the program to try.
pub struct Place {
    pub yester: PathBuf,
    pub directory: TempDir,
}

/// Finds out in sh, without starting a process, whether the candidate has the word in it.
const LOOK: &str = r#"
found=1
while read -r line || [ -n "$line" ]; do
    case "$line" in *needle*) found=0;; esac
done < "$1"
"#;

impl Place {
    /// A place whose test script does something nasty and then looks for the word `needle`.
    pub fn new(yester: &Path, nasty: &str) -> Place {
        let directory = TempDir::new().expect("a directory");
        let lines: Vec<String> = (0..200)
            .map(|number| format!("line {number} of hay"))
            .collect();
        let mut text = lines[..120].join("\n") + "\na needle in it\n" + &lines[120..].join("\n");
        text.push('\n');
        let place = Place {
            yester: yester.to_owned(),
            directory,
        };
        fs::write(place.path("input.txt"), text).expect("room");
        place.script("test.sh", &format!("{nasty}\n{LOOK}\nexit $found\n"));
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn script(&self, name: &str, body: &str) {
        executable::write(&self.path(name), format!("#!/bin/sh\n{body}"));
    }

    pub fn command(&self, flags: &[&str]) -> Command {
        let mut command = Command::new(&self.yester);
        command
            .args(["reduce", "input.txt"])
            .args(flags)
            .args(["--", "./test.sh", "{}"])
            .current_dir(self.directory.path())
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, flags: &[&str]) -> Output {
        self.command(flags).output().expect("yester starts")
    }

    /// Runs to the end and checks that the answer is right.
    pub fn run_to_the_answer(&self, flags: &[&str]) -> Verdict {
        let output = self.run(flags);
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(0) {
            return Err(format!("{}: {stdout}{stderr}", output.status));
        }
        let reduced = fs::read_to_string(self.path("input.reduced.txt"))
            .map_err(|error| error.to_string())?;
        if reduced != "needle" {
            return Err(format!("reduced to {reduced:?}"));
        }
        Ok(stdout.lines().next().unwrap_or_default().to_owned())
    }

    /// The content of everything in the user's tree that yester did not make itself.
    pub fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.directory.path(), &mut files);
        files.retain(|path, _| {
            let made = [".yester", "input.reduced.txt"].map(|name| self.path(name));
            !made.iter().any(|made| path.starts_with(made))
        });
        files
    }
}

fn collect(directory: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&entry.path(), files),
            _ => {
                files.insert(entry.path(), fs::read(entry.path()).unwrap_or_default());
            }
        }
    }
}

/// The answer, unless a process of a trial is left.
fn all_gone(answer: String, mut leash: Leash) -> Verdict {
    if leash.is_held() {
        Err("a process is left".to_owned())
    } else {
        Ok(answer)
    }
}

pub fn daemon(yester: &Path) -> Verdict {
    let place = Place::new(
        yester,
        &format!("{HOLD}; setsid sh -c 'sleep 1000 & setsid sleep 1000 &' > log 2>&1"),
    );
    let leash = Leash::new(place.directory.path());
    let answer = place.run_to_the_answer(&[])?;
    all_gone(answer, leash)
}

pub fn deaf_to_signals(yester: &Path) -> Verdict {
    // It hangs once, on a candidate without the needle. The time for a trial is so long that only this one needs more of it,
    // however busy the machine is.
    let place = Place::new(yester, "");
    place.script(
        "test.sh",
        &format!(
            "{HOLD}; trap '' TERM INT HUP QUIT\n{LOOK}\n\
             test $found = 1 -a -s \"$1\" && mkdir \"$YESTER_START/hung\" 2> log && sleep 1000\n\
             exit $found"
        ),
    );
    let leash = Leash::new(place.directory.path());
    let answer = place.run_to_the_answer(&["--timeout", "5s"])?;
    if !place.path("hung").exists() {
        return Err("nothing has hung".to_owned());
    }
    all_gone(answer, leash)
}

pub fn fork_bomb(yester: &Path) -> Verdict {
    // The script knows its answer before the bomb takes all room for processes, and gives it even if the bomb itself finds
    // none. Not in every trial: thousands of processes share two processors with the few that matter.
    let place = Place::new(yester, "");
    place.script(
        "test.sh",
        &format!(
            "{HOLD}; {LOOK}\ntrap 'exit $found' EXIT\nbomb() {{ bomb | bomb & }}\n\
             test $((YESTER_TRIAL % 4)) = 0 && bomb 2> log\nexit $found"
        ),
    );
    let leash = Leash::new(place.directory.path());
    fs::write(place.path("input.txt"), "hay\nneedle\nhay\n").expect("room");
    let answer = place.run_to_the_answer(&["--sandbox", "full", "--timeout", "300s"])?;
    all_gone(answer, leash)
}

pub fn flood(yester: &Path, megabytes: u32) -> Verdict {
    let place = Place::new(
        yester,
        &format!("head -c {megabytes}000000 /dev/zero | tr '\\0' x"),
    );
    fs::write(place.path("input.txt"), "hay\nneedle\n").expect("room");
    place.run_to_the_answer(&["--timeout", "300s"])
}

pub fn closed_files(yester: &Path) -> Verdict {
    Place::new(yester, "exec 0<&- 1>&- 2>&-").run_to_the_answer(&[])
}

pub fn deleted_directory(yester: &Path) -> Verdict {
    // The script reads the candidate first, since it deletes it too.
    let place = Place::new(
        yester,
        "exec 3< \"$1\"; rm -rf \"$PWD\"/* \"$PWD\" 2> /dev/null; set -- /dev/fd/3",
    );
    place.run_to_the_answer(&[])
}

/// More nested directories than a process may have files open.
pub fn deep_directories(yester: &Path) -> Verdict {
    let directory = TempDir::new().expect("room");
    let limited = directory.path().join("yester");
    // In memory, where making directories is fast.
    let temporary = TempDir::new_in("/dev/shm").expect("room");
    let start = format!(
        "#!/bin/sh\nulimit -n 1024\nTMPDIR={} exec {} \"$@\"\n",
        temporary.path().display(),
        yester.display()
    );
    executable::write(&limited, start);
    let place = Place::new(
        &limited,
        "python3 -c 'import os\nfor _ in range(1500): os.mkdir(\"d\"), os.chdir(\"d\")'",
    );
    fs::write(place.path("input.txt"), "hay\nneedle\n").expect("room");
    let answer = place.run_to_the_answer(&[])?;
    place.run_to_the_answer(&["--fresh", "--sandbox", "full"])?;
    Ok(answer)
}

pub fn deleted_null_device(yester: &Path) -> Verdict {
    let place = Place::new(
        yester,
        "rm -f /dev/null /dev/zero 2> log; test -c /dev/null || exit 125",
    );
    let answer = place.run_to_the_answer(&["--sandbox", "full"])?;
    if Path::new("/dev/null").exists() {
        Ok(answer)
    } else {
        Err("/dev/null is gone".to_owned())
    }
}

pub fn vandal(yester: &Path) -> Verdict {
    let nasty = "rm -rf \"$YESTER_START\"/* 2> log; (echo ruined > \"$YESTER_START/input.txt\") 2> log\n\
                 (echo litter > \"$YESTER_START/litter\") 2> log; rm -rf \"$YESTER_START\" 2> log";
    let place = Place::new(yester, nasty);
    fs::create_dir(place.path("src")).expect("room");
    fs::write(place.path("src/main.c"), "int main(void) { return 0; }\n").expect("room");
    let before = place.tree();
    let answer = place.run_to_the_answer(&["--sandbox", "full"])?;
    if place.tree() == before {
        Ok(answer)
    } else {
        Err("the user's tree was changed".to_owned())
    }
}

/// What a run that is to be killed tells.
enum Sign {
    Begun,
    Ended,
}

/// Kills yester at so many moments; each time the same command goes on. A trial that was run again though the journal
/// had it would stand there twice. A moment is a number of trials that have begun, the same in each run of the test.
pub fn killed(yester: &Path, moments: u32) -> Verdict {
    let place = Place::new(
        yester,
        "test -p \"$YESTER_START/begun\" && echo > \"$YESTER_START/begun\"",
    );
    let flags = ["-q", "--jobs", "2"];
    let reference = Place::new(yester, "");
    reference.run_to_the_answer(&flags)?;

    let mut state = 1_u64;
    let mut killed = 0;
    let mut finished_runs = 0;
    while killed < moments {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        if kill_after(&place, &flags, (state >> 33) % 12) {
            killed += 1;
            check_journal(&place, killed)?;
        } else {
            // It came to its end before: the answer must be right, and the next run starts over.
            check_journal(&place, killed)?;
            let answer = fs::read_to_string(place.path("input.reduced.txt")).unwrap_or_default();
            if answer != "needle" {
                return Err(format!("after kill {killed}, the answer was {answer:?}"));
            }
            fs::remove_dir_all(place.path(".yester")).expect("it was made");
            finished_runs += 1;
        }
    }
    let answer = place.run_to_the_answer(&flags)?;
    check_journal(&place, moments)?;
    Ok(format!(
        "{answer}; {killed} kills, {finished_runs} runs came to their end between them"
    ))
}

/// Kills a run when so many trials have begun. False if it came to its end before.
fn kill_after(place: &Place, flags: &[&str], trials: u64) -> bool {
    let path = place.path("begun");
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo starts").success());
    // Open for both, it neither waits for a writer nor ends with one.
    let pipe = fs::OpenOptions::new().read(true).write(true).open(&path);
    let mut pipe = pipe.expect("a pipe");
    let mut end = pipe.try_clone().expect("a second one");
    let mut child = place
        .command(flags)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("yester starts");
    let mut stdout = child.stdout.take().expect("a pipe");
    let (sender, signs) = mpsc::channel();
    let ended = sender.clone();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut byte = [0];
            while pipe.read_exact(&mut byte).is_ok() && byte != *b"." {
                let _ = sender.send(Sign::Begun);
            }
        });
        // yester alone has its end of this pipe, which closes with it.
        scope.spawn(move || {
            let _ = stdout.read_to_end(&mut Vec::new());
            let _ = ended.send(Sign::Ended);
        });
        let begun = signs.iter().take_while(|sign| matches!(sign, Sign::Begun));
        let _ = begun.take(trials as usize).count();
        child.kill().expect("it can be killed");
        let status = child.wait().expect("it ends");
        fs::remove_file(&path).expect("it was made");
        // The first thread goes on to read until it is told.
        end.write_all(b".").expect("somebody reads");
        status.signal().is_some()
    })
}

/// No candidate of the search stands in the journal twice.
fn check_journal(place: &Place, moment: u32) -> Result<(), String> {
    let run = fs::read_dir(place.path(".yester"))
        .into_iter()
        .flatten()
        .flatten()
        .find(|entry| entry.path().is_dir());
    let Some(run) = run else { return Ok(()) };
    let journal = fs::read_to_string(run.path().join("journal.jsonl")).unwrap_or_default();
    let mut seen = BTreeMap::new();
    for line in journal
        .lines()
        .filter(|line| line.contains(r#""why":"search""#) && line.ends_with('}'))
    {
        let candidate = line
            .split(r#""candidate":""#)
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        *seen
            .entry(candidate.unwrap_or_default().to_owned())
            .or_insert(0) += 1;
    }
    match seen.into_iter().find(|(_, times)| *times > 1) {
        Some((candidate, times)) => Err(format!(
            "after kill {moment}, {candidate} was run {times} times"
        )),
        None => Ok(()),
    }
}

/// A state directory of 512 KB: a clear error, exit 3, and the same command goes on once there is space.
pub fn full_disk(yester: &Path) -> Verdict {
    let place = Place::new(yester, "");
    // Enough trials for a journal that does not fit.
    fs::write(place.path("input.txt"), "a needle\n".repeat(60)).expect("room");
    place.script("test.sh", "test $(grep -c needle \"$1\") -ge 20");
    let script = format!(
        "mount -t tmpfs -o size=512k none .yester || exit 99
         head -c 484k /dev/zero > .yester/other-data
         {yester} reduce input.txt -q -- ./test.sh {{}} > out 2> err; echo $? > code
         rm .yester/other-data
         {yester} reduce input.txt -q --json -- ./test.sh {{}} > out2 2> err2; echo $? > code2",
        yester = yester.display()
    );
    fs::create_dir(place.path(".yester")).expect("room");
    let status = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
        .current_dir(place.directory.path())
        .status()
        .expect("unshare is installed");
    if !status.success() {
        return Err(format!("cannot mount a small disk: {status}"));
    }
    let read = |name: &str| fs::read_to_string(place.path(name)).unwrap_or_default();
    if read("code").trim() != "3"
        || !read("err").contains("no space left on device")
        || !read("err").contains("hint: make space")
    {
        return Err(format!("exit {}, {}", read("code"), read("err")));
    }
    let cached = read("out2")
        .lines()
        .find(|line| line.contains("\"run\""))
        .map(str::trim)
        .map(str::to_owned);
    match (read("code2").trim(), cached) {
        ("0", Some(run)) if read("input.reduced.txt").lines().eq(["needle"; 20]) => {
            Ok(format!("exit 3, then went on: {run}"))
        }
        (code, _) => Err(format!("did not go on: exit {code}, {}", read("err2"))),
    }
}

/// A test that fails only three times in ten, as these dice have it. The answer has to fail when it is checked
/// fifty times.
pub fn flaky(yester: &Path, dice: &str) -> Verdict {
    let place = Place::new(yester, "");
    let text = (0..12)
        .map(|number| format!("hay {number}\n"))
        .collect::<String>()
        + "needle\n";
    fs::write(place.path("input.txt"), text).expect("room");
    place.script(
        "test.sh",
        &format!("grep -q needle \"$1\" || exit 0\ntest $(({dice} % 10)) -lt 3 || exit 0\nexit 7"),
    );
    let output = place.run(&["--failing", "-j1"]);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.code() != Some(0) {
        return Err(format!(
            "{}: {stdout}{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    if !stdout.contains("99% confidence") {
        return Err(format!("no confidence is stated: {stdout}"));
    }
    let check = |number: u32| {
        let status = Command::new(place.path("test.sh"))
            .arg(place.path("input.reduced.txt"))
            .env("YESTER_TRIAL", number.to_string())
            .status();
        status.expect("the script starts").code() == Some(7)
    };
    let failures = (0..50).filter(|number| check(*number)).count();
    if failures == 0 {
        return Err("the answer never fails".to_owned());
    }
    Ok(format!(
        "{}; fails in {failures} of 50 checks",
        stdout.lines().next().unwrap_or_default()
    ))
}
