//! What is probably wrong with a command whose first runs do not answer as promised.

use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use yester_patch::Version;
use yester_report::quote;
use yester_run::{Ending, Observation, Trial, tree_path};

/// What only a shell understands.
const SHELL: [&str; 12] = [
    "|", "||", "|&", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1", "&>",
];

/// What a test says when it does not find a file.
static MISSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)no such file|not found|(can.t|cannot|could not|unable to) (open|find|read|load)|no module named")
        .expect("a constant")
});

/// A word that a shell has to read, and how to let it.
pub fn shell_word(words: &[OsString]) -> Option<String> {
    // The end of find's own command.
    let is_find = |word: &str| word == ";" && words[0].to_string_lossy().ends_with("find");
    let shown = words.iter().skip(1).map(|word| word.to_string_lossy());
    let word = shown
        .into_iter()
        .find(|word| SHELL.contains(&&**word) && !is_find(word))?;
    let line = words.iter().map(|word| match word.to_string_lossy() {
        text if SHELL.contains(&&*text) => text.into_owned(),
        _ => quote::word(word).replace("'{}'", "{}"),
    });
    let line = line.collect::<Vec<_>>().join(" ");
    let line = quote::word(OsString::from(line).as_os_str());
    Some(format!(
        "only a shell understands '{word}': -- sh -c {line}"
    ))
}

/// A file of the start directory that a run looked for where it ran, and how to put it there. `is_there` says which are
/// there.
pub fn missing_file(
    trial: &Trial,
    start: &Path,
    is_there: impl Fn(&str) -> bool,
) -> Option<String> {
    let observation = trial.observation.as_ref()?;
    let outputs = [&observation.stderr, &observation.stdout];
    let lines = outputs.iter().flat_map(|output| output.last_lines(20));
    let lines = lines.filter(|line| MISSING.is_match(line));
    let is_part = |letter: char| letter.is_alphanumeric() || "._-/+@".contains(letter);
    let names: Vec<String> = lines
        .flat_map(|line| {
            let words = line.split(|letter| !is_part(letter));
            let words = words.map(|word| word.trim_end_matches('.').to_owned());
            words.collect::<Vec<_>>()
        })
        .filter(|word| !Path::new(word).is_absolute() || !Path::new(word).exists())
        .flat_map(|word| {
            let path = Path::new(&word);
            let name = if path.is_absolute() {
                // The directory of the trial is before it.
                path.file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned()
            } else {
                word.clone()
            };
            [format!("{name}.py"), name]
        })
        .collect();
    let name = names.iter().filter_map(|name| tree_path(name.as_ref()));
    let name = name
        .into_iter()
        .find(|name| !is_there(name) && start.join(name).is_file())?;
    let quoted = quote::word(name.as_ref());
    Some(format!(
        "{name} is in this directory, but the test runs in another one: --with {quoted} puts a copy beside the candidate"
    ))
}

/// Whether a run shows that a program is missing.
pub fn lacks_build(trial: &Trial) -> bool {
    let is_missing = |observation: &Observation| {
        let lines = observation.stderr.last_lines(20);
        lines.iter().any(|line| MISSING.is_match(line))
    };
    let observation = trial.observation.as_ref();
    trial.ending == Ending::Exit(127) || observation.is_some_and(is_missing)
}

/// The files by which builds are known, and how they are started.
const BUILDS: [(&str, &str); 6] = [
    ("Makefile", "make"),
    ("GNUmakefile", "make"),
    ("makefile", "make"),
    (
        "CMakeLists.txt",
        "'cmake -B build . && cmake --build build'",
    ),
    (
        "meson.build",
        "'meson setup build && meson compile -C build'",
    ),
    ("Cargo.toml", "'cargo build --offline'"),
];

/// How a version is probably built, if nothing was built and a program is missing.
pub fn missing_build(version: &Version) -> Option<String> {
    let mut builds = BUILDS.iter();
    let (file, line) = builds.find(|(file, _)| version.paths().any(|(path, _)| path == *file))?;
    Some(format!(
        "the versions have a {file}, and nothing is built: --build {line} builds each of them first"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_given_to_a_shell() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(
            shell_word(&words("grep a.b* {} | wc -l")).as_deref(),
            Some(r"only a shell understands '|': -- sh -c 'grep '\''a.b*'\'' {} | wc -l'")
        );
        assert_eq!(shell_word(&words("find {} -exec rm + ;")), None);
        assert_eq!(shell_word(&words("grep a|b {}")), None);
    }
}
