//! How both versions are built.

use std::path::PathBuf;

use super::job::ExplainJob;
use crate::failure::Failure;
use crate::record::Workshop;

/// How the compilers instrument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instrumentation {
    /// Branches, and the values that are assigned.
    Values,
    /// Also branches without effect that compare what is assigned with other variables (section 3.3 of DARWIN).
    Predicates,
}

/// A version that was built.
pub struct BuiltVersion {
    /// The tree with the program.
    pub root: PathBuf,
}

/// Builds both versions.
pub fn build(
    workshop: &mut Workshop,
    job: &ExplainJob,
    instrumentation: Instrumentation,
) -> Result<[BuiltVersion; 2], Failure> {
    let (name, environment) = match instrumentation {
        Instrumentation::Values => (
            "values",
            vec![("YESTER_CC_VALUES", "1"), ("YESTER_CC_DEPENDENCE", "1")],
        ),
        Instrumentation::Predicates => (
            "predicates",
            vec![("YESTER_CC_VALUES", "1"), ("YESTER_CC_PREDICATES", "1")],
        ),
    };
    let [old, new] = &job.versions;
    let roots = workshop.build(name, &[old, new], &job.recipe(environment))?;
    let roots: [PathBuf; 2] = roots.try_into().expect("two versions have two trees");
    Ok(roots.map(|root| BuiltVersion { root }))
}
