//! The terminal: what stays on it, and what moves while yester works.
//!
//! There is one terminal and one screen, which everything for people goes through. A thread draws it, since yester may be
//! reading, parsing or waiting for a test for minutes, and somebody has to say so meanwhile. On a terminal one line moves, with
//! `--watch` all of it. Elsewhere a plain line is written now and then.
//!
//! While nothing is drawn, the cursor stands at the beginning of the moving line. A terminal that becomes narrower wraps that line,
//! and the cursor stays at its first row. The `^C` that a terminal echoes is written over it.

mod curve;
mod difference;
mod line;
mod question;
mod situation;
mod suspension;
mod watch;

use std::io::{self, IsTerminal, Write};
use std::sync::{Condvar, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use rustix::termios;
use unicode_width::UnicodeWidthStr;
use yester_report::visible_line;

pub use self::question::ask;
pub use self::situation::REVISIONS;
use self::situation::Situation;

/// How often a terminal is drawn.
const FRAME: Duration = Duration::from_millis(150);

/// How long a log may be silent while something happens.
const SILENCE: Duration = Duration::from_secs(2);

/// How long a log may be silent while one thing takes long.
const LONGEST_SILENCE: Duration = Duration::from_secs(32);

/// What a line is about. A terminal shows it as a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something to know.
    Note,
    /// What ends the call.
    Error,
    /// What to do next.
    Hint,
}

/// How the screen is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Lines that stay, now and then, where there is no terminal.
    Plain,
    /// One line that moves.
    Line,
    /// All of the terminal.
    Watch,
}

/// How the terminal looks now.
struct Screen {
    mode: Mode,
    /// Whether somebody else uses the terminal.
    is_paused: bool,
    /// Whether something is drawn that does not stay.
    is_drawn: bool,
    /// What was drawn last, in a window of which size, and how wide the moving line is.
    drawn: String,
    size: (usize, usize),
    drawn_width: usize,
    /// What was said while all of the terminal was in use.
    said: Vec<String>,
    /// When a line was last written, and how long to wait for the next.
    shown: Instant,
    pause: Duration,
}

/// What is written to the terminal goes through this lock, and may take as long as the terminal likes.
static SCREEN: Mutex<Option<Screen>> = Mutex::new(None);
static CLOSED: Condvar = Condvar::new();

/// What there is to show. Whoever works takes only this lock, and never waits for the terminal.
static SITUATION: Mutex<Option<Situation>> = Mutex::new(None);

fn lock<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Makes something of the situation, if there is one.
fn with_situation<T>(make: impl FnOnce(&mut Situation) -> T) -> Option<T> {
    lock(&SITUATION).as_mut().map(make)
}

/// Whether standard error is a terminal that can be drawn on.
pub fn is_terminal() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Begins to show what is going on in the call with these words.
pub fn open(mode: Mode, call: String) {
    *lock(&SITUATION) = Some(Situation::new(call, mode == Mode::Watch));
    let mut screen = lock(&SCREEN);
    *screen = Some(Screen {
        mode,
        is_paused: false,
        is_drawn: false,
        drawn: String::new(),
        size: (0, 0),
        drawn_width: 0,
        said: Vec::new(),
        shown: Instant::now(),
        pause: SILENCE,
    });
    drop(screen);
    // A machine that is short of threads does without.
    let _ = thread::Builder::new().name("screen".to_owned()).spawn(draw);
    if mode != Mode::Plain {
        suspension::watch();
    }
}

/// Draws until the screen is closed.
fn draw() {
    let mut screen = lock(&SCREEN);
    loop {
        let Some(open) = screen.as_mut() else { return };
        open.paint();
        screen = CLOSED
            .wait_timeout(screen, FRAME)
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .0;
    }
}

/// Ends the drawing. Only what was said stays.
pub fn close() {
    if let Some(mut screen) = lock(&SCREEN).take() {
        screen.leave();
        CLOSED.notify_all();
    }
}

/// The same for a program that has failed, perhaps while it was drawing.
pub fn give_up() {
    let mut screen = match SCREEN.try_lock() {
        Ok(screen) => screen,
        Err(TryLockError::Poisoned(screen)) => screen.into_inner(),
        Err(TryLockError::WouldBlock) => return,
    };
    if let Some(mut screen) = screen.take() {
        screen.leave();
    }
}

/// Does something that needs the terminal as it is, such as asking the user. Nothing is drawn meanwhile.
pub fn paused<T>(work: impl FnOnce() -> T) -> T {
    let pause = |is_paused| {
        if let Some(screen) = lock(&SCREEN).as_mut() {
            screen.erase();
            screen.is_paused = is_paused;
        }
    };
    pause(true);
    let done = work();
    pause(false);
    done
}

/// Tells the screen what has happened.
pub fn take_in(event: &yester_run::Event<'_>) {
    with_situation(|situation| situation.take_in(event));
}

/// The line that says what is going on.
pub fn summary() -> Option<String> {
    with_situation(|situation| line::line(situation, usize::MAX))
}

/// Says something that stays. Every line goes through here, so that none has anything in it that a terminal obeys.
pub fn say(tone: Tone, text: &str) {
    let (prefix, colour) = match tone {
        Tone::Note => ("yester:", "\x1b[1m"),
        Tone::Error => ("yester:", "\x1b[1;31m"),
        Tone::Hint => ("hint:", "\x1b[1;36m"),
    };
    show(format!("{colour}{prefix}\x1b[0m {}", visible_line(text)));
}

/// Says something without a prefix.
pub fn say_plain(text: &str) {
    show(visible_line(text).into_owned());
}

