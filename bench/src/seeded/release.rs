//! The faults of `bench/releases`: one line of the newer of two releases of a real program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{ChangedLines, Classifier, LocalizationClass, ReportedPlace, Truth, VersionSide};
use crate::case::Purpose;

/// A line of `bench/releases --list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseFault {
    /// What it is called.
    pub name: String,
    /// How the line is wrong.
    pub kind: String,
    /// The directory of the older release.
    pub old: PathBuf,
    /// That of the newer release with the fault.
    pub faulty: PathBuf,
    /// That of the newer release.
    new: PathBuf,
    /// How to build a release, for a shell.
    pub build: String,
    /// How to run it, for a shell.
    pub command: String,
    /// Its standard input.
    pub stdin: PathBuf,
    /// The file with the fault, from the root of a release.
    pub file: String,
    /// Its line in the newer release.
    pub line: u32,
}

impl ReleaseFault {
    /// All that `bench/releases` lists. Fetches what is not there.
    pub fn all() -> Result<Vec<ReleaseFault>, String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("releases");
        let listed = crate::script::succeed(Command::new(script).arg("--list"))?;
        let parse = |line: &str| {
            ReleaseFault::parse(line).ok_or_else(|| format!("not a line of a list: {line}"))
        };
        listed.lines().map(parse).collect()
    }

    fn parse(line: &str) -> Option<ReleaseFault> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, kind, old, faulty, new, build, command, stdin, truth] = fields[..] else {
            return None;
        };
        let (file, number) = truth.rsplit_once(':')?;
        Some(ReleaseFault {
            name: name.to_owned(),
            kind: kind.to_owned(),
            old: old.into(),
            faulty: faulty.into(),
            new: new.into(),
            build: build.to_owned(),
            command: command.to_owned(),
            stdin: stdin.into(),
            file: file.to_owned(),
            line: number.parse().ok()?,
        })
    }
}

/// Tells the classes of places in trees. Each tree is one long text: all its C files, in the order of their names.
pub struct ReleaseClassifier {
    classifier: Classifier,
    trees: [SourceTree; 2],
}

impl ReleaseClassifier {
    /// For the trees of a fault.
    pub fn of(fault: &ReleaseFault) -> Result<ReleaseClassifier, String> {
        let right = SourceTree::read(&fault.new)?;
        let trees = [
            SourceTree::read(&fault.old)?,
            SourceTree::read(&fault.faulty)?,
        ];
        let place = |tree: &SourceTree| tree.line(&fault.file, fault.line);
        let missing = || format!("{}: there is no line {}", fault.file, fault.line);
        let line = place(&trees[1]).ok_or_else(missing)?;
        let text = right.text_at(place(&right).ok_or_else(missing)?);
        let is_missing = trees[1].text_at(line).trim().is_empty();
        let truth = Truth {
            kind: fault.kind.clone(),
            role: Purpose::Check,
            function: trees[1].function_at(line),
            lines_old: trees[0].lines_like(&fault.file, text),
            lines_new: if is_missing {
                trees[1].around(line)
            } else {
                vec![line]
            },
            is_missing,
        };
        let classifier = Classifier::new(truth, &trees[0].text, &trees[1].text);
        Ok(ReleaseClassifier { classifier, trees })
    }

    /// The class of each place.
    pub fn classes(&self, places: &[ReportedPlace]) -> Vec<LocalizationClass> {
        let of_tree = places.iter().map(|place| {
            let tree = &self.trees[match place.version {
                VersionSide::Old => 0,
                VersionSide::New => 1,
            }];
            ReportedPlace {
                line: tree.line(&place.file, place.line).unwrap_or(0),
                ..place.clone()
            }
        });
        of_tree.map(|place| self.classifier.class(&place)).collect()
    }

    /// How many lines of C the versions differ by. Needs a directory to write to.
    pub fn changed_lines(&self, directory: &Path) -> Result<usize, String> {
        let [old, new] = ["old.text", "new.text"].map(|side| directory.join(side));
        for (path, tree) in [&old, &new].into_iter().zip(&self.trees) {
            fs::write(path, &tree.text).map_err(|error| error.to_string())?;
        }
        Ok(ChangedLines::between(&old, &new)?.count())
    }
}

/// The C files of a directory as one text.
struct SourceTree {
    /// Each file, and how many lines are before it.
    files: Vec<(String, u32)>,
    text: String,
}

