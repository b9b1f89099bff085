//! The rows of the tables, and what they add up to.

use std::process::Command;

use yester_bench::history::{GeneratedRepository, RealCase};
use yester_bench::script::succeed;

use crate::bisect::BisectRun;
use crate::options::HistoryTool;
use crate::search::SearchRun;

/// At this size Artho's walk needs at least this many times the trials.
const RATIO_COMMITS: usize = 500;
const RATIO_BAR: f64 = 10.0;

/// The head of the table of real cases.
pub const CASE_HEAD: &str = "\
| case | tool | commits | commit | walk | patches | culprit | answer (at most) | fix (at most) | whole | unresolved | borders | lines | back-port | fix | good | fixed | wall s | CPU s | |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|";

/// The head of the table of generated repositories.
pub const REPOSITORY_HEAD: &str = "\
| repository | bug; API; around it | commit | walk (at most) | patches | culprit | fix | whole | borders | lines | back-port | fix | good | fixed | wall s | plain: commit | trials | × | bisect: tests | left | |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|";

/// The head of the table of checks.
pub const CHECK_HEAD: &str = "\
| repository | bug; API; around it | commits | merges | files | guilty | its parent | |
|---|---|---|---|---|---|---|---|";

/// A row of the table of real cases.
pub struct CaseRow<'a> {
    /// The case.
    pub case: &'a RealCase,
    /// What was run.
    pub tool: HistoryTool,
    /// How it went.
    pub run: &'a SearchRun,
}

impl CaseRow<'_> {
    /// Prints the row.
    pub fn print(&self) {
        let CaseRow { case, tool, run } = self;
        let [walk, patches, culprit, _] = phases(run);
        let answer = answer_trials(run).map_or(String::new(), |trials| trials.to_string());
        let fix = phases(run)[3].clone();
        println!(
            "| {} | {} | {} | {} | {walk} | {patches} | {culprit} | {answer} ({}) | {fix} ({}) | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {:.1} | {} |",
            case.name,
            tool.name(),
            run.commits,
            verdict(run, &case.truth.guilty),
            case.truth.most_trials,
            case.truth.most_fix_trials,
            whole(run),
            run.unresolved,
            run.borders,
            run.lines,
            number(run.backport_lines),
            number(run.fix_lines),
            passes(run.is_good_verified),
            passes(run.is_fix_verified),
            run.usage.wall.as_secs_f64(),
            run.usage.processor.as_secs_f64(),
            run.status,
        );
    }
}

/// A row of the table of generated repositories.
pub struct RepositoryRow<'a> {
    /// The repository.
    pub repository: &'a GeneratedRepository,
    /// How yester went, if it was run.
    pub yester: Option<SearchRun>,
    /// How Artho's walk went.
    pub plain: Option<SearchRun>,
    /// How `git bisect` went.
    pub bisect: Option<BisectRun>,
}

