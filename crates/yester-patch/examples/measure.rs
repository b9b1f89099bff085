//! How long it takes to make and render a big space: `cargo run --release -p yester-patch --example measure [GOOD BAD]`.
//! Without directories, 178,000 changed lines in 9,000 hunks over 1,000 files are made up.

use std::path::Path;
use std::time::Instant;

use yester_core::{Space, Subset};
use yester_patch::{ChangeSpace, DeltaLevel, FileKind, FileState, Version, VersionDifference};

fn main() -> Result<(), yester_patch::PatchError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (good, bad) = match arguments.as_slice() {
        [good, bad] => (
            Version::directory(Path::new(good))?,
            Version::directory(Path::new(bad))?,
        ),
        _ => (made_up(false), made_up(true)),
    };
    let start = Instant::now();
    let step = |what: &str| println!("{:>8.3} s  {what}", start.elapsed().as_secs_f64());
    let difference = VersionDifference::between(&good, &bad)?;
    step(&format!(
        "{} changes with {} atoms",
        difference.changes.len(),
        difference.atoms()
    ));
    let space = ChangeSpace::new(difference, DeltaLevel::Hunk, None);
    let count = space.len();
    let weight: u64 = (0..count).map(|delta| space.weight(delta)).sum();
    step(&format!("{count} hunks with {weight} changed lines"));
    space.grouping(|_| 0);
    step("grouped");
    let knowledge = space.knowledge();
    let needed =
        (0..count).filter(|delta| knowledge.closure(&Subset::of(count, [*delta])).len() > 1);
    step(&format!(
        "{} hunks are known to need others",
        needed.count()
    ));
    println!("          {}", memory());
    let start = Instant::now();
    let step = |what: &str| println!("{:>8.3} ms {what}", start.elapsed().as_secs_f64() * 1000.0);
    space.render(&Subset::full(count)).expect("BAD is feasible");
    step("all rendered");
    let half = Subset::of(count, (0..count).step_by(2));
    space.render(&half).expect("nothing is parsed");
    step("every other one rendered");
    for delta in 0..10.min(count) {
        space
            .render(&half.without(&[2 * delta]))
            .expect("nothing is parsed");
    }
    step("ten more with one less each");
    println!("          {}", memory());
    Ok(())
}

fn made_up(is_bad: bool) -> Version {
    Version::of((0..1000).map(|file| {
        let mut text = String::new();
        for line in 0..1000 {
            // Nine hunks a file, each of about ten lines that went and ten that came.
            let changed = line % 110 < 10 && line < 990;
            let version = if changed && is_bad { "new" } else { "old" };
            text.push_str(&format!(
                "    int name_{file}_{line} = {version}_{}({line}, {file});\n",
                line % 7
            ));
        }
        let state = FileState {
            kind: FileKind::File,
            content: text.into_bytes().into(),
        };
        (
            format!("d{}/e{}/file_{file}.c", file % 10, file % 100),
            state,
        )
    }))
}

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap_or_default()
        .to_owned()
}
