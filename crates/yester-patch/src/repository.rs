//! The git command line, for reading only.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use crate::Error;

/// A git repository, with or without a work tree. It is only read: nothing is checked out, and no index is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    directory: PathBuf,
}

impl Repository {
    /// The repository that a directory belongs to.
    pub fn around(path: &Path) -> Result<Self, Error> {
        let given = Repository {
            directory: path.to_owned(),
        };
        match given.text(&["rev-parse", "--absolute-git-dir"]) {
            // Paths are from the root, wherever in the work tree the user stands. A bare repository has none.
            Ok(_) => match given.text(&["rev-parse", "--show-toplevel"]) {
                Ok(root) => Ok(Repository {
                    directory: root.trim_end_matches('\n').into(),
                }),
                Err(_) => Ok(given),
            },
            Err(Error::Git { message, .. }) if message.contains("not a git repository") => {
                Err(Error::NoRepository {
                    path: path.to_owned(),
                })
            }
            // Such as a repository of somebody else, which git does not open: its own words help best.
            Err(error) => Err(error),
        }
    }

    /// The root of its work tree; of a bare repository, the directory that was given.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// What git ignores in a work tree, as paths from its root.
    pub fn ignored(&self) -> Result<Vec<String>, Error> {
        let arguments = ["ls-files", "-z", "--others", "--ignored"];
        let options = ["--exclude-standard", "--directory"];
        let listing = self.text(&[&arguments[..], &options].concat())?;
        let paths = listing.split('\0').filter(|path| !path.is_empty());
        Ok(paths
            .map(|path| path.trim_end_matches('/').to_owned())
            .collect())
    }

    /// The id of the commit that a person's name for it stands for: a branch, a tag, `HEAD~3`.
    pub fn resolve(&self, revision: &str) -> Result<String, Error> {
        let commit = format!("{revision}^{{commit}}");
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
        match self.text(&[&arguments[..], &[&commit]].concat()) {
            Ok(id) => Ok(id.trim_end().to_owned()),
            Err(Error::Git { .. }) => Err(Error::UnknownRevision {
                revision: revision.to_owned(),
                repository: self.directory.clone(),
            }),
            Err(error) => Err(error),
        }
    }

    /// A call of git that no setting, locale or variable of the user can change.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(&self.directory)
            .args(["--no-pager", "-c", "core.quotepath=off"])
            .args([
                "-c",
                "blame.ignoreRevsFile=",
                "-c",
                "log.showSignature=false",
            ])
            .args(arguments)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        // Set inside of hooks, and about another repository than the one asked for.
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(variable);
        }
        command
    }

    /// What git prints.
    pub(crate) fn output(&self, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        let output = self.command(arguments).output().map_err(Error::Start)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let message = String::from_utf8_lossy(&output.stderr);
        Err(Error::Git {
            command: arguments.join(" "),
            message: message.trim().trim_start_matches("fatal: ").to_owned(),
        })
    }

    /// What git prints, as text.
    pub(crate) fn text(&self, arguments: &[&str]) -> Result<String, Error> {
        let output = self.output(arguments)?;
        Ok(String::from_utf8_lossy(&output).into_owned())
    }

    /// Opens the store of objects.
    pub(crate) fn objects(&self) -> Result<Objects, Error> {
        let mut child = self
            .command(&["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(Error::Start)?;
        let requests = child.stdin.take().expect("standard input is piped");
        let answers = child.stdout.take().expect("standard output is piped");
        Ok(Objects {
            requests: Some(requests),
            answers: BufReader::new(answers),
            child,
        })
    }
}

/// One git process that gives the contents of objects, one after the other.
pub(crate) struct Objects {
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    child: Child,
}

impl Objects {
    /// The content of one object.
    pub fn read(&mut self, id: &str) -> Result<Arc<[u8]>, Error> {
        self.ask(id)
            .map_err(Error::Start)?
            .ok_or_else(|| Error::Git {
                command: "cat-file".to_owned(),
                message: format!("the object {id} is missing"),
            })
    }

    fn ask(&mut self, id: &str) -> std::io::Result<Option<Arc<[u8]>>> {
        let requests = self.requests.as_mut().expect("open until dropped");
        writeln!(requests, "{id}")?;
        requests.flush()?;
        let mut header = String::new();
        self.answers.read_line(&mut header)?;
        // "<id> <type> <size>", or "<id> missing".
        let Some(size) = header
            .split_whitespace()
            .nth(2)
            .and_then(|size| size.parse().ok())
        else {
            return Ok(None);
        };
        let mut content = vec![0; size];
        self.answers.read_exact(&mut content)?;
        self.answers.read_exact(&mut [0])?;
        Ok(Some(content.into()))
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.requests = None;
        let _ = self.child.wait();
    }
}
