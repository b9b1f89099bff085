//! What a call of `yester flip` asks for, checked before anything runs.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use yester_patch::{Repository, Version};
use yester_path::InputSource;

use crate::cli::{BuildArguments, FlipArguments, FlipWay, SandboxChoice};
use crate::command::UserCommand;
use crate::failure::Failure;
use crate::identity::Identity;
use crate::output;
use crate::record::{
    NamedVersion, ProgramInput, Recipe, check_apart, check_language, check_source, program,
    program_input, read, unfollowed,
};
use crate::versions::{Side, TreeCommand, failed};

pub struct FlipJob {
    pub arguments: FlipArguments,
    pub start: PathBuf,
    pub version: NamedVersion,
    /// The test that fails.
    pub test: FlipTest,
    /// What of its input varies in inputs that are made.
    pub symbolic: Vec<InputSource>,
    /// A program that is right for any input, if the user has one.
    pub reference: Option<UserCommand>,
    /// Reasons to look twice.
    pub notes: Vec<String>,
}

impl FlipJob {
    pub fn new(mut arguments: FlipArguments, start: &Path) -> Result<FlipJob, Failure> {
        if let Some(path) = &arguments.output {
            output::check_writable(path)?;
            let named = arguments.command.iter().map(Path::new);
            let tree = arguments.tree.as_deref().map(Path::new);
            let files = [
                &arguments.program.stdin,
                &arguments.expect,
                &arguments.reference,
            ];
            let files = files.into_iter().flatten().map(PathBuf::as_path);
            check_apart(path, named.chain(tree).chain(files), start)?;
        }
        if arguments.trial.sandbox == SandboxChoice::Full {
            return Err(Failure::usage("flip cannot run in the full sandbox")
                .hint("its runs are in copies of the tree; --sandbox auto kills every process that they leave"));
        }
        if arguments.ask && arguments.by == [FlipWay::Forced] {
            return Err(
                Failure::usage("--ask judges inputs that are made, not forced runs").hint(
                    "--expect FILE, --check LINE or --reference PROG says what is right on your input",
                ),
            );
        }
        let is_known = arguments.expect.is_some() || arguments.reference.is_some();
        if arguments.by == [FlipWay::Solved] && !is_known {
            return Err(
                Failure::usage("values can only be computed from the right output")
                    .hint("--expect FILE or --reference PROG says what is right on your input"),
            );
        }
        let mut version = version(&arguments, start)?;
        let words = std::mem::take(&mut arguments.command);
        let (command, program_in_tree) = command(words, start, &version, &arguments)?;
        let versions = std::slice::from_mut(&mut version);
        let (input, symbolic) = program_input(&arguments.program, &command, start, versions)?;
        let expected = match &arguments.expect {
            Some(path) => Some(read(&start.join(path))?),
            None => None,
        };
        let reference = match &arguments.reference {
            Some(path) => {
                let words = vec![path.clone().into_os_string()];
                Some(UserCommand::find(words, start)?)
            }
            None => None,
        };
        Ok(FlipJob {
            notes: unfollowed(&input),
            arguments,
            start: start.to_owned(),
            version,
            test: FlipTest {
                command,
                program_in_tree,
                input,
                expected,
            },
            symbolic,
            reference,
        })
    }

    /// Whether a way to find places is wanted.
    pub fn wants(&self, way: FlipWay) -> bool {
        self.arguments.by.is_empty() || self.arguments.by.contains(&way)
    }

    /// The test with this number, from 0.
    pub fn test(&self, number: usize) -> &FlipTest {
        debug_assert_eq!(number, 0);
        &self.test
    }

    /// Whether something is to be done otherwise on the user's input, and somebody can judge that.
    pub fn forces(&self) -> bool {
        let is_wanted = self.wants(FlipWay::Forced) || self.wants(FlipWay::Solved);
        is_wanted && !self.arguments.ask
    }

    /// Whether values can be computed: only if the right output is known.
    pub fn solves(&self) -> bool {
        self.wants(FlipWay::Solved) && (self.test.expected.is_some() || self.reference.is_some())
    }

    /// Whether a command of the user, or the user, says what is right.
    pub fn is_judged_by_user(&self) -> bool {
        self.arguments.check.is_some() || self.arguments.ask
    }

