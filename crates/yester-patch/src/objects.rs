//! Reads the contents of git's objects.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;

use crate::PatchError;
use crate::git::Git;

/// The biggest file that is read into memory. A few kilobytes of a repository can be many gigabytes of zeros.
const BIGGEST: u64 = 1 << 30;

/// One git process that gives the contents of objects, one after the other.
pub(crate) struct ObjectReader {
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    child: Child,
    is_partial: bool,
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
        })
    }

    /// The content of one object.
    pub fn read(&mut self, id: &str) -> Result<Arc<[u8]>, PatchError> {
        self.ask(id)
            .map_err(PatchError::Start)?
            .map_err(|message| PatchError::Git {
                command: "cat-file".to_owned(),
                message,
                partial: self.is_partial,
            })
    }

    fn ask(&mut self, id: &str) -> std::io::Result<Result<Arc<[u8]>, String>> {
        let requests = self.requests.as_mut().expect("open until dropped");
        writeln!(requests, "{id}")?;
        requests.flush()?;
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
        let mut content = Vec::new();
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
        // The end of its input ends it.
        self.requests = None;
        let _ = self.child.wait();
    }
}
