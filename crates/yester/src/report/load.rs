//! Reads everything that the directory of a run has.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use yester_core::Outcome;
use yester_report::{
    Dossier, DossierTrial, DossierVersion, Lineage, RunState, SizeStep, Story, StoryInput,
    StoryStep, TrialOutcome, grouped,
};
use yester_run::{Trial, read_trials};
use yester_screen::keep::{Kept, KeptSize, KeptVersion, SCHEMA, Sizes, Versions};

use super::{STEPS, short_bytes, short_text};
use crate::failure::Failure;
use crate::runs::{Extent, Listed, Record, RunStatus, utc};
use yester_report::quote;
use yester_run::file;

/// Everything that is known about a run.
pub fn dossier(listed: &Listed) -> Result<Dossier, Failure> {
    let (run, record) = (&listed.path, &listed.record);
    let kept = kept(run)?;
    let report: Reported = kept
        .as_ref()
        .and_then(|kept| kept.json.as_ref())
        .and_then(|json| serde_json::from_str(json.get()).ok())
        .unwrap_or_default();
    let (trials, unreadable) = trials(run)?;
    let (unit, original_size) = match record.extent {
        Extent::Bytes { original_bytes, .. } => ("bytes", Some(original_bytes)),
        Extent::Lines { original_lines, .. } => ("changed lines", Some(original_lines)),
        Extent::Revisions { .. } | Extent::Trials { .. } => ("", None),
    };
    let mut story = match &kept {
        Some(kept) => kept.story.clone(),
        None => so_far(run, record.extent),
    };
    add_texts(run, &mut story);
    let words: Vec<_> = record.call.iter().map(std::ffi::OsString::from).collect();
    let call = words.iter().skip(1).map(|word| word.as_os_str());
    let call = quote::command([OsStr::new("yester")].into_iter().chain(call));
    Ok(Dossier {
        name: run
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        state: match record.status {
            RunStatus::Running => RunState::Running,
            RunStatus::Found => RunState::Found,
            RunStatus::Stopped => RunState::Stopped,
            // One that has told its end was not killed.
            RunStatus::Killed if kept.is_some() => RunState::Stopped,
            RunStatus::Killed => RunState::Killed,
        },
        reason: report.error.map(|error| error.message).unwrap_or_default(),
        lineage: parts(run).iter().find_map(|part| lineage(part)),
        story,
        command: record.command.clone(),
        resume: listed
            .resume
            .clone()
            .filter(|_| record.status != RunStatus::Found),
        call: if words.is_empty() {
            String::new()
        } else {
            call
        },
        target: record.file.clone(),
        test: record.test.clone(),
        failure: report.failure.unwrap_or_default(),
        started: utc(record.started),
        yester: record.yester.clone(),
        seconds: report.seconds,
        unit: unit.to_owned(),
        original_size,
        sizes: sizes(run),
        versions: versions(run),
        sure: report.sure,
        passes: report.passes,
        also_seen: report.also_seen,
        trials,
        unreadable,
        text: kept.map(|kept| kept.text).unwrap_or_default(),
    })
}

/// Adds the patches and inputs that the story only names. Those of a step are in its own directory.
fn add_texts(run: &Path, story: &mut Story) {
    let parts = parts(run);
    let steps = story.steps.iter_mut().map(|step| &mut step.story);
    let mut stories: Vec<&mut Story> = steps.collect();
    let (patches, input) = (&mut story.patches, &mut story.input);
    let inputs = stories.iter_mut().flat_map(|story| &mut story.input);
    for input in inputs.chain(input).filter(|input| input.text.is_none()) {
        let best = parts.iter().find_map(|part| only_file(&part.join("best")));
        let text = best.and_then(|best| file::read_own(&best, LONGEST_INPUT).ok());
        input.text = text.and_then(|text| String::from_utf8(text).ok());
    }
    let mut doubts = Vec::new();
    let patches = stories
        .iter_mut()
        .flat_map(|story| &mut story.patches)
        .chain(patches);
    for patch in patches.filter(|patch| patch.text.is_none()) {
        let Some(name) = Path::new(&patch.path).file_name() else {
            continue;
        };
        let found = parts.iter().find_map(|part| short_bytes(part, name));
        let Some(bytes) = found else { continue };
        if std::str::from_utf8(&bytes).is_err() {
            let path = &patch.path;
            doubts.push(format!(
                "{path} has bytes that are not UTF-8, which are shown as \u{fffd}: apply the file itself"
            ));
        }
        patch.text = Some(String::from_utf8_lossy(&bytes).into_owned());
    }
    story.doubts.extend(doubts);
}

