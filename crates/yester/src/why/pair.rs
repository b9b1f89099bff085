//! The version that fails beside the nearest one that passes: what the input is reduced in, and what is looked into.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use yester_core::Outcome;
use yester_patch::{FileKind, FileState, Lines, Version, common_time, patch};
use yester_report::{StoryPlace, quote};
use yester_run::{Ending, Judge, Observation, Reading, Signature, Yard, file};

use super::job::{WhyJob, no_repository};
use crate::cli::TimeoutMeaning;
use crate::companion::Companions;
use crate::driver::{Frame, JOURNAL, Workplace, reason};
use crate::failure::{Exit, Failure};
use crate::test_input::TestInput;
use crate::versions::{Side, carried_places, failed, unreadable};

/// What runs of the test on the versions around the culprit have shown.
pub enum Ground {
    /// It fails and passes there as it should. They are built in this directory.
    Firm(PathBuf),
    /// They were not run.
    Unknown(Failure),
    /// It does something else there.
    Different(String),
}

/// Two versions. The one that passes is not always known.
pub struct Pair {
    pub good: Option<PairVersion>,
    pub bad: PairVersion,
}

/// One of them.
#[derive(Clone, PartialEq)]
pub enum PairVersion {
    Revision(String),
    Directory(PathBuf),
    /// One of the others with a patch of ours.
    Patched(Box<PairVersion>, PathBuf),
}

/// Lines that the culprit changes.
pub struct Changed {
    pub file: String,
    /// The first line in the version that passes, and how many there are.
    pub old: (u64, u64),
    /// The same in the version that fails.
    pub new: (u64, u64),
}

/// The test on both versions, and where they are below the run.
const SCRIPT: &str = "yester-why.sh";
const BUILT: &str = "pair";
const SOURCES: &str = "sources";

/// Where the test runs in a copy of one of the versions.
const COPY: &str = "copy";

/// How long a build and a test may take if nobody says it.
const LONGEST_BUILD: Duration = Duration::from_secs(3600);
const LONGEST_TEST: Duration = Duration::from_secs(600);
/// How long to wait for a failure that does not show at first.
const PATIENCE: Duration = Duration::from_secs(5);

impl Changed {
    /// Whether a place is on one of the lines, or next to where lines are missing.
    pub fn has(&self, place: &StoryPlace) -> bool {
        let (first, lines) = if place.version == "old" {
            self.old
        } else {
            self.new
        };
        let line = u64::from(place.line);
        // Without lines on this side, the change is behind the line that is named.
        let end = first + if lines == 0 { 2 } else { lines };
        place.file == self.file && (first..end).contains(&line)
    }
}

impl PairVersion {
    /// A version that a report names: a full id, or a directory.
    pub fn named(word: &str, start: &Path) -> PairVersion {
        if start.join(word).is_dir() {
            PairVersion::Directory(word.into())
        } else {
            PairVersion::Revision(word.to_owned())
        }
    }

    pub fn with_patch(self, patch: &str) -> PairVersion {
        PairVersion::Patched(Box::new(self), patch.into())
    }

    /// Where its lines are in the version that the user asks about. Without an answer, nobody says that they are elsewhere.
    pub fn lines_of(&self, job: &WhyJob) -> Lines {
        let lines = match self {
            PairVersion::Patched(..) => None,
            _ if *self == super::blame::version_of(&job.bad) => None,
            _ => self.version(job).ok(),
        };
        let bad = &job.bad.version;
        let lines = lines.and_then(|version| Lines::between(&version, bad).ok());
        lines.unwrap_or_default()
    }

    /// Whether the test needs files that it lacks.
    fn lacks_files(&self, job: &WhyJob) -> Result<bool, Failure> {
        let (version, bad) = (self.version(job)?, &job.bad.version);
        let has_own = job.arguments.carry.is_empty() && job.strangers().is_empty();
        Ok(!has_own || !job.missing_in(&version, bad).is_empty())
    }

    fn text(&self) -> String {
        match self {
            PairVersion::Revision(id) => id.clone(),
            PairVersion::Directory(path) => path.display().to_string(),
            PairVersion::Patched(version, patch) => {
                format!("{} with {}", version.text(), patch.display())
            }
        }
    }

