//! The flags of the benchmark.

use std::path::PathBuf;

use yester_bench::case::Purpose;
use yester_bench::seeded::Selection;

/// How it is called; the flags that all benchmarks on seeded faults have follow.
pub const USAGE: &str = "\
usage: bench/flip [--by WAY]... [--judge JUDGE] [--only NAME]... [--role ROLE] [--kind KIND]... [--jobs N]
                  [--limit SECONDS] [--keep DIRECTORY] [--yester PROGRAM] [--compilers DIRECTORY] [--list]
       bench/flip --fit [--only NAME]... [--jobs N]
       bench/flip --programs [NAME]...

  --by WAY          only interventions, solved, paths or all (together); may be given several times [default: these four]
  --judge JUDGE     reference: the right program; expect: what it prints for the failing input, which is not enough for paths
                    [default: reference]
  --compilers DIRECTORY  where yester-cc and yester-cxx are, for the graph [default: beside yester]
  --fit             learn what each feature of a line is worth, from the programs to tune on
  --programs        real programs and their own tests instead; see bench/README.md";

/// A way to find places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Single interventions.
    Interventions,
    /// Values are computed.
    Solved,
    /// Paths are generated.
    Paths,
    /// All together, as without the flag.
    All,
}

impl Way {
    /// All of them, in the order of the tables.
    pub const ALL: [Way; 4] = [Way::Interventions, Way::Solved, Way::Paths, Way::All];

    /// What the flag and the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Way::Interventions => "interventions",
            Way::Solved => "solved",
            Way::Paths => "paths",
            Way::All => "all",
        }
    }
}

/// How yester learns what is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeChoice {
    /// From the right program.
    Reference,
    /// From what it prints for the failing input.
    Expect,
}

/// What was asked for.
#[derive(Debug)]
pub struct FlipOptions {
    /// The cases.
    pub selection: Selection,
    /// The ways, in the order of the tables.
    pub ways: Vec<Way>,
    /// What tells right from wrong.
    pub judge: JudgeChoice,
    /// Whether the worths of features are learned.
    pub fits: bool,
    /// Where the instrumenting compilers are.
    pub compilers: PathBuf,
}

impl FlipOptions {
    /// Reads the command line.
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<FlipOptions, String> {
        let mut options = FlipOptions {
            selection: Selection::default(),
            ways: Vec::new(),
            judge: JudgeChoice::Reference,
            fits: false,
            compilers: yester_bench::yester().with_file_name(""),
        };
        while let Some(word) = words.next() {
            if options.selection.take(&word, &mut words)? {
                continue;
            }
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--by" => {
                    let name = value()?;
                    let way = Way::ALL.into_iter().find(|way| way.name() == name);
                    options
                        .ways
                        .push(way.ok_or(format!("there is no way '{name}'"))?);
                }
                "--judge" => {
                    options.judge = match value()?.as_str() {
                        "reference" => JudgeChoice::Reference,
                        "expect" => JudgeChoice::Expect,
                        name => return Err(format!("there is no judge '{name}'")),
                    }
                }
                "--fit" => {
                    options.fits = true;
                    options.selection.role = Some(Purpose::Tune);
                }
                "--compilers" => options.compilers = value()?.into(),
                _ => return Err(format!("'{word}' is not understood")),
            }
        }
        let asked = options.ways;
        let is_wanted = |way: &Way| match options.judge {
            JudgeChoice::Expect if *way == Way::Paths => false,
            _ => asked.is_empty() || asked.contains(way),
        };
        options.ways = Way::ALL.into_iter().filter(is_wanted).collect();
        if options.ways.is_empty() {
            Err("paths need --judge reference".to_owned())
        } else {
            Ok(options)
        }
    }
}
