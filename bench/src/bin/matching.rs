//! How well functions and sites of two releases are matched. What the textual difference leaves unchanged tells the truth: a site in
//! such a line corresponds to the site of the same function, kind, line and column.
//!
//! The list of `bench/releases` comes from standard input; `bench/matching` calls both.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io;
use std::mem::discriminant;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use yester_bench::yester;
use yester_path::{Function, Matching, Recording, Site, SiteKind, Sites, align, processes};

/// Of a hundred sites whose partner is known.
const MOST_WRONG: f64 = 1.0;

/// Two releases.
struct Pair {
    name: String,
    old: PathBuf,
    new: PathBuf,
    build: String,
    command: String,
    input: PathBuf,
}

impl Pair {
    fn parse(line: &str) -> Option<Pair> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [case, _, old, _, new, build, command, input, _] = fields[..] else {
            return None;
        };
        Some(Pair {
            name: case.split('-').next()?.to_owned(),
            old: old.into(),
            new: new.into(),
            build: build.to_owned(),
            command: command.to_owned(),
            input: input.into(),
        })
    }
}

/// A release that was built, and its table.
struct Release {
    directory: PathBuf,
    sites: Sites,
}

impl Release {
    /// Builds a copy and runs it once: a recording has the table of the whole program.
    fn build(pair: &Pair, source: &Path, scratch: &Path) -> io::Result<Release> {
        let directory = scratch.join(source.file_name().expect("a name"));
        let run = |command: &mut Command| match command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(io::Error::other(format!("{command:?}: {status}"))),
            Err(error) => Err(error),
        };
        run(Command::new("cp").arg("-Rp").args([source, &directory]))?;
        let shell = |text: &str| {
            let mut shell = Command::new("sh");
            shell.args(["-c", text]).current_dir(&directory);
            shell.stdout(Stdio::null());
            shell
        };
        let compiler = yester().with_file_name("yester-cc");
        run(shell(&pair.build).env("CC", compiler).stderr(Stdio::null()))?;
        let record = directory.join("record");
        run(shell(&pair.command)
            .stdin(File::open(&pair.input)?)
            .env("YESTER_RECORD", &record))?;
        let process = processes(&record)?.into_iter().next();
        let process = process.ok_or_else(|| io::Error::other("nothing was recorded"))?;
        let sites = Recording::open(&process).map_err(io::Error::other)?.sites;
        Ok(Release { directory, sites })
    }

    /// A file as the release names it.
    fn relative<'a>(&self, file: &'a str) -> &'a str {
        let path = Path::new(file);
        let inside = path.strip_prefix(&self.directory).unwrap_or(path);
        let inside = inside.strip_prefix(".").unwrap_or(inside);
        inside.to_str().expect("it was text before")
    }
}

/// Where the unchanged lines of each file went.
#[derive(Default)]
struct Lines {
    files: HashMap<String, HashMap<u32, u32>>,
}

impl Lines {
    fn new_line(&mut self, old: &Release, new: &Release, file: &str, line: u32) -> Option<u32> {
        let moved = self.files.entry(file.to_owned()).or_insert_with(|| {
            let read = |release: &Release| fs::read(release.directory.join(file)).ok();
            let (Some(old), Some(new)) = (read(old), read(new)) else {
                return HashMap::new();
            };
            let [old, new] = [&old, &new].map(|text| {
                let lines = text.split(|byte| *byte == b'\n');
                lines.map(|line| line.trim_ascii_end()).collect::<Vec<_>>()
            });
            let alignment = align(&old, &new);
            let pairs = alignment.pairs();
            pairs
                .map(|(old, new)| (old as u32 + 1, new as u32 + 1))
                .collect()
        });
        moved.get(&line).copied()
    }
}

/// The sites of a function at one place, in order: a macro may have several there.
fn at(
    release: &Release,
    function: &Function,
    file: &str,
    place: (u32, u32),
    kind: &SiteKind,
) -> Vec<u32> {
    let is_there = |site: &Site| {
        (site.line, site.column) == place
            && discriminant(&site.kind) == discriminant(kind)
            && release.relative(function.file_of(site)) == file
    };
    let sites = function.sites.iter().enumerate();
    sites
        .filter(|(_, site)| is_there(site))
        .map(|(index, _)| index as u32)
        .collect()
}

