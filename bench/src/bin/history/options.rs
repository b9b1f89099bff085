//! The flags of the benchmark.

use std::path::PathBuf;
use std::time::Duration;

/// How it is called.
pub const USAGE: &str = "\
usage: bench/history [--limit SECONDS] [--only NAME]... [--tool TOOL]... [--seeds N]
                     [--jobs N] [--cases DIRECTORY] [--keep DIRECTORY] [--yester PROGRAM] [--check]

  --limit SECONDS    how long each tool may take for each repository [default: 300]
  --only NAME        this case or repository, or all of this language (c) or size (c-500); may be given several times
                     [default: all]
  --tool TOOL        yester, plain (Artho's walk) or bisect; may be given several times
                     [default: all, but plain for at most 500 commits]
  --seeds N          how many repositories of each language and size [default: 3]
  --jobs N           how many trials at a time; with more than one, some are ahead of need [default: 1]
  --cases DIRECTORY  where the real cases are [default: bench/cases/history, if it is there]
  --keep DIRECTORY   make the repositories there and leave them
  --yester PROGRAM   this yester [default: the one that was just built]
  --check            only generate the repositories and check what is known of them";

/// What looks for the bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryTool {
    /// This project's.
    Yester,
    /// Artho's own algorithm.
    Plain,
    /// What everyone uses.
    Bisect,
}

impl HistoryTool {
    /// What the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            HistoryTool::Yester => "yester",
            HistoryTool::Plain => "plain",
            HistoryTool::Bisect => "bisect",
        }
    }
}

/// What was asked for.
pub struct HistoryOptions {
    /// How long each tool may take.
    pub limit: Duration,
    /// The names that are wanted, or how they begin; none is all.
    pub only: Vec<String>,
    /// The tools; none is all.
    pub tools: Vec<HistoryTool>,
    /// How many repositories of each kind.
    pub seeds: usize,
    /// How many trials run at a time.
    pub jobs: usize,
    /// Where the real cases are.
    pub cases: Option<PathBuf>,
    /// Where everything is left.
    pub keep: Option<PathBuf>,
    /// The program that is measured.
    pub yester: PathBuf,
    /// Whether the repositories are only checked.
    pub check: bool,
}

impl HistoryOptions {
    /// Reads the command line.
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<HistoryOptions, String> {
        let mut options = HistoryOptions {
            limit: Duration::from_secs(300),
            only: Vec::new(),
            tools: Vec::new(),
            seeds: 3,
            jobs: 1,
            cases: None,
            keep: None,
            yester: yester_bench::yester(),
            check: false,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--limit" => {
                    let seconds = value()?
                        .parse()
                        .map_err(|_| "--limit needs whole seconds".to_owned())?;
                    options.limit = Duration::from_secs(seconds);
                }
                "--only" => options.only.push(value()?),
                "--tool" => {
                    let name = value()?;
                    let tools = [HistoryTool::Yester, HistoryTool::Plain, HistoryTool::Bisect];
                    let tool = tools.into_iter().find(|tool| tool.name() == name);
                    options
                        .tools
                        .push(tool.ok_or(format!("there is no tool '{name}'"))?);
                }
                "--seeds" => {
                    options.seeds = value()?
                        .parse()
                        .map_err(|_| "--seeds needs a number".to_owned())?;
                }
                "--jobs" => {
                    options.jobs = value()?
                        .parse()
                        .map_err(|_| "--jobs needs a number".to_owned())?;
                }
                "--cases" => options.cases = Some(value()?.into()),
                "--keep" => options.keep = Some(value()?.into()),
                "--yester" => options.yester = value()?.into(),
                "--check" => options.check = true,
                _ => return Err(format!("'{word}' is not understood")),
            }
        }
        Ok(options)
    }

    /// Whether a case or repository is wanted.
    pub fn wants(&self, name: &str) -> bool {
        let is_meant = |only: &String| {
            let rest = name.strip_prefix(only.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        self.only.is_empty() || self.only.iter().any(is_meant)
    }

    /// Whether a tool is wanted.
    pub fn uses(&self, tool: HistoryTool) -> bool {
        self.tools.is_empty() || self.tools.contains(&tool)
    }
}
