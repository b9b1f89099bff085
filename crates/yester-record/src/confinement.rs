//! How runs of a program are contained, those among them that nobody asked for more tightly.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::rc::Rc;

use yester_run::Observation;

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
    /// `memory` is how many bytes of data a process may hold; `allows_writes` is for those who take the risk.
    pub fn new(memory: Option<u64>, allows_writes: bool) -> Confinement {
        Confinement {
            memory,
            allows_writes,
            refused: Rc::default(),
        }
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

    /// The paths that runs were kept from changing. What belongs to the user says more than what belongs to the system, which comes last.
    pub fn refused(&self) -> Vec<String> {
        let refused = self.refused.borrow();
        let is_of_system = |path: &&String| {
            let mut system = ["/proc/", "/sys/", "/dev/"].iter();
            system.any(|place| path.starts_with(place))
        };
        let (system, own): (Vec<&String>, Vec<&String>) = refused.iter().partition(is_of_system);
        own.into_iter().chain(system).cloned().collect()
    }
}

fn machine_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runs_that_nobody_asked_for_are_guarded_unless_they_may_write() {
        let careful = Confinement::new(None, false);
        assert_eq!(
            [false, true].map(|made| careful.guards(made)),
            [false, true]
        );
        let bold = Confinement::new(None, true);
        assert_eq!([false, true].map(|made| bold.guards(made)), [false, false]);
    }

    #[test]
    fn a_guarded_run_has_a_share_of_the_memory_and_the_limit_of_the_user_goes_first() {
        let free = Confinement::new(None, false);
        assert_eq!(free.memory(false, 2), None);
        let (one, four) = (free.memory(true, 1), free.memory(true, 4));
        assert!(one.is_some_and(|one| four.is_some_and(|four| four <= one / 4)));
        assert_eq!(Confinement::new(Some(7), false).memory(true, 2), Some(7));
    }

    #[test]
    fn refused_paths_of_the_system_come_last() {
        let confinement = Confinement::new(None, false);
        let paths = ["/dev/null", "/home/a", "/proc/1", "/etc/b"];
        let paths = paths.map(str::to_owned);
        confinement.refused.borrow_mut().extend(paths);
        let refused = confinement.refused();
        assert_eq!(refused, ["/etc/b", "/home/a", "/dev/null", "/proc/1"]);
    }
}
