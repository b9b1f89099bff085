//! Two versions as the deltas between them: the only crate that knows diffs and git.
//!
//! A [`Version`] holds the files of one version, from a directory or a git revision. A [`VersionDifference`] holds everything
//! that differs between two versions, cut into *atoms*: the smallest things that can be applied or left out. A
//! [`ChangeSpace`] groups atoms into deltas (a directory, a file, an entity, a hunk, a line) and renders any subset of them.
//! [`patch`] writes a subset as a patch for `git apply`.
//!
//! ```
//! use yester_core::{Space, Subset};
//! use yester_patch::{
//!     ChangeSpace, DeltaLevel, FileKind, FileState, Version, VersionDifference, patch,
//! };
//!
//! let version = |text: &str| {
//!     let kind = FileKind::File;
//!     let content = text.as_bytes().into();
//!     Version::of([("sum.c".to_owned(), FileState { kind, content })])
//! };
//! let good = version("int a = 1;\nint b = 2;\nint c = 3;\n");
//! let bad = version("int a = 7;\nint b = 2;\nint c = 8;\n");
//! let difference = VersionDifference::between(&good, &bad)?;
//! let space = ChangeSpace::new(difference, DeltaLevel::Line, None);
//! assert_eq!(space.len(), 2);
//!
//! // The second change alone.
//! let atoms = space.atoms(&Subset::of(space.len(), [1]));
//! let culprit = String::from_utf8(patch::culprit_patch(&space, &atoms)?)?;
//! assert!(culprit.contains("-int c = 3;\n+int c = 8;\n"));
//! assert!(!culprit.contains("int a = 7;"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Invariants
//!
//! - No subset of the atoms is meaningless: none gives exactly GOOD, all give exactly BAD, byte for byte.
//! - Nothing here writes to the user's directories, repository or index, and nothing is checked out or fetched.
//! - No program that a repository names is ever started. `git.rs` is the only file that starts git.
//! - The same versions give the same deltas in the same order. Nothing depends on deadlines or random hashes.

mod atom;
mod backport;
mod balance;
mod blame;
mod carry;
mod commit;
mod dependence;
mod difference;
mod error;
mod filter;
mod git;
mod glob;
pub mod idd;
mod import;
mod language;
mod line;
mod lines;
mod merge;
mod message;
mod name;
mod objects;
mod outline;
pub mod patch;
mod patch_step;
pub mod regression;
mod removal;
mod rename;
mod renamed_path;
mod renumbering;
mod repository;
mod revision_trees;
mod root;
mod search;
mod shared;
mod space;
mod special;
mod version;
mod whole_fix;
mod word;

pub use atom::{FileEdit, LineEdit};
use backport::applied;
pub use backport::{Backport, Overlay};
use carry::Carriage;
pub use commit::{Commit, CommitTrees, History};
pub use dependence::Mentions;
pub use difference::{AtomSet, ChangeSpan, FileChange, VersionDifference};
pub use error::PatchError;
pub use glob::Glob;
pub use lines::Lines;
pub use merge::{BrokenMerge, MergeCause};
pub use message::{Message, messages};
pub use outline::{FileEntity, FileOutline, Outliner};
pub use patch_step::PatchStep;
use removal::{wider, with_all_of_created};
pub use repository::Repository;
pub use revision_trees::RevisionTrees;
use search::{Culprit, CulpritSearch, FirstFailure, Isolated, commit_outcome, first_failure};
pub use search::{CulpritHunk, Effort, ZellerAlgorithm};
pub use space::{ChangeSpace, DeltaLevel};
pub use version::{Entries, FileKind, FileState, Version, common_time, is_at_or_below};
pub use whole_fix::WholeFix;
