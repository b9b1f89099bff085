//! Builds programs with the instrumenting compilers.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use yester_core::Candidate;
use yester_run::{Exchange, Invocation, Observation, Subject, Why};

use crate::error::RecordError;
use crate::session::{ProgramRun, ProgramSession};

/// The names that builds call compilers by, and whether they are for C++.
const NAMES: [(&str, bool); 6] = [
    ("cc", false),
    ("gcc", false),
    ("clang", false),
    ("c++", true),
    ("g++", true),
    ("clang++", true),
];

/// The instrumenting compilers.
pub struct Compilers {
    pub c: PathBuf,
    pub cxx: PathBuf,
    /// A directory where they have the names of other compilers.
    named: PathBuf,
    /// Where they put temporary files, which are gone with the scratch directory even if a build is interrupted.
    temporary: PathBuf,
}

impl Compilers {
    /// Finds them beside yester or on the PATH, and gives them the names of other compilers. `scratch` is for temporary files; what is in `built`
    /// is seen in every sandbox.
    pub fn find(scratch: &Path, built: &Path) -> Result<Compilers, RecordError> {
        let (c, cxx) = (find("yester-cc")?, find("yester-cxx")?);
        let named = built.join("compilers");
        let temporary = scratch.join("temporary");
        let link = || -> io::Result<()> {
            fs::create_dir(&temporary)?;
            fs::create_dir(&named)?;
            NAMES.iter().try_for_each(|(name, is_cxx)| {
                symlink(if *is_cxx { &cxx } else { &c }, named.join(name))
            })
        };
        link().map_err(RecordError::io("name the compilers"))?;
        Ok(Compilers {
            c,
            cxx,
            named,
            temporary,
        })
    }

    /// What tells these compilers from others.
    pub fn stamp(&self) -> String {
        let metadata = fs::metadata(&self.c);
        let times =
            metadata.map(|metadata| (metadata.len(), metadata.mtime(), metadata.mtime_nsec()));
        format!("{:?}", times.ok())
    }

    /// The environment of a build.
    fn environment(&self, more: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        let is_ours = |name: &OsStr| {
            ["CC", "CXX", "PATH", "TMPDIR"]
                .iter()
                .any(|one| *one == name)
                || name.to_string_lossy().starts_with("YESTER_")
        };
        let mut environment: Vec<(OsString, OsString)> =
            env::vars_os().filter(|(name, _)| !is_ours(name)).collect();
        let path = env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        let mut longer = self.named.clone().into_os_string();
        longer.push(":");
        longer.push(path);
        environment.push(("PATH".into(), longer));
        environment.push(("TMPDIR".into(), self.temporary.clone().into()));
        environment.push(("CC".into(), self.c.clone().into()));
        environment.push(("CXX".into(), self.cxx.clone().into()));
        let more = more.iter().map(|(name, value)| (name.into(), value.into()));
        environment.extend(more);
        environment
    }
}

/// One build.
pub struct BuildStep {
    /// Where it happens.
    pub directory: PathBuf,
    /// The directory that it writes to.
    pub output: PathBuf,
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// How long it may take.
    pub timeout: Duration,
    /// What the compilers are told beside that.
    pub environment: Vec<(&'static str, &'static str)>,
}

/// Carries out builds, as many at once as there are workers.
pub fn build(
    session: &ProgramSession,
    compilers: &Compilers,
    steps: &[BuildStep],
) -> Result<Vec<Observation>, RecordError> {
    let runs: Vec<ProgramRun> = steps
        .iter()
        .map(|step| ProgramRun {
            label: format!("build {}", step.directory.display()),
            why: Why::Build,
            invocation: Invocation {
                program: step.program.clone().into(),
                program_in_tree: None,
                arguments: step.arguments.clone(),
                has_placeholders: false,
                environment: compilers.environment(&step.environment),
                stdin: false,
                timeout: step.timeout,
                memory: None,
                is_guarded: false,
                build: None,
                counterpart: None,
                helpers: Vec::new(),
            },
            subject: Subject::Here {
                directory: step.directory.clone(),
                writable: vec![step.output.clone()],
            },
            candidate: Candidate::Tree(Default::default()),
            exchange: Exchange::default(),
            ignored: &[],
        })
        .collect();
    let mut observations: Vec<Option<Observation>> = vec![None; steps.len()];
    session.run_all(&runs, &|_, _| None, |index, ran| {
        observations[index] = ran.trial.observation;
        Ok(())
    })?;
    let ended = observations.into_iter().map(|one| one.expect("it ended"));
    Ok(ended.collect())
}

/// Where they are, if they are installed.
pub(crate) fn place_of_compilers() -> Option<PathBuf> {
    let place = find("yester-cc").ok()?;
    place.parent().map(Path::to_owned)
}

fn find(name: &'static str) -> Result<PathBuf, RecordError> {
    let program = fs::canonicalize("/proc/self/exe").or_else(|_| env::current_exe());
    let beside = program
        .ok()
        .and_then(|path| Some(path.parent()?.join(name)));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|directory| directory.join(name));
    let mut places = beside.into_iter().chain(on_path);
    let found = places.find(|place| place.is_file());
    found.ok_or(RecordError::NoCompiler(name))
}
