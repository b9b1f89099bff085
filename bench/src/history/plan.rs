//! Which commits a generated history has, in which order: everyday work, with what makes a history hard to search.

use super::everyday::{self, Everyday, Room};
use super::project::{Defect, Module, Operation, Project, Style};
use super::scenario::{ApiStage, BugAge, CORE, Scenario};
use crate::fuzz::Numbers;

/// What modules and directories are called after a rename.
const SUFFIXES: [&str; 6] = ["book", "desk", "file", "data", "room", "list"];

/// So many commits before the end nothing begins that has to end.
const CALM: usize = 10;

/// One commit. At most one side branch is open at a time, so that its parents follow from the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it says.
    pub subject: String,
    /// What it does to its (first) parent.
    pub operations: Vec<Operation>,
    /// Whether it is on a side branch. The first one begins at the last commit of the main line.
    pub is_on_branch: bool,
    /// Whether it merges the side branch.
    pub is_merge: bool,
}

/// All commits of a repository, a parent before its children.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The first commit.
    pub begin: Project,
    /// The last commit.
    pub last: Project,
    /// The commits; the first one does nothing to `begin`.
    pub steps: Vec<Step>,
    /// The step that brings the bug.
    pub guilty: usize,
    /// The steps that bring the API, in order.
    pub stages: Vec<usize>,
}

impl Plan {
    /// Visits each commit in order: its number, its parents and its project.
    pub fn replay(&self, visit: &mut dyn FnMut(usize, &[usize], &Project)) {
        let mut main = (0, self.begin.clone());
        let mut branch: Option<(usize, Project)> = None;
        visit(0, &[], &main.1);
        for (index, step) in self.steps.iter().enumerate().skip(1) {
            let merged = if step.is_merge {
                branch.take().map(|(tip, _)| tip)
            } else {
                None
            };
            let (tip, project) = if step.is_on_branch {
                branch.get_or_insert_with(|| main.clone())
            } else {
                &mut main
            };
            let parents: Vec<usize> = [*tip].into_iter().chain(merged).collect();
            *tip = index;
            for operation in &step.operations {
                project.apply(operation);
            }
            visit(index, &parents, project);
        }
    }
}

/// What has to happen at some place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Bug,
    Disturbance,
    Stage(ApiStage),
}

/// A side branch that is not merged yet.
struct Branch {
    project: Project,
    /// The modules that only the branch works on until it is merged.
    modules: Vec<String>,
    /// What it did so far; a merge does it again.
    operations: Vec<Operation>,
    /// How many commits are still to come.
    left: usize,
    /// Whether its last commit but one brings the bug.
    has_bug: bool,
}

struct Planner<'a> {
    scenario: &'a Scenario,
    commits: usize,
    numbers: Numbers,
    project: Project,
    steps: Vec<Step>,
    branch: Option<Branch>,
    /// The broken module, and how many commits it stays so.
    broken: Option<(String, usize)>,
    guilty: usize,
    stages: Vec<usize>,
}

/// Plans a history of exactly so many commits.
pub fn plan(scenario: &Scenario, commits: usize, seed: u64) -> Plan {
    let mut numbers = Numbers::new(seed);
    let begin = scenario.begin(&mut numbers);
    let mut planner = Planner {
        scenario,
        commits,
        numbers,
        project: begin.clone(),
        steps: Vec::new(),
        branch: None,
        broken: None,
        guilty: 0,
        stages: Vec::new(),
    };
    planner.commit("Begin", Vec::new());
    // The next one is the last.
    let mut events = planner.schedule();
    events.reverse();
    while planner.steps.len() < commits {
        planner.step(&mut events);
    }
    assert!(
        events.is_empty() && planner.branch.is_none() && planner.broken.is_none(),
        "a history of {commits} commits has room for all"
    );
    Plan {
        begin,
        last: planner.project,
        steps: planner.steps,
        guilty: planner.guilty,
        stages: planner.stages,
    }
}

