//! The sources of input.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use yester_pathrt::format::{LENGTH_BYTES, LENGTH_OFFSET};

/// Something that the program reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InputSource {
    /// Its standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// An argument; 0 is the program's name.
    Argument(usize),
    /// What is added to a value by an intervention; nobody can choose it.
    Intervention,
}

/// One byte of the input that the run depended on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputByte {
    /// The index of its source.
    pub source: usize,
    /// Its offset in the source.
    pub offset: u64,
    /// Its value.
    pub value: u8,
}

impl InputByte {
    /// Which byte of the length of its source it is, the lowest first. None for a byte of its content.
    pub fn of_length(&self) -> Option<u64> {
        self.offset.checked_sub(LENGTH_OFFSET)
    }
}

/// The length of a source, as a part of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLength {
    /// The index of the source.
    pub source: usize,
    /// Its bytes among those of the input, the lowest first.
    pub bytes: Vec<u32>,
    /// Its value.
    pub value: u64,
}

/// The lengths among the bytes of the input.
pub(crate) fn lengths(input: &[InputByte]) -> Vec<SourceLength> {
    let mut found: Vec<SourceLength> = Vec::new();
    for (index, byte) in input.iter().enumerate() {
        let Some(place) = byte.of_length() else {
            continue;
        };
        let known = found.iter().position(|length| length.source == byte.source);
        let known = known.unwrap_or_else(|| {
            found.push(SourceLength {
                source: byte.source,
                bytes: Vec::new(),
                value: 0,
            });
            found.len() - 1
        });
        let length = &mut found[known];
        // The runtime writes all of them at once, in order; what a damaged recording has otherwise is left out.
        if place == length.bytes.len() as u64 && place < LENGTH_BYTES {
            length.bytes.push(index as u32);
            length.value |= u64::from(byte.value) << (8 * place);
        }
    }
    found.retain(|length| length.bytes.len() as u64 == LENGTH_BYTES);
    found
}

/// For each source that is an argument, the bytes from its zero on, in order. In a longer argument they are not zero.
pub(crate) fn ends(input: &[InputByte], sources: &[InputSource]) -> Vec<Vec<u32>> {
    let arguments = sources.iter().enumerate();
    let arguments = arguments.filter(|(_, source)| matches!(source, InputSource::Argument(_)));
    let ends = arguments.map(|(number, _)| {
        let bytes = input.iter().enumerate();
        let bytes = bytes.filter(|(_, byte)| byte.source == number && byte.value == 0);
        let mut bytes: Vec<(u64, u32)> = bytes
            .map(|(index, byte)| (byte.offset, index as u32))
            .collect();
        bytes.sort_unstable();
        bytes.dedup_by_key(|(offset, _)| *offset);
        bytes.into_iter().map(|(_, index)| index).collect()
    });
    ends.collect()
}

impl FromStr for InputSource {
    type Err = String;

    fn from_str(text: &str) -> Result<InputSource, String> {
        if text == "stdin" {
            return Ok(InputSource::Stdin);
        }
        match text.split_once(':') {
            Some(("file", path)) if !path.is_empty() && !path.contains('\n') => {
                Ok(InputSource::File(path.into()))
            }
            Some(("arg", number)) if number.parse::<usize>().is_ok() => {
                Ok(InputSource::Argument(number.parse().expect("just tried")))
            }
            _ => Err("expected stdin, file:PATH or arg:N".to_owned()),
        }
    }
}

impl fmt::Display for InputSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputSource::Stdin => formatter.write_str("stdin"),
            InputSource::File(path) => write!(formatter, "file:{}", path.display()),
            InputSource::Argument(number) => write!(formatter, "arg:{number}"),
            InputSource::Intervention => formatter.write_str("intervention"),
        }
    }
}

impl InputSource {
    /// The name of the source in expressions, as in `stdin[3]`.
    pub fn name(&self) -> String {
        match self {
            InputSource::Stdin => "stdin".to_owned(),
            InputSource::File(path) => match path.file_name() {
                Some(name) => name.to_string_lossy().into_owned(),
                None => path.display().to_string(),
            },
            InputSource::Argument(number) => format!("arg{number}"),
            InputSource::Intervention => "intervention".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_read_as_it_is_written() {
        for text in ["stdin", "file:a/b:c.txt", "arg:12"] {
            let source: InputSource = text.parse().expect("a source");
            assert_eq!(source.to_string(), text);
        }
        for wrong in ["", "stdout", "file:", "arg:", "arg:x", "arg:-1"] {
            assert!(wrong.parse::<InputSource>().is_err(), "{wrong}");
        }
    }
}
