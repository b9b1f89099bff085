//! The report.

use std::path::Path;

use yester_path::intervention::search::{ConfirmedLine, InterventionLine};
use yester_path::intervention::{
    Effect, FailingRecord, InterventionAction, PlaceKind, ToldChains, ToldLink, Way, in_words,
    kind, name, variable,
};
use yester_path::{readable, readable_words};
use yester_record::Seen;
use yester_report::{
    FlipBytes, FlipDependences, FlipLink, FlipPlace, FlipReport, FlipResult, Place, SourceText,
    Spot, Status,
};
use yester_run::Observation;

use super::candidate::{Candidate, best_of_causes, ordered};
use super::intervention::InterventionSummary;
use super::job::FlipJob;
use super::path::FoundPaths;
use crate::cli::FlipWay;
use crate::driver::with_runs;
use crate::failure::Failure;
use crate::record::{TreeSources, changed_sources, name_definitions, near_report, refusals};

/// A report has so many places at most.
const MOST_PLACES: usize = 7;

/// So many places are told with what they depend on.
const MOST_CHAINED: usize = 3;

/// Everything that a report is made of.
pub struct Answer<'a> {
    pub job: &'a FlipJob,
    pub root: &'a Path,
    pub failing: &'a Observation,
    pub interventions: &'a InterventionSummary,
    pub paths: Option<&'a FoundPaths>,
    /// What is known about the failing run, if it was recorded.
    pub record: Option<&'a FailingRecord<Seen>>,
    /// What to do next.
    pub next: String,
}