    /// Its files, before a patch.
    fn version(&self, job: &WhyJob) -> Result<Version, Failure> {
        match self {
            PairVersion::Revision(id) => {
                let repository = job.repository.as_ref();
                let repository = repository.expect("revisions are those of a repository");
                Version::revision(repository, id).map_err(|error| failed(&error))
            }
            PairVersion::Directory(path) => {
                let none = Err(no_repository(path));
                let place = job.start.join(path);
                let mut side = Side::find(place.as_os_str(), &job.start, &none)?;
                let state = job.start.join(&job.arguments.run.state_dir);
                side.leave_out(&state.canonicalize().unwrap_or(state));
                Ok(side.version)
            }
            PairVersion::Patched(version, _) => version.version(job),
        }
    }

    /// Writes its files into a directory, with what the test needs of others.
    fn write(&self, job: &WhyJob, place: &Path) -> Result<(), Failure> {
        let mut version = self.version(job)?;
        let bad = &job.bad.version;
        let mut carried = carried_places(&job.arguments.carry, (bad, &job.bad.word), "")?;
        carried.extend(job.missing_in(&version, bad));
        version
            .carry(&carried, bad)
            .map_err(|error| failed(&error))?;
        let mut companions = Companions::given(&job.arguments.trial.with, &job.start)?;
        let is_own = |path: &str| bad.paths().any(|(own, _)| own == path);
        companions.add_script(&job.test, &job.start, is_own, "every version")?;
        for path in job.strangers() {
            companions.add(&job.start.join(&path), path)?;
        }
        companions.put_into(&mut version);
        if let Some(input) = &job.input {
            let state = FileState {
                kind: FileKind::File,
                content: input_content(job, input)?.into(),
            };
            version.remove(&input.place);
            version.put(&input.place, state);
        }
        let _ = yester_run::remove(place);
        let made = version.materialise_as_of(place, common_time());
        made.map_err(|error| unreadable(&error))?;
        if let PairVersion::Patched(_, path) = self {
            patch::apply(&job.start.join(path), place).map_err(|error| unreadable(&error))?;
        }
        Ok(())
    }
}

impl Pair {
    pub fn of_bad(bad: PairVersion) -> Pair {
        Pair { good: None, bad }
    }

    fn versions(&self) -> impl Iterator<Item = (&'static str, &PairVersion)> {
        let good = self.good.iter().map(|version| ("good", version));
        [("bad", &self.bad)].into_iter().chain(good)
    }

    fn text(&self) -> String {
        let versions = self.versions();
        let texts: Vec<String> = versions.map(|(_, version)| version.text()).collect();
        texts.join("\n")
    }

    /// The words for both versions, for commands that build them by themselves. What is no revision becomes a directory.
    pub fn words(
        &self,
        job: &WhyJob,
        frame: &Frame,
    ) -> Result<(Option<OsString>, OsString), Failure> {
        let word = |(name, version): (&str, &PairVersion)| -> Result<OsString, Failure> {
            match version {
                PairVersion::Revision(id) if !version.lacks_files(job)? => {
                    Ok(id[..id.len().min(10)].into())
                }
                other => {
                    let place = frame.run.path().join(SOURCES).join(name);
                    other.write(job, &place)?;
                    Ok(place.into_os_string())
                }
            }
        };
        let good = self.good.as_ref().map(|good| word(("good", good)));
        Ok((good.transpose()?, word(("bad", &self.bad))?))
    }

    /// Writes and builds both versions, runs the test on them, and compares with `head`, the version that the user asks about.
    pub fn prepare(
        &self,
        job: &WhyJob,
        frame: &Frame,
        (head, deadline): (&PairVersion, Option<Instant>),
    ) -> Result<Ground, Failure> {
        match self.built(job, frame, (head, deadline)) {
            Err(failure) if failure.exit == Exit::Interrupted => Err(failure),
            Err(failure) => Ok(Ground::Unknown(failure)),
            Ok(ground) => Ok(ground),
        }
    }

