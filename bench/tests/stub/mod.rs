//! A program in the place of yester, for the benchmarks on seeded faults.

#[path = "../../../tests/executable.rs"]
mod executable;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use yester_bench::seeded::{Fault, FaultFamily, programs};

/// A fault in one line of both versions.
pub fn fault() -> Fault {
    let mut faults = programs()
        .expect("programs")
        .into_iter()
        .flat_map(|program| {
            let faults = program.faults().expect("faults");
            faults
                .into_iter()
                .filter(|fault| fault.family == FaultFamily::Seeded)
        });
    let is_simple = |fault: &Fault| fault.kind == "operator" && fault.program.name == "cells";
    faults.find(is_simple).expect("a fault")
}

pub struct Stub {
    directory: TempDir,
}

impl Stub {
    pub fn new(script: &str) -> Stub {
        let stub = Stub {
            directory: tempfile::tempdir().expect("a directory"),
        };
        executable::write(&stub.program(), format!("#!/bin/sh\n{script}\n"));
        stub
    }

    fn program(&self) -> PathBuf {
        self.directory.path().join("yester")
    }

    /// Runs a benchmark with it on [`fault`].
    pub fn run(&self, benchmark: impl AsRef<Path>, arguments: &[&str]) -> Output {
        Command::new(benchmark.as_ref())
            .arg("--yester")
            .arg(self.program())
            .args(["--only", &fault().name()])
            .args(arguments)
            .output()
            .expect("the benchmark starts")
    }
}

pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
