//! Rules of the house that a compiler does not know.

mod dependency;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the workspace")
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory").flatten() {
        let path = entry.path();
        // Samples are inputs, not sources.
        if path.is_dir() && entry.file_name() != "target" && entry.file_name() != "samples" {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn siblings_do_not_know_each_other() {
    let mut checked = 0;
    for entry in fs::read_dir(root().join("crates"))
        .expect("crates")
        .flatten()
    {
        let manifest: toml::Table = fs::read_to_string(entry.path().join("Cargo.toml"))
            .expect("a manifest")
            .parse()
            .expect("TOML");
        let name = manifest["package"]["name"]
            .as_str()
            .expect("a name")
            .to_owned();
        let allowed: &[&str] = match name.as_str() {
            "yester" => continue,
            "yester-core" | "yester-pathrt" => &[],
            // The format of recordings is what those who write and those who read them share.
            "yester-path" => &["yester-core", "yester-pathrt"],
            // They know a language better than its table tells: they speak of trees, edits and the engine's ideas.
            "yester-cfamily" | "yester-yacc" => &["yester-core", "yester-tree"],
            // The consumers of the stream of events: they show what happens in the words of reports.
            "yester-screen" => &["yester-core", "yester-report", "yester-run"],
            // The values of flags are of their types.
            "yester-cli" => &[
                "yester-patch",
                "yester-path",
                "yester-report",
                "yester-run",
                "yester-screen",
                "yester-tree",
            ],
            // It builds versions, runs what was built, and reads what that leaves.
            "yester-record" => &["yester-core", "yester-patch", "yester-path", "yester-run"],
            // What instrumented programs record is tested by reading it.
            "yester-cc" => &["yester-core", "yester-pathrt", "yester-path"],
            _ => &["yester-core"],
        };
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(dependencies) = manifest.get(kind).and_then(toml::Value::as_table) else {
                continue;
            };
            for dependency in dependencies
                .keys()
                .filter(|dependency| dependency.starts_with("yester"))
            {
                assert!(
                    allowed.contains(&dependency.as_str()),
                    "{name} must not depend on {dependency}"
                );
            }
        }
        checked += 1;
    }
    assert!(checked >= 4, "only {checked} crates were found");
}

#[test]
fn the_search_has_no_input_output_threads_or_clock() {
    let mut files = Vec::new();
    sources(&root().join("crates/yester-core/src"), &mut files);
    assert!(files.len() > 10);
    for file in files {
        let text = fs::read_to_string(&file).expect("a source");
        for word in [
            "std::fs",
            "std::io",
            "std::thread",
            "std::time",
            "std::process",
            "std::net",
            "std::env",
        ] {
            assert!(!text.contains(word), "{} uses {word}", file.display());
        }
    }
}

#[test]
fn files_are_rooms_and_not_halls() {
    let mut files = Vec::new();
    for directory in ["crates", "tests", "bench"] {
        sources(&root().join(directory), &mut files);
    }
    assert!(files.len() > 30);
    for file in files {
        let lines = fs::read_to_string(&file).expect("a source").lines().count();
        let most = if file.ends_with("crates/yester/src/main.rs") {
            25
        } else {
            600
        };
        assert!(lines <= most, "{} has {lines} lines", file.display());
    }
}

#[test]
fn git_is_started_in_one_place() {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("crates"))
        .expect("crates")
        .flatten()
    {
        let directory = entry.path().join("src");
        if directory.is_dir() {
            sources(&directory, &mut files);
        }
    }
    files.retain(|file| {
        let text = fs::read_to_string(file).expect("a source");
        text.contains("Command::new(\"git\")")
    });
    let only = root().join("crates/yester-patch/src/git.rs");
    assert_eq!(files, [only]);
}

#[test]
fn instrumented_programs_and_solvers_are_started_in_few_places() {
    let with = |directory: &str, word: &str| {
        let mut files = Vec::new();
        sources(&root().join(directory), &mut files);
        files.retain(|file| {
            let text = fs::read_to_string(file).expect("a source");
            let tests = text.find("#[cfg(test)]").unwrap_or(text.len());
            text[..tests].contains(word)
        });
        files
    };
    // One for any input, and one for interventions on the user's.
    let records = ["intervener.rs", "recorder.rs"]
        .map(|name| root().join("crates/yester-record/src").join(name));
    let mut found = with("crates", "YESTER_RECORD\"");
    // Tests set it too, and the runtime reads it.
    found.retain(|file| file.to_string_lossy().contains("/src/"));
    found.retain(|file| !file.starts_with(root().join("crates/yester-pathrt")));
    found.sort();
    assert_eq!(found, records);
    let solver = root().join("crates/yester-path/src/solver/process.rs");
    assert_eq!(with("crates/yester-path/src", "Command::new("), [solver]);
}