fn show(line: String) {
    let mut screen = lock(&SCREEN);
    match screen.as_mut() {
        Some(screen) if screen.mode == Mode::Watch => screen.said.push(line),
        Some(screen) => {
            screen.erase();
            write_line(&line);
        }
        None => write_line(&line),
    }
}

/// A line with colours, which stay where a terminal has them. It is written at once, so that nothing comes between its pieces.
fn write_line(line: &str) {
    let stderr = io::stderr();
    let line = match AutoStream::choice(&stderr) {
        ColorChoice::Never => format!("{}\n", anstream::adapter::strip_str(line)),
        _ => format!("{line}\n"),
    };
    let _ = stderr.lock().write_all(line.as_bytes());
}

impl Screen {
    fn paint(&mut self) {
        match self.mode {
            _ if self.is_paused => {}
            Mode::Plain => self.write_now_and_then(),
            // A terminal belongs to the program in front.
            _ if !is_in_front() => {}
            Mode::Line => {
                let (width, _) = size();
                let line =
                    |situation: &mut Situation| line::line(situation, width.saturating_sub(1));
                let Some(text) = with_situation(line) else {
                    return;
                };
                let erasing = self.erasing(width);
                self.drawn_width = text.width();
                let text = coloured(&text, "\x1b[36m");
                self.put_frame(&erasing, format!("\x1b[?7l{text}\x1b[?7h\r"), (width, 1));
            }
            Mode::Watch => self.paint_all(),
        }
    }

    fn paint_all(&mut self) {
        let size = size();
        let Some(lines) = with_situation(|situation| watch::lines(situation, size)) else {
            return;
        };
        let mut before = String::new();
        if !self.is_drawn {
            // Another screen, without a cursor: what was there before comes back in the end.
            before.push_str("\x1b[?1049h\x1b[?25l");
        }
        if size != self.size {
            before.push_str("\x1b[2J");
        }
        let mut text = "\x1b[?7l".to_owned();
        for (row, line) in lines.iter().enumerate() {
            text.push_str(&format!("\x1b[{};1H", row + 1));
            match line.colour {
                Some(colour) => text.push_str(&coloured(&line.text, colour)),
                None => text.push_str(&line.text),
            }
            // At the end of a full row, this would clear its last column.
            if line.text.width() < size.0 {
                text.push_str("\x1b[K");
            }
        }
        if lines.len() < size.1 {
            text.push_str(&format!("\x1b[{};1H\x1b[J", lines.len() + 1));
        }
        text.push_str("\x1b[?7h");
        self.put_frame(&before, text, size);
    }

    /// Draws something in a window of this size, unless it is there already.
    fn put_frame(&mut self, before: &str, text: String, size: (usize, usize)) {
        if !self.is_drawn || (&text, size) != (&self.drawn, self.size) {
            put(&format!("{before}{text}"));
        }
        (self.is_drawn, self.drawn, self.size) = (true, text, size);
    }

    /// A log gets a line when something has happened, and at longer and longer intervals while nothing does.
    fn write_now_and_then(&mut self) {
        let has_news = with_situation(|situation| situation.has_news) == Some(true);
        if has_news {
            self.pause = SILENCE;
        }
        if self.shown.elapsed() < self.pause {
            return;
        }
        let text = with_situation(|situation| {
            situation.has_news = false;
            line::line(situation, usize::MAX)
        });
        write_line(&format!("yester: {}", text.unwrap_or_default()));
        if !has_news {
            self.pause = (2 * self.pause).min(LONGEST_SILENCE);
        }
        self.shown = Instant::now();
    }

    /// What takes away the moving line in a window of this width. If the window has become narrower, the line is several rows now.
    /// Each is cleared by itself: terminals keep in their history what is cleared with all that follows.
    fn erasing(&self, width: usize) -> String {
        let more = self.drawn_width.saturating_sub(1) / width.max(1);
        let mut text = "\r\x1b[2K".to_owned();
        (0..more).for_each(|_| text.push_str("\x1b[B\x1b[2K"));
        if more > 0 {
            text.push_str(&format!("\x1b[{more}A"));
        }
        text
    }

    /// Takes away what does not stay.
    fn erase(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            put(&match self.mode {
                Mode::Plain => String::new(),
                Mode::Line => self.erasing(size().0),
                // Some terminals keep what is still there if the window has another size now.
                Mode::Watch => "\x1b[2J\x1b[H\x1b[?25h\x1b[?1049l".to_owned(),
            });
        }
        if self.mode != Mode::Watch {
            self.shown = Instant::now();
        }
    }

    fn leave(&mut self) {
        self.erase();
        for line in self.said.drain(..) {
            write_line(&line);
        }
    }
}

/// Columns and rows of the terminal.
fn size() -> (usize, usize) {
    match termios::tcgetwinsize(io::stderr()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
            (usize::from(size.ws_col), usize::from(size.ws_row))
        }
        _ => (80, 24),
    }
}

/// Whether the terminal listens to us and not to a shell that has put us into the background.
fn is_in_front() -> bool {
    match termios::tcgetpgrp(io::stderr()) {
        Ok(front) => front == rustix::process::getpgrp(),
        Err(_) => true,
    }
}

fn coloured(text: &str, colour: &str) -> String {
    match AutoStream::choice(&io::stderr()) {
        ColorChoice::Never => text.to_owned(),
        _ => format!("{colour}{text}\x1b[0m"),
    }
}

/// Writes to the terminal as it is: only what we draw with, around text that was made visible.
fn put(text: &str) {
    let mut stderr = io::stderr().lock();
    // A terminal that is gone is told by a signal.
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}
