//! The user's test and build in the trees of versions.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use yester_patch::Version;
use yester_report::quote;
use yester_run::{Build, Invocation, is_file, tree_path};

use crate::cli::suspicion;
use crate::cli::{BuildArguments, SandboxChoice, TrialArguments};
use crate::command::UserCommand;
use crate::driver;
use crate::failure::Failure;
use crate::identity::Identity;

/// Where Debian puts compilers that remember what they have compiled.
const CCACHE: &str = "/usr/lib/ccache";
/// Where make looks for flags.
const MAKE_FLAGS: &str = "MAKEFLAGS";

/// A test that runs in the tree of a version, after the build if there is one.
pub struct TreeCommand {
    /// Where the user stands.
    pub start: PathBuf,
    pub command: UserCommand,
    /// The test's path in the tree, if it is the tree's own.
    pub program_in_tree: Option<String>,
}

impl TreeCommand {
    /// A test whose program is at this path in the tree, or else is no part of the versions, of which this is one.
    pub fn new(
        words: Vec<OsString>,
        program_in_tree: Option<String>,
        start: &Path,
        build: &BuildArguments,
        version: &Version,
    ) -> Result<TreeCommand, Failure> {
        if let Some(path) = program_in_tree {
            return Ok(TreeCommand::in_tree(&path, words, start));
        }
        let is_path = words[0].as_bytes().contains(&b'/');
        let found = TreeCommand::find(words, start, build);
        found.map_err(|failure| {
            if is_path {
                about_build(failure, build, version)
            } else {
                failure
            }
        })
    }

    /// A test whose program is in the tree and nowhere else.
    fn in_tree(path: &str, words: Vec<OsString>, start: &Path) -> TreeCommand {
        TreeCommand {
            start: start.to_owned(),
            command: in_tree(path, words),
            program_in_tree: Some(path.to_owned()),
        }
    }

    /// Finds a program that is not part of the versions, and where in the tree it may be all the same, since a build can
    /// make it.
    pub fn find(
        words: Vec<OsString>,
        start: &Path,
        build: &BuildArguments,
    ) -> Result<TreeCommand, Failure> {
        let (program_in_tree, command) = find(words, start, build)?;
        Ok(TreeCommand {
            start: start.to_owned(),
            command,
            program_in_tree,
        })
    }

    pub fn invocation(&self, trial: &TrialArguments, build: &BuildArguments) -> Invocation {
        let mut environment = trial.environment(&self.start);
        if has_ccache(trial)
            && let Some((_, path)) = environment.iter_mut().find(|(name, _)| name == "PATH")
        {
            let mut longer = OsString::from(CCACHE);
            longer.push(":");
            longer.push(&path);
            *path = longer;
        }
        Invocation {
            program: self.command.program.clone().into(),
            program_in_tree: self.program_in_tree.clone().map(OsString::from),
            arguments: self.command.arguments().to_vec(),
            environment,
            stdin: false,
            // The baseline sets the times.
            timeout: Duration::MAX,
            memory: trial.memory,
            is_guarded: false,
            counterpart: None,
            helpers: Vec::new(),
            has_placeholders: true,
            build: build.build.clone().map(|line| Build {
                line,
                environment: vec![(MAKE_FLAGS.into(), keep_going(env::var_os(MAKE_FLAGS)))],
                timeout: Duration::MAX,
                products: build.product.clone(),
            }),
        }
    }

    /// Directories that the test must be able to read in every sandbox, `base` among them.
    pub fn visible(&self, base: &Path) -> Result<Vec<PathBuf>, Failure> {
        let files = self.command.files(&self.start)?;
        Ok(driver::visible(&files, &[&self.start, base]))
    }