/// What was found out about a pair.
#[derive(Default)]
struct Count {
    functions: usize,
    matched: usize,
    renamed: usize,
    sites: usize,
    partners: usize,
    known: usize,
    missing: usize,
    wrong: usize,
}

fn count(old: &Release, new: &Release, show: bool) -> Count {
    let matching = Matching::new(&old.sites, &new.sites);
    let mut of_name: HashMap<(&str, &str), &Function> = HashMap::new();
    for function in new.sites.functions() {
        of_name.insert((&function.name, new.relative(&function.module)), function);
    }
    let mut lines = Lines::default();
    let mut count = Count::default();
    for function in old.sites.functions() {
        count.functions += 1;
        count.sites += function.sites.len();
        if let Some(partner) = matching.new_function(function.id) {
            let partner = new.sites.function(partner).expect("a function");
            count.matched += 1;
            count.renamed += usize::from(partner.name != function.name);
        }
        let same = of_name.get(&(&*function.name, old.relative(&function.module)));
        for (index, site) in function.sites.iter().enumerate() {
            let partner = matching.new_site(function.id, index as u32);
            count.partners += usize::from(partner.is_some());
            let file = old.relative(function.file_of(site));
            let (Some(same), Some(line)) = (same, lines.new_line(old, new, file, site.line)) else {
                continue;
            };
            let here = at(old, function, file, (site.line, site.column), &site.kind);
            let there = at(new, same, file, (line, site.column), &site.kind);
            if here.len() != there.len() {
                continue;
            }
            let position = here.iter().position(|here| *here == index as u32);
            let truth = (same.id, there[position.expect("it is there")]);
            count.known += 1;
            if partner == Some(truth) {
                continue;
            }
            match partner {
                None => count.missing += 1,
                Some(_) => count.wrong += 1,
            }
            if show {
                let place = partner.map(|(function, index)| {
                    let function = new.sites.function(function).expect("a function");
                    let site = &function.sites[index as usize];
                    format!("{} {}:{}", function.name, site.line, site.column)
                });
                eprintln!(
                    "{} {file}:{}:{} is {line}, not {}",
                    function.name,
                    site.line,
                    site.column,
                    place.unwrap_or_else(|| "nothing".to_owned())
                );
            }
        }
    }
    count
}

fn main() -> ExitCode {
    let show = std::env::args().any(|word| word == "--show");
    let list = io::read_to_string(io::stdin()).expect("a list");
    let mut seen = HashSet::new();
    let mut met = true;
    println!(
        "| pair | functions | matched | renamed | sites | matched | known | missing | wrong | % (at most {MOST_WRONG}) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for pair in list.lines().filter_map(Pair::parse) {
        if !seen.insert(pair.name.clone()) {
            continue;
        }
        let scratch = tempfile::tempdir().expect("a directory");
        let build = |source| Release::build(&pair, source, scratch.path());
        let (old, new) = match (build(&pair.old), build(&pair.new)) {
            (Ok(old), Ok(new)) => (old, new),
            (Err(error), _) | (_, Err(error)) => {
                println!("{}: {error}", pair.name);
                met = false;
                continue;
            }
        };
        let count = count(&old, &new, show);
        let share = 100.0 * (count.missing + count.wrong) as f64 / count.known.max(1) as f64;
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {share:.2} |",
            pair.name,
            count.functions,
            count.matched,
            count.renamed,
            count.sites,
            count.partners,
            count.known,
            count.missing,
            count.wrong,
        );
        met &= share <= MOST_WRONG && count.known > 0;
    }
    met &= !seen.is_empty();
    println!(
        "\n{}",
        if met {
            "all bars are met"
        } else {
            "a bar is NOT met"
        }
    );
    ExitCode::from(u8::from(!met))
}