    /// Whether the user wants inputs that take another path, and says so.
    pub fn asks_for_inputs(&self) -> bool {
        self.arguments.by.contains(&FlipWay::Paths) || self.arguments.ask
    }

    /// Whether inputs that take another path are to be made. A test script is not the program whose input varies.
    pub fn may_make_inputs(&self) -> bool {
        let is_program = self.version.file.is_some() || self.test.program_in_tree.is_some();
        // What is expected is expected of the user's input: it says nothing about others.
        let can_judge = is_program && self.test.expected.is_none();
        self.wants(FlipWay::Paths) && (can_judge || self.asks_for_inputs())
    }

    /// How to build the version.
    pub fn recipe(&self, environment: Vec<(&'static str, &'static str)>) -> Recipe<'_> {
        // A test may be anything; only the program of a single file has to be there.
        let program_in_tree = self.test.program_in_tree.as_deref();
        Recipe::new(
            &self.arguments.program,
            &self.start,
            program_in_tree.filter(|_| self.version.file.is_some()),
            environment,
        )
    }
}

fn version(arguments: &FlipArguments, start: &Path) -> Result<NamedVersion, Failure> {
    let word = arguments.tree.as_deref().unwrap_or(OsStr::new("."));
    if start.join(word).is_file() {
        check_language(word)?;
        if arguments.program.build.is_some() {
            return Err(Failure::usage("--build is for directories and revisions")
                .hint("a single file is built by yester; --cflags gives the compiler more flags"));
        }
        return Ok(NamedVersion {
            word: word.to_string_lossy().into_owned(),
            file: Some(word.into()),
            tree: Version::of([]),
        });
    }
    check_source(word, start)?;
    if arguments.program.cflags.is_some() {
        return Err(Failure::usage("--cflags is for single files")
            .hint("put the flags into the line of --build"));
    }
    if arguments.program.build.is_none() {
        return Err(
            Failure::usage("a directory or a revision needs --build LINE")
                .hint("for example --build make: CC and CXX are set to yester's compilers"),
        );
    }
    let repository = Repository::around(start);
    let side = Side::find(word, start, &repository)?;
    Ok(NamedVersion {
        word: side.word,
        file: None,
        tree: side.version,
    })
}

/// The program of a single file, or whatever runs in the tree.
fn command(
    words: Vec<OsString>,
    start: &Path,
    version: &NamedVersion,
    arguments: &FlipArguments,
) -> Result<(UserCommand, Option<OsString>), Failure> {
    if version.file.is_some() {
        return program(words, start, true);
    }
    if words.first().is_some_and(|word| word == "{}") {
        return program(words, start, false);
    }
    let build = BuildArguments {
        build: arguments.program.build.clone(),
        product: Vec::new(),
        build_timeout: None,
    };
    let found = TreeCommand::find(words, start, &build)?;
    Ok((found.command, found.program_in_tree.map(OsString::from)))
}

/// A command that fails, and what is known about it.
pub struct FlipTest {
    pub command: UserCommand,
    /// Where the tree has the program, if it has it.
    pub program_in_tree: Option<OsString>,
    pub input: ProgramInput,
    /// The output of a right run, if the user has it.
    pub expected: Option<Vec<u8>>,
}

/// Everything that an answer depends on.
pub fn identity(job: &FlipJob) -> Result<Identity, Failure> {
    let mut identity = Identity::default();
    identity.add("version", env!("CARGO_PKG_VERSION"));
    identity.add("start", &job.start);
    identity.add(
        "build",
        job.arguments.program.build.as_deref().unwrap_or_default(),
    );
    for word in &job.test.command.words {
        identity.add("word", word);
    }
    identity.add_file(&job.test.command.program)?;
    for (path, kind) in job.version.tree.paths() {
        identity.add("path", path);
        identity.add("mode", kind.mode());
        let state = job
            .version
            .tree
            .state(path)
            .map_err(|error| failed(&error))?;
        if let Some(state) = state {
            identity.add("content", OsStr::from_bytes(&state.content));
        }
    }
    identity.add(
        "stdin",
        OsStr::from_bytes(
            job.test
                .input
                .content(&InputSource::Stdin)
                .unwrap_or_default(),
        ),
    );
    identity.add("check", job.arguments.check.as_deref().unwrap_or_default());
    identity.add(
        "expected",
        OsStr::from_bytes(job.test.expected.as_deref().unwrap_or_default()),
    );
    Ok(identity)
}
