//! What the commands on versions of a program share: the test in their trees, paths, patches, languages.

mod command;
mod outliner;
mod patch_files;
mod patch_step;
mod place;
mod side;

use yester_patch::PatchError;

pub use self::command::{TreeCommand, about_build, common_time, find_products, has_ccache};
pub use self::outliner::Languages;
pub use self::patch_files::{PatchFiles, is_earlier_patch};
pub use self::patch_step::{
    PatchStep, changed_lines, ending, files, lines, outcome, report_commit, reported, short_text,
    version, wider, with_all_of_created,
};
pub use self::place::{carried_places, carry, has, lies_there, places, tree_path};
pub use self::side::{Side, VersionPlace};
use crate::failure::{self, Failure};

/// Something that keeps the versions from being read.
pub fn failed(error: &PatchError) -> Failure {
    let failure = Failure::usage(format!("failed to {error}"));
    match error {
        PatchError::Read { path, source } if failure::is_full(source) => {
            Failure::io(format!("read {}", path.display()), source)
        }
        PatchError::Write { path, source } if failure::is_full(source) => {
            Failure::io(format!("write {}", path.display()), source)
        }
        PatchError::Start(_) => failure.hint("git has to be installed and on the PATH"),
        PatchError::Name { .. } => failure.hint("rename it, or compare copies without it"),
        PatchError::Git { partial: true, .. } => failure.hint(
            "this is a partial clone, and yester fetches nothing; \
             git fetch --refetch --no-filter gets all objects, and so does a full clone",
        ),
        PatchError::Special { .. } => failure.hint("remove it"),
        _ => failure,
    }
}
