//! How runs of a program are contained, those among them that nobody asked for more tightly.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::rc::Rc;

use yester_report::{count, visible_line};
use yester_run::Observation;

use crate::cli::{ProgramArguments, TrialArguments};

/// So many paths that a run was kept from changing are told.
const MOST_TOLD: usize = 3;

/// What the user says about the containment of runs, and what it has kept them from doing. Copies share the latter.
#[derive(Clone, Debug)]
pub struct Confinement {
    /// How many bytes of data a process may hold.
    memory: Option<u64>,
    /// Whether runs with an intervention, or with an input that yester made, may change whatever the user may change.
    allows_writes: bool,
    refused: Rc<RefCell<BTreeSet<String>>>,
}

impl Confinement {
    pub fn new(memory: Option<u64>, allows_writes: bool) -> Confinement {
        Confinement {
            memory,
            allows_writes,
            refused: Rc::default(),
        }
    }

    pub fn of(trial: &TrialArguments, program: &ProgramArguments) -> Confinement {
        Confinement::new(trial.memory, program.allow_writes)
    }

    /// Whether a run is guarded against what its code may do.
    pub fn guards(&self, has_intervention_or_made_input: bool) -> bool {
        has_intervention_or_made_input && !self.allows_writes
    }

    /// How many bytes of data a process of a run may hold. Code that nobody asked for gets a share of the machine at most.
    pub fn memory(&self, is_guarded: bool, jobs: usize) -> Option<u64> {
        let share = || Some(machine_memory()? / 2 / jobs as u64);
        self.memory.or_else(|| is_guarded.then(share).flatten())
    }

    /// Remembers what a run was kept from doing.
    pub fn note(&self, observation: &Observation) {
        let refused = observation.refused.iter().cloned();
        self.refused.borrow_mut().extend(refused);
    }

    /// What a user should know about it.
    pub fn told(&self) -> Option<String> {
        let refused = self.refused.borrow();
        // What belongs to the user says more than what belongs to the system.
        let is_of_system = |path: &&String| {
            let mut system = ["/proc/", "/sys/", "/dev/"].iter();
            system.any(|place| path.starts_with(place))
        };
        let (system, own): (Vec<&String>, Vec<&String>) = refused.iter().partition(is_of_system);
        let told = own.into_iter().chain(system).take(MOST_TOLD);
        let told: Vec<String> = told.map(|path| visible_line(path).into_owned()).collect();
        let more = match refused.len().checked_sub(told.len())? {
            0 => String::new(),
            more => format!(" and {}", count(more as u64, "other path")),
        };
        let told = Some(told.join(", ")).filter(|told| !told.is_empty())?;
        Some(format!(
            "runs that yester made up tried to change {told}{more}, which was refused; --allow-writes would let them"
        ))
    }
}

fn machine_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}
