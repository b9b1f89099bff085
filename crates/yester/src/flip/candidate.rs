//! A place of the report, before it is known which of them have the same cause.

use yester_path::intervention::{FailingRecord, FoundPlace, grouped, in_order};
use yester_record::Seen;
use yester_report::FlipPlace;

/// A place with what tells causes apart.
#[derive(Clone)]
pub struct Candidate {
    pub place: FlipPlace,
    /// The file as the compiler knows it.
    pub path: String,
    /// The variable that is assigned, if one is.
    pub variable: Option<String>,
    /// Whether the run is as good if what is in the line is skipped.
    pub is_skipped: bool,
}

impl Candidate {
    fn found(&self) -> FoundPlace<'_> {
        let place = &self.place;
        FoundPlace {
            kind: place.kind,
            file: &place.file,
            path: &self.path,
            line: place.line,
            function: &place.function,
            name: &place.name,
            was: &place.was,
            becomes: &place.becomes,
            source: place.source.as_deref(),
            variable: self.variable.as_deref(),
            is_skipped: self.is_skipped,
            is_made: place.evidence == "input",
            passes: place.passes,
            cured: place.cures.iter().map(|cure| cure.test).collect(),
        }
    }
}

/// The candidates in the order in which they are told.
pub fn ordered(candidates: &[Candidate]) -> Vec<Candidate> {
    let found: Vec<FoundPlace<'_>> = candidates.iter().map(Candidate::found).collect();
    let order = in_order(&found).into_iter();
    order.map(|number| candidates[number].clone()).collect()
}

/// The best candidate of each cause, with the others below it.
pub fn best_of_causes(
    candidates: &[Candidate],
    record: Option<&FailingRecord<Seen>>,
) -> Vec<Candidate> {
    let found: Vec<FoundPlace<'_>> = candidates.iter().map(Candidate::found).collect();
    let causes = grouped(&found, &record).into_iter();
    let leads = causes.map(|cause| {
        let mut lead = candidates[cause.lead].clone();
        let told = cause.told.iter().map(|one| &candidates[*one].place);
        lead.place.same_cause = told.map(FlipPlace::as_same_cause).collect();
        let others = cause.others.iter().map(|one| &candidates[*one].place);
        let made = others.into_iter().find(|place| place.input.is_some());
        if let (None, Some(made)) = (&lead.place.input, made) {
            lead.place.input = made.input.clone();
            lead.place.reduced = made.reduced;
        }
        lead
    });
    leads.collect()
}
