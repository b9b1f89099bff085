//! Both versions, built where nobody else is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use yester_report::visible_line;
use yester_run::{Ending, Observation, Sandbox};

use super::job::{ExplainJob, NamedVersion, PROGRAM_NAME};
use crate::failure::Failure;
use crate::identity::Identity;
use crate::record::{BuildStep, Compilers, Pool, build};
use crate::versions::{common_time, failed};

/// How the compilers instrument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instrumentation {
    /// Branches, and the values that are assigned.
    Values,
    /// Also branches without effect that compare what is assigned with other variables (section 3.3 of DARWIN).
    Predicates,
}

/// A place to build in. It goes, with everything in it, when this goes.
pub struct Workshop {
    pool: Pool,
    compilers: Compilers,
}

/// A version that was built.
pub struct BuiltVersion {
    /// The tree with the program.
    pub root: PathBuf,
}

impl Workshop {
    pub fn open(job: &ExplainJob) -> Result<Workshop, Failure> {
        let mut identity = Identity::default();
        identity.add("process", std::process::id().to_string());
        identity.add("start", &job.start);
        let name = identity.name("explain-build", "versions".as_ref());
        // Builds write into their trees, which no tighter sandbox allows.
        let sandbox = match Sandbox::from(job.arguments.trial.sandbox) {
            Sandbox::None => Sandbox::None,
            _ => Sandbox::Auto,
        };
        let pool = Pool::open(
            &name,
            &job.start,
            job.arguments.trial.jobs().min(2),
            sandbox,
            "nothing is kept; the same command starts over",
        )?;
        let compilers = Compilers::find(pool.scratch())?;
        Ok(Workshop { pool, compilers })
    }

    /// Builds both versions.
    pub fn build(
        &mut self,
        job: &ExplainJob,
        instrumentation: Instrumentation,
    ) -> Result<[BuiltVersion; 2], Failure> {
        let label = match instrumentation {
            Instrumentation::Values => "values",
            Instrumentation::Predicates => "predicates",
        };
        let roots = ["old", "new"].map(|side| self.pool.scratch().join(label).join(side));
        let mut steps = Vec::new();
        for (version, root) in job.versions.iter().zip(&roots) {
            let made = version.tree.materialise_as_of(root, common_time());
            made.map_err(|error| failed(&error))?;
            steps.push(self.step(job, version, root, instrumentation));
        }
        let observations = build(&mut self.pool, &self.compilers, &steps)?;
        for (version, observation) in job.versions.iter().zip(&observations) {
            if observation.ending != Ending::Exit(0) {
                return Err(not_built(version, observation));
            }
        }
        for (version, root) in job.versions.iter().zip(&roots) {
            if let Some(path) = &job.program_in_tree
                && !root.join(path).is_file()
            {
                return Err(Failure::usage(format!(
                    "the build of {} made no {}",
                    version.word,
                    path.to_string_lossy()
                ))
                .hint("PROG is a path from the root of the tree; --build makes it"));
            }
        }
        Ok(roots.map(|root| BuiltVersion { root }))
    }

    fn step(
        &self,
        job: &ExplainJob,
        version: &NamedVersion,
        root: &Path,
        instrumentation: Instrumentation,
    ) -> BuildStep {
        let environment = match instrumentation {
            Instrumentation::Values => vec![("YESTER_CC_VALUES", "1")],
            Instrumentation::Predicates => {
                vec![("YESTER_CC_VALUES", "1"), ("YESTER_CC_PREDICATES", "1")]
            }
        };
        let Some(file) = &version.file else {
            let line = job.arguments.build.clone().unwrap_or_default();
            return BuildStep {
                directory: root.to_owned(),
                program: "/bin/sh".into(),
                arguments: vec!["-c".into(), line],
                timeout: job.arguments.build_timeout,
                environment,
            };
        };
        let flags = job.arguments.cflags.as_deref().unwrap_or_default();
        let mut arguments: Vec<OsString> = vec!["-g".into()];
        arguments.extend(flags.split_whitespace().map(OsString::from));
        arguments.extend(["-o".into(), root.join(PROGRAM_NAME).into_os_string()]);
        // A name that begins with a dash is no flag.
        arguments.push(match file.to_string_lossy().starts_with('-') {
            true => Path::new(".").join(file).into(),
            false => file.clone().into(),
        });
        arguments.push("-lm".into());
        let is_c = matches!(
            file.extension().and_then(|extension| extension.to_str()),
            Some("c" | "i")
        );
        BuildStep {
            // Names in the report are those that the user knows.
            directory: job.start.clone(),
            program: match is_c {
                true => self.compilers.c.clone(),
                false => self.compilers.cxx.clone(),
            },
            arguments,
            timeout: job.arguments.build_timeout,
            environment,
        }
    }
}

fn not_built(version: &NamedVersion, observation: &Observation) -> Failure {
    if observation.ending == Ending::Timeout {
        let message = format!("the build of {} takes too long", version.word);
        return Failure::usage(message).hint("--build-timeout TIME gives it more time");
    }
    let mut lines = observation.stderr.last_lines(20);
    if lines.is_empty() {
        lines = observation.stdout.last_lines(20);
    }
    let lines = lines.iter().map(|line| visible_line(line).into_owned());
    Failure {
        evidence: lines.collect(),
        ..Failure::usage(format!(
            "{} does not build with yester's compilers: {}",
            version.word, observation.ending
        ))
    }
    .hint("they are built on clang 19: does the same line work with CC=clang-19?")
}
