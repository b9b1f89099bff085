//! The input of a program: its arguments, its standard input, and the files that it reads.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use yester_pathrt::format::FILLER;

use crate::recording::{InputByte, InputSource, SourceLength};
use crate::solver::Model;

/// The input of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProgramInput {
    /// The arguments after the program.
    pub arguments: Vec<OsString>,
    /// Its standard input, if it has one.
    pub stdin: Option<Arc<Vec<u8>>>,
    /// The files named by `--symbolic`, with their content. Inputs that do not change a part share it.
    pub files: Vec<(PathBuf, Arc<Vec<u8>>)>,
}

impl ProgramInput {
    /// The argument that names this file, by whatever path.
    pub fn argument_with(&self, path: &Path) -> Option<usize> {
        let is_file = |argument: &OsString| is_same(Path::new(argument), path);
        self.arguments.iter().position(is_file)
    }

    /// A copy with the bytes and the lengths of a model. `known` has the bytes that the model is about, and `lengths` those of them
    /// that are lengths.
    pub fn changed(
        &self,
        sources: &[InputSource],
        known: &[InputByte],
        lengths: &[SourceLength],
        model: &Model,
    ) -> ProgramInput {
        let mut input = self.clone();
        let changes: BTreeMap<u32, u8> = model.bytes().collect();
        for length in lengths {
            let bytes = length.bytes.iter().rev();
            let value = bytes.fold(0, |value, byte| {
                let now = changes.get(byte).copied();
                value << 8 | usize::from(now.unwrap_or(known[*byte as usize].value))
            });
            if value as u64 != length.value
                && let Some(content) = input.content_mut(&sources[length.source])
            {
                content.resize(value, FILLER);
            }
        }
        for (byte, value) in changes {
            let byte = &known[byte as usize];
            if byte.of_length().is_none() {
                input.put(&sources[byte.source], byte.offset, value);
            }
        }
        for argument in &mut input.arguments {
            // An argument ends where a C string does.
            if let Some(end) = argument.as_bytes().iter().position(|byte| *byte == 0) {
                *argument = OsStr::from_bytes(&argument.as_bytes()[..end]).to_owned();
            }
        }
        input
    }

    fn put(&mut self, source: &InputSource, offset: u64, value: u8) {
        if let InputSource::Argument(number) = source {
            let argument = number.checked_sub(1);
            let argument = argument.and_then(|number| self.arguments.get_mut(number));
            let Some(argument) = argument else { return };
            let mut bytes = std::mem::take(argument).into_vec();
            // An argument becomes longer if its zero is none any more. The end is cut off when all bytes are known.
            if let Ok(offset) = usize::try_from(offset) {
                if offset >= bytes.len() && value != 0 {
                    bytes.resize(offset + 1, 0);
                }
                if let Some(place) = bytes.get_mut(offset) {
                    *place = value;
                }
            }
            *argument = OsString::from_vec(bytes);
            return;
        }
        // A byte behind the end matters only for inputs that are longer.
        let content = self.content_mut(source);
        if let Some(place) = content.and_then(|content| content.get_mut(offset as usize)) {
            *place = value;
        }
    }

    /// The content of standard input or a file.
    fn content_mut(&mut self, source: &InputSource) -> Option<&mut Vec<u8>> {
        match source {
            InputSource::Stdin => self.stdin.as_mut().map(Arc::make_mut),
            InputSource::File(path) => {
                let mut files = self.files.iter_mut();
                let file = files.find(|(known, _)| is_same(known, path));
                file.map(|(_, content)| Arc::make_mut(content))
            }
            InputSource::Argument(_) | InputSource::Intervention => None,
        }
    }

    /// How many bytes differ from another input of the same program.
    pub fn differing_bytes(&self, other: &ProgramInput) -> usize {
        let count = |one: &[u8], other: &[u8]| {
            let same = one.iter().zip(other).filter(|(one, other)| one == other);
            one.len().max(other.len()) - same.count()
        };
        let stdin =
            [self, other].map(|input| input.content(&InputSource::Stdin).unwrap_or_default());
        let files = self.files.iter().zip(&other.files);
        let files = files.map(|((_, one), (_, other))| count(one, other));
        let arguments = self.arguments.iter().zip(&other.arguments);
        let arguments = arguments.map(|(one, other)| count(one.as_bytes(), other.as_bytes()));
        count(stdin[0], stdin[1]) + files.sum::<usize>() + arguments.sum::<usize>()
    }

    /// Puts other content in the place of standard input or of a file.
    pub fn replace(&mut self, source: &InputSource, content: Vec<u8>) {
        if let Some(place) = self.content_mut(source) {
            *place = content;
        }
    }

    /// Leaves out a part of standard input or of a file. False if nothing is left out, or an argument is meant.
    pub fn remove(&mut self, source: &InputSource, part: Range<usize>) -> bool {
        match self.content_mut(source) {
            Some(content) if !part.is_empty() && part.end <= content.len() => {
                content.drain(part);
                true
            }
            _ => false,
        }
    }

    /// How many bytes these sources have.
    pub fn bytes(&self, sources: &[InputSource]) -> usize {
        let contents = sources.iter().filter_map(|source| self.content(source));
        contents.map(<[u8]>::len).sum()
    }

    /// The content of a source.
    pub fn content(&self, source: &InputSource) -> Option<&[u8]> {
        match source {
            InputSource::Stdin => self.stdin.as_ref().map(|content| content.as_slice()),
            InputSource::File(path) => {
                let file = self.files.iter().find(|(known, _)| is_same(known, path));
                file.map(|(_, content)| content.as_slice())
            }
            InputSource::Argument(number) => {
                let argument = self.arguments.get(number.checked_sub(1)?)?;
                Some(argument.as_bytes())
            }
            InputSource::Intervention => None,
        }
    }
}

/// Whether a path stays below the current directory.
pub fn is_below(path: &Path) -> bool {
    path.components()
        .all(|component| matches!(component, Component::Normal(_) | Component::CurDir))
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    one == other || real(one) == real(other)
}
