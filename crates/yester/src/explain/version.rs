//! How both versions are built.

use yester_record::{BuiltVersion, Workshop};

use super::job::ExplainJob;
use crate::failure::Failure;

/// How the compilers instrument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instrumentation {
    /// Branches, and the values that are assigned.
    Values,
    /// Also branches without effect that compare what is assigned with other variables (section 3.3 of DARWIN).
    Predicates,
}

/// Builds both versions.
pub fn build(
    workshop: &mut Workshop,
    job: &ExplainJob,
    instrumentation: Instrumentation,
) -> Result<[BuiltVersion; 2], Failure> {
    let (name, environment) = match instrumentation {
        Instrumentation::Values => ("values", vec![("YESTER_CC_MODE", "values,dependence")]),
        Instrumentation::Predicates => (
            "predicates",
            vec![("YESTER_CC_MODE", "values"), ("YESTER_CC_PREDICATES", "1")],
        ),
    };
    let [old, new] = &job.versions;
    let built = workshop.build(name, &[old, new], &job.recipe(environment))?;
    let built = <[BuiltVersion; 2]>::try_from(built);
    Ok(built.ok().expect("two versions have two trees"))
}
