//! Reads the bytes of an event stream: packed blocks, unpacked one at a time, then the window with the events that are not packed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use yester_pathrt::format::end_of_events;
use yester_pathrt::pack::{BLOCK_HEAD, WINDOW_HEAD, bound, unpack};

/// A block that claims to be bigger is damaged.
const BIGGEST_BLOCK: usize = 1 << 26;

/// Reads a stream with no more than one block in memory.
pub struct Blocks {
    file: BufReader<File>,
    window: Option<File>,
    /// The current block, unpacked.
    raw: Vec<u8>,
    /// How many of its bytes were read.
    used: usize,
    /// How many bytes of events all blocks so far had.
    before: u64,
}

impl Blocks {
    /// From the files `events` and `window` of a stream.
    pub fn new(blocks: File, window: File) -> Blocks {
        Blocks {
            file: BufReader::with_capacity(1 << 16, blocks),
            window: Some(window),
            raw: Vec::new(),
            used: 0,
            before: 0,
        }
    }

    /// Reads the next block, or the window, or nothing at the end.
    fn next(&mut self) -> io::Result<()> {
        self.raw.clear();
        self.used = 0;
        let Some(window) = &mut self.window else {
            return Ok(());
        };
        let mut sizes = [0; BLOCK_HEAD];
        let whole = fill(&mut self.file, &mut sizes)?;
        let [size, packed] = [0, 4].map(|at| {
            let word = sizes[at..at + 4].try_into().expect("four bytes");
            u32::from_le_bytes(word) as usize
        });
        if whole && size != 0 {
            if size > BIGGEST_BLOCK || packed > bound(size) {
                return Err(invalid("a block is too big"));
            }
            let mut block = vec![0; packed];
            if !fill(&mut self.file, &mut block)? {
                return Err(invalid("a block is cut off"));
            }
            unpack(&block, size, &mut self.raw)
                .ok_or_else(|| invalid("a block cannot be unpacked"))?;
            self.before += size as u64;
            return Ok(());
        }
        let mut content = Vec::new();
        window
            .take(BIGGEST_BLOCK as u64)
            .read_to_end(&mut content)?;
        self.window = None;
        // A window that starts before the end of the blocks was packed but not emptied.
        let begin = content.first_chunk().map(|word| u64::from_le_bytes(*word));
        if content.len() > WINDOW_HEAD && begin == Some(self.before) {
            content.drain(..WINDOW_HEAD);
            content.truncate(end_of_events(&content, 0));
            self.raw = content;
        }
        Ok(())
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Fills the buffer. Returns false if the file ends before that.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

impl Read for Blocks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Blocks {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.used == self.raw.len() {
            self.next()?;
        }
        Ok(&self.raw[self.used..])
    }

    fn consume(&mut self, count: usize) {
        self.used += count;
    }
}