impl RepositoryRow<'_> {
    /// Whether yester names the right commit, if it was run.
    pub fn is_right(&self) -> Option<bool> {
        let guilty = &self.repository.truth.guilty;
        self.yester.as_ref().map(|run| run.names(guilty))
    }

    /// Whether the lines that yester blames are those that brought the bug, and not others of the same commit.
    fn is_culprit_right(&self, run: &SearchRun) -> bool {
        let bug = self.repository.bug();
        let mut added = run
            .culprit_text
            .lines()
            .filter(|line| line.starts_with('+'));
        added.any(|line| line.contains(&bug))
    }

    /// How many trials the walk may take.
    fn most_walk(&self) -> u64 {
        walk_bar(self.repository.name.commits)
    }

    /// How many times the trials of yester Artho's walk takes, if both were run.
    fn ratio(&self) -> Option<f64> {
        let (yester, plain) = (self.yester.as_ref()?, self.plain.as_ref()?);
        Some(plain.whole as f64 / yester.whole.max(1) as f64)
    }

    /// Prints the row.
    pub fn print(&self) {
        let name = self.repository.name;
        let kind = self.repository.scenario.words();
        let guilty = &self.repository.truth.guilty;
        let own = match &self.yester {
            Some(run) => {
                let [walk, patches, culprit, fix] = phases(run);
                format!(
                    "{} | {walk} ({}) | {patches} | {culprit} | {fix} | {} | {} | {} | {} | {} | {} | {} | {:.1}",
                    self.verdict(run),
                    self.most_walk(),
                    whole(run),
                    run.borders,
                    run.lines,
                    number(run.backport_lines),
                    number(run.fix_lines),
                    passes(run.is_good_verified),
                    passes(run.is_fix_verified),
                    run.usage.wall.as_secs_f64(),
                )
            }
            None => " | | | | | | | | | | | | ".to_owned(),
        };
        let plain = match &self.plain {
            Some(run) => {
                let ratio = self.ratio().map_or(String::new(), |ratio| {
                    let more = if run.is_cut { "> " } else { "" };
                    format!("{more}{ratio:.1}")
                });
                format!("{} | {} | {ratio}", self.verdict(run), whole(run))
            }
            None => " | | ".to_owned(),
        };
        let bisect = match &self.bisect {
            Some(run) => {
                let more = if run.is_cut { "> " } else { "" };
                let left = match &run.candidates[..] {
                    [] => String::new(),
                    [commit] if commit == guilty => "right".to_owned(),
                    [_] => "**wrong**".to_owned(),
                    several => format!("any of {}", several.len()),
                };
                format!("{more}{} | {left}", run.tests)
            }
            None => " | ".to_owned(),
        };
        let status = self.yester.as_ref().map_or("", |run| &run.status);
        println!("| {name} | {kind} | {own} | {plain} | {bisect} | {status} |");
    }

    fn verdict(&self, run: &SearchRun) -> &'static str {
        let truth = &self.repository.truth;
        match &truth.merge {
            Some(merge) if run.names(merge) => "**its merge**",
            _ if run.names(&truth.guilty) && !self.is_culprit_right(run) => "**other lines**",
            _ => verdict(run, &truth.guilty),
        }
    }
}

/// Prints the row of a check.
pub fn print_check(
    repository: &GeneratedRepository,
    checked: &Result<(), String>,
) -> Result<(), String> {
    let count = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(repository.repository());
        succeed(command.args(arguments)).map(|lines| lines.lines().count())
    };
    println!(
        "| {} | {} | {} | {} | {} | {:.10} | {:.10} | {} |",
        repository.name,
        repository.scenario.words(),
        count(&["rev-list", "HEAD"])?,
        count(&["rev-list", "--merges", "HEAD"])?,
        count(&["ls-files"])?,
        repository.truth.guilty,
        repository.truth.parent,
        checked
            .as_ref()
            .err()
            .map_or("holds", |_| "**does not hold**"),
    );
    Ok(())
}

/// Three times the binary logarithm of the number of commits.
fn walk_bar(commits: usize) -> u64 {
    (3.0 * (commits as f64).log2()).floor() as u64
}

fn verdict(run: &SearchRun, guilty: &str) -> &'static str {
    match run.culprit {
        None => "**none**",
        Some(_) if run.names(guilty) => "right",
        Some(_) => "**wrong**",
    }
}

fn passes(is_verified: Option<bool>) -> &'static str {
    match is_verified {
        Some(true) => "passes",
        Some(false) => "**does not pass**",
        None => "none",
    }
}

