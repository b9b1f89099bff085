//! The report.

use std::collections::BTreeSet;
use std::path::PathBuf;

use yester_path::explanation::{Alternate, Direction, NEW, OLD, Suspect, VersionSources};
use yester_record::Behaviour;
use yester_report::{
    AlternateInput, CrashPlace, ExplainPlace, ExplainReport, ExplainResult, Lost, Place,
    ShownBehaviour, SourceText, Spot, Status,
};

use super::job::ExplainJob;
use super::round::Round;
use super::source::Sources;
use crate::driver::with_runs;
use crate::failure::Failure;
use crate::record::{changed_sources, refusals, write_changed};

/// The names of the versions in the JSON.
const NAMES: [&str; 2] = ["old", "new"];

/// Everything that a report is made of.
pub struct Answer<'a> {
    pub job: &'a ExplainJob,
    /// One at least.
    pub rounds: &'a [Round],
    pub suspects: &'a [Suspect],
    /// How many runs had an intervention.
    pub intervention_runs: u64,
}

impl Answer<'_> {
    /// Writes the alternate input if the user wants it, and makes the report.
    pub fn report(self, sources: &Sources, frame: ExplainReport) -> Result<ExplainReport, Failure> {
        let places: Vec<ExplainPlace> = self
            .suspects
            .iter()
            .map(|suspect| place(suspect, sources))
            .collect();
        let found: Vec<&Alternate<Behaviour>> =
            self.rounds.iter().flat_map(|one| &one.alternates).collect();
        let alternates = found.iter().map(|one| self.alternate(one));
        let mut alternates: Vec<AlternateInput> = alternates.collect();
        let best = self.suspects.iter().find_map(|suspect| suspect.alternate);
        let mut next = String::new();
        if let (Some(path), Some(best)) = (&self.job.arguments.output, best) {
            next = write_changed(
                path,
                &self.job.symbolic,
                &self.job.input,
                &found[best].input,
            )?;
            alternates[best].file = Some(next.clone());
            next = format!("the alternate input is in {next}");
        }
        let method = match self.suspects.first() {
            None => "none",
            Some(suspect) => match suspect.alternate.map(|index| found[index].direction) {
                None if suspect.is_intervention => "intervention",
                None => "values",
                Some(Direction::LeavesNew) => "new",
                Some(Direction::LeavesOld) => "old",
                Some(Direction::Turns) => "turned",
            },
        };
        let first = &self.rounds[0];
        let of_rounds = self.rounds.iter().flat_map(|round| &round.notes);
        let notes = self.job.notes.iter().chain(of_rounds).cloned();
        let notes = notes.chain(refusals(&self.job.confinement));
        let words = [OLD, NEW].map(|version| self.job.versions[version].word.clone());
        let result = ExplainResult {
            words,
            alternate_input: best.map(|best| alternates[best].clone()),
            alternates,
            method,
            old: shown(&first.behaviours[OLD]),
            new: shown(&first.behaviours[NEW]),
            lost: self.lost(sources),
            notes: notes.collect(),
            crashes: self.crashes(sources),
            sources: self.texts(&places, sources),
            places,
        };
        let status = if result.places.is_empty() {
            Status::Limit
        } else {
            Status::Found
        };
        let of_rounds = self.rounds.iter().map(|round| round.runs);
        let runs = of_rounds.sum::<u64>() + self.intervention_runs;
        Ok(ExplainReport {
            trials: with_runs(frame.trials, runs),
            status,
            result: Some(result),
            next,
            ..frame
        })
    }

    fn alternate(&self, alternate: &Alternate<Behaviour>) -> AlternateInput {
        let changes = changed_sources(&self.job.symbolic, &self.job.input, &alternate.input);
        AlternateInput {
            changes,
            bytes: alternate.bytes,
            leaves: NAMES[alternate.direction.left()],
            keeps: match alternate.direction {
                Direction::LeavesNew => Some("old"),
                Direction::LeavesOld => Some("new"),
                Direction::Turns => None,
            },
            branches: alternate.different.len(),
            agrees: alternate.agrees,
            old: shown(&alternate.behaviours[OLD]),
            new: shown(&alternate.behaviours[NEW]),
            file: None,
        }
    }

    /// Where versions that were killed by a signal did their last step.
    fn crashes(&self, sources: &Sources) -> Vec<CrashPlace> {
        let first = &self.rounds[0];
        let last = first.crashes.iter().enumerate();
        let last = last.filter_map(|(version, last)| Some((version, (*last)?)));
        last.map(|(version, last)| {
            let given = &first.given[version];
            let line = sources.line(version, &given.recording, last);
            CrashPlace {
                version: NAMES[version],
                spot: Spot {
                    source: sources.text(version, &line),
                    file: line.file,
                    line: line.line,
                    column: line.column,
                    function: line.function,
                },
                ending: given.observation.ending.to_string(),
            }
        })
        .collect()
    }

    /// The files of these places.
    fn texts(&self, places: &[ExplainPlace], sources: &Sources) -> Vec<SourceText> {
        let files = places
            .iter()
            .map(|place| (place.version, place.file.as_str()));
        let files: BTreeSet<(&str, &str)> = files.collect();
        let texts = files.into_iter().map(|(version, file)| {
            let version = if version == NAMES[OLD] { OLD } else { NEW };
            let before = (version == NEW).then(|| {
                let [old, new] = self.job.versions.each_ref().map(|one| &one.file);
                let name = |path: &PathBuf| sources.name(OLD, &path.to_string_lossy());
                let is_new = |path: &PathBuf| name(path) == file;
                // Two files that are versions of one program may have two names.
                let old = old.as_ref().filter(|_| new.as_ref().is_some_and(is_new));
                sources.lines(OLD, &old.map_or(file.to_owned(), name))
            });
            SourceText {
                version: NAMES[version],
                file: file.to_owned(),
                lines: sources.lines(version, file),
                before: before.filter(|lines| !lines.is_empty()),
            }
        });
        texts.collect()
    }

    /// What was not followed in either version.
    fn lost(&self, sources: &Sources) -> Vec<Lost> {
        let mut all: Vec<Lost> = Vec::new();
        for (version, losses) in self.rounds[0].lost.iter().enumerate() {
            for loss in losses {
                if !all.iter().any(|known| known.what == loss.what) {
                    all.push(Lost {
                        what: loss.what.clone(),
                        place: sources.in_text(version, &loss.place),
                    });
                }
            }
        }
        all
    }
}

