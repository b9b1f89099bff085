//! The report.

use std::fs;
use std::path::Path;
use std::time::Instant;

use yester_path::forced::{Effect, Way};
use yester_report::{FlipPlace, FlipReport, FlipResult, SCHEMA, Status, Trials};
use yester_run::Observation;

use super::job::FlipJob;
use super::path::PathSearch;
use crate::cli::FlipWay;
use crate::experiment::{ConfirmedLine, ForcedFindings, in_words, kind, name};
use crate::record::changed_sources;

/// A report has so many places at most.
const MOST_PLACES: usize = 7;

/// Everything that a report is made of.
pub struct Answer<'a> {
    pub job: &'a FlipJob,
    pub root: &'a Path,
    pub failing: &'a Observation,
    pub findings: &'a ForcedFindings,
    pub paths: Option<&'a PathSearch>,
    /// Where the run keeps its journal, if it has one.
    pub run: Option<String>,
    /// What to do next.
    pub next: String,
    pub begin: Instant,
}

impl Answer<'_> {
    pub fn report(self) -> FlipReport {
        let lines = self.findings.lines.iter().take(MOST_PLACES);
        let mut places: Vec<FlipPlace> = lines.map(|line| self.place(line)).collect();
        let mut distance = Vec::new();
        let (mut runs, mut exhausted) = (self.findings.runs + 2, self.findings.left == 0);
        if let Some(paths) = self.paths {
            self.add_paths(paths, &mut places);
            // What only makes more of the output right comes last.
            places.sort_by_key(|place| !place.passes);
            let nearest = paths.findings.nearest.iter();
            let branches = nearest.flat_map(|nearest| &nearest.distance);
            distance = branches
                .map(|place| {
                    let file = self.name(&self.own_file(paths, &place.file));
                    format!("{file}:{}", place.line)
                })
                .collect();
            runs += paths.findings.runs as u64;
            exhausted &= paths.findings.is_exhausted;
        }
        // A run that is only nearer is nothing found.
        let status = match places.iter().any(|place| place.passes) {
            true => Status::Found,
            false => Status::Limit,
        };
        FlipReport {
            schema: SCHEMA,
            command: "flip",
            status,
            trials: Trials {
                run: runs,
                ..Trials::default()
            },
            seconds: self.begin.elapsed().as_secs_f64(),
            result: Some(FlipResult {
                places,
                distance,
                runs,
                exhausted,
                left: self.findings.left as u64,
                failing: self.failing.ending.to_string(),
                process: self.findings.profile.process,
                processes: self.findings.processes as u64,
                notes: self.notes(),
            }),
            run: self.run,
            failure: Some(self.failing.ending.to_string()),
            sure: None,
            also_seen: Vec::new(),
            error: None,
            next: self.next,
        }
    }

    /// Adds the branches that go another way on other inputs. A branch that a forced run has turned too gets the input.
    fn add_paths(&self, paths: &PathSearch, places: &mut Vec<FlipPlace>) {
        for place in &paths.findings.places {
            let success = &paths.findings.successes[place.success];
            let input = changed_sources(&self.job.symbolic, &paths.input, &success.input);
            let own_file = self.own_file(paths, &place.file);
            let file = self.name(&own_file);
            // Forced runs know a line, and paths the operand in it.
            let known = places.iter_mut().find(|known| {
                known.kind == "branch"
                    && (&known.file, known.line) == (&file, place.line)
                    && (known.evidence == "forced" || known.column == place.column)
            });
            if let Some(known) = known {
                known.input.get_or_insert(input);
            } else if places.len() < MOST_PLACES {
                places.push(FlipPlace {
                    kind: "branch",
                    line: place.line,
                    column: place.column,
                    function: place.function.clone(),
                    name: String::new(),
                    instance: Some(place.instance),
                    instances: vec![place.instance],
                    passes: true,
                    executions: place.executions,
                    was: place.was.clone(),
                    becomes: place.becomes.clone(),
                    evidence: "input",
                    input: Some(input),
                    critical: 0,
                    tried: 0,
                    source: self.source(&own_file, place.line),
                    file,
                });
            }
        }
    }

    /// The same file in the tree that the forced program was built in.
    fn own_file(&self, paths: &PathSearch, file: &str) -> String {
        match Path::new(file).strip_prefix(&paths.root) {
            Ok(inside) => self.root.join(inside).display().to_string(),
            Err(_) => file.to_owned(),
        }
    }

    fn place(&self, confirmed: &ConfirmedLine) -> FlipPlace {
        let experiment = &confirmed.experiment;
        let place = &self.findings.profile.places[experiment.place];
        let (was, becomes) = in_words(&self.findings.profile, experiment);
        let file = self.name(&place.file);
        FlipPlace {
            kind: kind(&self.findings.profile, experiment),
            line: place.line,
            column: place.column,
            function: place.function.clone(),
            name: name(&self.findings.profile, experiment),
            instance: experiment.instances.first().copied(),
            instances: experiment.instances.clone(),
            executions: self.findings.profile.counts[experiment.place],
            was,
            becomes,
            passes: confirmed.line.effect == Effect::Right,
            evidence: match experiment.way {
                Way::Solved => "expected",
                _ => "forced",
            },
            input: None,
            critical: confirmed.line.critical as u64,
            tried: confirmed.line.tried as u64,
            source: self.source(&place.file, place.line),
            file,
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.findings.notes.clone();
        if self.job.is_judged_by_user() && self.job.wants(FlipWay::Forced) {
            notes.push(
                "nothing was done otherwise on your input: --check and --ask judge inputs that are made; --expect FILE or --reference PROG judges both"
                    .to_owned(),
            );
        }
        notes.extend(
            self.paths
                .into_iter()
                .flat_map(|paths| paths.notes(self.job)),
        );
        notes
    }

    /// The name of a file as the user knows it.
    fn name(&self, file: &str) -> String {
        let path = Path::new(file);
        let bases = [self.root, self.job.start.as_path()];
        let short = bases.iter().find_map(|base| path.strip_prefix(base).ok());
        let short = short.unwrap_or(path);
        let short = short.strip_prefix(".").unwrap_or(short);
        short.display().to_string()
    }

    /// A line of the version's own sources.
    fn source(&self, file: &str, line: u32) -> Option<String> {
        let path = Path::new(file);
        let is_own = path.starts_with(self.root)
            || self.job.version.file.is_some() && path.starts_with(&self.job.start);
        if !is_own {
            return None;
        }
        let text = fs::read(path).ok()?;
        let text = String::from_utf8_lossy(&text);
        let line = text.lines().nth((line as usize).checked_sub(1)?);
        line.map(str::to_owned)
    }
}