    /// What is run in the tree `directory`, to be copied into a shell.
    pub fn command_in(&self, directory: &Path, build: &BuildArguments, only_build: bool) -> String {
        let mut words: Vec<OsString> = self.command.words.clone();
        words[0] = match &self.program_in_tree {
            Some(path) => format!("./{path}").into(),
            None => self.command.program.clone().into(),
        };
        let words = words
            .iter()
            .map(|word| OsString::from(word.to_string_lossy().replace("{}", ".")));
        let words: Vec<OsString> = words.collect();
        let mut text = format!("cd {}", quote::word(directory.as_os_str()));
        if let Some(build) = &build.build {
            text.push_str(&format!(" && {{ {}; }}", build.to_string_lossy()));
        }
        if !only_build {
            let start = quote::word(self.start.as_os_str());
            let command = quote::command(words.iter().map(OsString::as_os_str));
            text.push_str(&format!(" && YESTER_START={start} {command}"));
        }
        text
    }

    /// Makes another test another run.
    pub fn identify(&self, identity: &mut Identity) -> Result<(), Failure> {
        for word in &self.command.words {
            identity.add("word", word);
        }
        identity.add_file(&self.command.program)?;
        for argument in self.command.arguments() {
            let path = Path::new(argument);
            if path.is_absolute() && is_file(path)? {
                identity.add_file(path)?;
            }
        }
        Ok(())
    }
}

/// Whether compilers can be asked through ccache. Where the root is read-only, it has no place to write to.
pub fn has_ccache(trial: &TrialArguments) -> bool {
    trial.sandbox != SandboxChoice::Full && Path::new(CCACHE).is_dir()
}

/// The paths of the products, from the root of the tree.
pub fn find_products(build: &mut BuildArguments) -> Result<(), Failure> {
    for product in &mut build.product {
        *product = tree_path(OsStr::new(product)).ok_or_else(|| {
            Failure::usage(format!("--product {product} is no path in the tree"))
                .hint("it is a relative path, from the root of the tree")
        })?;
    }
    Ok(())
}

/// A command whose program is in the tree and nowhere else.
fn in_tree(path: &str, words: Vec<OsString>) -> UserCommand {
    UserCommand::new(format!("{{}}/{path}").into(), words)
}

/// Finds a program that is not part of the versions, and where in the tree it may be all the same, since a build can
/// make it. What was built where the user stands must not be taken for it.
fn find(
    words: Vec<OsString>,
    start: &Path,
    build: &BuildArguments,
) -> Result<(Option<String>, UserCommand), Failure> {
    let word = words.first().map(OsString::as_os_str).unwrap_or_default();
    let has_directory = word.as_bytes().contains(&b'/');
    let placed = word.to_str().and_then(|word| word.strip_prefix("{}/"));
    let path = match placed {
        Some(path) => tree_path(OsStr::new(path)),
        None => tree_path(word).filter(|_| has_directory && build.build.is_some()),
    };
    let Some(path) = path else {
        return Ok((None, UserCommand::find(words, start)?));
    };
    let is_elsewhere =
        placed.is_none() && !build.product.contains(&path) && is_file(&start.join(&path))?;
    let command = if is_elsewhere {
        UserCommand::find(words, start)?
    } else {
        in_tree(&path, words)
    };
    Ok((Some(path), command))
}

/// The path in a tree that the program of a command may have.
pub fn program_path(words: &[OsString]) -> Option<String> {
    let program = words.first()?;
    let has_directory = program.as_bytes().contains(&b'/');
    tree_path(program).filter(|_| has_directory)
}

/// A program in the tree that cannot be run.
pub fn not_executable(path: &str, version: &str) -> Failure {
    Failure::usage(format!("{path} is not executable in {version}"))
        .hint(format!("call its interpreter: -- sh {path}"))
}

/// Says how to build the program that was not found, if nothing was built and the version says how.
fn about_build(failure: Failure, build: &BuildArguments, version: &Version) -> Failure {
    let is_missing = build.build.is_none() && failure.message.ends_with("was not found");
    match suspicion::missing_build(version).filter(|_| is_missing) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Flags for make, so that a failing build tells all that is wrong and not only what it met first.
fn keep_going(flags: Option<OsString>) -> OsString {
    let flags = flags.unwrap_or_default();
    // Letters without a dash may only come first.
    let bytes = flags.as_encoded_bytes();
    let is_letters = bytes.first().is_some_and(u8::is_ascii_alphanumeric);
    let mut longer = OsString::from(if is_letters { "k" } else { "-k " });
    longer.push(flags);
    longer
}
