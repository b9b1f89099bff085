//! Prints the values that a run recorded: `cargo run --example values DIRECTORY`, where DIRECTORY is that of one process.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use yester_path::{ExpressionText, Recording, RecordingError, SiteKind};

fn main() -> ExitCode {
    let Some(directory) = std::env::args_os().nth(1) else {
        eprintln!("usage: values DIRECTORY");
        return ExitCode::FAILURE;
    };
    match print(PathBuf::from(directory)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn print(directory: PathBuf) -> Result<(), RecordingError> {
    let recording = Recording::open(&directory)?;
    let text = ExpressionText::new(&recording.graph, &recording.input, &recording.sources);
    let mut output = io::BufWriter::new(io::stdout().lock());
    for stream in 0..recording.streams() {
        for value in recording.value_events(stream)? {
            let Some(function) = recording.sites.function(value.function) else {
                continue;
            };
            let site = &function.sites[value.site as usize];
            let SiteKind::Value { name, form } = &site.kind else {
                continue;
            };
            let (line, event) = (site.line, value.event);
            let expression = value.node.map(|node| format!(": {}", text.number(node)));
            let written = writeln!(
                output,
                "{stream} {event} {}:{line} {name} = {}{}",
                function.name,
                form.text(value.value),
                expression.unwrap_or_default(),
            );
            if written.is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}
