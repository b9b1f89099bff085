//! How far the walk has come.

use std::io;

use yester_report::ReportedBorder;
use yester_run::{BestSoFar, Failing};

/// What is known if the walk has to stop now.
#[derive(Default)]
pub struct HowFar {
    /// The oldest revision that fails: how far back it is, and its id.
    pub oldest: Option<(usize, String)>,
    pub borders: Vec<ReportedBorder>,
}

impl BestSoFar for HowFar {
    fn consider(&mut self, _: &Failing<'_>) -> io::Result<Option<u64>> {
        Ok(None)
    }
}