/// A longer input is looked at in its file.
const LONGEST_INPUT: u64 = 16 << 10;

/// The parts of the JSON report that all commands share.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Reported {
    seconds: f64,
    failure: Option<String>,
    sure: Option<yester_report::Sure>,
    error: Option<ReportedMessage>,
    passes: Vec<yester_report::PassGain>,
    also_seen: Vec<yester_report::SeenFailure>,
}

#[derive(serde::Deserialize)]
struct ReportedMessage {
    message: String,
}

/// What a run has kept of its answer, if it has come to an end.
pub fn kept(run: &Path) -> Result<Option<Kept>, Failure> {
    let path = run.join(Kept::FILE);
    let damaged = |what: String| {
        Failure::usage(format!("{} {what}", path.display()))
            .hint("the same command makes it again from the journal")
            .code("damaged_run")
    };
    let kept = Kept::read(run).map_err(|error| damaged(format!("cannot be read: {error}")))?;
    match kept {
        Some(kept) if kept.schema != SCHEMA => Err(damaged(format!(
            "has the schema {}, and this yester knows {SCHEMA}",
            kept.schema
        ))),
        kept => Ok(kept),
    }
}

/// The best so far of a run that has not told it.
fn so_far(run: &Path, extent: Extent) -> Story {
    let steps = steps_so_far(run);
    if !steps.is_empty() {
        let known = steps.iter().map(|step| step.story.headline.as_str());
        let known: Vec<&str> = known.filter(|headline| !headline.is_empty()).collect();
        return Story {
            headline: format!("so far: {}", known.join("; ")),
            doubts: vec!["not all steps have come to their end".to_owned()],
            steps,
            ..Story::default()
        };
    }
    let Extent::Bytes {
        bytes,
        original_bytes,
    } = extent
    else {
        return Story::default();
    };
    let best = only_file(&run.join("best"));
    let text = best
        .as_ref()
        .and_then(|path| short_text(run, path.strip_prefix(run).ok()?.as_os_str()));
    let input = best.map(|path| StoryInput {
        path: path.display().to_string(),
        original: String::new(),
        bytes,
        original_bytes,
        text: text.filter(|text| text.len() <= 4096),
    });
    let headline = format!(
        "so far {} of {} bytes are left",
        grouped(bytes),
        grouped(original_bytes)
    );
    Story {
        headline: if input.is_some() {
            headline
        } else {
            String::new()
        },
        doubts: vec!["the search has not come to its end".to_owned()],
        input,
        ..Story::default()
    }
}

/// What the steps of a run have found that has not come to its end itself.
fn steps_so_far(run: &Path) -> Vec<StoryStep> {
    let steps = parts(run).into_iter().skip(1).filter_map(|step| {
        let record = Record::read(&step)?;
        let story = match kept(&step).ok()? {
            Some(kept) => kept.story,
            None => so_far(&step, record.extent),
        };
        (story != Story::default()).then_some(StoryStep {
            command: record.command,
            why: String::new(),
            story,
        })
    });
    steps.collect()
}

/// The file of a directory that has just this one.
fn only_file(directory: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(directory).ok()?;
    let entry = entries.next()?.ok()?;
    let is_file = entry.file_type().ok()?.is_file();
    (is_file && entries.next().is_none()).then(|| entry.path())
}

/// A run, and those of its steps: they were called one after the other, and the youngest is listed first.
fn parts(run: &Path) -> Vec<PathBuf> {
    let steps = yester_run::runs(&run.join(STEPS)).unwrap_or_default();
    let steps = steps.into_iter().rev();
    [run.to_owned()].into_iter().chain(steps).collect()
}

