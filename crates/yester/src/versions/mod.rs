//! What the commands on versions of a program share: the test in their trees, paths, patches, languages.

mod also;
mod command;
mod fix;
mod lab;
mod outliner;
mod patch_files;
mod place;
mod reported;
mod side;
mod surroundings;
mod trial;

use yester_patch::PatchError;
use yester_patch::regression::SearchError;

pub use self::also::{check_also, run_also};
pub use self::command::{TreeCommand, find_products, has_ccache, not_executable, program_path};
pub use self::fix::{FIX_NAMES, Fixes, ProvedFix, remove_fixes};
pub use self::lab::{FollowedLab, tell_version};
pub use self::outliner::Languages;
pub use self::patch_files::{PatchFiles, is_earlier_patch};
pub use self::place::{below, carried_places, git_in_root, has, only_places, places};
pub use self::reported::{
    changed_lines, ending, outcome, report_commit, report_merge, reported, short_text, shown_patch,
};
pub use self::side::{Side, VersionPlace};
pub use self::surroundings::Surroundings;
pub use self::trial::{
    ALWAYS_CLEAN, PLAIN_COPY, SECOND_LOOK, expectation, file_names, hint, save, set_up,
    worker_names,
};
use crate::driver::Halt;
use crate::failure::{self, Exit, Failure};

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

/// The same in the middle of a run, which goes on from there when it is called again.
pub fn unreadable(error: &PatchError) -> Failure {
    Failure {
        exit: Exit::Limit,
        ..failed(error)
    }
}

/// Why a search through versions has no answer.
pub fn halt(error: SearchError) -> Halt {
    match error {
        SearchError::Stop(stop) => Halt::Stop(stop),
        SearchError::Patch(error) => Halt::Nothing(unreadable(&error)),
    }
}