impl Answer<'_> {
    pub fn report(self, frame: FlipReport) -> Result<FlipReport, Failure> {
        let lines = self.interventions.lines.iter();
        let mut places: Vec<Candidate> = lines.map(|line| self.candidate(line)).collect();
        let mut distance = Vec::new();
        let (tests, left) = (
            1 + self.job.others.len() as u64,
            self.interventions.left() as u64,
        );
        // Each test was run as it is, and to see what it does.
        let (mut runs, mut exhausted) = (self.interventions.runs() + 2 * tests, left == 0);
        if let Some(paths) = self.paths {
            self.add_paths(paths, &mut places);
            places = ordered(&places);
            let nearest = paths.findings.nearest.iter();
            let branches = nearest.flat_map(|nearest| &nearest.distance);
            distance = branches
                .map(|place| {
                    let file = self.sources().name(&self.own_file(paths, &place.file));
                    format!("{file}:{}", place.line)
                })
                .collect();
            runs += paths.findings.runs as u64;
            exhausted &= paths.findings.is_exhausted;
        }
        let mut places = best_of_causes(&places, self.record);
        places.truncate(MOST_PLACES);
        let named = places.iter_mut();
        name_definitions(
            named.map(|one| (&mut one.place, one.path.as_str())),
            &self.sources(),
        );
        self.add_dependences(&mut places)?;
        let places: Vec<FlipPlace> = places.into_iter().map(|one| one.place).collect();
        let sources = self.texts(&places);
        let mut notes = self.notes();
        let cured = places.iter().map(|place| place.cures.len() as u64).max();
        if (1..tests).contains(&cured.unwrap_or(0)) {
            notes.push(
                "nothing that was tried makes all tests pass: they may fail for different reasons"
                    .to_owned(),
            );
        }
        let first = self.interventions.tests.first();
        // A run that is only nearer is nothing found.
        let status = if places.iter().any(|place| place.passes) {
            Status::Found
        } else {
            Status::Limit
        };
        Ok(FlipReport {
            trials: with_runs(frame.trials, runs),
            status,
            result: Some(FlipResult {
                places,
                distance,
                runs,
                exhausted,
                left,
                failing: self.failing.ending.to_string(),
                process: first.map_or(0, |first| first.profile.process),
                processes: first.map_or(0, |first| first.processes as u64),
                tests,
                notes,
                sources,
            }),
            failure: Some(self.failing.ending.to_string()),
            next: self.next,
            ..frame
        })
    }

    /// Adds the branches that go another way on other inputs. A branch that an intervention has turned too gets the input.
    fn add_paths(&self, paths: &FoundPaths, places: &mut Vec<Candidate>) {
        for place in &paths.findings.places {
            let success = &paths.findings.successes[place.success];
            let input = changed_sources(&self.job.symbolic, &paths.input, &success.input);
            let own_file = self.own_file(paths, &place.file);
            let file = self.sources().name(&own_file);
            // Interventions know a line, and paths the operand in it.
            let mut known = places.iter_mut().map(|candidate| &mut candidate.place);
            let known = known.find(|known| {
                known.kind == "branch"
                    && (&known.file, known.line) == (&file, place.line)
                    && (known.evidence == "intervention" || known.column == place.column)
            });
            let reduced = paths.input != self.job.test.input;
            if let Some(known) = known {
                known.input.get_or_insert(input);
                known.reduced = reduced;
            } else {
                let place = FlipPlace {
                    place: Place {
                        kind: "branch",
                        spot: Spot {
                            line: place.line,
                            column: place.column,
                            function: place.function.clone(),
                            source: self.sources().line(&own_file, place.line),
                            file,
                        },
                        name: String::new(),
                        was: place.was.clone(),
                        becomes: place.becomes.clone(),
                        evidence: "input",
                    },
                    instance: Some(place.instance),
                    instances: vec![place.instance],
                    passes: true,
                    executions: place.executions,
                    input: Some(input),
                    reduced,
                    critical: 0,
                    tried: 0,
                    cures: Vec::new(),
                    near: None,
                    same_cause: Vec::new(),
                    dependences: None,
                };
                // Inputs are made for the first test.
                let place = FlipPlace {
                    cures: vec![place.as_cure(0)],
                    ..place
                };
                places.push(Candidate {
                    place,
                    path: own_file,
                    variable: None,
                    is_skipped: false,
                });
            }
        }
    }

    /// Adds what the best places depend on, and what depends on them.
    fn add_dependences(&self, places: &mut [Candidate]) -> Result<(), Failure> {
        let Some(record) = self.record else {
            return Ok(());
        };
        let count = MOST_CHAINED.min(places.len());
        let best = &mut places[..count];
        let lines = best.iter().map(|one| (one.path.as_str(), one.place.line));
        let chains = record.chains(&lines.collect::<Vec<_>>())?;
        for (one, chains) in best.iter_mut().zip(chains) {
            one.place.dependences = chains.map(|chains| self.dependences(chains));
        }
        Ok(())
    }

    fn dependences(&self, chains: ToldChains) -> FlipDependences {
        let links = |links: Vec<ToldLink>| {
            let links = links.into_iter().map(|link| FlipLink {
                file: self.sources().name(&link.file),
                line: link.line,
                does: link.does,
                certain: link.is_certain,
                left_out: link.left_out as u64,
            });
            links.collect()
        };
        let input = chains.input.into_iter();
        FlipDependences {
            from_input: links(chains.from_input),
            to_output: links(chains.to_output),
            input: input
                .map(|(source, offsets)| FlipBytes { source, offsets })
                .collect(),
        }
    }

    /// The same file in the tree that the program was built in for interventions.
    fn own_file(&self, paths: &FoundPaths, file: &str) -> String {
        match Path::new(file).strip_prefix(&paths.root) {
            Ok(inside) => self.root.join(inside).display().to_string(),
            Err(_) => file.to_owned(),
        }
    }

    /// A line, told as it is in the first test in which it helps.
    fn candidate(&self, line: &InterventionLine) -> Candidate {
        let mut of_tests = line.of_tests.iter();
        let mut of_tests = of_tests
            .by_ref()
            .map(|(test, confirmed)| (*test, self.candidate_in(*test, confirmed)));
        let (test, mut lead) = of_tests.next().expect("a line helps somewhere");
        if lead.place.passes {
            let mut cures = vec![lead.place.as_cure(test)];
            for (test, other) in of_tests {
                cures.push(other.place.as_cure(test));
                lead.is_skipped &= other.is_skipped;
            }
            lead.place.cures = cures;
        }
        lead
    }

    fn candidate_in(&self, test: usize, confirmed: &ConfirmedLine) -> Candidate {
        let profile = &self.interventions.tests[test].profile;
        let intervention = &confirmed.intervention;
        let place = &profile.places[intervention.place];
        let (was, mut becomes) = in_words(profile, intervention);
        if was == becomes {
            // Of a pointer, words tell only whether there is something.
            becomes = match was.as_str() {
                "not null" => "another address".to_owned(),
                _ => "another value".to_owned(),
            };
        }
        let file = self.sources().name(&place.file);
        let text = match (&place.kind, intervention.action) {
            // What computes a variable is about that variable.
            (PlaceKind::Operator, _) => confirmed.line.stored(profile),
            (PlaceKind::Store, _) => Some(place.text.clone()),
            (PlaceKind::Exit(exits), InterventionAction::Assign { number, .. }) => {
                Some(exits.numbers[number].name.clone())
            }
            _ => None,
        };
        let path = place.file.clone();
        let place = FlipPlace {
            place: Place {
                kind: kind(profile, intervention),
                spot: Spot {
                    line: place.line,
                    column: place.column,
                    function: readable(&place.function),
                    source: self.sources().line(&place.file, place.line),
                    file,
                },
                name: readable_words(&name(profile, intervention)),
                was: readable_words(&was),
                becomes: readable_words(&becomes),
                evidence: match intervention.way {
                    Way::Solved => "expected",
                    _ => "intervention",
                },
            }
            .at_shown_column(),
            instance: intervention.instances.first().copied(),
            instances: intervention.instances.clone(),
            executions: profile.counts[intervention.place],
            passes: confirmed.line.effect == Effect::Right,
            input: None,
            reduced: false,
            critical: confirmed.line.critical as u64,
            tried: confirmed.line.tried as u64,
            cures: Vec::new(),
            near: near_report(confirmed),
            same_cause: Vec::new(),
            dependences: None,
        };
        Candidate {
            place,
            path,
            is_skipped: confirmed
                .line
                .right
                .iter()
                .any(|one| one.action == InterventionAction::Skip),
            variable: text.and_then(|text| variable(&text)),
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.job.notes.clone();
        for findings in &self.interventions.tests {
            // Several tests may have the same reason.
            let new = findings.notes.iter().filter(|note| !notes.contains(note));
            let new: Vec<String> = new.cloned().collect();
            notes.extend(new);
        }
        if self.job.arguments.ask && self.job.wants(FlipWay::Interventions) {
            notes.push(
                "no intervention was tried on your input: --ask judges inputs that are made; --expect FILE, --check LINE or --reference PROG judges both"
                    .to_owned(),
            );
        }
        notes.extend(
            self.paths
                .into_iter()
                .flat_map(|paths| paths.notes(self.job)),
        );
        notes.extend(refusals(&self.job.confinement));
        notes
    }

    /// The files of these places and of what they depend on.
    fn texts(&self, places: &[FlipPlace]) -> Vec<SourceText> {
        let files = places.iter().flat_map(|place| {
            let links = place.dependences.iter();
            let links = links.flat_map(|one| one.from_input.iter().chain(&one.to_output));
            let links = links.map(|link| link.file.as_str());
            std::iter::once(place.file.as_str()).chain(links)
        });
        self.sources().texts(files)
    }

    fn sources(&self) -> TreeSources<'_> {
        TreeSources {
            root: self.root,
            start: &self.job.start,
            file: self.job.version.file.as_deref(),
        }
    }
}
