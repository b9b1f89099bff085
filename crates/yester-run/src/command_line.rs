//! A command on one line, as in `--and LINE`: words as a shell splits them, and where standard input comes from.

use std::ffi::{OsStr, OsString};
use std::iter::Peekable;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use thiserror::Error;

/// What only a shell can do.
const OF_SHELL: &[u8] = b"|&;<>()$`*?[#~\n";

/// Why a line is no command.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum CommandLineError {
    /// Standard input comes from two places.
    #[error("there are several '<'")]
    SeveralInputs,
    /// Standard input comes from nowhere.
    #[error("no file comes after '<'")]
    NoInput,
    /// The line has no words.
    #[error("there is no command")]
    NoCommand,
    /// Only a shell understands a word.
    #[error("{0}")]
    Word(String),
}

/// A command.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// The file behind `<`.
    pub stdin: Option<PathBuf>,
}

impl CommandLine {
    /// Splits a line into words. Quotes and backslashes are understood, and `< FILE`. Whatever else would take a shell is a failure.
    ///
    /// # Errors
    /// If the line is no command, or needs a shell.
    pub fn parse(line: &OsStr) -> Result<CommandLine, CommandLineError> {
        let mut parsed = CommandLine {
            words: Vec::new(),
            stdin: None,
        };
        let mut is_stdin = false;
        let mut bytes = line.as_bytes().iter().copied().peekable();
        loop {
            while bytes.next_if(|byte| b" \t".contains(byte)).is_some() {}
            if bytes.peek().is_none() {
                break;
            }
            if bytes.next_if_eq(&b'<').is_some() {
                if is_stdin || parsed.stdin.is_some() {
                    return Err(CommandLineError::SeveralInputs);
                }
                is_stdin = true;
                continue;
            }
            let word = word(&mut bytes).map_err(CommandLineError::Word)?;
            if std::mem::take(&mut is_stdin) {
                parsed.stdin = Some(word.into())
            } else {
                parsed.words.push(word)
            }
        }
        match (is_stdin, parsed.words.is_empty()) {
            (true, _) => Err(CommandLineError::NoInput),
            (_, true) => Err(CommandLineError::NoCommand),
            _ => Ok(parsed),
        }
    }
}

/// The next word, which begins here.
fn word(bytes: &mut Peekable<impl Iterator<Item = u8>>) -> Result<OsString, String> {
    let mut word = Vec::new();
    let mut quote = None;
    while let Some(&byte) = bytes.peek() {
        match (quote, byte) {
            (None, b' ' | b'\t' | b'<') => break,
            (None, b'\'' | b'"') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (None | Some(b'"'), b'\\') => {
                bytes.next();
                let next = *bytes.peek().ok_or("nothing comes after the last '\\'")?;
                // Between double quotes a backslash is itself, except before what has a meaning there.
                if quote.is_some() && !b"\"\\$`".contains(&next) {
                    word.push(byte);
                }
                word.push(next);
            }
            (None, _) if OF_SHELL.contains(&byte) => {
                return Err(format!("'{}' takes a shell", byte.escape_ascii()));
            }
            (Some(b'"'), b'$' | b'`') => {
                return Err(format!("'{}' takes a shell", byte.escape_ascii()));
            }
            _ => word.push(byte),
        }
        bytes.next();
    }
    match quote {
        Some(quote) => Err(format!("a {} is not closed", quote.escape_ascii())),
        None => Ok(OsString::from_vec(word)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<(Vec<String>, Option<String>), String> {
        let parsed = CommandLine::parse(OsStr::new(line)).map_err(|error| error.to_string())?;
        let words = parsed.words.into_iter();
        let words = words.map(|word| word.into_string().expect("text"));
        let stdin = parsed.stdin.map(|path| path.display().to_string());
        Ok((words.collect(), stdin))
    }

    #[test]
    fn words_are_those_of_a_shell() {
        let line = r#"  {} -v 'two words' it\'s "a \"b\" \n" '' a'b'"c"  "#;
        let (words, stdin) = parse(line).expect("a command");
        assert_eq!(
            words,
            ["{}", "-v", "two words", "it's", r#"a "b" \n"#, "", "abc"]
        );
        assert_eq!(stdin, None);
        let output = std::process::Command::new("sh")
            .args(["-c", &format!("printf '[%s]' {line}")])
            .output()
            .expect("a shell");
        let shown: Vec<String> = words.iter().map(|word| format!("[{word}]")).collect();
        assert_eq!(String::from_utf8_lossy(&output.stdout), shown.concat());
    }

    #[test]
    fn standard_input_comes_from_a_file() {
        for line in ["{} 1<in 2", "{} 1 2 < in", "< 'in' {} 1 2"] {
            let (words, stdin) = parse(line).expect("a command");
            assert_eq!(words, ["{}", "1", "2"], "{line}");
            assert_eq!(stdin.as_deref(), Some("in"), "{line}");
        }
    }

    #[test]
    fn what_takes_a_shell_is_wrong_unless_it_is_quoted() {
        for line in [
            "a | b",
            "a > b",
            "a $HOME",
            "a \"$b\"",
            "a *",
            "a < b < c",
            "a <",
            "a 'b",
            "a \\",
            " ",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        let (words, _) = parse(r#"a '|' "*" \$b"#).expect("a command");
        assert_eq!(words, ["a", "|", "*", "$b"]);
    }
}
