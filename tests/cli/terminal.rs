//! What a person sees, in a real terminal.

use crate::place::{Place, hay};
use crate::tmux::Terminal;

const WIDE: (u16, u16) = (80, 24);
const NARROW: (u16, u16) = (40, 10);

/// What the moving line says while the baseline runs.
const RUNNING: &str = "running the command on the whole input, ";

/// A place with a test that hangs.
fn hanging() -> Place {
    let place = Place::with_needle();
    place.script("test.sh", "exec sleep 1000");
    place
}

/// A place with a test that hangs when the search has got somewhere.
fn under_way() -> Place {
    let place = Place::new();
    place.write("input.txt", hay(50) + "a needle in it\n" + &hay(50));
    place.script(
        "test.sh",
        "test $YESTER_TRIAL -lt 20 || exec sleep 1000\ngrep -q needle \"$1\"",
    );
    place
}

fn count(screen: &str, text: &str) -> usize {
    screen.lines().filter(|line| line.contains(text)).count()
}

/// Nothing of what moved is left.
#[track_caller]
fn is_clean(screen: &str, text: &str) {
    assert_eq!(count(screen, text), 0, "{screen}");
    assert!(!screen.contains("^C"), "{screen}");
}

#[test]
fn one_line_moves_and_leaves_nothing_behind() {
    let place = hanging();
    let terminal = Terminal::open(place.path(), WIDE, &[]);
    terminal.command("./yester reduce input.txt -j1 --timeout 10m -- ./test.sh {}");
    let has_limit = |screen: &str| screen.contains("--timeout ends it (10 min");
    let screen = terminal.wait("limit", has_limit);
    assert_eq!(count(&screen, RUNNING), 1, "{screen}");

    // Narrower: the limit does not fit any more, and the long line is gone with all its rows.
    terminal.resize(NARROW);
    let screen = terminal.wait("short line", |screen| {
        let is_cut =
            |line: &str| line.starts_with("running the command on") && line.contains("…, ");
        screen.lines().any(is_cut)
    });
    assert_eq!(count(&screen, "running the command"), 1, "{screen}");
    assert_eq!(count(&screen, "ends it"), 0, "{screen}");

    terminal.keys(&["C-z"]);
    let screen = terminal.wait("prompt", |screen| screen.trim_end().ends_with('$'));
    assert_eq!(count(&screen, "running the command"), 0, "{screen}");
    terminal.command("fg");
    terminal.wait("line", |screen| {
        screen.contains("running the command on the")
    });

    terminal.resize(WIDE);
    terminal.wait("limit", has_limit);
    terminal.keys(&["C-c"]);
    let screen = terminal.wait("prompt", |screen| {
        screen.contains("yester: interrupted") && screen.trim_end().ends_with('$')
    });
    is_clean(&screen, RUNNING);
    assert!(
        screen.contains("hint: the same command goes on from here"),
        "{screen}"
    );
}

#[test]
fn progress_says_how_far_it_is_in_any_window() {
    for size in [WIDE, NARROW] {
        let place = under_way();
        let terminal = Terminal::open(place.path(), size, &[]);
        terminal.command("./yester reduce input.txt -j1 --timeout 10m -- ./test.sh {}");
        let screen = terminal.wait("progress", |screen| {
            let mut lines = screen.lines();
            lines.any(|line| line.contains("% removed · "))
        });
        let line = screen.lines().find(|line| line.contains("% removed"));
        let line = line.expect("it was there");
        assert!(line.ends_with(" s"), "{line}");
        assert!(line.chars().count() < usize::from(size.0), "{line}");
        if size == WIDE {
            assert!(line.contains(" bytes left · "), "{line}");
        }
        terminal.keys(&["C-c"]);
        let screen = terminal.wait("prompt", |screen| {
            screen.contains("interrupted") && screen.trim_end().ends_with('$')
        });
        is_clean(&screen, "% removed · ");
    }
}

