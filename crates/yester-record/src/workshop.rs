//! Versions, built with the instrumenting compilers where nobody else is.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use yester_core::Hash;
use yester_patch::{Version, common_time};
use yester_run::{Ending, Observation, file};

use crate::builder::{BuildStep, Compilers, build};
use crate::error::RecordError;
use crate::session::{BUILT, ProgramSession};

/// The name of the program of a single file, in the directory where it runs.
pub const PROGRAM_NAME: &str = "program";

/// A version as the user named it.
pub struct NamedVersion {
    /// As the user calls it.
    pub word: String,
    /// The file, if the version is a single one.
    pub file: Option<PathBuf>,
    /// The tree that the program runs in.
    pub tree: Version,
}

/// How versions become programs.
pub struct Recipe<'a> {
    /// Where the user stands.
    pub start: &'a Path,
    /// The line that builds a tree.
    pub build: Option<&'a OsStr>,
    /// More flags for the compiler of a single file.
    pub flags: Option<&'a str>,
    /// The program that the build has to make.
    pub program_in_tree: Option<&'a OsStr>,
    /// How long a build may take.
    pub timeout: Duration,
    /// What the compilers are told.
    pub environment: Vec<(&'static str, &'static str)>,
}

/// A place to build in. What is built goes with the session.
pub struct Workshop {
    session: ProgramSession,
    compilers: Compilers,
}

/// A version that was built.
#[derive(Clone)]
pub struct BuiltVersion {
    /// The tree with the program.
    pub root: PathBuf,
    /// What stands for the tree, for runs in copies of it.
    pub tree: Hash,
}

impl Workshop {
    /// Finds the compilers.
    ///
    /// # Errors
    /// If they are not installed.
    pub fn open(session: &ProgramSession) -> Result<Workshop, RecordError> {
        Ok(Workshop {
            session: session.clone(),
            compilers: Compilers::find(session.scratch(), &session.scratch().join(BUILT))?,
        })
    }

    /// Builds versions below a directory of this name.
    ///
    /// # Errors
    /// If one of them does not build.
    pub fn build(
        &mut self,
        name: &str,
        versions: &[&NamedVersion],
        recipe: &Recipe<'_>,
    ) -> Result<Vec<BuiltVersion>, RecordError> {
        let numbers = 0..versions.len();
        let roots: Vec<PathBuf> = numbers
            .map(|number| {
                self.session
                    .scratch()
                    .join(BUILT)
                    .join(name)
                    .join(number.to_string())
            })
            .collect();
        let mut steps = Vec::new();
        for (version, root) in versions.iter().zip(&roots) {
            version.tree.materialise_as_of(root, common_time())?;
            steps.push(self.step(recipe, version, root));
        }
        let observations = build(&self.session, &self.compilers, &steps)?;
        for (version, observation) in versions.iter().zip(&observations) {
            if observation.ending != Ending::Exit(0) {
                return Err(not_built(version, observation));
            }
        }
        for (version, root) in versions.iter().zip(&roots) {
            if let Some(path) = recipe.program_in_tree
                && !root.join(path).is_file()
            {
                return Err(RecordError::NoProduct {
                    version: version.word.clone(),
                    program: path.to_string_lossy().into_owned(),
                });
            }
        }
        let mut built = Vec::new();
        for (number, (version, root)) in versions.iter().zip(roots).enumerate() {
            let mut what = format!("{name} {number} {}", self.compilers.stamp());
            if version.file.is_some() {
                // What a single file includes is in no tree that the run is named by.
                let program = root.join(PROGRAM_NAME);
                let content = file::read(&program, file::BIGGEST_INPUT);
                let content = content.map_err(RecordError::io("read the program"))?;
                what.push_str(&Hash::of(&content).to_string());
            }
            let tree = self.session.provide(&what, &root);
            built.push(BuiltVersion { root, tree });
        }
        Ok(built)
    }

    fn step(&self, recipe: &Recipe<'_>, version: &NamedVersion, root: &Path) -> BuildStep {
        let environment = recipe.environment.clone();
        let Some(file) = &version.file else {
            return BuildStep {
                directory: root.to_owned(),
                output: root.to_owned(),
                program: "/bin/sh".into(),
                arguments: vec!["-c".into(), recipe.build.unwrap_or_default().to_owned()],
                timeout: recipe.timeout,
                environment,
            };
        };
        let flags = recipe.flags.unwrap_or_default();
        let mut arguments: Vec<OsString> = vec!["-g".into()];
        arguments.extend(flags.split_whitespace().map(OsString::from));
        arguments.extend(["-o".into(), root.join(PROGRAM_NAME).into_os_string()]);
        // A name that begins with a dash is no flag.
        arguments.push(if file.to_string_lossy().starts_with('-') {
            Path::new(".").join(file).into()
        } else {
            file.clone().into()
        });
        arguments.push("-lm".into());
        let is_c = matches!(
            file.extension().and_then(|extension| extension.to_str()),
            Some("c" | "i")
        );
        BuildStep {
            // Names in the report are those that the user knows.
            directory: recipe.start.to_owned(),
            output: root.to_owned(),
            program: if is_c {
                self.compilers.c.clone()
            } else {
                self.compilers.cxx.clone()
            },
            arguments,
            timeout: recipe.timeout,
            environment,
        }
    }
}

fn not_built(version: &NamedVersion, observation: &Observation) -> RecordError {
    let mut lines = observation.stderr.last_lines(20);
    if lines.is_empty() {
        lines = observation.stdout.last_lines(20);
    }
    RecordError::NotBuilt {
        version: version.word.clone(),
        is_file: version.file.is_some(),
        ending: observation.ending.clone(),
        lines,
    }
}
