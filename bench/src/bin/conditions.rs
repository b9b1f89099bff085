//! What path conditions cost: the whole condition of two small programs, and what a symbolic build costs a program whose
//! input is not symbolic, against the same program, native and without optimisation.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use yester_bench::{median, yester};
use yester_path::{ExpressionText, PathCondition, Recording};

const ROUNDS: usize = 21;
const WORK_ROUNDS: usize = 5;
/// Of native -O0.
const MOST_RATIO: f64 = 10.0;

/// A program whose whole condition is wanted.
struct ConditionCase {
    name: &'static str,
    arguments: &'static [&'static str],
    stdin: &'static str,
    most_milliseconds: f64,
}

const CASES: &[ConditionCase] = &[
    ConditionCase {
        name: "avoidance",
        arguments: &[
            "958", "1", "1", "2597", "574", "4253", "0", "399", "400", "0", "0", "1",
        ],
        stdin: "",
        most_milliseconds: 20.0,
    },
    ConditionCase {
        name: "substitute",
        arguments: &[],
        stdin: "[a-m]x*[^d-o]?\n<&>\nabxxq bxz cabxxd axq the end\nbxyz",
        most_milliseconds: 60.0,
    },
];

fn main() -> ExitCode {
    let scratch = tempfile::tempdir().expect("a directory");
    let mut met = true;
    println!("| program | constraints | nodes | processor ms | at most ms | read and shown ms |");
    println!("|---|---|---|---|---|---|");
    for case in CASES {
        met &= condition(case, scratch.path());
    }
    println!(
        "\n| program | native -O0 s | symbolic build × | recording × (at most {MOST_RATIO}) |"
    );
    println!("|---|---|---|---|");
    met &= work(scratch.path());
    println!(
        "\n{}",
        if met {
            "all bars are met"
        } else {
            "a bar is NOT met"
        }
    );
    if met {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn build(name: &str, scratch: &Path, compiler: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("cases/paths/{name}.c"));
    let program = scratch.join(format!(
        "{name}.{}",
        compiler.file_name().expect("a name").to_string_lossy()
    ));
    let status = Command::new(compiler)
        .args(["-O0", "-o"])
        .args([&program, &source])
        .status()
        .expect("the compiler starts");
    assert!(status.success(), "{name} does not compile");
    program
}

fn instrumenting() -> PathBuf {
    yester().with_file_name("yester-cc")
}

fn condition(case: &ConditionCase, scratch: &Path) -> bool {
    let program = build(case.name, scratch, &instrumenting());
    let input = scratch.join("input");
    fs::write(&input, case.stdin).expect("room");
    let record = scratch.join("record");
    let sources = if case.arguments.is_empty() {
        "stdin".to_owned()
    } else {
        let numbers = 1..=case.arguments.len();
        let sources: Vec<String> = numbers.map(|number| format!("arg:{number}")).collect();
        sources.join("\n")
    };
    let (mut runs, mut reads) = (Vec::new(), Vec::new());
    let (mut constraints, mut nodes) = (0, 0);
    for _ in 0..ROUNDS {
        let _ = fs::remove_dir_all(&record);
        let mut command = Command::new(&program);
        command
            .args(case.arguments)
            .env("YESTER_RECORD", &record)
            .env("YESTER_SYMBOLIC", &sources)
            .stdin(File::open(&input).expect("just written"));
        runs.push(seconds(&mut command) * 1e3);
        let started = Instant::now();
        let recording = Recording::open(&record.join("0")).expect("a recording");
        let text = ExpressionText::new(&recording.graph, &recording.input, &recording.sources);
        let shown: usize = recording
            .constraints
            .iter()
            .map(|constraint| text.condition(constraint.node, true).len())
            .sum();
        reads.push(started.elapsed().as_secs_f64() * 1e3);
        assert!(shown > 0);
        let condition = PathCondition::new(&recording.graph, &recording.constraints);
        assert_eq!(condition.violated(&recording.values()), None, "unsound");
        assert!(recording.lost.is_empty(), "{:?}", recording.lost);
        (constraints, nodes) = (recording.constraints.len(), recording.graph.len());
    }
    let (run, read) = (median(runs), median(reads));
    let (name, most) = (case.name, case.most_milliseconds);
    println!("| {name} | {constraints} | {nodes} | {run:.1} | {most:.0} | {read:.1} |");
    run <= most
}

fn work(scratch: &Path) -> bool {
    let native = build("work", scratch, Path::new("clang-19"));
    let symbolic = build("work", scratch, &instrumenting());
    let record = scratch.join("record");
    let mut times: [Vec<f64>; 3] = Default::default();
    for _ in 0..WORK_ROUNDS {
        let _ = fs::remove_dir_all(&record);
        times[0].push(seconds(Command::new(&native).stdin(Stdio::null())));
        times[1].push(seconds(Command::new(&symbolic).stdin(Stdio::null())));
        times[2].push(seconds(
            Command::new(&symbolic)
                .env("YESTER_RECORD", &record)
                .env("YESTER_SYMBOLIC", "stdin")
                .stdin(Stdio::null()),
        ));
    }
    let [native, quiet, recording] = times.map(median);
    let (quiet, recording) = (quiet / native, recording / native);
    println!("| work | {native:.2} | {quiet:.2} | {recording:.2} |");
    recording <= MOST_RATIO
}

/// The processor time that a command takes.
fn seconds(command: &mut Command) -> f64 {
    // `wait` does not tell what a process has used; `wait4` below does.
    #[allow(clippy::zombie_processes)]
    let child = command
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    // SAFETY: the child is ours, nobody else waits for it, and the kernel fills in both.
    let usage = unsafe {
        let mut status = 0;
        let mut usage = std::mem::zeroed();
        libc::wait4(child.id() as i32, &mut status, 0, &mut usage);
        assert_eq!(status, 0, "the program fails");
        usage
    };
    [usage.ru_utime, usage.ru_stime]
        .iter()
        .map(|time| time.tv_sec as f64 + time.tv_usec as f64 / 1e6)
        .sum()
}