fn place(suspect: &Suspect, sources: &Sources) -> ExplainPlace {
    let Suspect { version, line, .. } = suspect;
    let source = sources.text(*version, line);
    let other = suspect.partner.as_ref();
    let other = other.and_then(|partner| sources.text(1 - version, partner));
    ExplainPlace {
        version: NAMES[*version],
        alternate: suspect.alternate,
        changed: sources.is_changed(*version, line),
        other_line: suspect.partner.as_ref().map(|partner| partner.line),
        other_source: other.filter(|other| {
            let words = |text: &str| text.split_whitespace().collect::<String>();
            source.as_deref().map(words) != Some(words(other))
        }),
        place: Place {
            kind: suspect.kind,
            spot: Spot {
                file: line.file.clone(),
                line: line.line,
                column: line.column,
                function: line.function.clone(),
                source,
            },
            name: suspect.name.clone(),
            was: suspect.was.clone(),
            becomes: suspect.becomes.clone(),
            evidence: match suspect.alternate {
                _ if suspect.is_intervention => "intervention",
                Some(_) => "alternate",
                None => "versions",
            },
        }
        .at_shown_column(),
    }
}

fn shown(behaviour: &Behaviour) -> ShownBehaviour {
    ShownBehaviour {
        ending: behaviour.ending.to_string(),
        stdout: behaviour.text(|one| &one.stdout),
        stderr: behaviour.text(|one| &one.stderr),
        whole: behaviour.is_whole(),
    }
}
