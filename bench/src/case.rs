//! The cases of `bench/reduce`: a directory each below `bench/cases`, with `get` and `test.sh`.
//!
//! `get` runs in an empty directory and leaves `input.*` or the directory `input` there; `test.sh FILE` exits 0 while the
//! file is interesting.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{median, process_tree, token};

/// What a file is written in, as far as it matters to a reducer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C
    C,
    /// C++
    CPlusPlus,
    /// Java
    Java,
    /// JavaScript
    JavaScript,
    /// Anything else
    Other,
}

impl Language {
    fn of(path: &Path) -> Language {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("c" | "h") => Language::C,
            Some("cpp") => Language::CPlusPlus,
            Some("java") => Language::Java,
            Some("js") => Language::JavaScript,
            _ => Language::Other,
        }
    }
}

/// A fetched case.
#[derive(Debug)]
pub struct Case {
    /// What it is called.
    pub name: String,
    /// The comment of its `get`: what the input is.
    pub material: String,
    /// The comment of its `test.sh`: what must stay true.
    pub property: String,
    /// Where the input and the test are.
    pub directory: PathBuf,
    /// The input's name in that directory.
    pub input: String,
}

/// Whether a case may be looked at while yester is made better, or only measures it: the word in its file `split`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// Limits and orders of the search were chosen with it.
    Tune,
    /// Nothing was.
    Check,
}

impl Split {
    /// Reads the file in the directory of a case.
    pub fn of(directory: &Path) -> Result<Split, String> {
        let text = fs::read_to_string(directory.join("split")).unwrap_or_default();
        match text.trim() {
            "tune" => Ok(Split::Tune),
            "check" => Ok(Split::Check),
            word => Err(format!("its split is '{word}', not tune or check")),
        }
    }
}

/// How large something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Files, 1 for a file.
    pub files: usize,
    /// Bytes of all files.
    pub bytes: usize,
    /// Tokens of all files, by [`token::RULE`].
    pub tokens: usize,
}

/// The names of all cases.
pub fn names(cases: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(cases)? {
        let entry = entry?;
        if entry.path().join("get").exists() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

impl Case {
    /// Fetches a case of the directory `cases` into a directory of its own below `place`, unless it is there already.
    pub fn fetch(cases: &Path, name: &str, place: &Path) -> Result<Case, String> {
        let source = cases.join(name);
        let directory = place.join(name);
        let get = fetch(&source, &directory, &cases.join("lib"))?;
        let test = fs::read_to_string(source.join("test.sh")).map_err(|error| error.to_string())?;
        fs::copy(source.join("test.sh"), directory.join("test.sh"))
            .map_err(|error| error.to_string())?;
        let input = fs::read_dir(&directory)
            .map_err(|error| error.to_string())?
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .find(|file| file.split('.').next() == Some("input"))
            .ok_or("its get left no input")?;
        Ok(Case {
            name: name.to_owned(),
            material: comment(&get),
            property: comment(&test),
            directory,
            input,
        })
    }

    /// The unreduced input.
    pub fn path(&self) -> PathBuf {
        self.directory.join(&self.input)
    }

    /// The test.
    pub fn test(&self) -> PathBuf {
        self.directory.join("test.sh")
    }

    /// Whether a whole directory is to be reduced.
    pub fn is_directory(&self) -> bool {
        self.path().is_dir()
    }

    /// What the input is written in.
    pub fn language(&self) -> Language {
        Language::of(Path::new(&self.input))
    }

    /// Whether a file is interesting, asked in a directory of its own.
    pub fn accepts(&self, path: &Path) -> io::Result<bool> {
        let directory = tempfile::tempdir()?;
        let usage = process_tree::run(
            Command::new(self.test())
                .arg(path)
                .current_dir(&directory)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null()),
            Duration::from_secs(30),
        )?;
        Ok(usage.code == Some(0))
    }

    /// Milliseconds of a test of the unreduced input. It is an error if that is not interesting, or if nothing is.
    pub fn check(&self) -> Result<f64, String> {
        let mut times = Vec::new();
        for _ in 0..3 {
            let start = Instant::now();
            match self.accepts(&self.path()) {
                Ok(true) => times.push(start.elapsed().as_secs_f64() * 1e3),
                Ok(false) => return Err("its input is not interesting here".to_owned()),
                Err(error) => return Err(error.to_string()),
            }
        }
        let nothing = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = nothing.path().join(&self.input);
        if self.is_directory() {
            fs::create_dir(&path).map_err(|error| error.to_string())?;
        } else {
            fs::write(&path, b"").map_err(|error| error.to_string())?;
        }
        match self.accepts(&path) {
            Ok(false) => Ok(median(times)),
            Ok(true) => Err("nothing at all is interesting".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Size {
    /// Measures a file or a directory.
    pub fn of(path: &Path) -> io::Result<Size> {
        let mut size = Size::default();
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                let part = Size::of(&entry?.path())?;
                size.files += part.files;
                size.bytes += part.bytes;
                size.tokens += part.tokens;
            }
            return Ok(size);
        }
        let text = fs::read(path)?;
        Ok(Size {
            files: 1,
            bytes: text.len(),
            tokens: token::count(&text, Language::of(path) != Language::Other),
        })
    }
}

/// Runs the `get` of a case in an empty directory, unless it has been run there already, and gives its text.
pub(crate) fn fetch(source: &Path, directory: &Path, library: &Path) -> Result<String, String> {
    let get = fs::read_to_string(source.join("get")).map_err(|error| error.to_string())?;
    let stamp = directory.join("fetched");
    if !fs::read_to_string(&stamp).is_ok_and(|fetched| fetched == get) {
        eprintln!("fetching {}", source.display());
        let _ = fs::remove_dir_all(directory);
        fs::create_dir_all(directory).map_err(|error| error.to_string())?;
        let status = Command::new(source.join("get"))
            .current_dir(directory)
            .env("CASE_LIB", library)
            .stdout(Stdio::null())
            .status()
            .map_err(|error| error.to_string())?;
        if !status.success() {
            return Err(format!("its get failed ({status})"));
        }
        fs::write(&stamp, &get).map_err(|error| error.to_string())?;
    }
    Ok(get)
}

/// The first line of a script's comment.
pub(crate) fn comment(script: &str) -> String {
    let line = script.lines().nth(1).unwrap_or_default();
    line.trim_start_matches(['#', ' ']).to_owned()
}
