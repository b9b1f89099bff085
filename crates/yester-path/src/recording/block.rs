//! The bytes of an event stream: packed blocks, unpacked one at a time, then the window with what is not packed yet.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use yester_pathrt::format::end_of_events;
use yester_pathrt::pack::{BLOCK_HEAD, WINDOW_HEAD, bound, unpack};

/// No block is bigger, or it is none.
const BIGGEST: usize = 1 << 26;

/// Reads a stream with no more than one block in memory.
pub struct Blocks {
    file: BufReader<File>,
    window: Option<File>,
    /// The events at hand.
    raw: Vec<u8>,
    /// How many of these were read.
    used: usize,
    /// How many bytes of events there were in all blocks so far.
    before: u64,
}

impl Blocks {
    /// From the file of the blocks and that of the window.
    pub fn new(blocks: File, window: File) -> Blocks {
        Blocks {
            file: BufReader::with_capacity(1 << 16, blocks),
            window: Some(window),
            raw: Vec::new(),
            used: 0,
            before: 0,
        }
    }

    /// Gets the next block, or the window. Leaves nothing at hand at the end.
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
            if size > BIGGEST || packed > bound(size) {
                return Err(invalid("a block that is too big"));
            }
            let mut block = vec![0; packed];
            if !fill(&mut self.file, &mut block)? {
                return Err(invalid("a block that is cut off"));
            }
            unpack(&block, size, &mut self.raw)
                .ok_or_else(|| invalid("a block that cannot be unpacked"))?;
            self.before += size as u64;
            return Ok(());
        }
        let mut content = Vec::new();
        window.take(BIGGEST as u64).read_to_end(&mut content)?;
        self.window = None;
        // A window that begins before the end of the blocks was packed, but not yet emptied.
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

/// Reads as much as there is room, and says whether there was so much.
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
