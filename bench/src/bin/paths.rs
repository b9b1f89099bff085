//! What recording the way of a program costs: processor time against the same program, native and without optimisation.
//!
//! The sources are in the directory that is given; `bench/paths` has fetched them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use yester_bench::{median, process_tree};

const ROUNDS: usize = 5;
const LIMIT: Duration = Duration::from_secs(600);
/// Of native -O0.
const MOST_TRACE: f64 = 3.0;
/// For 14 million branches.
const MOST_MEGABYTES: f64 = 64.0;

/// A program and what it does.
struct PathCase {
    name: &'static str,
    directory: &'static str,
    sources: &'static [&'static str],
    flags: &'static [&'static str],
    words: &'static [&'static str],
    /// A file of the scratch directory.
    input: &'static str,
}

const BZIP2: &[&str] = &[
    "blocksort.c",
    "huffman.c",
    "crctable.c",
    "randtable.c",
    "compress.c",
    "decompress.c",
    "bzlib.c",
    "bzip2.c",
];

const CASES: &[PathCase] = &[
    PathCase {
        name: "bzip2, compressing",
        directory: "bzip2",
        sources: BZIP2,
        flags: &[],
        words: &["-c"],
        input: "text",
    },
    PathCase {
        name: "bzip2, decompressing",
        directory: "bzip2",
        sources: BZIP2,
        flags: &[],
        words: &["-dc"],
        input: "text.bz2",
    },
    PathCase {
        name: "zlib's minigzip",
        directory: "zlib",
        sources: &["*.c", "test/minigzip.c"],
        flags: &["-I.", "-DHAVE_UNISTD_H"],
        words: &[],
        input: "text",
    },
    PathCase {
        name: "lua, a script",
        directory: "lua",
        sources: &["src/*.c"],
        flags: &["-DLUA_USE_LINUX", "-DLUA_COMPAT_5_3"],
        words: &["-"],
        input: "script.lua",
    },
    PathCase {
        name: "14 million branches",
        directory: ".",
        sources: &["branches.c"],
        flags: &[],
        words: &[],
        input: "text",
    },
];

