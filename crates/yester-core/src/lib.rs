//! The search of yester, and nothing else.
//!
//! A [`Space`] says what can be applied or left out, a [`Tester`] says what happens then, and each algorithm is one
//! plain function over a tester in a file of its own that reads like the paper it comes from.
//!
//! ```
//! use yester_core::{Answer, Outcome, Sequential, Subset, minimise};
//!
//! // Of a hundred deltas, 7 and 42 together cause the failure.
//! let mut tests = 0;
//! let mut tester = Sequential(|subset: &Subset| {
//!     tests += 1;
//!     let fails = subset.contains(7) && subset.contains(42);
//!     Ok(Answer::known(if fails { Outcome::Fail } else { Outcome::Pass }))
//! });
//! let culprits = minimise(&mut tester, &Subset::full(100), |_| 1)?;
//! assert_eq!(culprits, Subset::of(100, [7, 42]));
//! assert!(tests < 40);
//! # Ok::<(), yester_core::Stop>(())
//! ```
//!
//! # Invariants
//!
//! - No I/O, no threads, no clock, no randomness: the same answers of a tester give the same questions and the same
//!   result. Resuming a run is replaying it.
//! - Parallelism is not visible here. It lives behind [`Tester::first`], which may test ahead but returns the lowest
//!   index that fits.

mod answer;
mod bisection;
mod cache;
mod candidate;
mod closure;
mod dd;
mod dd_plus;
mod ddmin;
mod grouping;
mod isolate;
mod minimise;
mod outcome;
mod prediction;
mod remove_unneeded;
mod remove_with_dependents;
mod sieve;
mod space;
mod subset;
mod swapped;
mod tester;
mod try_alone;
mod walk;

pub use answer::{Answer, Evidence};
pub use bisection::bisection;
pub use cache::Cached;
pub use candidate::{Candidate, Entry, Hash};
pub use closure::{Closed, Lesson, binary_reduction, minimise_closed};
pub use dd::dd;
pub use dd_plus::dd_plus;
pub use ddmin::ddmin;
pub use grouping::{Grouping, Partition};
pub use isolate::{IsolatedDifference, isolate};
pub use minimise::{Reach, first_questions, minimise, sweep};
pub use outcome::Outcome;
pub use prediction::{Knowledge, Predicted};
pub use remove_unneeded::{Remainder, remove_unneeded};
pub use remove_with_dependents::{BranchLimits, remove_with_dependents};
pub use space::{Infeasible, Space, abridged};
pub use subset::Subset;
pub use swapped::Swapped;
pub use tester::{
    Breakage, BreakageKind, Lab, Limit, Phase, ProvingLab, Sequential, Stop, Tester, first_in_order,
};
pub use try_alone::try_alone;
pub use walk::{Repair, Revisions, Walk, gallop, step_by_step};
