//! `yester trust`: settings of a directory count in full from now on.

use std::path::{Path, PathBuf};

use yester_cli::settings::{self, FILE};
use yester_report::{Sheet, visible_line};
use yester_run::personal;

use crate::cli::TrustArguments;
use crate::failure::{Exit, Failure};
use crate::output;

pub fn run(arguments: &TrustArguments, start: &Path) -> Result<Exit, Failure> {
    let path: PathBuf = start.join(&arguments.directory).components().collect();
    let path = path.join(FILE);
    let Some(text) = settings::read(&path)? else {
        return Err(Failure::usage(format!("there is no {}", path.display()))
            .hint("yester trust DIR is for a directory with settings"));
    };
    let failed = |error| Failure::io("remember what you trust", &error);
    let shown = path.display();
    let mut sheet = Sheet::default();
    if arguments.forget {
        let was_trusted = personal::distrust(&path, text.as_bytes()).map_err(failed)?;
        sheet.line(if was_trusted {
            format!("no longer trusted: {shown}")
        } else {
            format!("was not trusted: {shown}")
        });
        return output::print_text(&sheet.finish());
    }
    let harmful = settings::harmful(&text, path.parent().unwrap_or(start))?;
    if harmful.is_empty() {
        sheet.line(format!("nothing in {shown} needs trust"));
        return output::print_text(&sheet.finish());
    }
    personal::trust(&path, text.as_bytes()).map_err(failed)?;
    sheet.line(format!("trusted until it changes: {shown}"));
    for line in harmful {
        sheet.line(format!("    {}", visible_line(&line)));
    }
    output::print_text(&sheet.finish())
}