fn number(value: Option<u64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

fn phases(run: &SearchRun) -> [String; 4] {
    match run.trials.filter(|_| !run.is_cut) {
        Some(trials) => trials.map(|trials| trials.to_string()),
        None => Default::default(),
    }
}

/// The trials for everything but the fix, as yester accounts for them.
fn answer_trials(run: &SearchRun) -> Option<u64> {
    run.trials
        .map(|[walk, patches, culprit, _]| walk + patches + culprit)
}

fn whole(run: &SearchRun) -> String {
    if run.is_cut {
        format!("> {}", run.whole)
    } else {
        run.whole.to_string()
    }
}

/// What is added up over all cases and repositories.
#[derive(Default)]
pub struct Total {
    /// How many right commits of how many.
    right: [u64; 2],
    /// How many walks within the bar of how many.
    walks: [u64; 2],
    /// The fixes that were offered and pass, of all searches.
    fixes: [u64; 2],
    /// The trials of yester and of Artho's walk where that has a bar.
    compared: [u64; 2],
    /// Whether one of the latter was cut short.
    is_cut: bool,
    /// What `git bisect` found.
    bisected: [u64; 2],
    /// The bars that are not met.
    pub missed: Vec<String>,
}

impl Total {
    /// Adds yester's row for a real case.
    pub fn add_case(&mut self, row: &CaseRow<'_>) {
        let (name, truth, run) = (&row.case.name, &row.case.truth, row.run);
        self.add_search(name, run.names(&truth.guilty), run);
        let fix = run.trials.map_or(0, |[.., fix]| fix);
        for (what, trials, most) in [
            (
                "the answer",
                answer_trials(run).unwrap_or(run.whole),
                truth.most_trials,
            ),
            ("the fix", fix, truth.most_fix_trials),
        ] {
            if trials > most {
                self.missed.push(format!(
                    "{name}: {trials} trials for {what}, at most {most}"
                ));
            }
        }
    }

    /// Adds a row for a generated repository.
    pub fn add_repository(&mut self, row: &RepositoryRow<'_>) {
        let name = row.repository.name;
        if let Some(run) = &row.yester {
            self.add_search(&name.to_string(), row.is_right() == Some(true), run);
            if row.is_right() == Some(true) && !row.is_culprit_right(run) {
                self.missed.push(format!("{name}: other lines are blamed"));
            }
            self.walks[1] += 1;
            // A walk that did not come to its end is none.
            match run.trials.filter(|_| !run.is_cut) {
                Some([walk, ..]) if walk <= row.most_walk() => self.walks[0] += 1,
                Some([walk, ..]) => self.missed.push(format!(
                    "{name}: {walk} trials for the walk, at most {}",
                    row.most_walk()
                )),
                None => self.missed.push(format!("{name}: {}", run.status)),
            }
        }
        if let (Some(yester), Some(plain)) = (&row.yester, &row.plain)
            && name.commits == RATIO_COMMITS
        {
            self.compared[0] += yester.whole;
            self.compared[1] += plain.whole;
            self.is_cut |= plain.is_cut;
        }
        if let Some(bisect) = &row.bisect {
            self.bisected[1] += 1;
            let guilty = &row.repository.truth.guilty;
            self.bisected[0] += u64::from(bisect.candidates == [guilty.clone()]);
        }
    }

    fn add_search(&mut self, name: &str, is_right: bool, run: &SearchRun) {
        self.right[1] += 1;
        self.right[0] += u64::from(is_right);
        self.fixes[1] += 1;
        self.fixes[0] += u64::from(run.is_fix_verified == Some(true));
        let mut require = |is_met: bool, what: &str| {
            if !is_met {
                self.missed.push(format!("{name}: {what}"));
            }
        };
        require(is_right, "another commit is named, or none");
        require(
            run.is_good_verified != Some(false),
            "the good revision with the back-port patch does not pass",
        );
        require(
            run.is_fix_verified != Some(false),
            "the last revision with the fix does not pass",
        );
    }

    /// Prints the sums, and what is not met.
    pub fn print(&mut self) {
        let of = |[some, all]: [u64; 2]| format!("{some} of {all}");
        if self.right[1] > 0 {
            println!("Right commits: {}.", of(self.right));
            println!("Fixes that pass: {}.", of(self.fixes));
        }
        if self.walks[1] > 0 {
            println!(
                "Walks of at most 3 × log2(commits) trials: {}.",
                of(self.walks)
            );
        }
        let [yester, plain] = self.compared;
        if yester > 0 {
            let ratio = plain as f64 / yester as f64;
            let more = if self.is_cut { "more than " } else { "" };
            println!(
                "At {RATIO_COMMITS} commits Artho's walk takes {more}{ratio:.1} times the trials ({plain} for {yester}), at least {RATIO_BAR} wanted."
            );
            if ratio < RATIO_BAR {
                self.missed
                    .push(format!("{ratio:.1} times fewer trials than Artho's walk"));
            }
        }
        if self.bisected[1] > 0 {
            println!("Right commits of git bisect: {}.", of(self.bisected));
        }
        for missed in &self.missed {
            println!("Not met: {missed}.");
        }
    }
}
