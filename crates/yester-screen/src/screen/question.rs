//! Asks the user on standard error, and reads the answer from standard input.

use std::io::{self, BufRead, IsTerminal, Write};

use yester_report::visible;

use super::paused;

/// The user's answer in lower case, or nothing if there is none to be had.
pub fn ask(question: &str) -> io::Result<Option<String>> {
    paused(|| {
        let mut stderr = anstream::stderr();
        write!(stderr, "{}", visible(question))?;
        stderr.flush()?;
        let mut answer = String::new();
        if io::stdin().lock().read_line(&mut answer)? == 0 {
            return Ok(None);
        }
        if !io::stdin().is_terminal() {
            writeln!(stderr)?;
        }
        Ok(Some(answer.trim().to_ascii_lowercase()))
    })
}
