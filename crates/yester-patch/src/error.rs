use std::path::PathBuf;

use yester_core::{Breakage, BreakageKind, Stop};

/// Why two versions cannot be compared. Each fits after "failed to".
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum PatchError {
    #[error("read {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("write {}: {source}", path.display())]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("read {}: its name is not UTF-8", path.display())]
    Name { path: PathBuf },
    #[error("read {}: no tree of files can have it", beginning(path))]
    Path { path: String },
    #[error("run git: {0}")]
    Start(std::io::Error),
    #[error("run git {command}: {message}")]
    Git {
        command: String,
        message: String,
        /// Whether the repository is a partial clone, which may lack what git did not find.
        partial: bool,
    },
    #[error("read {}: it is neither a file nor a directory, and git would wait for it", path.display())]
    Special { path: PathBuf },
    #[error("find a git repository around {}", path.display())]
    NoRepository { path: PathBuf },
    #[error("find the revision {revision} in {}", repository.display())]
    UnknownRevision {
        revision: String,
        repository: PathBuf,
    },
    #[error("find a common history of {good} and {bad}")]
    NoCommonHistory { good: String, bad: String },
}

/// For a search it is no answer: a repository that cannot be read now may be readable later.
impl From<PatchError> for Stop {
    fn from(error: PatchError) -> Stop {
        Stop::Broken(Breakage {
            kind: BreakageKind::Other,
            message: format!("failed to {error}"),
        })
    }
}

/// The part of a path that anybody will read. Git allows any length.
fn beginning(path: &str) -> String {
    const MOST: usize = 200;
    match path.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &path[..end]),
        None => path.to_owned(),
    }
}
