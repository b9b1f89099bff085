//! Where the input comes from.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Something that the program reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Its standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// An argument; 0 is the program's name.
    Argument(usize),
}

/// One byte of the input that the run depended on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputByte {
    /// Which of the sources.
    pub source: usize,
    /// Where in it.
    pub offset: u64,
    /// What it was.
    pub value: u8,
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Source, String> {
        if text == "stdin" {
            return Ok(Source::Stdin);
        }
        match text.split_once(':') {
            Some(("file", path)) if !path.is_empty() && !path.contains('\n') => {
                Ok(Source::File(path.into()))
            }
            Some(("arg", number)) if number.parse::<usize>().is_ok() => {
                Ok(Source::Argument(number.parse().expect("just tried")))
            }
            _ => Err("expected stdin, file:PATH or arg:N".to_owned()),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Stdin => formatter.write_str("stdin"),
            Source::File(path) => write!(formatter, "file:{}", path.display()),
            Source::Argument(number) => write!(formatter, "arg:{number}"),
        }
    }
}

impl Source {
    /// What its bytes are called in expressions, as in `stdin[3]`.
    pub fn name(&self) -> String {
        match self {
            Source::Stdin => "stdin".to_owned(),
            Source::File(path) => match path.file_name() {
                Some(name) => name.to_string_lossy().into_owned(),
                None => path.display().to_string(),
            },
            Source::Argument(number) => format!("arg{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_read_as_it_is_written() {
        for text in ["stdin", "file:a/b:c.txt", "arg:12"] {
            let source: Source = text.parse().expect("a source");
            assert_eq!(source.to_string(), text);
        }
        for wrong in ["", "stdout", "file:", "arg:", "arg:x", "arg:-1"] {
            assert!(wrong.parse::<Source>().is_err(), "{wrong}");
        }
    }
}
