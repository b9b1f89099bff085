//! What of an input changed, for the report and for the user's files.

use std::path::Path;

use yester_path::{InputSource, ProgramInput};
use yester_report::ChangedSource;

use crate::failure::Failure;
use crate::output;

/// What of an input another one has otherwise.
pub fn changed_sources(
    sources: &[InputSource],
    input: &ProgramInput,
    other: &ProgramInput,
) -> Vec<ChangedSource> {
    let changes = sources.iter().filter_map(|source| {
        let (was, becomes) = (input.content(source)?, other.content(source)?);
        ChangedSource::new(source.to_string(), was, becomes)
    });
    changes.collect()
}

/// Writes the parts of an input that differ from the user's: the first to `path`, further ones to `path.2` and so on. Gives the names.
pub fn write_changed(
    path: &Path,
    sources: &[InputSource],
    was: &ProgramInput,
    becomes: &ProgramInput,
) -> Result<String, Failure> {
    let mut written: Vec<String> = Vec::new();
    for source in sources {
        let content = becomes.content(source);
        if was.content(source) == content {
            continue;
        }
        let mut name = path.as_os_str().to_owned();
        if !written.is_empty() {
            name.push(format!(".{}", written.len() + 1));
        }
        output::write(Path::new(&name), content.unwrap_or_default(), 0o644)?;
        written.push(name.to_string_lossy().into_owned());
    }
    Ok(written.join(" "))
}
