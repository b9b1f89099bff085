//! Several failing tests: the lines of all of them, the best first, each seen in a clean tree.

use super::{ConfirmedLine, InterventionFindings, MOST_CONFIRMED};
use crate::intervention::{Profile, RankedLine, RankedTest, SummedLine, sum};

/// A line, with the intervention there in each test in which one helped. All of these are equally good, and there is one at least.
pub struct InterventionLine {
    /// The tests, from 0.
    pub of_tests: Vec<(usize, ConfirmedLine)>,
}

/// What confirming a line has shown: nothing if it was not right again, and how many runs that took.
pub type Confirmation = (Option<ConfirmedLine>, u64);

/// The lines of all tests, the best first. `confirm` carries out a line of a test again that nobody has seen in a clean tree.
///
/// # Errors
/// If the search has to end.
pub fn lines_of_tests<E>(
    found: &mut [InterventionFindings],
    mut confirm: impl FnMut(usize, &Profile, RankedLine) -> Result<Confirmation, E>,
) -> Result<Vec<InterventionLine>, E> {
    let all = sum_of(found, |findings| {
        let confirmed = findings.lines.iter().map(|confirmed| &confirmed.line);
        confirmed.chain(&findings.unconfirmed).collect()
    });
    let mut confirmed: Vec<Vec<ConfirmedLine>> = vec![Vec::new(); found.len()];
    for line in all.into_iter().take(MOST_CONFIRMED) {
        for (test, index) in line.reached {
            let findings = &mut found[test];
            let seen = match findings.lines.get(index) {
                Some(known) => Some(known.clone()),
                None => {
                    let line = findings.unconfirmed[index - findings.lines.len()].clone();
                    let (seen, runs) = confirm(test, &findings.profile, line)?;
                    findings.runs += runs;
                    seen
                }
            };
            confirmed[test].extend(seen);
        }
    }
    for (findings, lines) in found.iter_mut().zip(confirmed) {
        findings.lines = lines;
    }
    let all = sum_of(found, |findings| {
        let confirmed = findings.lines.iter();
        confirmed.map(|confirmed| &confirmed.line).collect()
    });
    let of_tests = |line: SummedLine| InterventionLine {
        of_tests: line
            .reached
            .into_iter()
            .map(|(test, index)| (test, found[test].lines[index].clone()))
            .collect(),
    };
    Ok(all.into_iter().map(of_tests).collect())
}

/// Sums what tests say about some of their lines.
fn sum_of<'f>(
    found: &'f [InterventionFindings],
    lines: impl Fn(&'f InterventionFindings) -> Vec<&'f RankedLine>,
) -> Vec<SummedLine> {
    let lines: Vec<Vec<&RankedLine>> = found.iter().map(lines).collect();
    let tests = found.iter().zip(&lines);
    let tests: Vec<RankedTest<'_>> = tests
        .map(|(findings, lines)| RankedTest {
            profile: &findings.profile,
            lines,
        })
        .collect();
    sum(&tests)
}
