//! Response files: `@FILE` on a command line stands for the words in the file.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// How deep response files may be nested: one may name itself.
const DEEPEST_NESTING: usize = 16;

/// Replaces response files by their words. A word that names no file stays.
#[must_use]
pub fn expand(words: &[OsString]) -> Vec<OsString> {
    let mut expanded = Vec::new();
    expand_into(words, 0, &mut expanded);
    expanded
}

fn expand_into(words: &[OsString], depth: usize, expanded: &mut Vec<OsString>) {
    for word in words {
        let content = word
            .as_bytes()
            .strip_prefix(b"@")
            .filter(|_| depth < DEEPEST_NESTING)
            .and_then(|path| fs::read(OsStr::from_bytes(path)).ok());
        match content {
            Some(content) => expand_into(&split(&content), depth + 1, expanded),
            None => expanded.push(word.clone()),
        }
    }
}

/// Splits a response file into words. Only quotes and backslashes are special.
fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (_, Some(open)) if byte == open => quote = None,
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, None) if byte.is_ascii_whitespace() => {
                words.extend(word.take().map(OsString::from_vec));
            }
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

/// Writes words to a response file.
///
/// # Errors
/// When the file cannot be written.
pub fn write(path: &Path, words: &[OsString]) -> io::Result<()> {
    let mut file = io::BufWriter::new(fs::File::create(path)?);
    for word in words {
        file.write_all(b"\"")?;
        for byte in word.as_bytes() {
            if matches!(byte, b'"' | b'\\') {
                file.write_all(b"\\")?;
            }
            file.write_all(&[*byte])?;
        }
        file.write_all(b"\"\n")?;
    }
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_compilers_do() {
        let words = split(b" -DA=\"b c\" 'x y'\\ z\n\t\"\" -o\\\\");
        assert_eq!(words, ["-DA=b c", "x y z", "", "-o\\"]);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let words: Vec<OsString> = ["a b", "\"", "\\", "", "-DX='1'"]
            .map(OsString::from)
            .into();
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("words");
        write(&path, &words).expect("it is written");
        let mut at = OsString::from("@");
        at.push(&path);
        assert_eq!(expand(&[at]), words);
    }
}
