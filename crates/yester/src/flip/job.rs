//! What a call of `yester flip` asks for, checked before anything runs.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use yester_path::intervention::Blame;
use yester_path::{InputSource, ProgramInput};
use yester_record::{Confinement, NamedVersion, Recipe, TestCommand};
use yester_report::{VERSION, count};
use yester_run::{CommandLine, CommandLineError};

use crate::cli::suspicion;
use crate::cli::{BuildArguments, FlipArguments, FlipWay};
use crate::command::UserCommand;
use crate::companion::Companions;
use crate::failure::Failure;
use crate::identity::Identity;
use crate::output;
use crate::record::{
    check_apart, confinement, plain_input, program, program_input, recipe, unfollowed, version,
};
use crate::user_file;
use crate::versions::TreeCommand;

pub struct FlipJob {
    pub arguments: FlipArguments,
    pub start: PathBuf,
    pub version: NamedVersion,
    /// The test that fails.
    pub test: FlipTest,
    /// Further tests that fail, for the same reason as the user believes.
    pub others: Vec<FlipTest>,
    /// What of its input varies in inputs that are made.
    pub symbolic: Vec<InputSource>,
    /// A program that is right for any input, if the user has one.
    pub reference: Option<UserCommand>,
    pub confinement: Confinement,
    /// Reasons to look twice.
    pub notes: Vec<String>,
}

impl FlipJob {
    pub fn new(mut arguments: FlipArguments, start: &Path) -> Result<FlipJob, Failure> {
        let lines = arguments.and.iter().map(|line| parsed(line));
        let lines: Vec<CommandLine> = lines.collect::<Result<_, Failure>>()?;
        if let Some(path) = &arguments.output {
            output::check_writable(path)?;
            let words = lines.iter().flat_map(|line| &line.words);
            let named = arguments.command.iter().chain(words).map(Path::new);
            let tree = arguments.tree.as_deref().map(Path::new);
            let files = [&arguments.program.stdin, &arguments.reference];
            let files = files.into_iter().flatten().chain(&arguments.expect);
            let further = lines.iter().flat_map(|line| &line.stdin);
            let files = files.chain(further).map(PathBuf::as_path);
            check_apart(path, named.chain(tree).chain(files), start)?;
        }
        if arguments.ask && arguments.by == [FlipWay::Interventions] {
            return Err(
                Failure::usage("--ask judges inputs that are made, not interventions").hint(
                    "--expect FILE, --check LINE or --reference PROG says what is right on your input",
                ),
            );
        }
        let is_known = !arguments.expect.is_empty() || arguments.reference.is_some();
        if arguments.by == [FlipWay::Solved] && !is_known {
            return Err(
                Failure::usage("values can only be computed from the right output")
                    .hint("--expect FILE or --reference PROG says what is right on your input"),
            );
        }
        check_further_tests(&arguments)?;
        let word = arguments.tree.as_deref().unwrap_or(OsStr::new("."));
        let mut version = version(word, &arguments.program, start)?;
        Companions::given(&arguments.trial.with, start)?.put_into(&mut version.tree);
        let words = std::mem::take(&mut arguments.command);
        let (command, program_in_tree) = command(words, start, &version, &arguments)?;
        let versions = std::slice::from_mut(&mut version);
        let (input, symbolic) = program_input(&arguments.program, &command, start, versions)?;
        let mut expected = Vec::new();
        for path in &arguments.expect {
            expected.push(user_file::read(&start.join(path))?);
        }
        let mut expected = expected.into_iter();
        let test = FlipTest {
            command,
            program_in_tree,
            input,
            expected: expected.next(),
        };
        let mut others = Vec::new();
        for line in lines {
            let other = further_test(line, &arguments, start, &mut version)?;
            others.push(FlipTest {
                expected: expected.next(),
                ..other
            });
        }
        let reference = match &arguments.reference {
            Some(path) => {
                let words = vec![path.clone().into_os_string()];
                Some(UserCommand::find(words, start)?)
            }
            None => None,
        };
        let notes = unfollowed(&test.input);
        let shell = suspicion::shell_word(&test.command.words);
        Ok(FlipJob {
            confinement: confinement(&arguments.trial, &arguments.program),
            notes: notes.into_iter().chain(shell).collect(),
            arguments,
            start: start.to_owned(),
            version,
            test,
            others,
            symbolic,
            reference,
        })
    }

    /// Whether a way to find places is wanted.
    pub fn wants(&self, way: FlipWay) -> bool {
        self.arguments.by.is_empty() || self.arguments.by.contains(&way)
    }

    /// All tests, the first of which is the one that everything else is about.
    pub fn tests(&self) -> impl Iterator<Item = &FlipTest> {
        std::iter::once(&self.test).chain(&self.others)
    }