#[test]
fn the_view_shows_curve_passes_improvements_and_the_best() {
    for size in [WIDE, NARROW] {
        let place = under_way();
        let terminal = Terminal::open(place.path(), size, &[]);
        terminal.command("./yester reduce input.txt --watch -j1 --timeout 10m -- ./test.sh {}");
        let is_whole = |screen: &str| {
            let has_row = |sign: &str| screen.lines().any(|line| line.starts_with(sign));
            let parts = ["gained by each pass", "best so far: ", "⣿"];
            has_row("−") && has_row("- ") && parts.iter().all(|part| screen.contains(part))
        };
        let screen = terminal.wait("view", is_whole);
        let first = screen.lines().next().expect("a line");
        assert!(first.starts_with("yester reduce"), "{screen}");
        assert!(first.contains(" trials · "), "{screen}");

        // Another size, and back: all of it is drawn again, and nothing of the other size is left.
        let other = if size == WIDE { NARROW } else { WIDE };
        terminal.resize(other);
        let screen = terminal.wait("view", is_whole);
        assert_eq!(count(&screen, "best so far: "), 1, "{screen}");

        terminal.keys(&["C-z"]);
        let screen = terminal.wait("prompt", |screen| screen.trim_end().ends_with('$'));
        assert_eq!(count(&screen, "best so far: "), 0, "{screen}");
        terminal.command("fg");
        terminal.wait("view", is_whole);
        terminal.resize(size);
        terminal.wait("view", is_whole);

        terminal.keys(&["C-c"]);
        let screen = terminal.wait("prompt", |screen| {
            screen.contains("interrupted") && screen.trim_end().ends_with('$')
        });
        is_clean(&screen, "gained by each pass");
        is_clean(&screen, "some hay");
    }
}

#[test]
fn what_strangers_wrote_is_shown_and_not_obeyed_in_the_view() {
    let place = under_way();
    place.write(
        "input.txt",
        "\x1b[2J\x1b]0;owned\x07a needle\tin it\n".to_owned() + &hay(60),
    );
    let terminal = Terminal::open(place.path(), WIDE, &[]);
    terminal.command("./yester reduce input.txt --watch -j1 --timeout 10m -- ./test.sh {}");
    let screen = terminal.wait("best", |screen| {
        screen.contains(r"\x1b[2J\x1b]0;owned\x07a needle")
    });
    assert!(screen.starts_with("yester reduce"), "{screen}");
    terminal.keys(&["C-c"]);
    terminal.wait("end", |screen| screen.contains("interrupted"));
}

#[test]
fn colours_are_for_terminals_that_have_them() {
    for (variable, has_colours) in [("A=1", true), ("NO_COLOR=1", false), ("TERM=dumb", false)] {
        let place = hanging();
        let terminal = Terminal::open(place.path(), WIDE, &[variable]);
        terminal.command("./yester reduce input.txt -j1 --timeout 10m -- ./test.sh {}");
        terminal.wait("line", |screen| screen.contains(RUNNING));
        let moving = terminal.coloured();
        assert_eq!(
            moving.contains('\x1b'),
            has_colours,
            "{variable}: {moving:?}"
        );
        terminal.keys(&["C-c"]);
        terminal.wait("end", |screen| screen.contains("interrupted"));
        let end = terminal.coloured();
        assert_eq!(
            end.contains("\x1b[1m\x1b[31myester:"),
            has_colours,
            "{variable}: {end:?}"
        );
    }
}

#[test]
fn a_patch_has_the_colours_of_git_where_there_are_any() {
    for (variable, has_colours) in [("A=1", true), ("NO_COLOR=1", false)] {
        let place = crate::changes::repository();
        let terminal = Terminal::open(place.path(), WIDE, &[variable]);
        terminal.command("./yester changes v1 HEAD -q -- ./test.sh");
        terminal.wait("answer", |screen| {
            screen.contains("+    mul \"$1\" 3") && screen.trim_end().ends_with('$')
        });
        let shown = terminal.coloured();
        for (colour, sign) in [("31", '-'), ("32", '+')] {
            let removed = format!("\x1b[{colour}m{sign}    mul \"$1\"");
            assert_eq!(shown.contains(&removed), has_colours, "{shown:?}");
        }
    }
}
