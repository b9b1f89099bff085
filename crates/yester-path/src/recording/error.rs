use std::io;
use std::path::PathBuf;

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// There is none: the program was not built with yester-cc, or ended before it could start one.
    #[error("no recording in {}", .0.display())]
    Missing(PathBuf),
    /// A file of it cannot be read.
    #[error("failed to read {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It comes from another version of yester-cc, or is something else.
    #[error("not a recording, or one of another version of yester-cc")]
    Foreign,
    /// It has content that the runtime never writes.
    #[error("the recording is damaged: {file}, {place}: {what}")]
    Damaged {
        /// The file of the recording.
        file: String,
        /// Where in it.
        place: String,
        /// What is wrong there.
        what: String,
    },
}

impl RecordingError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            RecordingError::Missing(_) => {
                "build the program with yester-cc or yester-c++, for example: make CC=yester-cc CXX=yester-c++"
            }
            RecordingError::Io { .. } => "run the program again",
            RecordingError::Foreign => {
                "build the program again with the yester-cc that belongs to this yester"
            }
            RecordingError::Damaged { .. } => {
                "run the program again; a program with memory errors can overwrite its own recording"
            }
        }
    }
}
