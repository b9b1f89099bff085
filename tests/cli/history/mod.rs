//! No good revision is known: `yester history`, end to end.

mod answer;
mod fix;
mod merge;
mod wrong_use;

use crate::changes::{commit, git};
use crate::place::Place;

/// What the test of these histories calls, file by file, commit by commit, oldest first.
pub type Step<'a> = (&'a str, &'a [(&'a str, &'a str)]);

/// A repository with these commits.
pub fn repository(steps: &[Step<'_>]) -> Place {
    let place = Place::new();
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    for (message, files) in steps {
        for (path, content) in *files {
            if let Some((directory, _)) = path.rsplit_once('/') {
                std::fs::create_dir_all(place.file(directory)).expect("room");
            }
            match *content {
                "" => std::fs::remove_file(place.file(path)).expect("it was there"),
                content => place.write(path, content),
            }
        }
        commit(&place, message);
    }
    place
}

/// Doubles, once rightly.
pub const RIGHT: &str = "double() {\n    echo $(($1 * 2))\n}\n";
pub const WRONG: &str = "double() {\n    echo $(($1 * 3))\n}\n";
pub const LOAD: &str = "load() {\n    echo \"$1\"\n}\n";
pub const RENDER: &str = "render() {\n    echo \"= $1\"\n}\n";

/// Needs all three functions, and says which value is wrong.
pub const TEST: &str = ". ./load.sh && . ./render.sh && . ./double.sh || exit 125
out=$(render \"$(double \"$(load 3)\")\") || exit 125
test \"$out\" = '= 6' || { echo \"error: got $out\" >&2; exit 1; }
";

/// A history in which the newest two commits bring what the test needs, after one that broke what it tests.
pub fn young_test() -> Place {
    let place = repository(&[
        ("start", &[("double.sh", RIGHT)]),
        ("break", &[("double.sh", WRONG), ("notes.txt", "1\n2\n3\n")]),
        ("load", &[("load.sh", LOAD), ("notes.txt", "1\n2\n3\n4\n")]),
        ("render", &[("render.sh", RENDER)]),
        ("later", &[("notes.txt", "1\n2\n3\n4\n5\n")]),
    ]);
    // It is not committed, and every revision is tested by it.
    place.script("test.sh", TEST);
    place
}

pub fn revision(place: &Place, name: &str) -> String {
    git(place.path(), &["rev-parse", name]).trim().to_owned()
}