#[test]
fn one_loop_starts_runs_and_waits_for_them() {
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    files.retain(|file| file.to_string_lossy().contains("/src/"));
    files.retain(|file| {
        let text = fs::read_to_string(file).expect("a source");
        let text: String = text.split_whitespace().collect();
        text.contains("executor.start(") || text.contains("executor.wait(")
    });
    assert_eq!(files, [root().join("crates/yester-run/src/session.rs")]);
}

/// How many lines of the sources below a directory are not tests.
fn production_lines(directory: &Path) -> usize {
    let mut files = Vec::new();
    sources(directory, &mut files);
    let lines = files.iter().map(|file| {
        let text = fs::read_to_string(file).expect("a source");
        let tests = text.find("#[cfg(test)]").unwrap_or(text.len());
        text[..tests].lines().count()
    });
    lines.sum()
}

#[test]
fn the_directories_of_commands_are_short() {
    // Algorithms belong into the libraries.
    for command in [
        "changes", "explain", "flip", "history", "reduce", "trace", "why",
    ] {
        let lines = production_lines(&root().join("crates/yester/src").join(command));
        assert!(lines > 0, "{command} is somewhere else");
        assert!(lines <= 1500, "{command} has {lines} lines");
    }
}

#[test]
fn the_program_is_no_attic() {
    // What can be said without flags and hints belongs into a library.
    let lines = production_lines(&root().join("crates/yester/src"));
    assert!(lines <= 16_000, "the program has {lines} lines");
}

#[test]
fn few_files_go_behind_the_compilers_back() {
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    let mut unsafe_files: Vec<PathBuf> = files
        .into_iter()
        .filter(|file| {
            fs::read_to_string(file)
                .expect("a source")
                .contains("unsafe {")
        })
        .map(|file| {
            file.strip_prefix(root())
                .expect("below the root")
                .to_owned()
        })
        // The runtime of instrumented programs lives below what a compiler can check.
        .filter(|file| !file.starts_with("crates/yester-pathrt"))
        .collect();
    unsafe_files.sort();
    assert_eq!(
        unsafe_files,
        [
            Path::new("crates/yester-cc/src/block.rs"),
            Path::new("crates/yester-cc/src/emitter/control.rs"),
            Path::new("crates/yester-cc/src/emitter.rs"),
            Path::new("crates/yester-cc/src/ir.rs"),
            Path::new("crates/yester-cc/src/llvm.rs"),
            Path::new("crates/yester-cc/src/metadata.rs"),
            Path::new("crates/yester-cc/src/module.rs"),
            Path::new("crates/yester-cc/src/variable.rs"),
            Path::new("crates/yester-path/src/address.rs"),
            Path::new("crates/yester-path/src/solver/process.rs"),
            Path::new("crates/yester-run/src/system/landlock.rs"),
            Path::new("crates/yester-run/src/system/mod.rs"),
            Path::new("crates/yester-run/src/system/mount.rs"),
            Path::new("crates/yester-run/src/system/privilege.rs"),
            Path::new("crates/yester-run/src/system/spawn.rs"),
            Path::new("crates/yester-run/src/system/write_watch.rs"),
            Path::new("crates/yester-tree/src/language/guard.rs"),
        ]
    );
}

#[test]
fn what_leaves_for_a_terminal_is_made_visible_first() {
    let mut files = Vec::new();
    for crate_name in ["yester", "yester-cli", "yester-report", "yester-screen"] {
        sources(
            &root().join("crates").join(crate_name).join("src"),
            &mut files,
        );
    }
    let mut ways_out = 0;
    for file in files {
        let text = fs::read_to_string(&file).expect("a source");
        assert!(
            !text.contains("println!") && !text.contains("eprint"),
            "{} prints by itself",
            file.display()
        );
        if ["anstream::", "stderr()", "stdout()"]
            .iter()
            .any(|way| text.contains(way))
        {
            ways_out += 1;
            assert!(
                text.contains("visible") || text.contains("Sheet"),
                "{} writes to the terminal without yester_report::visible",
                file.display()
            );
        }
    }
    assert!(ways_out >= 4, "only {ways_out} ways out were found");
}

