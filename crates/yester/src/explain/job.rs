//! What a call of `yester explain` asks for, checked before anything runs.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use yester_path::{InputSource, ProgramInput};
use yester_record::{Confinement, NamedVersion, ProgramSession, Recipe, TwoVersionsSettings};
use yester_report::VERSION;

use crate::cli::ExplainArguments;
use crate::cli::suspicion;
use crate::command::UserCommand;
use crate::companion::Companions;
use crate::failure::Failure;
use crate::identity::Identity;
use crate::output;
use crate::record::{
    check_apart, confinement, program, program_input, recipe, two_versions, unfollowed,
};

/// A source of more bytes does not vary: each of its bytes may be a condition, and each run needs a copy.
const MOST_FOLLOWED: usize = 1 << 20;

pub struct ExplainJob {
    pub arguments: ExplainArguments,
    pub start: PathBuf,
    /// The old version and the new one.
    pub versions: [NamedVersion; 2],
    /// The program, and the words after it.
    pub command: UserCommand,
    /// Where the trees have the program, if they have it.
    pub program_in_tree: Option<OsString>,
    pub input: ProgramInput,
    /// What of the input varies.
    pub symbolic: Vec<InputSource>,
    pub confinement: Confinement,
    /// Reasons to look twice.
    pub notes: Vec<String>,
}

impl ExplainJob {
    pub fn new(mut arguments: ExplainArguments, start: &Path) -> Result<ExplainJob, Failure> {
        if let Some(path) = &arguments.output {
            output::check_writable(path)?;
            let named = arguments.command.iter().map(Path::new);
            let versions = [Path::new(&arguments.old), Path::new(&arguments.new)];
            let given = named
                .chain(versions)
                .chain(arguments.program.stdin.as_deref());
            check_apart(path, given, start)?;
        }
        let words = [&arguments.old, &arguments.new];
        let mut versions = two_versions(words, &arguments.program, start)?;
        let companions = Companions::given(&arguments.trial.with, start)?;
        for version in &mut versions {
            companions.put_into(&mut version.tree);
        }
        let words = std::mem::take(&mut arguments.command);
        let is_file = versions[0].file.is_some();
        let (command, program_in_tree) = program(words, start, is_file)?;
        let (input, mut symbolic) =
            program_input(&arguments.program, &command, start, &mut versions)?;
        let mut notes = unfollowed(&input);
        notes.extend(suspicion::shell_word(&command.words));
        if arguments.program.symbolic.is_empty() {
            symbolic.retain(|source| {
                let length = input.content(source).map_or(0, <[u8]>::len);
                let is_followed = length <= MOST_FOLLOWED;
                if !is_followed {
                    notes.push(format!(
                        "{source} has {length} bytes, too many to vary; --symbolic {source} does it all the same"
                    ));
                }
                is_followed
            });
        }
        Ok(ExplainJob {
            confinement: confinement(&arguments.trial, &arguments.program),
            arguments,
            start: start.to_owned(),
            versions,
            command,
            program_in_tree,
            input,
            symbolic,
            notes,
        })
    }
}

impl ExplainJob {
    /// The name of the run: everything that its trials depend on.
    pub fn run_name(&self) -> Result<String, Failure> {
        let program = &self.arguments.program;
        let mut identity = Identity::default();
        identity.add("version", VERSION);
        identity.add("start", &self.start);
        identity.add("build", program.build.as_deref().unwrap_or_default());
        identity.add("cflags", program.cflags.as_deref().unwrap_or_default());
        let sandbox = format!("{:?}", self.arguments.trial.sandbox);
        identity.add("sandbox", sandbox);
        // A run that was ended by a limit says nothing about one with another limit.
        let limits = (self.arguments.timeout, self.arguments.trial.memory);
        identity.add("limits", format!("{limits:?}"));
        for version in &self.versions {
            identity.add("word", &version.word);
            identity.add_version(&version.tree)?;
            if let Some(file) = &version.file {
                identity.add_file(&self.start.join(file))?;
            }
        }
        for word in &self.command.words {
            identity.add("word", word);
        }
        identity.add_file(&self.command.program)?;
        let stdin = self.input.content(&InputSource::Stdin);
        identity.add("stdin", OsStr::from_bytes(stdin.unwrap_or_default()));
        Ok(identity.name("explain", OsStr::new(&self.versions[1].word)))
    }

    /// Files that runs must be able to read in every sandbox, with what lies beside them.
    pub fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut files = self.command.files(&self.start)?;
        // The compiler has to read them.
        let versions = self.versions.iter();
        let versions = versions.filter_map(|version| version.file.as_ref());
        files.extend(versions.map(|file| self.start.join(file)));
        Ok(files)
    }

    /// How both versions run.
    pub fn as_run<'a>(&'a self, session: &'a ProgramSession) -> TwoVersionsSettings<'a> {
        TwoVersionsSettings {
            session,
            program: &self.command.program,
            name: &self.command.words[0],
            program_in_tree: self.program_in_tree.as_deref(),
            input: &self.input,
            symbolic: &self.symbolic,
            timeout: self.arguments.timeout,
        }
    }

    /// How to build the versions.
    pub fn recipe(&self, environment: Vec<(&'static str, &'static str)>) -> Recipe<'_> {
        recipe(
            &self.arguments.program,
            &self.start,
            self.program_in_tree.as_deref(),
            environment,
        )
    }
}
