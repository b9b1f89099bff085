//! From everything that was observed to a short list of places, the best first.
//!
//! Two kinds of evidence count. A branch that an alternate input turns, on which both versions agree, separates the user's input from
//! one that is treated right: DARWIN's answer. A step that differs between the versions on the user's input, with the same history in
//! both, is where the difference begins; what also differs where the versions agree is only how they are written.

use std::collections::BTreeMap;

use super::relevance::{MOST_CAUSES, few_changed};
use super::{
    Alternate, Behind, Differing, Direction, NEW, OLD, SourceLine, VersionSources,
    WrittenDifference,
};
use crate::comparison::DifferentBranch;
use crate::is_system_file;
use crate::recording::Recording;
use crate::site::SiteKind;
use crate::version_comparison::{DifferenceKind, StepDifference, StepPlace};

/// A report has so many places at most.
const MOST_PLACES: usize = 5;
/// So many differences between the versions are looked at, the first ones.
const MOST_DIFFERENCES: u32 = 40;

/// What is said of a step that only one version has where the runs correspond. It may have it elsewhere.
const DONE: &str = "done at this point";
const NOT_DONE: &str = "not done at this point";

/// Which time something is executed.
fn time(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, one) if one != 11 => "st",
        (2, two) if two != 12 => "nd",
        (3, three) if three != 13 => "rd",
        _ => "th",
    };
    format!(" (the {number}{ending} time)")
}

/// A place with its evidence.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// The version whose place it is.
    pub version: usize,
    /// Where.
    pub line: SourceLine,
    /// What it is: `branch`, `value`, `call`, `definition` or `line`.
    pub kind: &'static str,
    /// What it is about.
    pub name: String,
    /// What it is in the old version, or on the user's input.
    pub was: String,
    /// What it is in the new version, or on the other input.
    pub becomes: String,
    /// The alternate input that shows it; otherwise the versions themselves do.
    pub alternate: Option<usize>,
    /// Whether the new version does what the old one does with this intervention.
    pub is_intervention: bool,
    /// The corresponding place in the other version, if there is one.
    pub partner: Option<SourceLine>,
    /// Whether its line is one of few that have changed: all of them, or those that what differs first in the output depends on.
    pub is_cause: bool,
    /// How much speaks for it.
    pub score: f64,
    /// When it happens, of places with the same score.
    pub moment: usize,
}

/// What the suspects are chosen from.
pub struct Evidence<'a, B> {
    /// Both versions on the user's input.
    pub recordings: [&'a Recording; 2],
    /// Their sources.
    pub sources: &'a dyn VersionSources,
    /// The best first.
    pub alternates: &'a [Alternate<B>],
    /// What the versions do differently on the user's input.
    pub differences: &'a [StepDifference],
    /// What they write differently.
    pub written: &'a [WrittenDifference],
    /// What they do differently on each input on which they agree.
    pub harmless: &'a [Differing],
    /// What the first byte that differs depends on.
    pub behind: &'a Behind,
}

