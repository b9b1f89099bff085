//! Generated repositories on disk, and whether their truth holds.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::plan::{Plan, Step, plan};
use super::project::Project;
use super::render::{ProjectLanguage, expression, render};
use super::scenario::Scenario;
use crate::script::{fresh, succeed, write_script};

/// How many commits the repositories of the benchmark have.
pub const SIZES: [usize; 5] = [50, 200, 500, 1000, 2000];

/// Commits are an hour apart, from this second on.
const FIRST_SECOND: usize = 1_577_836_800;

/// Where side branches are while the repository is made.
const SIDE: &str = "refs/side";

const AUTHORS: [&str; 4] = ["Ada", "Bela", "Chloe", "Dmitri"];

/// Which repository: everything about it follows from this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepositoryName {
    /// What it is written in.
    pub language: ProjectLanguage,
    /// How many commits it has, merged ones too.
    pub commits: usize,
    /// Which one of these.
    pub seed: usize,
}

impl std::fmt::Display for RepositoryName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let language = self.language.name();
        write!(formatter, "{language}-{}-{}", self.commits, self.seed)
    }
}

/// What is known of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedTruth {
    /// The commit that brought the bug.
    pub guilty: String,
    /// The commit before it.
    pub parent: String,
    /// The merge that brought it to the main line, if it came in on a side branch.
    pub merge: Option<String>,
    /// The last commit.
    pub head: String,
}

/// A repository on disk, with its test next to it.
#[derive(Debug)]
pub struct GeneratedRepository {
    /// Which one it is.
    pub name: RepositoryName,
    /// What kind it is.
    pub scenario: Scenario,
    /// What is known of it.
    pub truth: GeneratedTruth,
    directory: PathBuf,
    plan: Plan,
}

/// What the test says of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TreeVerdict {
    code: Option<i32>,
    output: String,
}

impl GeneratedRepository {
    /// Makes the repository in a directory, which is emptied first.
    pub fn generate(name: RepositoryName, directory: &Path) -> Result<GeneratedRepository, String> {
        let directory = fresh(directory)?;
        let directory = directory
            .canonicalize()
            .map_err(|error| error.to_string())?;
        let size = SIZES.iter().position(|&size| size == name.commits);
        let scenario = Scenario::new(name.language, size.unwrap_or(name.commits), name.seed);
        let number = name.commits * 1000 + name.seed * 2 + usize::from(size.is_some());
        let salt = match name.language {
            ProjectLanguage::C => 0,
            ProjectLanguage::Python => 1 << 40,
        };
        let plan = plan(&scenario, name.commits, salt + number as u64);
        let test = fresh(&directory.join("test"))?;
        for (file, text) in scenario.test(&plan.last) {
            let path = test.join(file);
            if file.ends_with(".sh") {
                write_script(&path, &text).map(|_| ())?
            } else {
                fs::write(&path, &text).map_err(|error| error.to_string())?
            }
        }
        let commits = import(&plan, name.language, &directory)?;
        let merge = if plan.steps[plan.guilty].is_on_branch {
            (plan.guilty..plan.steps.len()).find(|&step| plan.steps[step].is_merge)
        } else {
            None
        };
        let mut parent = 0;
        plan.replay(&mut |step, parents, _| {
            if step == plan.guilty {
                parent = parents[0];
            }
        });
        let truth = GeneratedTruth {
            guilty: commits[plan.guilty].clone(),
            parent: commits[parent].clone(),
            merge: merge.map(|step| commits[step].clone()),
            head: commits.last().expect("there are commits").clone(),
        };
        Ok(GeneratedRepository {
            name,
            scenario,
            truth,
            directory,
            plan,
        })
    }

    /// The repository.
    pub fn repository(&self) -> PathBuf {
        self.directory.join("repository")
    }

    /// The test.
    pub fn test(&self) -> PathBuf {
        self.directory.join("test/test.sh")
    }

    /// What the bug looks like in a line of the source.
    pub fn bug(&self) -> String {
        let (_, _, wrong) = self.scenario.bug;
        expression(wrong, self.name.language)
    }

    /// It is an error if the test does not say what the truth claims: with the API in place it passes on every revision
    /// without the bug and fails in the same way on all others, but for those that are broken; without the API it does
    /// not run. At most about so many revisions are looked at, those around the bug and the last one always.
    pub fn check(&self, most: usize) -> Result<(), String> {
        let steps = self.plan.steps.len();
        let stride = steps.div_ceil(most.max(1));
        let mut parents_of = Vec::new();
        let mut revisions = Vec::new();
        self.plan.replay(&mut |step, parents, project| {
            parents_of.push(parents.to_vec());
            let is_near = step + 2 > self.plan.guilty && step < self.plan.guilty + 2;
            if is_near || step % stride == 0 || step + 1 == steps {
                revisions.push((step, project.clone()));
            }
        });
        let mut has_bug = vec![false; steps];
        for (step, parents) in parents_of.iter().enumerate() {
            has_bug[step] =
                step == self.plan.guilty || parents.iter().any(|&parent| has_bug[parent]);
        }
        let place = tempfile::tempdir().map_err(|error| error.to_string())?;
        let try_out = |project: &Project| self.try_out(project, place.path());
        let bad = try_out(&self.plan.last)?;
        if bad.code != Some(1) || !bad.output.starts_with("the total is ") {
            return Err(format!("the last commit says {bad:?}"));
        }
        for (step, project) in revisions {
            let as_it_is = try_out(&project)?;
            let is_old = self.plan.stages.last().is_some_and(|&stage| step < stage);
            if is_old && as_it_is.code != Some(125) {
                return Err(format!("commit {step} without the API says {as_it_is:?}"));
            }
            let mut completed = project.clone();
            self.scenario.complete(&mut completed, &self.plan.last);
            let verdict = try_out(&completed)?;
            let is_broken = project.modules.iter().any(|module| module.defect.is_some());
            let is_right = match (is_broken, has_bug[step]) {
                (true, _) => verdict.code == Some(125),
                (false, true) => verdict == bad,
                (false, false) => verdict.code == Some(0),
            };
            if !is_right {
                let bug = if has_bug[step] { "with" } else { "without" };
                return Err(format!(
                    "commit {step}, {bug} the bug, says {verdict:?} with the API"
                ));
            }
        }
        Ok(())
    }

