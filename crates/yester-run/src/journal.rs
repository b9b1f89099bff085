use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use yester_core::{Hash, Outcome};

use crate::replacement::{around, sync_directory};
use crate::run_directory::open_record;
use crate::{Capture, Counts, Ending, Observation, Signature, Stage, Verdict};

/// One run of the user's command: one line of the journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trial {
    /// The number that the command saw as `YESTER_TRIAL`.
    pub trial: u64,
    /// Why it was run.
    pub why: Why,
    /// The content hash of the candidate.
    #[serde(with = "as_text")]
    pub candidate: Hash,
    /// How many bytes the candidate has.
    pub bytes: u64,
    /// In which way the candidate differs from the others, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub difference: String,
    /// What the search did then: the name of its pass.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub pass: Cow<'static, str>,
    /// How the run ended.
    pub ending: Ending,
    /// How long it took.
    pub seconds: f64,
    /// When it was written down, in seconds since the session began.
    #[serde(default)]
    pub at: f64,
    /// Which part of the trial that was.
    #[serde(default, skip_serializing_if = "Stage::is_test")]
    pub stage: Stage,
    /// The hash of what was built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// Whether the test was not run, since an equal product had been tested: the answer is that of the other trial.
    #[serde(default, skip_serializing_if = "is_false")]
    pub same_product: bool,
    /// What the judge said of it. Nothing at the baseline, from which the judge is made.
    #[serde(
        with = "outcome_text",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub outcome: Option<Outcome>,
    /// The failure that was seen when it was another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<Signature>,
    /// Whether an earlier session has run it.
    #[serde(skip)]
    pub replayed: bool,
    /// What was printed by a trial of the search without an answer, where somebody wants to learn from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Arc<Output>>,
    /// The last line that it printed, cut where it is long.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_line: String,
    /// All that was seen, for the baseline's runs and for those of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observation: Option<Observation>,
    /// Whether what it has left was kept.
    #[serde(default, skip_serializing_if = "is_false")]
    pub has_outputs: bool,
}

impl Trial {
    /// A run of a candidate, what it showed and what the judge made of it.
    pub(crate) fn of(
        trial: u64,
        why: Why,
        candidate: (Hash, u64),
        observation: &Observation,
        verdict: Option<Verdict>,
    ) -> Trial {
        Trial {
            trial,
            why,
            candidate: candidate.0,
            bytes: candidate.1,
            difference: String::new(),
            pass: Cow::Borrowed(""),
            ending: observation.ending.clone(),
            seconds: observation.total().as_secs_f64(),
            at: 0.0,
            stage: observation.stage,
            product: observation.product.clone(),
            same_product: false,
            outcome: verdict.as_ref().map(|verdict| verdict.outcome),
            other: verdict.and_then(|verdict| verdict.other),
            replayed: false,
            output: None,
            last_line: last_line(observation),
            observation: None,
            has_outputs: false,
        }
    }

    /// What it printed, as far as the journal has it.
    pub fn printed(&self) -> String {
        match (&self.output, &self.observation) {
            (Some(output), _) => output.text(),
            (None, Some(observation)) => Output::of(observation).text(),
            (None, None) => self.last_line.clone(),
        }
    }
}

/// The longest line that is kept of every trial, in bytes.
const LONGEST_LINE: usize = 160;

/// The last line of what a run complained about, or else of what it printed: what went wrong usually stands there.
fn last_line(observation: &Observation) -> String {
    let streams = [&observation.stderr, &observation.stdout];
    let last = streams.into_iter().find_map(Capture::last_words);
    let mut last = last.unwrap_or_default();
    if last.len() > LONGEST_LINE {
        let end = (0..=LONGEST_LINE)
            .rev()
            .find(|end| last.is_char_boundary(*end));
        last.truncate(end.unwrap_or(0));
    }
    last
}

/// The beginning and the end of what a build or a test has printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Which of the two it was.
    #[serde(default)]
    pub stage: Stage,
    /// What it printed.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
}

