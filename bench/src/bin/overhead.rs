//! What a trial costs beyond the command that it runs.
//!
//! Each round times the bare command (posix_spawn and wait, nothing else), then yester at one and at two jobs, on the
//! same command and file. Rounds are interleaved and medians compared, since the machine is noisy.

use std::ffi::CString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use yester_bench::{median, yester};

const ROUNDS: usize = 7;
const BARE_RUNS: usize = 1000;
const TRIALS: usize = 1500;

fn main() -> ExitCode {
    let directory = tempfile::tempdir().expect("a directory");
    let input = directory.path().join("in.txt");
    let copy = directory.path().join("copy");
    let text: String = (0..1000).map(|number| format!("{number}\n")).collect();
    fs::write(&input, &text).expect("room");
    fs::write(&copy, &text).expect("room");
    let script = directory.path().join("test.sh");
    fs::write(&script, "#!/bin/sh\nexec cmp -s \"$1\" \"$2\"\n").expect("room");
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("a mode");

    let copy = copy.to_str().expect("a plain path");
    println!(
        "| command | bare µs | 1 job µs | ratio (at most 1.5) | 2 jobs µs | speed-up (at least 1.7) |"
    );
    println!("|---|---|---|---|---|---|");
    let mut met = true;
    for (name, words) in [
        ("cmp -s", vec!["/usr/bin/cmp", "-s", "{}", copy]),
        (
            "sh script",
            vec![script.to_str().expect("a plain path"), "{}", copy],
        ),
    ] {
        let mut times: [Vec<f64>; 3] = Default::default();
        for _ in 0..ROUNDS {
            times[0].push(bare(&words, &input));
            times[1].push(trial(directory.path(), 1, &words));
            times[2].push(trial(directory.path(), 2, &words));
        }
        let [bare, one, two] = times.map(median);
        let (ratio, speedup) = (one / bare, one / two);
        println!("| {name} | {bare:.0} | {one:.0} | {ratio:.2} | {two:.0} | {speedup:.2} |");
        met &= ratio <= 1.5 && speedup >= 1.7;
    }
    println!(
        "\n{}",
        if met {
            "both bars are met"
        } else {
            "a bar is NOT met"
        }
    );
    ExitCode::from(u8::from(!met))
}

/// Microseconds for one bare run of the command.
fn bare(words: &[&str], input: &Path) -> f64 {
    let input = input.to_str().expect("a plain path");
    let words: Vec<CString> = words
        .iter()
        .map(|word| CString::new(if *word == "{}" { input } else { word }).expect("no zero in it"))
        .collect();
    let mut pointers: Vec<*mut libc::c_char> =
        words.iter().map(|word| word.as_ptr().cast_mut()).collect();
    pointers.push(std::ptr::null_mut());
    unsafe extern "C" {
        static environ: *const *mut libc::c_char;
    }
    let start = Instant::now();
    for _ in 0..BARE_RUNS {
        let (mut pid, mut status) = (0, 0);
        // SAFETY: the strings and the array of them outlive the call, and the array ends with a null pointer.
        let result = unsafe {
            libc::posix_spawn(
                &mut pid,
                words[0].as_ptr(),
                std::ptr::null(),
                std::ptr::null(),
                pointers.as_ptr(),
                environ,
            )
        };
        assert_eq!(result, 0, "the command starts");
        // SAFETY: the status is a live local.
        assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
    }
    start.elapsed().as_secs_f64() * 1e6 / BARE_RUNS as f64
}

/// Microseconds for one trial of the command through yester. Only the whole input is interesting, so that every trial
/// of the search is asked for and none is a success.
fn trial(directory: &Path, jobs: usize, words: &[&str]) -> f64 {
    let output = Command::new(yester())
        .args([
            "reduce",
            "in.txt",
            "--fresh",
            "--quiet",
            "--json",
            "--interesting",
        ])
        .args([
            "--max-trials",
            &TRIALS.to_string(),
            "--jobs",
            &jobs.to_string(),
            "--",
        ])
        .args(words)
        .current_dir(directory)
        .stderr(Stdio::null())
        .output()
        .expect("yester starts");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let run = report["trials"]["run"].as_f64().expect("a number");
    assert!(run >= TRIALS as f64 * 0.99, "{report}");
    report["seconds"].as_f64().expect("a number") * 1e6 / TRIALS as f64
}