    fn try_out(&self, project: &Project, place: &Path) -> Result<TreeVerdict, String> {
        let tree = fresh(&place.join("tree"))?;
        for (path, text) in render(project, self.name.language) {
            let path = tree.join(path);
            let around = path.parent().expect("a file is in a directory");
            fs::create_dir_all(around).map_err(|error| error.to_string())?;
            fs::write(path, text).map_err(|error| error.to_string())?;
        }
        let output = Command::new(self.test())
            .current_dir(&tree)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        Ok(TreeVerdict {
            code: output.status.code(),
            output: String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
        })
    }
}

/// Writes the whole history as one stream for `git fast-import`, and gives the names of the commits.
fn import(plan: &Plan, language: ProjectLanguage, directory: &Path) -> Result<Vec<String>, String> {
    let text = |error: io::Error| error.to_string();
    let repository = directory.join("repository");
    let mut init = Command::new("git");
    init.args(["init", "--quiet", "--initial-branch", "main"]);
    succeed(init.arg(&repository))?;
    let marks = directory.join("marks");
    let mut import = Command::new("git")
        .arg("-C")
        .arg(&repository)
        .args(["fast-import", "--quiet"])
        .arg(format!("--export-marks={}", marks.display()))
        .stdin(Stdio::piped())
        .spawn()
        .map_err(text)?;
    let stdin = import.stdin.take().expect("it was asked for");
    write_history(plan, language, &mut BufWriter::new(stdin)).map_err(text)?;
    if !import.wait().map_err(text)?.success() {
        return Err("git fast-import failed".to_owned());
    }
    for arguments in [
        &["update-ref", "-d", SIDE][..],
        &["reset", "--quiet", "--hard"],
    ] {
        let mut command = Command::new("git");
        succeed(command.arg("-C").arg(&repository).args(arguments))?;
    }
    let mut commits = vec![String::new(); plan.steps.len()];
    for line in fs::read_to_string(&marks).map_err(text)?.lines() {
        let (mark, commit) = line
            .strip_prefix(':')
            .and_then(|line| line.split_once(' '))
            .ok_or("git fast-import writes marks")?;
        let mark: usize = mark.parse().map_err(|_| "a mark is a number")?;
        commits[mark - 1] = commit.to_owned();
    }
    Ok(commits)
}

fn write_history(plan: &Plan, language: ProjectLanguage, stream: &mut dyn Write) -> io::Result<()> {
    let mut trees: Vec<Option<BTreeMap<String, String>>> = Vec::new();
    let mut result = Ok(());
    plan.replay(&mut |step, parents, project| {
        let files = render(project, language);
        if result.is_ok() {
            let before = parents.first().and_then(|&parent| trees[parent].as_ref());
            result = write_commit(plan, step, parents, before, &files, stream);
        }
        trees.push(Some(files));
        // A side branch goes on after a few commits of the main line, and not later.
        if let Some(old) = step.checked_sub(100) {
            trees[old] = None;
        }
    });
    result?;
    stream.flush()
}

fn write_commit(
    plan: &Plan,
    step: usize,
    parents: &[usize],
    before: Option<&BTreeMap<String, String>>,
    files: &BTreeMap<String, String>,
    stream: &mut dyn Write,
) -> io::Result<()> {
    let Step {
        subject,
        is_on_branch,
        ..
    } = &plan.steps[step];
    let branch = if *is_on_branch {
        SIDE
    } else {
        "refs/heads/main"
    };
    let author = AUTHORS[(step * 7 + subject.len()) % AUTHORS.len()];
    let seconds = FIRST_SECOND + 3_600 * step;
    write!(
        stream,
        "commit {branch}\nmark :{}\ncommitter {author} <{}@localhost> {seconds} +0000\ndata {}\n{subject}\n",
        step + 1,
        author.to_lowercase(),
        subject.len()
    )?;
    for (index, parent) in parents.iter().enumerate() {
        let word = if index == 0 { "from" } else { "merge" };
        writeln!(stream, "{word} :{}", parent + 1)?;
    }
    for path in before.into_iter().flat_map(BTreeMap::keys) {
        if !files.contains_key(path) {
            writeln!(stream, "D {path}")?;
        }
    }
    for (path, text) in files {
        if before.is_none_or(|before| before.get(path) != Some(text)) {
            let length = text.len();
            write!(stream, "M 100644 inline {path}\ndata {length}\n{text}\n")?;
        }
    }
    Ok(())
}
