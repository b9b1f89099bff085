//! Programs without loops, made of nested branches, and all of their runs: what path generation is tested on without running
//! anything.

use std::collections::BTreeMap;

use yester_path::alignment::{Distance, Run, Statement};
use yester_path::apg::path_generation::PathSpace;
use yester_path::{EventKind, RecordingError, Sites, TraceEvent};

/// A statement of a program, with its line.
#[derive(Clone, Debug)]
pub enum Step {
    Plain(u32),
    If {
        line: u32,
        then: Vec<Step>,
        otherwise: Vec<Step>,
    },
}

/// Which way each branch goes that is met, by its line.
pub type Ways = BTreeMap<u32, bool>;

/// A program, and what its inputs do.
pub struct Program {
    pub steps: Vec<Step>,
    pub sites: Sites,
    /// The lines of the branches, in the order of their sites.
    pub branches: Vec<u32>,
}

impl Program {
    pub fn new(steps: Vec<Step>) -> Program {
        let mut table = Vec::new();
        describe(&steps, &mut Vec::new(), &mut table);
        let mut text = format!(
            "module\t0\tfigure.c\nfunction\tmain\tfigure.c\t1\t{}\n",
            table.len()
        );
        for (line, dependence) in &table {
            text.push_str(&format!("branch\t\t{line}\t1\t{dependence}\n"));
        }
        Program {
            steps,
            sites: Sites::parse(&text).expect("a table"),
            branches: table.iter().map(|(line, _)| *line).collect(),
        }
    }

    /// Figure 2 of the paper.
    pub fn figure_2() -> Program {
        let plain = |line| vec![Step::Plain(line)];
        let branch = |line, then, otherwise| Step::If {
            line,
            then,
            otherwise,
        };
        Program::new(vec![
            branch(1, plain(2), vec![]),
            branch(3, plain(4), vec![]),
            branch(5, vec![branch(6, plain(7), plain(9))], vec![]),
            Step::Plain(10),
        ])
    }

    /// The lines that a run goes through.
    pub fn lines(&self, ways: &Ways) -> Vec<u32> {
        let mut lines = Vec::new();
        walk(&self.steps, ways, &mut |line, _| lines.push(line));
        lines
    }

    /// The run that goes through these lines.
    pub fn through(&self, lines: &[u32]) -> Ways {
        let mut all = self.all_ways().into_iter();
        let found = all.find(|ways| self.lines(ways) == lines);
        found.expect("a run of the program")
    }

    /// A run, as its recording shows it.
    pub fn run(&self, ways: &Ways) -> Run {
        let mut kinds = vec![EventKind::Enter { function: 0 }];
        walk(&self.steps, ways, &mut |line, outcome| {
            if let Some(outcome) = outcome {
                let site = self.branches.iter().position(|branch| *branch == line);
                kinds.push(EventKind::Branch {
                    function: 0,
                    site: site.expect("it has a site") as u32,
                    outcome: outcome.into(),
                });
            }
        });
        let events = kinds.into_iter().enumerate().map(|(index, kind)| {
            Ok::<_, RecordingError>(TraceEvent {
                offset: index as u64,
                depth: 1,
                kind,
            })
        });
        Run::new(&self.sites, events).expect("events without errors")
    }

    /// All runs, each once.
    pub fn all_ways(&self) -> Vec<Ways> {
        all_ways(&self.steps)
    }

    /// The line of an event.
    pub fn line(&self, run: &Run, event: usize) -> u32 {
        match run.events[event].statement() {
            Statement::Branch { site, .. } => self.branches[site as usize],
            Statement::Entry { .. } => 0,
        }
    }

    /// The lines of a distance.
    pub fn distance_lines(&self, run: &Run, distance: &Distance) -> Vec<u32> {
        let events = distance.0.iter();
        events.map(|event| self.line(run, *event)).collect()
    }

    /// The runs that are like this one, but for the branch at a line and what is in it.
    fn turned(&self, ways: &Ways, line: u32) -> Vec<Ways> {
        let Some((then, otherwise)) = find(&self.steps, line) else {
            return Vec::new();
        };
        let (left, entered) = if ways[&line] {
            (then, otherwise)
        } else {
            (otherwise, then)
        };
        let mut rest = ways.clone();
        rest.insert(line, !ways[&line]);
        for gone in lines_of_branches(left) {
            rest.remove(&gone);
        }
        let inner = all_ways(entered);
        let runs = inner.into_iter().map(|inner| {
            let mut run = rest.clone();
            run.extend(inner);
            run
        });
        runs.collect()
    }
}

