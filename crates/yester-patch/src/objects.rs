//! Reads the contents of git's objects.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;

use crate::PatchError;
use crate::git::Git;

/// The biggest file that is read into memory. A few kilobytes of a repository can be many gigabytes of zeros.
const BIGGEST: u64 = 1 << 30;

/// How much room is made before anything of an object was read.
const MOST_AT_ONCE: u64 = 1 << 20;

/// How many objects are asked for before the first answer is read, so that git works while we use what it gave. Their
/// ids fit into the smallest pipe, so that git and we never wait for each other.
pub(crate) const AHEAD: usize = 60;

/// One git process that gives the contents of objects, one after the other.
pub(crate) struct ObjectReader {
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    child: Child,
    is_partial: bool,
    /// Requests that git has not got yet.
    unsent: Vec<u8>,
    /// The ids of the objects that were asked for and not read yet.
    asked: VecDeque<String>,
}

impl ObjectReader {
    pub fn open(git: &Git) -> Result<ObjectReader, PatchError> {
        let mut child = git
            .command(&["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(PatchError::Start)?;
        let requests = child.stdin.take().expect("standard input is piped");
        let answers = child.stdout.take().expect("standard output is piped");
        Ok(ObjectReader {
            requests: Some(requests),
            answers: BufReader::new(answers),
            child,
            is_partial: git.is_partial(),
            unsent: Vec::new(),
            asked: VecDeque::new(),
        })
    }

    /// The content of one object.
    pub fn read(&mut self, id: &str) -> Result<Arc<[u8]>, PatchError> {
        assert!(self.asked.is_empty(), "another object is to be read first");
        self.ask(id);
        self.answer()
    }

    /// Asks for an object. The contents come in the order of the questions, [`AHEAD`] at most.
    pub fn ask(&mut self, id: &str) {
        assert!(self.asked.len() < AHEAD, "git would wait for us to read");
        self.unsent.extend_from_slice(id.as_bytes());
        self.unsent.push(b'\n');
        self.asked.push_back(id.to_owned());
    }

    /// The content of the next object that was asked for.
    pub fn answer(&mut self) -> Result<Arc<[u8]>, PatchError> {
        let id = self.asked.pop_front().expect("an object was asked for");
        self.next_content(&id)
            .map_err(PatchError::Start)?
            .map_err(|message| PatchError::Git {
                command: "cat-file".to_owned(),
                message,
                partial: self.is_partial,
            })
    }

    fn next_content(&mut self, id: &str) -> std::io::Result<Result<Arc<[u8]>, String>> {
        if !self.unsent.is_empty() {
            let requests = self.requests.as_mut().expect("open until dropped");
            requests.write_all(&self.unsent)?;
            self.unsent.clear();
        }
        let mut header = String::new();
        self.answers.read_line(&mut header)?;
        // "<id> <type> <size>", or "<id> missing".
        let size = header.split_whitespace().nth(2);
        let Some(size) = size.and_then(|size| size.parse::<u64>().ok()) else {
            return Ok(Err(format!("the object {id} is missing")));
        };
        if size > BIGGEST {
            // Git goes on to write it, so this process is of no more use.
            let _ = self.child.kill();
            let most = BIGGEST >> 30;
            return Ok(Err(format!(
                "the object {id} has {size} bytes, more than {most} GB"
            )));
        }
        let mut content = Vec::with_capacity(size.min(MOST_AT_ONCE) as usize);
        let read = self.answers.by_ref().take(size).read_to_end(&mut content)?;
        self.answers.read_exact(&mut [0])?;
        if read as u64 != size {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Ok(content.into()))
    }
}

impl Drop for ObjectReader {
    fn drop(&mut self) {
        if !self.asked.is_empty() {
            // It may wait for us to read what nobody wants any more.
            let _ = self.child.kill();
        }
        // The end of its input ends it.
        self.requests = None;
        let _ = self.child.wait();
    }
}
