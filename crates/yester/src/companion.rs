//! Files that the user's command needs besides the candidate: those that it names, and those of `--with`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use yester_patch::{FileKind, FileState, Version};
use yester_run::{
    Helper, contains_placeholder, file, file_of, is_file, is_output_option, script, tree_path,
};

use crate::cli::ReduceArguments;
use crate::command::UserCommand;
use crate::failure::Failure;
use crate::identity::Identity;

/// A file that the command only names is not copied for every trial if it has more bytes.
const BIGGEST_NAMED: u64 = 16 << 20;

/// All files of `--with` together have no more bytes: every trial gets a copy of each.
const BIGGEST: u64 = 256 << 20;

/// The files that a command gets, and what a person should know about them.
#[derive(Default)]
pub struct Companions {
    pub helpers: Vec<Helper>,
    pub notes: Vec<String>,
}

impl Companions {
    /// Reads what `--with` names.
    pub fn given(with: &[impl AsRef<Path>], start: &Path) -> Result<Companions, Failure> {
        let mut companions = Companions::default();
        for path in with {
            let shown = path.as_ref().display();
            let found = start.join(path.as_ref());
            let real = match found.file_name() {
                Some(_) => found,
                None => found.canonicalize().unwrap_or(found),
            };
            let name = real.file_name().and_then(OsStr::to_str);
            let name = name.ok_or_else(|| {
                Failure::usage(format!("--with {shown} has no name that a copy could have"))
            })?;
            match fs::metadata(&real) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(Failure::usage(format!("there is no file {shown}"))
                        .hint("--with FILE puts a copy of FILE beside every candidate"));
                }
                Ok(metadata) if metadata.is_dir() => {
                    companions.add_directory(&real, name)?;
                }
                _ => companions.add_given(&real, name.to_owned())?,
            }
        }
        Ok(companions)
    }

    /// The files that a command needs beside an input. Gives the command the full path of its script. `is_own` says whether a path is
    /// that of something which the candidate has itself.
    pub fn of_input(
        command: &mut UserCommand,
        arguments: &ReduceArguments,
        start: &Path,
        is_own: impl Fn(&str) -> bool,
    ) -> Result<Companions, Failure> {
        let mut companions = Companions::given(&arguments.trial.with, start)?;
        let mut helpers = companions.helpers.iter();
        if let Some(helper) = helpers.find(|helper| is_own(&helper.path)) {
            return Err(Failure::usage(format!(
                "--with {} has the name of what the candidate has itself",
                helper.path
            ))
            .hint("give a copy of it that has another name"));
        }
        let is_input = |word: &OsString| {
            let path = start.join(word).canonicalize();
            let input = arguments.file.canonicalize();
            // Under its own name the candidate lies where the command runs.
            !tree_path(word).is_some_and(|own| is_own(&own))
                && path.is_ok_and(|path| input.is_ok_and(|input| path == input))
        };
        if !command.has_placeholder()
            && !arguments.stdin
            && let Some(word) = command.arguments().iter().find(|word| is_input(word))
        {
            let word = word.to_string_lossy();
            return Err(Failure::usage(format!(
                "{word} in the command is the whole input, which stays the same in every trial"
            ))
            .hint("write {} in its place: it stands for the candidate's path"));
        }
        companions
            .notes
            .extend(find_script(command, start, &is_own)?);
        companions.add_named(command, start, is_own, "every trial")?;
        Ok(companions)
    }

    fn add_given(&mut self, path: &Path, name: String) -> Result<(), Failure> {
        let sizes = self
            .helpers
            .iter()
            .map(|helper| helper.content.len() as u64);
        let (taken, size) = (
            sizes.sum::<u64>(),
            fs::metadata(path).map_or(0, |file| file.len()),
        );
        if taken + size > BIGGEST {
            return Err(Failure::usage(format!(
                "--with gives every trial more than {} MB",
                BIGGEST >> 20
            ))
            .hint("name big files by their full path in the command instead"));
        }
        self.add(path, name)
    }

    /// Adds a file under a name.
    pub fn add(&mut self, path: &Path, name: String) -> Result<(), Failure> {
        let fail = |error: io::Error| Failure::unreadable(path, &error);
        let content = file::read(path, BIGGEST).map_err(fail)?;
        let metadata = fs::metadata(path).map_err(fail)?;
        self.helpers.retain(|helper| helper.path != name);
        self.helpers.push(Helper {
            path: name,
            content,
            executable: metadata.permissions().mode() & 0o111 != 0,
        });
        Ok(())
    }

    /// All files of a directory. Links to directories are left out: they may lead round in a circle.
    fn add_directory(&mut self, path: &Path, name: &str) -> Result<(), Failure> {
        let fail = |error: io::Error| Failure::unreadable(path, &error);
        let entries = fs::read_dir(path).map_err(fail)?;
        let entries: io::Result<Vec<fs::DirEntry>> = entries.collect();
        let mut entries = entries.map_err(fail)?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let below = entry.path();
            let Some(own) = entry.file_name().to_str().map(str::to_owned) else {
                return Err(Failure::usage(format!(
                    "the name of {} is not UTF-8",
                    below.display()
                )));
            };
            let name = format!("{name}/{own}");
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.add_directory(&below, &name)?;
            } else if below.is_file() {
                self.add_given(&below, name)?;
            }
        }
        Ok(())
    }

    /// Adds the files of the directory `start` that a command names by a relative path. `is_own` says whether a path is
    /// that of something which the candidate has itself.
    pub fn add_named(
        &mut self,
        command: &UserCommand,
        start: &Path,
        is_own: impl Fn(&str) -> bool,
        whose: &str,
    ) -> Result<(), Failure> {
        let arguments = command.arguments();
        for (index, word) in arguments.iter().enumerate() {
            let is_output = index > 0 && is_output_option(&arguments[index - 1]);
            let named = file_of(word);
            let Some(path) = tree_path(named).filter(|_| !is_output) else {
                continue;
            };
            let is_known = self.helpers.iter().any(|helper| helper.path == path);
            let found = start.join(&path);
            if is_known || contains_placeholder(word) || is_own(&path) || !is_file(&found)? {
                continue;
            }
            if fs::metadata(&found).is_ok_and(|metadata| metadata.len() > BIGGEST_NAMED) {
                self.notes.push(format!(
                    "{path} is too big to be copied for every trial: name it by its full path, or use --with {path}"
                ));
                continue;
            }
            self.add(&found, path.clone())?;
            self.notes.push(format!(
                "the command names {path}: {whose} gets a copy of it"
            ));
        }
        Ok(())
    }

    /// Adds the script of the directory `start` that a runner is given, if the versions do not have it. Other files that
    /// the command names are not added: they may be what an earlier build has left.
    pub fn add_script(
        &mut self,
        words: &[OsString],
        start: &Path,
        is_own: impl Fn(&str) -> bool,
        whose: &str,
    ) -> Result<(), Failure> {
        let index = script(words, start, is_own)?;
        let path = index.and_then(|index| tree_path(&words[index]));
        let Some(path) = path else { return Ok(()) };
        if !self.helpers.iter().any(|helper| helper.path == path) {
            self.add(&start.join(&path), path.clone())?;
            self.notes.push(format!(
                "{path} is in no version: {whose} gets your copy of it"
            ));
        }
        Ok(())
    }

    /// Puts the files into a version.
    pub fn put_into(&self, version: &mut Version) {
        for helper in &self.helpers {
            let kind = if helper.executable {
                FileKind::Executable
            } else {
                FileKind::File
            };
            version.remove(&helper.path);
            version.put(
                &helper.path,
                FileState {
                    kind,
                    content: helper.content.clone().into(),
                },
            );
        }
    }

    /// Where the files lie.
    pub fn paths(&self) -> impl Iterator<Item = String> {
        self.helpers.iter().map(|helper| helper.path.clone())
    }

    /// Makes other files another run.
    pub fn identify(&self, identity: &mut Identity) {
        for helper in &self.helpers {
            identity.add("helper", &helper.path);
            identity.add("executable", helper.executable.to_string());
            identity.add("content", OsStr::from_bytes(&helper.content));
        }
    }
}

/// Gives a runner its script by the full path, since the script may look for other files beside itself. Says so.
fn find_script(
    command: &mut UserCommand,
    start: &Path,
    is_own: impl Fn(&str) -> bool,
) -> Result<Option<String>, Failure> {
    let Some(index) = script(&command.words, start, is_own)? else {
        return Ok(None);
    };
    let word = &command.words[index];
    let path = start.join(Path::new(word).strip_prefix(".").unwrap_or(Path::new(word)));
    let note = format!(
        "{} in the command is {}",
        word.to_string_lossy(),
        path.display()
    );
    command.replace_argument(index - 1, path.into_os_string());
    Ok(Some(note))
}
