//! The groups of cases that have rows of their own in the tables.

use super::{CaseRow, FaultFamily};
use crate::case::Purpose;

/// Cases that a row adds up.
pub struct CaseGroup<'a, R> {
    /// What the row is called.
    pub name: String,
    /// How its cases went.
    pub runs: Vec<&'a R>,
}

/// The cases by program, kind, family and role, and all of them. No group is empty.
pub fn groups<R>(rows: &[CaseRow<R>]) -> Vec<CaseGroup<'_, R>> {
    let mut groups: Vec<CaseGroup<R>> = Vec::new();
    let mut add = |name: &str, is_meant: &dyn Fn(&CaseRow<R>) -> bool| {
        let meant = rows.iter().filter(|row| is_meant(row));
        let runs: Vec<&R> = meant.map(|row| &row.run).collect();
        if !runs.is_empty() {
            let name = name.to_owned();
            groups.push(CaseGroup { name, runs });
        }
    };
    let mut programs: Vec<&str> = Vec::new();
    let mut kinds: Vec<&str> = Vec::new();
    for row in rows {
        for (names, name) in [
            (&mut programs, row.fault.program.name.as_str()),
            (&mut kinds, row.fault.kind.as_str()),
        ] {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    for program in programs {
        add(program, &|row| row.fault.program.name == program);
    }
    for kind in kinds {
        add(kind, &|row| row.fault.kind == kind);
    }
    for family in FaultFamily::ALL {
        // The exposed cases are a kind as well.
        if family != FaultFamily::Exposed {
            add(family.name(), &|row| row.fault.family == family);
        }
    }
    // The difference of a seeded case is the fault itself; these are where an explanation is worth more than a diff.
    add("refactored or exposed", &|row| {
        row.fault.family != FaultFamily::Seeded
    });
    for role in Purpose::ALL {
        add(role.name(), &|row| row.fault.program.purpose == role);
    }
    add("all", &|_| true);
    groups
}
