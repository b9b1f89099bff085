use std::fmt::Display;

use thiserror::Error;

/// What is wrong with the words of a call or with settings, and what to do about it.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct CallError {
    /// What is wrong, in one line.
    pub message: String,
    /// What shows it, a line each.
    pub evidence: Vec<String>,
    /// What was probably meant.
    pub hint: Option<String>,
}

impl CallError {
    pub(crate) fn new(message: impl Display) -> CallError {
        CallError {
            message: message.to_string(),
            evidence: Vec::new(),
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Display) -> CallError {
        self.hint = Some(hint.to_string());
        self
    }
}