impl SourceTree {
    fn read(root: &Path) -> Result<SourceTree, String> {
        let mut paths = Vec::new();
        let mut open = vec![root.to_owned()];
        while let Some(directory) = open.pop() {
            let failed = |error| format!("{}: {error}", directory.display());
            for entry in fs::read_dir(&directory).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|end| end == "c" || end == "h") {
                    paths.push(path);
                }
            }
        }
        paths.sort();
        let mut tree = SourceTree {
            files: Vec::new(),
            text: String::new(),
        };
        let mut count = 0;
        for path in paths {
            let content = fs::read(&path).map_err(|error| error.to_string())?;
            let name = path.strip_prefix(root).expect("it is below the root");
            tree.files.push((name.display().to_string(), count));
            for line in String::from_utf8_lossy(&content).lines() {
                tree.text.push_str(line);
                tree.text.push('\n');
                count += 1;
            }
        }
        Ok(tree)
    }

    /// Where a line of a file is in the text, from 1.
    fn line(&self, file: &str, line: u32) -> Option<u32> {
        let found = self.files.iter().find(|(name, _)| name == file);
        found.map(|(_, before)| before + line)
    }

    fn text_at(&self, line: u32) -> &str {
        let index = (line as usize).checked_sub(1);
        index
            .and_then(|index| self.text.lines().nth(index))
            .unwrap_or_default()
    }

    /// The lines of a file that read like this.
    fn lines_like(&self, file: &str, text: &str) -> Vec<u32> {
        let Some(at) = self.files.iter().position(|(name, _)| name == file) else {
            return Vec::new();
        };
        let begin = self.files[at].1;
        let end = self
            .files
            .get(at + 1)
            .map_or(u32::MAX, |(_, before)| *before);
        let lines = self.text.lines().zip(1..);
        let inside = lines.filter(|(_, line)| (begin + 1..=end).contains(line));
        let alike = inside.filter(|(line, _)| line.trim() == text.trim());
        alike.map(|(_, line)| line).collect()
    }

    /// The lines before and after one that are more than brackets.
    fn around(&self, line: u32) -> Vec<u32> {
        let lines: Vec<&str> = self.text.lines().collect();
        let is_code = |number: &u32| {
            let text = lines.get(*number as usize - 1).copied();
            let text = text.unwrap_or_default().trim();
            text != "else" && text.contains(|one: char| one.is_ascii_alphanumeric())
        };
        let before = (1..line).rev().find(is_code);
        let after = (line + 1..=lines.len() as u32).find(is_code);
        before.into_iter().chain(after).collect()
    }

    /// The function that a line is in, found as `diff -p` does it: the last line that begins with a word at its first column.
    fn function_at(&self, line: u32) -> Option<String> {
        let lines: Vec<&str> = self.text.lines().take(line as usize).collect();
        let is_head = |text: &&&str| {
            let first = text.chars().next();
            first.is_some_and(|one| one.is_ascii_alphabetic() || one == '_')
                && text.contains('(')
                && !text.trim_end().ends_with(';')
        };
        let head = lines.iter().rev().find(is_head)?;
        let before = head.split('(').next()?.trim_end();
        let name = before.rsplit(|one: char| !one.is_ascii_alphanumeric() && one != '_');
        name.map(str::to_owned).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "int f(int x)\n{\n    if (x > 3)\n        x = 3;\n    return x;\n}\n";

    fn fault(directory: &Path, file: &str, wrong: &str) -> ReleaseFault {
        let content = [
            ("old", OLD.to_owned()),
            ("new", format!("/* longer */\n{OLD}")),
            ("bad", format!("/* longer */\n{wrong}")),
        ];
        for (version, text) in content {
            let root = directory.join(version);
            fs::create_dir_all(root.join("src")).expect("a directory");
            fs::write(root.join("src/f.c"), text).expect("a file");
            let main = "int f(int);\nint main(void)\n{\n    return f(4);\n}\n";
            fs::write(root.join("main.c"), main).expect("a file");
        }
        let path = |version: &str| directory.join(version).display().to_string();
        let line = [
            "f-guard",
            "branch",
            &path("old"),
            &path("bad"),
            &path("new"),
            "make",
            "./f -x",
            "in",
            file,
        ];
        ReleaseFault::parse(&line.join("\t")).expect("a fault")
    }

    fn place(version: VersionSide, file: &str, line: u32) -> ReportedPlace {
        ReportedPlace {
            version,
            file: file.to_owned(),
            line,
            function: None,
        }
    }

    #[test]
    fn places_of_a_tree_have_the_classes_of_their_files() {
        let directory = tempfile::tempdir().expect("a directory");
        let wrong = OLD.replace("> 3", ">= 3");
        let fault = fault(directory.path(), "src/f.c:4", &wrong);
        let classifier = ReleaseClassifier::of(&fault).expect("a classifier");
        let places = [
            place(VersionSide::New, "src/f.c", 4),
            place(VersionSide::Old, "src/f.c", 3),
            place(VersionSide::New, "src/f.c", 6),
            place(VersionSide::New, "main.c", 4),
            place(VersionSide::New, "elsewhere.c", 4),
        ];
        let classes = classifier.classes(&places);
        let names: Vec<&str> = classes.iter().map(|class| class.name()).collect();
        assert_eq!(names, ["1", "1", "2", "3", "4"]);
        assert_eq!(classifier.changed_lines(directory.path()), Ok(3));
    }

    #[test]
    fn a_missing_statement_is_named_by_its_old_line_or_by_what_is_next_to_the_gap() {
        let directory = tempfile::tempdir().expect("a directory");
        let wrong = OLD.replace("        x = 3;\n", "\n");
        let fault = fault(directory.path(), "src/f.c:5", &wrong);
        let classifier = ReleaseClassifier::of(&fault).expect("a classifier");
        let places = [
            place(VersionSide::Old, "src/f.c", 4),
            place(VersionSide::New, "src/f.c", 4),
            place(VersionSide::New, "src/f.c", 6),
            place(VersionSide::New, "src/f.c", 2),
        ];
        let classes = classifier.classes(&places);
        let names: Vec<&str> = classes.iter().map(|class| class.name()).collect();
        assert_eq!(names, ["1", "1", "1", "2"]);
    }
}