    fn built(
        &self,
        job: &WhyJob,
        frame: &Frame,
        (head, deadline): (&PairVersion, Option<Instant>),
    ) -> Result<Ground, Failure> {
        let place = frame.run.path().join(BUILT);
        let marker = frame.run.path().join(format!("{BUILT}.ready"));
        let script = job.input.as_ref().map(|input| self.script(job, input));
        let script = script.unwrap_or_default();
        let line = self.line(job, "bad");
        let text = [self.text(), head.text(), line, script.clone()].join("\n");
        let is_ready = file::read_own(&marker, 1 << 20).is_ok_and(|ready| ready == text.as_bytes());
        if is_ready && place.is_dir() {
            return Ok(Ground::Firm(place));
        }
        let _ = yester_run::remove(&place);
        let other = (*head != self.bad).then_some(("head", head));
        let versions: Vec<(&str, &PairVersion)> = self.versions().chain(other).collect();
        for (name, version) in &versions {
            version.write(job, &place.join(name))?;
        }
        let names: Vec<&str> = versions.iter().map(|(name, _)| *name).collect();
        let mut yard = yard(job, frame, &place, deadline)?;
        if let Some(line) = &job.arguments.build.build {
            frame
                .events
                .step("building the versions around the culprit", None);
            let time = job.arguments.build.build_timeout.unwrap_or(LONGEST_BUILD);
            for (name, observation) in names
                .iter()
                .zip(yard.run(&names, line, time).map_err(reason)?)
            {
                if observation.ending != Ending::Exit(0) {
                    return Err(does_not_build(name, &observation));
                }
            }
        }
        frame
            .events
            .step("running the test on the versions around the culprit", None);
        if let Some(different) = self.compare(job, &mut yard)? {
            return Ok(Ground::Different(different));
        }
        let _ = yester_run::remove(&place.join("head"));
        let write = |name: &Path, content: &[u8]| {
            let written = frame.run.write(name, content);
            written.map_err(|error| Failure::io("write the versions around the culprit", &error))
        };
        write(&Path::new(BUILT).join(SCRIPT), script.as_bytes())?;
        let name = marker.file_name().expect("it has a name");
        write(Path::new(name), text.as_bytes())?;
        Ok(Ground::Firm(place))
    }

    /// Runs the test on copies of the versions. Says in which way they do not do what they should: fail as the version does that the
    /// user asks about, and pass.
    fn compare(&self, job: &WhyJob, yard: &mut Yard) -> Result<Option<String>, Failure> {
        let has_head = yard.place.join("head").is_dir();
        let head = if has_head { "head" } else { "bad" };
        let failing = test((yard, self, job), head, None)?;
        let judge = judge(job, &failing, &yard.place);
        let is = |seen: &Observation, outcome| judge.judge(seen).outcome == outcome;
        let bad_text = job.bad_text();
        if !is(&failing, Outcome::Fail) {
            let ending = &failing.ending;
            return Ok(Some(format!(
                "in a copy of {bad_text}, the test does not fail: {ending}"
            )));
        }
        if has_head {
            let bad = test((yard, self, job), "bad", Some(&judge))?;
            if !is(&bad, Outcome::Fail) {
                return Ok(Some(format!(
                    "with the culprit, the program does not fail in the same way as at {bad_text}: {} instead of {}",
                    Signature::of(&bad, &[]),
                    Signature::of(&failing, &[]),
                )));
            }
        }
        if self.good.is_some() {
            let good = test((yard, self, job), "good", None)?;
            if !is(&good, Outcome::Pass) {
                return Ok(Some(format!(
                    "without the culprit, the program does not pass: {}",
                    Signature::of(&good, &[])
                )));
            }
        }
        Ok(None)
    }

    /// The test in one of the versions, as a line for the shell. It takes the place of the shell, so that its end is that of the test.
    fn line(&self, job: &WhyJob, name: &str) -> String {
        let mut words = job.test.clone();
        if let Some(input) = &job.input
            && let Some(word) = input.word
        {
            words[word] = input.place.clone().into();
        }
        // A program that is not part of the versions.
        let program = Path::new(&words[0]);
        let is_path = program.components().count() > 1 && program.is_relative();
        let has = |version: &Version| {
            let path = yester_run::tree_path(&words[0]);
            path.is_some_and(|path| version.paths().any(|(own, _)| own == path))
        };
        if is_path
            && !has(&job.bad.version)
            && job.start.join(program).is_file()
            && job.arguments.build.build.is_none()
        {
            words[0] = job.start.join(program).into_os_string();
        }
        let test = quote::command(words.iter().map(OsString::as_os_str));
        format!("cd {name} && exec {test}")
    }

