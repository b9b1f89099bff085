//! Reads the contents of git's objects.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use crate::PatchError;
use crate::git::{Git, failed};

/// The biggest file that is read into memory. A few kilobytes of a repository can be many gigabytes of zeros.
const BIGGEST: u64 = 1 << 30;

/// How much room is made before anything of an object was read.
const MOST_AT_ONCE: u64 = 1 << 20;

/// As much as a pipe holds.
const READ_AT_ONCE: usize = 64 << 10;

/// One git process that gives the contents of objects, one after the other.
pub(crate) struct ObjectReader {
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    child: Child,
    is_partial: bool,
    /// The ids of the objects that were asked for and not read yet.
    asked: VecDeque<String>,
}

impl ObjectReader {
    /// Gives any object, when it is asked for.
    pub fn open(git: &Git) -> Result<ObjectReader, PatchError> {
        let command = git.command(&["cat-file", "--batch"]);
        ObjectReader::start(git, command, Stdio::piped(), VecDeque::new())
    }

    /// Gives these objects in this order, see [`ObjectReader::next`]. Git does not wait to be asked, so that many objects
    /// take a fraction of the time.
    pub fn open_for(git: &Git, ids: VecDeque<String>) -> Result<ObjectReader, PatchError> {
        let write = || {
            let mut list = tempfile::tempfile_in(git.home())?;
            let lines: Vec<u8> = ids
                .iter()
                .flat_map(|id| id.bytes().chain([b'\n']))
                .collect();
            list.write_all(&lines)?;
            list.rewind()?;
            Ok(list)
        };
        let list = write().map_err(|source| failed(git.home(), source))?;
        let command = git.command(&["cat-file", "--batch", "--buffer"]);
        ObjectReader::start(git, command, Stdio::from(list), ids)
    }

    fn start(
        git: &Git,
        mut command: Command,
        stdin: Stdio,
        asked: VecDeque<String>,
    ) -> Result<ObjectReader, PatchError> {
        let mut child = command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(PatchError::Start)?;
        let answers = child.stdout.take().expect("standard output is piped");
        Ok(ObjectReader {
            requests: child.stdin.take(),
            answers: BufReader::with_capacity(READ_AT_ONCE, answers),
            child,
            is_partial: git.is_partial(),
            asked,
        })
    }

    /// The content of one object.
    pub fn read(&mut self, id: &str) -> Result<Arc<[u8]>, PatchError> {
        assert!(self.asked.is_empty(), "another object is to be read first");
        let requests = self.requests.as_mut().expect("it can be asked");
        requests
            .write_all(format!("{id}\n").as_bytes())
            .map_err(PatchError::Start)?;
        self.asked.push_back(id.to_owned());
        self.next()
    }

    /// The content of the next object.
    pub fn next(&mut self) -> Result<Arc<[u8]>, PatchError> {
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
