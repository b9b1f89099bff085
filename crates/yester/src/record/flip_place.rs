//! What is told beside a place of `yester flip`.

use std::collections::BTreeSet;
use std::path::Path;

use yester_path::intervention::search::ConfirmedLine;
use yester_path::macros_used;
use yester_report::{FlipNear, FlipPlace, SameCause};

use super::source::TreeSources;

/// The definitions are named that so many places use.
const MOST_DEFINED: usize = 5;

/// Names the macros with numbers that the best places use, which have these paths: a number that is wrong there may be wrong in the macro.
pub fn name_definitions<'p>(
    places: impl Iterator<Item = (&'p mut FlipPlace, &'p str)>,
    sources: &TreeSources<'_>,
) {
    let mut named: BTreeSet<(String, u32)> = BTreeSet::new();
    for (place, path) in places.take(MOST_DEFINED) {
        let is_number = matches!(place.kind, "operator" | "value");
        let Some(source) = place.source.clone().filter(|_| is_number) else {
            continue;
        };
        let lines = sources.lines(Path::new(path)).unwrap_or_default();
        for used in macros_used(&source, &lines) {
            if named.insert((place.file.clone(), used.line)) {
                let definition = SameCause {
                    file: place.file.clone(),
                    line: used.line,
                    column: 1,
                    kind: "definition",
                    what: format!("the definition of {}", used.name),
                };
                place.same_cause.insert(0, definition);
            }
        }
    }
}

/// What the intervention of a line did on other inputs, if that was tried.
pub fn near_report(confirmed: &ConfirmedLine) -> Option<FlipNear> {
    let ConfirmedLine { line, intervention } = confirmed;
    let is_tried = line.right.first() == Some(intervention);
    let evidence = line.near.filter(|_| is_tried)?;
    Some(FlipNear {
        failing: evidence.failing as u64,
        cured: evidence.cured as u64,
        passing: evidence.passing as u64,
        kept: evidence.kept as u64,
        unknown: evidence.unknown as u64,
        unchanged: evidence.unchanged as u64,
    })
}