impl<B> Evidence<'_, B> {
    /// All places that it speaks for.
    pub fn suspects(&self) -> Vec<Suspect> {
        let mut all = self.turned_branches();
        all.extend(self.first_differences());
        all.extend(self.written());
        let lines = self.behind.causes(self.sources, NEW);
        if lines.len() <= MOST_CAUSES {
            self.add_causes(&lines, &mut all);
        }
        for suspect in &mut all {
            let (version, line) = (suspect.version, &suspect.line);
            suspect.is_cause = self.behind.is_cause(self.sources, version, line);
        }
        all
    }

    /// Changed lines that what differs depends on, where no step differs: a pointer, or a part of an expression.
    fn add_causes(&self, lines: &[(String, u32)], all: &mut Vec<Suspect>) {
        for (file, number) in lines {
            let line = SourceLine {
                file: file.clone(),
                line: *number,
                column: 1,
                function: self.function_at(file, *number),
            };
            let partner = self.sources.counterpart(NEW, &line);
            let is_known = |one: &Suspect| {
                let is =
                    |line: &SourceLine| (&one.line.file, one.line.line) == (&line.file, line.line);
                one.version == NEW && is(&line)
                    || one.version == OLD && partner.as_ref().is_some_and(is)
            };
            let text = |version: usize, line: &SourceLine| {
                let text = self.sources.text(version, line)?;
                Some(text.trim().to_owned())
            };
            let was = partner.as_ref().and_then(|partner| text(OLD, partner));
            let (Some(was), Some(becomes)) = (was, text(NEW, &line)) else {
                continue;
            };
            if !all.iter().any(is_known) {
                all.push(Suspect {
                    version: NEW,
                    line,
                    kind: "line",
                    name: String::new(),
                    was,
                    becomes,
                    alternate: None,
                    is_intervention: false,
                    partner,
                    is_cause: true,
                    score: 0.05,
                    moment: usize::MAX,
                });
            }
        }
    }

    /// The function of the new version with the last step up to a line.
    fn function_at(&self, file: &str, line: u32) -> String {
        let functions = self.recordings[NEW].sites.functions().iter();
        let functions = functions.filter(|one| self.sources.name(NEW, &one.file) == file);
        let steps = functions.flat_map(|one| one.sites.iter().map(move |site| (site.line, one)));
        let before = steps.filter(|(at, _)| *at <= line);
        let nearest = before.max_by_key(|(at, _)| *at);
        nearest.map_or_else(String::new, |(_, one)| one.name.clone())
    }

    /// The branch at which each alternate input leaves the path: the first that is evaluated differently.
    fn turned_branches(&self) -> Vec<Suspect> {
        let mut found = Vec::new();
        for (number, alternate) in self.alternates.iter().enumerate() {
            let version = alternate.direction.left();
            let place_of = |branch: &DifferentBranch| StepPlace {
                function: branch.function,
                site: branch.site,
            };
            let mut branches = alternate.different.iter();
            let branch = branches.find(|branch| !self.is_of_system(version, place_of(branch)));
            let Some(branch) = branch else { continue };
            let place = place_of(branch);
            let mut suspect = self.suspect(version, place);
            suspect.was = self.outcome(version, place, branch.left);
            suspect.becomes = self.outcome(version, place, branch.right);
            suspect.alternate = Some(number);
            let before = self.alternates[..number].iter();
            let rank = before
                .filter(|one| one.direction == alternate.direction)
                .count();
            let weight = match (alternate.agrees, alternate.direction) {
                (true, Direction::Turns) => 0.6,
                (true, _) => 3.0,
                (false, _) => 0.5,
            };
            suspect.score = weight / (1.0 + rank as f64);
            suspect.moment = branch.left_offset as usize;
            found.push(suspect);
        }
        found
    }

    /// The first steps that differ between the versions and matter.
    fn first_differences(&self) -> Vec<Suspect> {
        let mut found = Vec::new();
        let mut rank = 0;
        let few = [OLD, NEW].map(|version| few_changed(self.sources, version));
        for difference in self.differences {
            let key = (difference.old, difference.new);
            let mut doubt = self.harmlessness(key);
            // A branch that a change turns says less than the one that alternate inputs turn.
            let is_branch = matches!(difference.kind, DifferenceKind::Branch { .. });
            if let (_, Some(place)) | (Some(place), None) = key
                && !is_branch
            {
                let version = if key.1.is_some() { NEW } else { OLD };
                let line = self
                    .sources
                    .line_of(version, self.recordings[version], place);
                if let Some(few) = few[version]
                    && self.behind.is_cause(self.sources, version, &line)
                {
                    // A constant differs on every input, also where that does no harm. Of a few changed lines, one does the harm on the
                    // user's input.
                    doubt *= 1.0 - 1.0 / few as f64;
                }
            }
            if matches!(difference.kind, DifferenceKind::Alone { matched: false }) {
                // It came several times before anything was different.
                doubt = 1.0 - (1.0 - doubt) / (difference.times_before.max(1) as f64).sqrt();
            }
            if rank == MOST_DIFFERENCES {
                break;
            }
            let (version, place) = match key {
                (_, Some(place)) => (NEW, place),
                (Some(place), None) => (OLD, place),
                (None, None) => continue,
            };
            if self.is_of_system(version, place) {
                continue;
            }
            let mut suspect = self.suspect(version, place);
            (suspect.was, suspect.becomes) = match difference.kind {
                DifferenceKind::Branch { old, new } => (
                    self.outcome(OLD, difference.old.unwrap_or(place), old),
                    self.outcome(NEW, place, new),
                ),
                DifferenceKind::Value { old, new } => (
                    self.value(OLD, difference.old.unwrap_or(place), old),
                    self.value(NEW, place, new),
                ),
                DifferenceKind::Alone { .. } if version == OLD => {
                    (DONE.to_owned(), NOT_DONE.to_owned())
                }
                DifferenceKind::Alone { .. } => (NOT_DONE.to_owned(), DONE.to_owned()),
            };
            let (old_time, new_time) = difference.execution;
            if key.0.is_some() && key.1.is_some() && (old_time, new_time) != (1, 1) {
                suspect.was.push_str(&time(old_time));
                suspect.becomes.push_str(&time(new_time));
            }
            suspect.partner = match key {
                (Some(old), Some(_)) => Some(self.sources.line_of(OLD, self.recordings[OLD], old)),
                (Some(_), None) => self.sources.counterpart(OLD, &suspect.line),
                _ => None,
            };
            suspect.moment = difference.moment;
            let weight = match difference.kind {
                DifferenceKind::Branch { .. } | DifferenceKind::Value { .. } => 3.0,
                DifferenceKind::Alone { matched: false } => 2.0,
                // What only one version reaches is a consequence of a branch.
                DifferenceKind::Alone { matched: true } => 0.5,
            };
            suspect.score = weight * (1.0 - doubt) / (1.0 + f64::from(rank) / 2.0);
            // What is only written otherwise takes no place from what comes after it.
            if doubt < 0.5 {
                rank += 1;
            }
            found.push(suspect);
        }
        found
    }

    /// Where the first byte that differs was written, and where its computations part.
    fn written(&self) -> Vec<Suspect> {
        let is_of_system = |difference: &&WrittenDifference| {
            let sites = &self.recordings[difference.version].sites;
            let function = sites.function(difference.place.function);
            function.is_some_and(|function| function.is_of_system())
        };
        let written = self
            .written
            .iter()
            .filter(|one| !is_of_system(one))
            .enumerate();
        let suspects = written.map(|(rank, difference)| {
            let place = difference.place;
            let line = self.sources.line(
                difference.version,
                self.recordings[difference.version],
                place,
            );
            Suspect {
                version: difference.version,
                line,
                kind: "value",
                name: if difference.is_output {
                    "the output".to_owned()
                } else {
                    "a part of what is printed".to_owned()
                },
                was: difference.was.clone(),
                becomes: difference.becomes.clone(),
                alternate: None,
                is_intervention: false,
                partner: None,
                is_cause: false,
                score: if difference.is_output {
                    0.1
                } else {
                    1.0 / (1.0 + rank as f64)
                },
                moment: usize::MAX,
            }
        });
        suspects.collect()
    }

    /// How surely a difference does no harm: the share of the inputs on which both versions agree and that show it all the same. One
    /// input proves little.
    fn harmlessness(&self, key: (Option<StepPlace>, Option<StepPlace>)) -> f64 {
        let showing = self
            .harmless
            .iter()
            .filter(|differing| differing.contains(&key));
        showing.count() as f64 / (self.harmless.len() as f64 + 1.0)
    }

    /// Whether a place is in a header of the system: what differs there was called by the program, which is shown instead.
    fn is_of_system(&self, version: usize, place: StepPlace) -> bool {
        let function = self.recordings[version].sites.function(place.function);
        let site = function.and_then(|one| Some((one, one.sites.get(place.site as usize)?)));
        site.is_some_and(|(function, site)| is_system_file(function.file_of(site)))
    }

    fn suspect(&self, version: usize, place: StepPlace) -> Suspect {
        let line = self
            .sources
            .line_of(version, self.recordings[version], place);
        let site = self.recordings[version].sites.function(place.function);
        let site = site.and_then(|function| function.sites.get(place.site as usize));
        let (kind, name) = match site.map(|site| &site.kind) {
            Some(SiteKind::Value { name, .. }) => ("value", name.clone()),
            Some(SiteKind::Predicate { text }) => ("value", text.clone()),
            Some(SiteKind::Call) => ("call", String::new()),
            _ => ("branch", String::new()),
        };
        Suspect {
            version,
            line,
            kind,
            name,
            was: String::new(),
            becomes: String::new(),
            alternate: None,
            is_intervention: false,
            partner: None,
            is_cause: false,
            score: 0.0,
            moment: 0,
        }
    }

    fn outcome(&self, version: usize, place: StepPlace, outcome: u32) -> String {
        let function = self.recordings[version].sites.function(place.function);
        let site = function.and_then(|function| function.sites.get(place.site as usize));
        site.map_or_else(|| outcome.to_string(), |site| site.outcome(outcome))
    }

    fn value(&self, version: usize, place: StepPlace, value: u64) -> String {
        let function = self.recordings[version].sites.function(place.function);
        let site = function.and_then(|function| function.sites.get(place.site as usize));
        match site.map(|site| &site.kind) {
            Some(SiteKind::Value { form, .. }) => form.text(value),
            _ => value.to_string(),
        }
    }
}

