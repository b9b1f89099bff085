//! Repositories for `bench/history`: a test fails at the last commit, and what it needs came after the bug.
//!
//! They are generated, and the same number gives the same commits everywhere. [`RealCase`] is the other kind: bundles of
//! real repositories with what is known of them.

mod everyday;
mod plan;
mod project;
mod real;
mod render;
mod repository;
mod scenario;

pub use plan::{Plan, plan};
pub use real::{RealCase, RealTruth};
pub use render::{ProjectLanguage, render};
pub use repository::{GeneratedRepository, GeneratedTruth, RepositoryName, SIZES};
pub use scenario::{BugAge, Scenario};