/// All trials of all journals of a run, and how many lines of them could not be read.
fn trials(run: &Path) -> Result<(Vec<DossierTrial>, usize), Failure> {
    let parts = parts(run);
    let journals: Vec<PathBuf> = parts.iter().flat_map(|part| journals(part)).collect();
    let (mut trials, mut unreadable) = (Vec::<DossierTrial>::new(), 0);
    let has_several = journals.len() > 1;
    for journal in journals {
        let read = file::open(&journal)
            .and_then(|(file, _)| read_trials(&file, |trial| trials.push(told(&trial))))
            .map_err(|error| Failure::io(format!("read {}", journal.display()), &error))?;
        unreadable += read.unreadable;
    }
    // Each journal begins with 1.
    if has_several {
        for (trial, number) in trials.iter_mut().zip(1..) {
            trial.number = number;
        }
    }
    Ok((trials, unreadable))
}

/// The journals of one run.
fn journals(run: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(run).into_iter().flatten().flatten();
    let mut journals: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension() == Some(OsStr::new("jsonl")))
        .collect();
    journals.sort();
    journals
}

fn told(trial: &Trial) -> DossierTrial {
    DossierTrial {
        number: trial.trial,
        why: trial.why.word().to_owned(),
        pass: trial.pass.to_string(),
        difference: trial.difference.clone(),
        outcome: trial.outcome.map(|outcome| match outcome {
            Outcome::Pass => TrialOutcome::Pass,
            Outcome::Fail => TrialOutcome::Fail,
            Outcome::Unresolved => TrialOutcome::Unresolved,
        }),
        ending: trial.ending.to_string(),
        bytes: trial.bytes,
        seconds: trial.seconds,
        output: trial.printed(),
        candidate: trial.candidate.to_string(),
    }
}

/// The lines of a file of a run. One that cannot be read, as the last one of a run that goes on, is left out.
fn lines<T: serde::de::DeserializeOwned>(run: &Path, name: &str) -> Vec<T> {
    const MOST: u64 = 64 << 20;
    let text = file::read_own(&run.join(name), MOST).unwrap_or_default();
    let lines = text.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

/// The versions of the history that were tested, the oldest first, each with its last outcome.
fn versions(run: &Path) -> Vec<DossierVersion> {
    let mut versions: Vec<DossierVersion> = Vec::new();
    let parts = parts(run);
    let kept = parts
        .iter()
        .flat_map(|part| lines::<KeptVersion>(part, Versions::FILE));
    for kept in kept {
        let outcome = match kept.outcome.as_str() {
            "pass" => TrialOutcome::Pass,
            "fail" => TrialOutcome::Fail,
            _ => TrialOutcome::Unresolved,
        };
        match versions.iter_mut().find(|known| known.id == kept.id) {
            Some(known) => known.outcome = outcome,
            None => versions.push(DossierVersion {
                position: kept.position.filter(|position| *position < kept.of),
                of: kept.of,
                id: kept.id,
                date: kept.date,
                subject: kept.subject,
                outcome,
            }),
        }
    }
    versions.sort_by_key(|version| version.position);
    versions
}

fn sizes(run: &Path) -> Vec<SizeStep> {
    let steps = lines::<KeptSize>(run, Sizes::FILE).into_iter();
    steps
        .map(|step| SizeStep {
            trials: step.trials,
            size: step.size,
        })
        .collect()
}

/// Bigger inputs are not followed: comparing all steps would take longer than a person waits.
const MOST_FOLLOWED: u64 = 4 << 20;
/// So many bytes of all steps together.
const MOST_COMPARED: usize = 64 << 20;

/// Which part of an input went when.
fn lineage(run: &Path) -> Option<Lineage> {
    let original = only_file(&run.join("original"))?;
    let name = original.file_name()?;
    let input = file::read_own(&original, MOST_FOLLOWED).ok()?;
    let mut numbers: Vec<PathBuf> = fs::read_dir(run.join("improvements"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join(name))
        .collect();
    numbers.sort();
    numbers.push(run.join("best").join(name));
    let mut room = MOST_COMPARED;
    let mut steps = Vec::new();
    for path in numbers {
        let Ok(step) = file::read_own(&path, MOST_FOLLOWED) else {
            continue;
        };
        // What comes last matters most.
        if step.len() <= room {
            room -= step.len();
            steps.push(step);
        }
    }
    Lineage::follow(input, steps)
}