fn describe(steps: &[Step], inside: &mut Vec<(usize, u32)>, table: &mut Vec<(u32, String)>) {
    for step in steps {
        let Step::If {
            line,
            then,
            otherwise,
        } = step
        else {
            continue;
        };
        let site = table.len();
        let dependence = inside.last();
        let dependence = dependence.map(|(site, outcome)| format!("{site}:{outcome}"));
        table.push((*line, dependence.unwrap_or_default()));
        for (outcome, part) in [(1, then), (0, otherwise)] {
            inside.push((site, outcome));
            describe(part, inside, table);
            inside.pop();
        }
    }
}

fn walk(steps: &[Step], ways: &Ways, visit: &mut impl FnMut(u32, Option<bool>)) {
    for step in steps {
        match step {
            Step::Plain(line) => visit(*line, None),
            Step::If {
                line,
                then,
                otherwise,
            } => {
                let way = ways[line];
                visit(*line, Some(way));
                walk(if way { then } else { otherwise }, ways, visit);
            }
        }
    }
}

/// Each way through these steps.
fn all_ways(steps: &[Step]) -> Vec<Ways> {
    let mut found = vec![Ways::new()];
    for step in steps {
        let Step::If {
            line,
            then,
            otherwise,
        } = step
        else {
            continue;
        };
        let mut longer = Vec::new();
        for ways in &found {
            for (outcome, part) in [(true, then), (false, otherwise)] {
                for inner in all_ways(part) {
                    let mut all = ways.clone();
                    all.insert(*line, outcome);
                    all.extend(inner);
                    longer.push(all);
                }
            }
        }
        found = longer;
    }
    found
}

fn find(steps: &[Step], wanted: u32) -> Option<(&[Step], &[Step])> {
    steps.iter().find_map(|step| match step {
        Step::Plain(_) => None,
        Step::If {
            line,
            then,
            otherwise,
        } if *line == wanted => Some((then.as_slice(), otherwise.as_slice())),
        Step::If {
            then, otherwise, ..
        } => find(then, wanted).or_else(|| find(otherwise, wanted)),
    })
}

fn lines_of_branches(steps: &[Step]) -> Vec<u32> {
    let mut lines = Vec::new();
    for step in steps {
        if let Step::If {
            line,
            then,
            otherwise,
        } = step
        {
            lines.push(*line);
            lines.extend(lines_of_branches(then));
            lines.extend(lines_of_branches(otherwise));
        }
    }
    lines
}

/// The space of a program's runs. It remembers which runs were asked for, in order.
pub struct ProgramSpace<'a, F> {
    pub program: &'a Program,
    pub failing: &'a Run,
    /// Whether no input takes a path from this line on.
    pub is_infeasible_from: fn(&Ways, u32) -> bool,
    pub is_success: F,
    pub tried: Vec<Ways>,
}

impl<F: FnMut(&Ways) -> bool> PathSpace for ProgramSpace<'_, F> {
    type Path = Ways;
    type Stop = std::convert::Infallible;

    fn alternatives(&mut self, path: &Ways, branch: usize) -> Result<Vec<Ways>, Self::Stop> {
        let line = self.program.line(self.failing, branch);
        Ok(self.program.turned(path, line))
    }

    fn is_infeasible_from(&mut self, path: &Ways, branch: usize) -> Result<bool, Self::Stop> {
        let line = self.program.line(self.failing, branch);
        Ok((self.is_infeasible_from)(path, line))
    }

    fn is_success(&mut self, path: &Ways) -> Result<bool, Self::Stop> {
        self.tried.push(path.clone());
        Ok((self.is_success)(path))
    }
}

/// The places of all branches of a run.
pub fn all_branches(run: &Run) -> Vec<usize> {
    let events = run.events.iter().enumerate();
    events
        .filter(|(_, event)| matches!(event.statement(), Statement::Branch { .. }))
        .map(|(index, _)| index)
        .collect()
}