    /// What has to pass where the test fails: the same on the version that passes.
    pub fn counterpart(&self, job: &WhyJob) -> Option<OsString> {
        self.good.as_ref()?;
        Some(self.line(job, "good").into())
    }

    /// The test on the version that fails, as a script for `reduce`.
    fn script(&self, job: &WhyJob, input: &TestInput) -> String {
        let place = quote::word(OsStr::new(&input.place));
        let mut script = "#!/bin/sh\n# The test on the version that fails.\n".to_owned();
        if self.good.is_some() {
            script.push_str(&format!(
                "# Without the culprit, the same input has to pass.\n\
                 cp -- bad/{place} good/{place} || exit 125\n"
            ));
        }
        script + &self.line(job, "bad") + "\n"
    }
}

/// Where the versions are built and run.
fn yard(
    job: &WhyJob,
    frame: &Frame,
    place: &Path,
    deadline: Option<Instant>,
) -> Result<Yard, Failure> {
    let trial = &job.arguments.trial;
    let place = place
        .canonicalize()
        .map_err(|error| Failure::io("find the versions around the culprit", &error))?;
    let name = format!("{}-build", job.run);
    let (journal, workplace) = (frame.journal(JOURNAL)?, Workplace::of(trial, &name));
    let visible = vec![place.clone(), job.start.clone()];
    let session = frame.session(journal, workplace, visible, deadline)?;
    let mut environment = trial.environment(&job.start);
    // The versions lie in the user's work tree, and are not part of it.
    environment.push(("GIT_CEILING_DIRECTORIES".into(), place.clone().into()));
    Ok(Yard::new(session, place, environment, trial.memory))
}

/// Runs the test in a copy of a version, which it may change. A test that fails only now and then gets several chances.
fn test(
    (yard, pair, job): (&mut Yard, &Pair, &WhyJob),
    name: &str,
    judge: Option<&Judge>,
) -> Result<Observation, Failure> {
    let line = format!("cp -a {name} {COPY} && {}", pair.line(job, COPY));
    let time = job.arguments.reading.timeout.unwrap_or(LONGEST_TEST);
    let begin = Instant::now();
    loop {
        let _ = yester_run::remove(&yard.place.join(COPY));
        let mut seen = yard.run(&["."], line.as_ref(), time).map_err(reason)?;
        let _ = yester_run::remove(&yard.place.join(COPY));
        let seen = seen.pop().expect("one run");
        let is_enough = match judge {
            Some(judge) => judge.judge(&seen).outcome == Outcome::Fail,
            None => name == "good" || seen.ending != Ending::Exit(0),
        };
        if is_enough || begin.elapsed() > PATIENCE {
            return Ok(seen);
        }
    }
}

/// How the failure of a run is recognised in others, as the other commands do.
fn judge(job: &WhyJob, failing: &Observation, place: &Path) -> Judge {
    let reading = &job.arguments.reading;
    let names = vec![place.join(COPY).to_string_lossy().into_owned()];
    let signature = Signature::of(failing, &names);
    Judge {
        reading: if reading.fail_if.is_empty() {
            Reading::Failing(signature)
        } else {
            Reading::Rules(reading.fail_if.clone())
        },
        timeout_fails: reading.timeout_means == TimeoutMeaning::Fail,
        names,
        whole_message: false,
    }
}

fn does_not_build(name: &str, observation: &Observation) -> Failure {
    let lines = observation.stderr.last_lines(3);
    Failure {
        evidence: lines.iter().map(|line| format!("    {line}")).collect(),
        ..Failure::usage(format!(
            "the {name} version does not build beside the other one: {}",
            observation.ending
        ))
    }
}

/// The input as the user has it.
fn input_content(job: &WhyJob, input: &TestInput) -> Result<Vec<u8>, Failure> {
    if input.is_in_tree {
        let state = job.bad.version.state(&input.place);
        let state = state.map_err(|error| failed(&error))?;
        return Ok(state
            .map(|state| state.content.to_vec())
            .unwrap_or_default());
    }
    let path = job.start.join(&input.path);
    file::read(&path, file::BIGGEST_INPUT).map_err(|error| Failure::unreadable(&path, &error))
}