/// How much is kept of the beginning and of the end of each stream.
const KEPT: usize = 8 * 1024;

impl Output {
    pub(crate) fn of(observation: &Observation) -> Output {
        Output {
            stage: observation.stage,
            stdout: observation.stdout.excerpt(KEPT, KEPT),
            stderr: observation.stderr.excerpt(KEPT, KEPT),
        }
    }

    /// Both streams, the complaints first.
    pub fn text(&self) -> String {
        let gap = if self.stderr.is_empty() || self.stderr.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        format!("{}{gap}{}", self.stderr, self.stdout)
    }
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Why a trial was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// To see what the unreduced input does, and what nothing at all does.
    Baseline,
    /// To go on with the search.
    Search,
    /// To be sure of the answer, in a clean place.
    Confirmation,
    /// To see whether a tree that was built in before gives the same answers as a new one.
    Warmth,
    /// To see what another command says of the answer.
    Also,
    /// To build a version that is looked into.
    Build,
}

impl Why {
    /// In a word, as the journal has it.
    pub fn word(self) -> &'static str {
        match self {
            Why::Baseline => "baseline",
            Why::Search => "search",
            Why::Confirmation => "confirmation",
            Why::Warmth => "warmth",
            Why::Also => "also",
            Why::Build => "build",
        }
    }
}

/// The append-only record of a run, and the memory of what an earlier session of it has done.
///
/// A trial is written before its outcome is used, which is enough for `kill -9`, and synced to disk once a second.
pub struct Journal {
    path: PathBuf,
    file: File,
    length: u64,
    past: HashMap<(Hash, Why), VecDeque<Trial>>,
    last_number: u64,
    unreadable: usize,
    earlier: EarlierSessions,
    opened: Instant,
    unsynced_since: Option<Instant>,
    /// Whether its name is on the disk.
    is_findable: bool,
}

/// What the sessions of a run before this one have done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EarlierSessions {
    /// Their trials. The runs of the baseline are judged in every session, so that their outcomes are not among these.
    pub counts: Counts,
    /// How long they took, up to the last trial of each.
    pub seconds: f64,
    /// When the last trial of the session was written down that is read now.
    last: f64,
}

impl EarlierSessions {
    fn add(&mut self, trial: &Trial) {
        if trial.same_product {
            self.counts.same_product += 1;
        } else {
            self.counts.run += 1;
        }
        if let Some(outcome) = trial.outcome.filter(|_| !trial.same_product) {
            self.counts.add(outcome);
        }
        // Time starts again with each session.
        let since = if trial.at < self.last {
            trial.at
        } else {
            trial.at - self.last
        };
        self.seconds += since;
        self.last = trial.at;
    }
}

const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// What reading a journal has shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalLength {
    /// How many bytes its whole lines have.
    pub bytes: u64,
    /// How many of them could not be read. What they said is lost, and only that.
    pub unreadable: usize,
}

/// Gives all trials of a journal, in order. Whoever writes it may go on with it.
pub fn read_trials(file: &File, mut take: impl FnMut(Trial)) -> io::Result<JournalLength> {
    let mut length = JournalLength::default();
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        length.bytes += line.len() as u64;
        match serde_json::from_slice::<Trial>(&line) {
            Ok(trial) => take(trial),
            Err(_) => length.unreadable += 1,
        }
        line.clear();
    }
    Ok(length)
}

impl Journal {
    /// Opens a journal and reads what is in it. A line that a crash tore off is cut away.
    pub fn open(path: &Path) -> io::Result<Journal> {
        let file = open_record(path)?;
        let mut past: HashMap<(Hash, Why), VecDeque<Trial>> = HashMap::new();
        let mut last_number = 0;
        let mut earlier = EarlierSessions::default();
        let JournalLength {
            bytes: length,
            unreadable,
        } = read_trials(&file, |trial| {
            last_number = last_number.max(trial.trial);
            earlier.add(&trial);
            past.entry((trial.candidate, trial.why))
                .or_default()
                .push_back(trial);
        })?;
        if file.metadata()?.len() > length {
            file.set_len(length)?;
        }
        Ok(Journal {
            path: path.to_owned(),
            file,
            length,
            past,
            last_number,
            unreadable,
            earlier,
            opened: Instant::now(),
            unsynced_since: None,
            is_findable: false,
        })
    }

