//! gcc, clang, and compilers with the same messages.

use super::location::{leading, normal};
use super::{Message, name, snippet};

pub(super) fn read(lines: &[&str], at: usize) -> Option<Message> {
    let location = leading(lines[at])?;
    let text = match location.text.split_once(": ") {
        Some(("error" | "fatal error", text)) => text,
        // With an old compiler these fail only in the linker, or in the test.
        Some(("warning", text))
            if text.contains("implicit declaration of function")
                || text.contains("call to undeclared") =>
        {
            text
        }
        _ => return None,
    };
    let names = match missing_file(text) {
        Some(file) => vec![normal(file)],
        None => match name::quoted(text) {
            names if names.is_empty() => snippet::underlined(lines, at),
            names => names,
        },
    };
    Some(Message {
        file: Some(normal(location.file)),
        line: Some(location.line),
        names,
    })
}

/// The header that is not there.
fn missing_file(text: &str) -> Option<&str> {
    let by_gcc = text.strip_suffix(": No such file or directory");
    let by_clang = text.strip_suffix(" file not found");
    by_gcc.or_else(|| by_clang.map(|file| file.trim_matches(['\'', '"'])))
}