impl Planner<'_> {
    /// When the bug, the disturbance and the parts of the API come.
    fn schedule(&mut self) -> Vec<(usize, Event)> {
        let share = match self.scenario.age {
            BugAge::Early => 12,
            BugAge::Middle => 42,
            BugAge::Late => 70,
        } + self.numbers.below(10);
        let bug = self.commits * share / 100;
        let after = self.commits - bug;
        let mut events = vec![
            (bug, Event::Bug),
            (
                bug + after * (20 + self.numbers.below(15)) / 100,
                Event::Disturbance,
            ),
        ];
        let stages = &self.scenario.stages;
        for (index, &stage) in stages.iter().enumerate() {
            let share = 40 + (index * 55 + self.numbers.below(50)) / stages.len();
            events.push((bug + after * share / 100, Event::Stage(stage)));
        }
        events
    }

    fn step(&mut self, events: &mut Vec<(usize, Event)>) {
        let left = self.commits - self.steps.len();
        let unfinished = self.branch.as_ref().map_or(0, |branch| branch.left + 1)
            + usize::from(self.broken.is_some());
        let is_urgent = left <= events.len() + unfinished + 1;
        let due = events
            .last()
            .filter(|(place, _)| *place <= self.steps.len() || is_urgent)
            .map(|(_, event)| *event);
        // Nothing of interest happens in a tree that cannot be built, and a rename waits for the side branch.
        if let Some((module, rest)) = self.broken.take() {
            if due.is_some() || is_urgent || rest == 0 {
                self.mend(&module)
            } else {
                self.broken = Some((module, rest - 1));
                self.everyday();
            }
            return;
        }
        match due {
            Some(Event::Bug) if self.scenario.is_on_branch && self.branch.is_some() => {
                self.go_on_with_branch();
            }
            Some(Event::Disturbance) if self.branch.is_some() => self.go_on_with_branch(),
            Some(event) => {
                events.pop();
                self.happen(event);
            }
            None if self.branch.is_some() => {
                if is_urgent || self.numbers.below(3) > 0 {
                    self.go_on_with_branch()
                } else {
                    self.everyday()
                }
            }
            None if left <= CALM => self.everyday(),
            None => match self.numbers.below(100) {
                0..6 => self.begin_branch(false),
                6..10 => self.break_build(),
                10..13 => self.rename(),
                13..15 => self.reformat(),
                15..18 => self.add_module(),
                _ => self.everyday(),
            },
        }
    }

    fn commit(&mut self, subject: &str, operations: Vec<Operation>) {
        self.steps.push(Step {
            subject: subject.to_owned(),
            operations,
            is_on_branch: false,
            is_merge: false,
        });
    }

    /// Applies edits to the main line and commits them.
    fn apply_and_commit(&mut self, subject: &str, operations: Vec<Operation>) {
        for operation in &operations {
            self.project.apply(operation);
        }
        self.commit(subject, operations);
    }

    /// Some everyday edits of the main line, which are applied.
    fn edits(&mut self, number: usize) -> Everyday {
        let reserved = self.branch.as_ref().map(|branch| branch.modules.clone());
        let reserved = reserved.unwrap_or_default();
        let modules: Vec<String> = everyday::modules(&self.project)
            .filter(|key| !reserved.contains(key))
            .collect();
        let room = match self.branch {
            Some(_) => Room::Beside,
            None => Room::Alone,
        };
        everyday::edit(&mut self.project, &modules, number, room, &mut self.numbers)
    }

    fn everyday(&mut self) {
        let number = 1 + self.numbers.below(3);
        let Everyday {
            subject,
            operations,
        } = self.edits(number);
        self.commit(&subject, operations);
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Bug if self.scenario.is_on_branch => self.begin_branch(true),
            Event::Bug => {
                self.guilty = self.steps.len();
                let bug = self.scenario.break_it();
                self.project.apply(&bug);
                let mut operations = self.edits(5).operations;
                operations.insert(2, bug);
                self.commit("Work on prices and on stock", operations);
            }
            Event::Disturbance => {
                let operations = self.scenario.disturb(&mut self.numbers);
                if operations.is_empty() {
                    self.everyday()
                } else {
                    self.apply_and_commit("Put billing in order", operations)
                }
            }
            Event::Stage(stage) => {
                self.stages.push(self.steps.len());
                let mut operations = self.scenario.build(stage, &self.project);
                for operation in &operations {
                    self.project.apply(operation);
                }
                operations.extend(self.edits(2).operations);
                let subject = match stage {
                    ApiStage::Field => "Orders have a region",
                    ApiStage::Parameter => "Taxes depend on the zone",
                    ApiStage::Function => "Invoices have a total",
                    ApiStage::File => "Add statements",
                };
                self.commit(subject, operations);
            }
        }
    }

    fn begin_branch(&mut self, has_bug: bool) {
        let rest: Vec<String> = everyday::modules(&self.project).collect();
        let first = self.numbers.below(rest.len());
        let modules = [0, 1].map(|index| rest[(first + index) % rest.len()].clone());
        self.branch = Some(Branch {
            project: self.project.clone(),
            modules: modules.to_vec(),
            operations: Vec::new(),
            left: 2 + self.numbers.below(3),
            has_bug,
        });
        self.go_on_with_branch();
    }

    /// The next commit of the side branch, or its merge.
    fn go_on_with_branch(&mut self) {
        let Some(mut branch) = self.branch.take() else {
            return;
        };
        if branch.left == 0 {
            for operation in &branch.operations {
                self.project.apply(operation);
            }
            self.steps.push(Step {
                subject: format!("Merge branch '{}'", branch.modules[0]),
                operations: branch.operations,
                is_on_branch: false,
                is_merge: true,
            });
            return;
        }
        branch.left -= 1;
        let is_guilty = branch.has_bug && branch.left == 1;
        let number = if is_guilty {
            4
        } else {
            1 + self.numbers.below(2)
        };
        let Everyday {
            mut subject,
            mut operations,
        } = everyday::edit(
            &mut branch.project,
            &branch.modules,
            number,
            Room::Branch,
            &mut self.numbers,
        );
        if is_guilty {
            self.guilty = self.steps.len();
            subject = "Work on prices and on stock".to_owned();
            let bug = self.scenario.break_it();
            branch.project.apply(&bug);
            operations.insert(2, bug);
        }
        branch.operations.extend(operations.iter().cloned());
        self.steps.push(Step {
            subject,
            operations,
            is_on_branch: true,
            is_merge: false,
        });
        self.branch = Some(branch);
    }

    fn break_build(&mut self) {
        let module = self.numbers.below(self.project.modules.len());
        let module = self.project.modules[module].key.clone();
        let defect = match self.numbers.below(2) {
            0 => Defect::Syntax,
            _ => Defect::Name,
        };
        let defect = Operation::SetDefect(module.clone(), Some(defect));
        self.project.apply(&defect);
        let Everyday {
            subject,
            mut operations,
        } = self.edits(1);
        operations.push(defect);
        self.commit(&subject, operations);
        // Mostly it is seen at once, and sometimes after a while.
        let length = match self.numbers.below(3) {
            0 => 1 + self.numbers.below(4),
            _ => 0,
        };
        self.broken = Some((module, length));
    }

    fn mend(&mut self, module: &str) {
        let operation = Operation::SetDefect(module.to_owned(), None);
        self.apply_and_commit(&format!("Mend {module}"), vec![operation]);
    }

    fn rename(&mut self) {
        let suffix = SUFFIXES[self.numbers.below(SUFFIXES.len())];
        if self.numbers.below(3) == 0 {
            // What the test may name stays where it is but for the scenario's own rename.
            let key = ["goods", "stock", "people"][self.numbers.below(3)];
            let name = other_name(key, self.project.directory(key), suffix);
            let operation = Operation::RenameDirectory(key.to_owned(), name.clone());
            self.apply_and_commit(&format!("Move {key} to {name}"), vec![operation]);
        } else {
            let modules: Vec<&Module> = self
                .project
                .modules
                .iter()
                .filter(|module| module.key != "invoice")
                .collect();
            let module = modules[self.numbers.below(modules.len())];
            let name = other_name(&module.key, &module.name, suffix);
            let subject = format!("Rename {} to {name}", module.name);
            let operation = Operation::RenameModule(module.key.clone(), name);
            self.apply_and_commit(&subject, vec![operation]);
        }
    }

    fn reformat(&mut self) {
        let style = Style {
            indent: [2, 4, 8][self.numbers.below(3)],
            is_airy: self.numbers.below(2) == 0,
        };
        let is_whole = self.numbers.below(2) == 0;
        let modules = self.project.modules.iter().map(|module| module.key.clone());
        let keys = modules
            .filter(|key| is_whole || !CORE.contains(&key.as_str()))
            .collect();
        self.apply_and_commit("Reformat", vec![Operation::Restyle(keys, style)]);
    }

    fn add_module(&mut self) {
        match everyday::new_module(&self.project, self.scenario.language, &mut self.numbers) {
            Some((subject, operations)) => self.apply_and_commit(&subject, operations),
            None => self.everyday(),
        }
    }
}

/// A name that differs from the one of today.
fn other_name(key: &str, name: &str, suffix: &str) -> String {
    let other = format!("{key}_{suffix}");
    if other == name { key.to_owned() } else { other }
}