    /// How many trials are remembered from before and have not been asked for yet.
    pub fn remembered(&self) -> usize {
        self.past.values().map(VecDeque::len).sum()
    }

    /// How many whole lines could not be read. What they said is lost, and only that.
    pub fn unreadable(&self) -> usize {
        self.unreadable
    }

    /// What earlier sessions have done.
    pub fn earlier(&self) -> EarlierSessions {
        self.earlier
    }

    /// How long this session lasts, in seconds.
    pub(crate) fn age(&self) -> f64 {
        self.opened.elapsed().as_secs_f64()
    }

    /// The next trial of this candidate that an earlier session has run, each once.
    pub fn recall(&mut self, candidate: Hash, why: Why) -> Option<Trial> {
        let trial = self.past.get_mut(&(candidate, why))?.pop_front()?;
        Some(Trial {
            replayed: true,
            ..trial
        })
    }

    /// A trial of this candidate, whichever session has run it and however often it is asked for.
    pub(crate) fn known(&self, candidate: Hash, why: Why) -> Option<Trial> {
        let trial = self.past.get(&(candidate, why))?.front()?;
        Some(Trial {
            replayed: true,
            ..trial.clone()
        })
    }

    /// Remembers a trial of this session like one of an earlier session.
    pub(crate) fn remember(&mut self, trial: &Trial) {
        let known = self.past.entry((trial.candidate, trial.why)).or_default();
        known.push_back(trial.clone());
    }

    /// Forgets a trial whose outputs are gone.
    pub(crate) fn forget_first(&mut self, candidate: Hash, why: Why) {
        if let Some(known) = self.past.get_mut(&(candidate, why)) {
            known.pop_front();
        }
    }

    /// What an earlier session has run for this reason, candidate by candidate, and was not asked for yet.
    pub(crate) fn past(&self, why: Why) -> impl Iterator<Item = &VecDeque<Trial>> {
        self.past
            .iter()
            .filter(move |((_, past), trials)| *past == why && !trials.is_empty())
            .map(|(_, trials)| trials)
    }

    /// Forgets what an earlier session has run for this reason.
    pub fn forget(&mut self, why: Why) {
        self.past.retain(|(_, past), _| *past != why);
    }

    /// A number for a new trial.
    pub fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Writes one trial down. After an error, what was written of the line is taken back.
    pub fn append(&mut self, trial: &Trial) -> io::Result<()> {
        let mut line = serde_json::to_vec(trial)?;
        line.push(b'\n');
        if let Err(error) = self.file.write_all(&line) {
            let _ = self.file.set_len(self.length);
            return Err(error);
        }
        self.length += line.len() as u64;
        self.unsynced_since.get_or_insert_with(Instant::now);
        Ok(())
    }

    /// When the next sync is due.
    pub fn sync_due(&self) -> Option<Instant> {
        Some(self.unsynced_since? + SYNC_INTERVAL)
    }

    /// Brings everything to disk.
    pub fn sync(&mut self) -> io::Result<()> {
        if self.unsynced_since.take().is_some() {
            self.file.sync_data()?;
            self.sync_names()?;
        }
        Ok(())
    }

    /// Brings the names of the journal, of its run and of the state directory to disk, once: a file that was synced is
    /// lost all the same if nothing leads to it.
    fn sync_names(&mut self) -> io::Result<()> {
        if self.is_findable {
            return Ok(());
        }
        let path = std::path::absolute(&self.path)?;
        let run = around(&path);
        for directory in [run, around(run), around(around(run))] {
            sync_directory(directory)?;
        }
        self.is_findable = true;
        Ok(())
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let _ = self.sync();
    }
}

mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use yester_core::Hash;

    pub fn serialize<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(hash)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        Hash::parse(&String::deserialize(deserializer)?)
            .ok_or_else(|| D::Error::custom("not a hash"))
    }
}

mod outcome_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use yester_core::Outcome;

    pub fn serialize<S: Serializer>(
        outcome: &Option<Outcome>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match outcome {
            Some(outcome) => serializer.collect_str(outcome),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Outcome>, D::Error> {
        let text = String::deserialize(deserializer)?;
        [Outcome::Pass, Outcome::Fail, Outcome::Unresolved]
            .into_iter()
            .find(|outcome| outcome.to_string() == text)
            .map(Some)
            .ok_or_else(|| D::Error::custom("not an outcome"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(number: u64) -> Trial {
        Trial {
            trial: number,
            why: Why::Search,
            candidate: Hash::of(&number.to_le_bytes()),
            bytes: 8,
            difference: String::new(),
            pass: Cow::Borrowed(""),
            ending: Ending::Exit(1),
            seconds: 0.25,
            at: number as f64,
            stage: Stage::Test,
            product: None,
            same_product: false,
            outcome: Some(Outcome::Fail),
            other: None,
            replayed: false,
            output: None,
            last_line: String::new(),
            observation: None,
            has_outputs: false,
        }
    }

    fn numbers(journal: &mut Journal) -> Vec<u64> {
        (1..=9)
            .filter_map(|number| Some(journal.recall(trial(number).candidate, Why::Search)?.trial))
            .collect()
    }

    #[test]
    fn the_trials_and_times_of_all_sessions_are_added_up() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("journal.jsonl");
        for session in [&[1, 2, 4][..], &[1, 3], &[2]] {
            let mut journal = Journal::open(&path).expect("a journal");
            let mut write = |number: &u64| journal.append(&trial(*number)).expect("room");
            session.iter().for_each(&mut write);
        }
        let earlier = Journal::open(&path).expect("a journal").earlier();
        assert_eq!((earlier.counts.run, earlier.counts.fail), (6, 6));
        assert_eq!(earlier.seconds, 4.0 + 3.0 + 2.0);
    }

    #[test]
    fn what_was_written_is_read_back_and_a_torn_line_is_cut_away() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("journal.jsonl");
        let mut journal = Journal::open(&path).expect("a journal");
        assert_eq!(journal.remembered(), 0);
        (1..=3).for_each(|number| journal.append(&trial(number)).expect("room"));
        drop(journal);
        let whole = std::fs::read(&path).expect("the file");
        for torn in 1..40 {
            std::fs::write(&path, &whole[..whole.len() - torn]).expect("room");
            let mut journal = Journal::open(&path).expect("a journal");
            assert_eq!(journal.next_number(), 3);
            let recalled = journal
                .recall(trial(2).candidate, Why::Search)
                .expect("the second trial");
            assert_eq!(recalled.outcome, Some(Outcome::Fail));
            assert_eq!(recalled.ending, Ending::Exit(1));
            assert_eq!(numbers(&mut journal), [1], "each is recalled once");
            journal.append(&trial(4)).expect("room");
            drop(journal);
            assert_eq!(
                numbers(&mut Journal::open(&path).expect("a journal")),
                [1, 2, 4]
            );
        }
    }

    #[test]
    fn garbage_in_the_middle_loses_only_its_own_line() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("journal.jsonl");
        let mut journal = Journal::open(&path).expect("a journal");
        (1..=3).for_each(|number| journal.append(&trial(number)).expect("room"));
        drop(journal);
        let text = std::fs::read_to_string(&path).expect("the file");
        let lines: Vec<&str> = text.lines().collect();
        std::fs::write(&path, format!("{}\ngarbage\n{}\n", lines[0], lines[2])).expect("room");
        let mut journal = Journal::open(&path).expect("a journal");
        assert_eq!(journal.unreadable(), 1);
        assert_eq!(numbers(&mut journal), [1, 3]);
    }
}
