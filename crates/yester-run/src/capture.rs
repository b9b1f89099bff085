use std::borrow::Cow;
use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

const HEAD: usize = 16 * 1024;
const TAIL: usize = 48 * 1024;

/// What stands for what was left out.
const GAP: &str = "\n[…]\n";

/// What a run wrote to one of its outputs: the beginning and the end of it, however long it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// How many bytes there were in all.
    pub bytes: u64,
    /// The hash of all of them, empty when there were none.
    pub digest: String,
    #[serde(with = "readable")]
    head: Vec<u8>,
    #[serde(with = "readable")]
    tail: Vec<u8>,
}

impl Capture {
    /// What there would be if these bytes were written.
    pub fn of(bytes: &[u8]) -> Capture {
        let mut recorder = Recorder::default();
        recorder.push(bytes);
        recorder.finish()
    }

    /// All that was written, if it was not too long to be kept.
    pub fn whole(&self) -> Option<Vec<u8>> {
        let bytes = [self.head.as_slice(), &self.tail].concat();
        (bytes.len() as u64 == self.bytes).then_some(bytes)
    }

    /// The beginning and the end as text; bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> Cow<'_, str> {
        match (self.head.is_empty(), self.tail.is_empty()) {
            (_, true) => String::from_utf8_lossy(&self.head),
            _ => {
                let mut text = String::from_utf8_lossy(&self.head).into_owned();
                if self.bytes > (HEAD + TAIL) as u64 {
                    text.push_str(GAP);
                }
                text.push_str(&String::from_utf8_lossy(&self.tail));
                Cow::Owned(text)
            }
        }
    }

    /// The first and the last bytes as text, when less of it has to do. In a build the first errors matter most.
    pub(crate) fn excerpt(&self, head: usize, tail: usize) -> String {
        let text = self.text();
        if text.len() <= head + tail {
            return text.into_owned();
        }
        let (mut end, mut begin) = (head, text.len() - tail);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        while !text.is_char_boundary(begin) {
            begin += 1;
        }
        format!("{}{GAP}{}", &text[..end], &text[begin..])
    }

    /// The last line that is not blank, without the blanks around it. It is looked for near the end only.
    pub(crate) fn last_words(&self) -> Option<String> {
        const NEAR: usize = 1024;
        let bytes = if self.tail.is_empty() {
            &self.head
        } else {
            &self.tail
        };
        let near = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(NEAR)..]);
        let mut lines = near.lines().rev().map(str::trim);
        lines.find(|line| !line.is_empty()).map(str::to_owned)
    }

    /// The last lines, for people.
    pub fn last_lines(&self, count: usize) -> Vec<String> {
        let text = self.text();
        let mut lines: Vec<String> = text.lines().rev().take(count).map(str::to_owned).collect();
        lines.reverse();
        lines
    }
}

/// Takes what a run writes, in bounded memory.
#[derive(Default)]
pub(crate) struct Recorder {
    bytes: u64,
    hasher: blake3::Hasher,
    head: Vec<u8>,
    tail: VecDeque<u8>,
}

impl Recorder {
    pub(crate) fn push(&mut self, mut data: &[u8]) {
        self.bytes += data.len() as u64;
        self.hasher.update(data);
        let room = HEAD - self.head.len();
        self.head.extend_from_slice(&data[..room.min(data.len())]);
        data = &data[room.min(data.len())..];
        data = &data[data.len().saturating_sub(TAIL)..];
        let excess = (self.tail.len() + data.len()).saturating_sub(TAIL);
        self.tail.drain(..excess);
        self.tail.extend(data);
    }

    pub(crate) fn finish(self) -> Capture {
        let digest = match self.bytes {
            0 => String::new(),
            _ => self.hasher.finalize().to_hex()[..16].to_owned(),
        };
        Capture {
            bytes: self.bytes,
            digest,
            head: self.head,
            tail: self.tail.into(),
        }
    }
}

/// The journal is text for people and other programs, the wire to a worker is not. Bytes that are no text are a list of numbers
/// there: a later session must see what this one has seen.
mod readable {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(bytes) {
            Ok(text) if serializer.is_human_readable() => serializer.serialize_str(text),
            Err(_) if serializer.is_human_readable() => bytes.serialize(serializer),
            _ => serializer.serialize_bytes(bytes),
        }
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        if !deserializer.is_human_readable() {
            return <&[u8]>::deserialize(deserializer).map(<[u8]>::to_vec);
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::Text(text) => text.into_bytes(),
            Written::Bytes(bytes) => bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_output_is_kept_whole() {
        let mut recorder = Recorder::default();
        recorder.push(b"one\ntwo\n");
        recorder.push(b"three");
        let capture = recorder.finish();
        assert_eq!(capture.text(), "one\ntwo\nthree");
        assert_eq!(capture.last_lines(2), ["two", "three"]);
        assert_eq!(capture.whole().as_deref(), Some(&b"one\ntwo\nthree"[..]));
    }

    #[test]
    fn a_long_output_keeps_its_beginning_and_its_end_in_bounded_memory() {
        let mut recorder = Recorder::default();
        for number in 0..200_000 {
            recorder.push(format!("line {number}\n").as_bytes());
        }
        let capture = recorder.finish();
        assert!(capture.text().starts_with("line 0\nline 1\n"));
        assert!(capture.text().ends_with("line 199999\n"));
        assert!(capture.text().len() <= HEAD + TAIL + 16);
        assert!(capture.bytes > 1_000_000);
        assert_eq!(capture.whole(), None);
    }

    #[test]
    fn an_output_between_the_bounds_has_no_gap() {
        let data: Vec<u8> = (0..40_000).map(|index| b'a' + (index % 26) as u8).collect();
        let mut recorder = Recorder::default();
        data.chunks(777).for_each(|chunk| recorder.push(chunk));
        assert_eq!(recorder.finish().text().as_bytes(), data);
    }

    #[test]
    fn an_excerpt_has_the_first_and_the_last_bytes_of_any_output() {
        for lines in [10, 3_000, 200_000] {
            let mut recorder = Recorder::default();
            let line = |number| format!("zeile {number} größer\n");
            (0..lines).for_each(|number| recorder.push(line(number).as_bytes()));
            let capture = recorder.finish();
            let excerpt = capture.excerpt(8192, 8192);
            assert!(excerpt.len() <= 2 * 8192 + GAP.len());
            let whole: String = (0..lines).map(line).collect();
            if whole.len() <= 2 * 8192 {
                assert_eq!(excerpt, whole);
                continue;
            }
            let (head, tail) = excerpt.split_once(GAP).expect("something was left out");
            assert!(whole.starts_with(head) && head.len() > 8192 - 4);
            assert!(whole.ends_with(tail) && tail.len() > 8192 - 4);
        }
    }
}