#[test]
fn no_test_goes_by_the_clock() {
    let mut files = Vec::new();
    sources(&root().join("tests"), &mut files);
    for entry in fs::read_dir(root().join("crates"))
        .expect("crates")
        .flatten()
    {
        for directory in ["src", "tests"].map(|name| entry.path().join(name)) {
            if directory.is_dir() {
                sources(&directory, &mut files);
            }
        }
    }
    let mut checked = 0;
    for file in files {
        let text = fs::read_to_string(&file).expect("a source");
        let is_test_file = !file.components().any(|part| part.as_os_str() == "src")
            || file.ends_with("test.rs")
            || file.ends_with("tests.rs");
        let tests = match text.find("#[cfg(test)]\nmod tests {") {
            _ if file.ends_with("tidy/main.rs") => continue,
            _ if is_test_file => text.as_str(),
            Some(begin) => &text[begin..],
            None => continue,
        };
        checked += 1;
        // Events are waited for, times are benchmarks, and processes are known by what they hold.
        for word in [
            "thread::sleep",
            "Instant::now",
            ".elapsed()",
            "SystemTime::now",
            "\"pgrep\"",
            "set_var(",
        ] {
            assert!(
                !tests.contains(word),
                "a test uses {word}: {}",
                file.display()
            );
        }
    }
    assert!(checked > 100, "only {checked} files with tests were found");
}

/// Whoever opens a pipe waits for the other end, and a link may lead anywhere. So files are opened in few places, which know that.
#[test]
fn files_of_strangers_are_opened_in_few_places() {
    let allowed = [
        // What is opened there is a regular file, at once.
        "crates/yester-run/src/file.rs",
        "crates/yester-path/src/recording/mod.rs",
        "crates/yester-run/src/own_file.rs",
        // It says how to open, and leaves that to the one above.
        "crates/yester-run/src/run_directory.rs",
        // In a directory that only this user can write to, or under a name that is new.
        "crates/yester-run/src/personal.rs",
        "crates/yester-patch/src/filter.rs",
        "crates/yester-run/src/replacement.rs",
        // What yester has just put in place for a run.
        "crates/yester-run/src/warden/trial.rs",
        // Files of the kernel.
        "crates/yester-record/src/confinement.rs",
        "crates/yester-run/src/process.rs",
        "crates/yester-run/src/system/mod.rs",
        "crates/yester-run/src/warden/containment.rs",
        "crates/yester-run/src/warden/refusal.rs",
        // Refers to a file only.
        "crates/yester-run/src/system/landlock.rs",
        // Written in a directory that yester has just made, which nothing else runs in.
        "crates/yester-patch/src/git.rs",
        "crates/yester-patch/src/patch.rs",
        "crates/yester-run/src/local.rs",
        "crates/yester-run/src/outputs.rs",
        "crates/yester-run/src/scratch.rs",
        // The user has named them, and may name a device or a pipe.
        "crates/yester/src/output.rs",
        "crates/yester-screen/src/event_stream.rs",
        // A compiler, which reads and writes what it is told to.
        "crates/yester-cc/src/driver/link.rs",
        "crates/yester-cc/src/driver/mod.rs",
        "crates/yester-cc/src/driver/response.rs",
        "crates/yester-cc/src/driver/stream.rs",
        "crates/yester-cc/src/pass/intervention/datum.rs",
    ];
    let mut files = Vec::new();
    for name in [
        "yester",
        "yester-cc",
        "yester-cfamily",
        "yester-cli",
        "yester-path",
        "yester-patch",
        "yester-record",
        "yester-report",
        "yester-run",
        "yester-screen",
        "yester-tree",
        "yester-yacc",
    ] {
        sources(&root().join("crates").join(name).join("src"), &mut files);
    }
    let opens = |file: &PathBuf| {
        let text = fs::read_to_string(file).expect("a source");
        let code = &text[..text.find("#[cfg(test)]").unwrap_or(text.len())];
        let mut code = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let is_test = file.components().any(|part| part.as_os_str() == "tests");
        let words = [
            "File::create(",
            "File::create_new(",
            "File::open(",
            "fs::copy(",
            "fs::read(",
            "fs::write(",
            "fs::read_to_string(",
            "OpenOptions::new(",
            "File::options(",
        ];
        !is_test && code.any(|line| words.iter().any(|word| line.contains(word)))
    };
    let mut found: Vec<PathBuf> = files.into_iter().filter(opens).collect();
    found.sort();
    let mut allowed = allowed.map(|file| root().join(file)).to_vec();
    allowed.sort();
    assert_eq!(found, allowed);
}