/// The best places, one entry for each line: its best evidence, and something for more of it.
pub fn best(all: Vec<Suspect>) -> Vec<Suspect> {
    let mut lines: BTreeMap<(usize, String, u32), Suspect> = BTreeMap::new();
    for suspect in all {
        let key = (
            suspect.version,
            suspect.line.file.clone(),
            suspect.line.line,
        );
        match lines.get_mut(&key) {
            None => {
                lines.insert(key, suspect);
            }
            Some(known) if known.score >= suspect.score => known.score += suspect.score / 4.0,
            Some(known) => {
                let score = suspect.score + known.score / 4.0;
                *known = Suspect { score, ..suspect };
            }
        }
    }
    let mut all: Vec<Suspect> = lines.into_values().collect();
    all.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then(one.moment.cmp(&other.moment))
    });
    shortened(all)
}

/// The first ones, and changed lines that what differs depends on in the place of the last of the others.
pub(super) fn shortened(mut all: Vec<Suspect>) -> Vec<Suspect> {
    let rest = all.split_off(all.len().min(MOST_PLACES));
    for cause in rest.into_iter().filter(|one| one.is_cause) {
        if let Some(last) = all.iter().rposition(|one| !one.is_cause) {
            all.remove(last);
            all.push(cause);
        }
    }
    all
}