    /// Whether interventions are to be tried on the user's input, and somebody can judge that.
    pub fn intervenes(&self) -> bool {
        let is_wanted = self.wants(FlipWay::Interventions) || self.wants(FlipWay::Solved);
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

    /// Which code may be to blame, of a version that was built there.
    pub fn blame(&self, root: &Path) -> Blame {
        let tree = self.start.join(&self.version.word);
        // A single file is compiled where it is.
        let root = self.version.file.as_ref().map_or(root, |_| &self.start);
        Blame::new(root, &tree, &self.arguments.only, &self.arguments.not)
    }

    /// Files that runs must be able to read in every sandbox, with what lies beside them.
    pub fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let commands = self.tests().map(|test| &test.command);
        let mut files = Vec::new();
        for command in commands.chain(&self.reference) {
            files.extend(command.files(&self.start)?);
        }
        // The compiler has to read it.
        files.extend(self.version.file.iter().map(|file| self.start.join(file)));
        Ok(files)
    }

    /// How to build the version.
    pub fn recipe(&self, environment: Vec<(&'static str, &'static str)>) -> Recipe<'_> {
        // A test may be anything; only the program of a single file has to be there.
        let program_in_tree = self.test.program_in_tree.as_deref();
        recipe(
            &self.arguments.program,
            &self.start,
            program_in_tree.filter(|_| self.version.file.is_some()),
            environment,
        )
    }
}

/// Checks what belongs to further tests before anything is read.
fn check_further_tests(arguments: &FlipArguments) -> Result<(), Failure> {
    let tests = arguments.and.len() + 1;
    let expected = arguments.expect.len();
    if expected > 0 && expected != tests {
        return Err(Failure::usage(format!(
            "there are {}, and --expect is given {}",
            count(tests as u64, "test"),
            count(expected as u64, "time")
        ))
        .hint("give one for the command, and one for each --and LINE, in their order"));
    }
    if tests > 1 && arguments.by == [FlipWay::Paths] {
        return Err(
            Failure::usage("--and is for interventions, and --by paths makes inputs only")
                .hint("inputs are made for the first command alone"),
        );
    }
    Ok(())
}

/// The test of a line of `--and`. It gets no standard input but what the line says.
fn further_test(
    line: CommandLine,
    arguments: &FlipArguments,
    start: &Path,
    version: &mut NamedVersion,
) -> Result<FlipTest, Failure> {
    let (command, program_in_tree) = command(line.words, start, version, arguments)?;
    let versions = std::slice::from_mut(version);
    let input = plain_input(line.stdin.as_deref(), &command, start, versions)?;
    Ok(FlipTest {
        command,
        program_in_tree,
        input,
        expected: None,
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

impl FlipTest {
    /// How it is run; `reference` is right on any input.
    pub fn as_run<'a>(&'a self, reference: Option<&'a UserCommand>) -> TestCommand<'a> {
        TestCommand {
            program: &self.command.program,
            name: &self.command.words[0],
            input: &self.input,
            program_in_tree: self.program_in_tree.as_deref(),
            expected: self.expected.as_deref(),
            reference: reference.map(|reference| reference.program.as_path()),
        }
    }
}

/// The name of the run: everything that its trials depend on.
pub fn run_name(job: &FlipJob) -> Result<String, Failure> {
    let mut identity = Identity::default();
    identity.add("version", VERSION);
    identity.add("start", &job.start);
    identity.add(
        "build",
        job.arguments.program.build.as_deref().unwrap_or_default(),
    );
    let trial = &job.arguments.trial;
    identity.add("sandbox", format!("{:?}", trial.sandbox));
    // A run that was ended by a limit says nothing about one with another limit.
    let limits = (job.arguments.timeout, trial.memory);
    identity.add("limits", format!("{limits:?}"));
    for test in job.tests() {
        identity.add("words", test.command.words.len().to_string());
        for word in &test.command.words {
            identity.add("word", word);
        }
        identity.add_file(&test.command.program)?;
        let stdin = test.input.content(&InputSource::Stdin);
        identity.add("stdin", OsStr::from_bytes(stdin.unwrap_or_default()));
        let expected = test.expected.as_deref();
        identity.add("expected", OsStr::from_bytes(expected.unwrap_or_default()));
    }
    if let Some(reference) = &job.reference {
        identity.add_file(&reference.program)?;
    }
    identity.add_version(&job.version.tree)?;
    if let Some(file) = &job.version.file {
        identity.add_file(&job.start.join(file))?;
    }
    identity.add(
        "cflags",
        job.arguments.program.cflags.as_deref().unwrap_or_default(),
    );
    for (name, paths) in [("only", &job.arguments.only), ("not", &job.arguments.not)] {
        for path in paths {
            identity.add(name, path);
        }
    }
    identity.add("check", job.arguments.check.as_deref().unwrap_or_default());
    Ok(identity.name("flip", OsStr::new(&job.version.word)))
}

/// The command of `--and`.
fn parsed(line: &OsStr) -> Result<CommandLine, Failure> {
    CommandLine::parse(line).map_err(|error| {
        let failure = Failure::usage(format!("--and '{}': {error}", line.to_string_lossy()));
        match error {
            CommandLineError::Word(_) => {
                failure.hint("quote it, or let a shell do it in a script of the tree")
            }
            _ => failure,
        }
    })
}