const SCRIPT: &str = "
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(27))
local t = {} for i = 1, 200000 do t[i] = (i * 7919) % 100003 end table.sort(t)
local s = 0 for i = 1, #t do s = s + t[i] % 7 end print(s)
local parts = {} for i = 1, 50000 do parts[#parts + 1] = ('x%dy'):format(i) end
print(#table.concat(parts):gsub('x(%d)', '%1'))
";

/// 7 million turns with a branch that nobody can foresee.
const BRANCHES: &str = "
int main(void) {
  unsigned seed = 1, count = 0;
  for (int i = 0; i < 7000000; i++) {
    seed = seed * 1664525u + 1013904223u;
    if (seed >> 31) count += seed & 15;
  }
  return count == 0;
}
";

fn main() -> ExitCode {
    let sources = PathBuf::from(
        std::env::args_os()
            .nth(1)
            .expect("the directory of sources"),
    );
    let scratch = tempfile::tempdir().expect("a directory");
    fs::write(scratch.path().join("script.lua"), SCRIPT).expect("room");
    fs::write(sources.join("branches.c"), BRANCHES).expect("room");
    fs::write(scratch.path().join("text"), text()).expect("room");

    println!(
        "| program | native -O0 s | not recording × | recording × (at most {MOST_TRACE}) | on disk MB |"
    );
    println!("|---|---|---|---|---|");
    let mut met = true;
    for case in CASES {
        let native = build(case, &sources, scratch.path(), Path::new("clang-19"));
        let traced = build(
            case,
            &sources,
            scratch.path(),
            &yester_bench::yester().with_file_name("yester-cc"),
        );
        if case.name == "bzip2, compressing" {
            let output = fs::File::create(scratch.path().join("text.bz2")).expect("room");
            let mut command = Command::new(&native);
            command
                .arg("-zkc")
                .arg(scratch.path().join("text"))
                .stdout(output);
            assert!(command.status().expect("it starts").success());
        }
        let mut times: [Vec<f64>; 3] = Default::default();
        let mut disk = 0.0;
        let mut outputs = Vec::new();
        for _ in 0..ROUNDS {
            let record = scratch.path().join("record");
            outputs.push(run(case, &native, scratch.path(), None, &mut times[0]));
            outputs.push(run(case, &traced, scratch.path(), None, &mut times[1]));
            outputs.push(run(
                case,
                &traced,
                scratch.path(),
                Some(&record),
                &mut times[2],
            ));
            disk = megabytes(&record.join("0"));
            fs::remove_dir_all(record).expect("it has recorded");
        }
        assert!(
            outputs.iter().all(|output| *output == outputs[0]),
            "{} prints something else",
            case.name
        );
        let [native, quiet, recording] = times.map(median);
        let (name, quiet, recording) = (case.name, quiet / native, recording / native);
        println!("| {name} | {native:.2} | {quiet:.2} | {recording:.2} | {disk:.1} |");
        met &= recording <= MOST_TRACE && (case.directory != "." || disk < MOST_MEGABYTES);
    }
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

/// Words that come again, with numbers that do not.
fn text() -> String {
    let mut text = String::new();
    let mut seed = 7_u32;
    while text.len() < 6_000_000 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let words = [
            "yesterday ",
            "it ",
            "worked, ",
            "today ",
            "it ",
            "does ",
            "not. ",
            "why?\n",
        ];
        text.push_str(words[seed as usize >> 29]);
        if seed & 0xF00 == 0 {
            text.push_str(&(seed >> 8).to_string());
        }
    }
    text
}

fn build(case: &PathCase, sources: &Path, scratch: &Path, compiler: &Path) -> PathBuf {
    let name = compiler
        .file_name()
        .expect("a compiler has a name")
        .to_string_lossy()
        .into_owned();
    let program = scratch.join(format!(
        "{}.{name}",
        case.name.replace([' ', ',', '\''], "-")
    ));
    let files = case.sources.join(" ");
    // Of Lua's two programs one is wanted.
    let skip = "for f in $files; do case $f in */luac.c) ;; *) set -- \"$@\" \"$f\" ;; esac; done";
    let script = format!("files=$(echo {files}); {skip}; exec \"$@\" -lm -ldl");
    let status = Command::new("sh")
        .args(["-c", &script, "sh"])
        .arg(compiler)
        .args(["-O0", "-w", "-o"])
        .arg(&program)
        .args(case.flags)
        .env("YESTER_CC_MODE", "trace")
        .current_dir(sources.join(case.directory))
        .status()
        .expect("a shell");
    assert!(status.success(), "{} does not compile", case.name);
    program
}

fn run(
    case: &PathCase,
    program: &Path,
    scratch: &Path,
    record: Option<&Path>,
    times: &mut Vec<f64>,
) -> Vec<u8> {
    let output = scratch.join("output");
    let mut command = Command::new(program);
    command
        .args(case.words)
        .stdin(fs::File::open(scratch.join(case.input)).expect("the input"))
        .stdout(fs::File::create(&output).expect("room"))
        .stderr(Stdio::inherit());
    if let Some(record) = record {
        command
            .env("YESTER_RECORD", record)
            .env("YESTER_RECORD_LIMIT", "100000000000");
    }
    let usage = process_tree::run(&mut command, LIMIT).expect("it starts");
    assert_eq!(usage.code, Some(0), "{}", case.name);
    times.push(usage.processor.as_secs_f64());
    fs::read(output).expect("the output")
}

/// What a recording really takes.
fn megabytes(directory: &Path) -> f64 {
    let blocks: u64 = fs::read_dir(directory)
        .expect("a recording")
        .flatten()
        .filter_map(|entry| entry.metadata().ok())
        .map(|metadata| metadata.blocks())
        .sum();
    blocks as f64 * 512.0 / 1e6
}
