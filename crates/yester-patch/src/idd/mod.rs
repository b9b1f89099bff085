//! Iterative delta debugging (Artho): no version that passes is known, and most old revisions cannot run the test.
//!
//! | file | of the paper |
//! |---|---|
//! | `iteration` | the loop of Figure 2 around the core's walk, until its end stands |
//! | `line` | the revisions of that loop, each with the patch of now |
//! | `back_port` | `patch = DD(current, previous)`: a new patch where the test does not run as before |
//! | `forward_port` | the same in reverse, from the correct version to the newest (4.2) |
//!
//! `trace` guesses without trials where a new patch is needed, `merge` looks at what a merge brought in, and `doubt` looks
//! again at the end of a walk.

mod back_port;
mod doubt;
mod forward_port;
mod iteration;
mod line;
mod loss;
mod merge;
mod origin;
mod tested_history;
mod trace;
mod tree;
mod walk_lab;

pub use self::forward_port::{forward_port, whole_fix};
pub use self::iteration::iterate;
pub use self::loss::lost_name;
pub use self::origin::{Broken, IterationTrials, NoGoodRevision, Origin};
pub use self::tested_history::TestedHistory;
pub use self::tree::{Patch, Tree};
pub use self::walk_lab::{Border, BorderReason, Direction, WalkLab, WalkNews};
