//! Reasons to look at an answer twice.

use yester_patch::PatchError;
use yester_patch::idd::{Tree, lost_name};
use yester_run::{Trial, file};

use super::job::HistoryJob;

/// Whether a passing run was so much shorter or smaller than the failing one that the test may not have run at all.
pub fn jump(failing: &Trial, passing: &Trial) -> Option<String> {
    let (before, after) = (failing.observation.as_ref()?, passing.observation.as_ref()?);
    let (long, short) = (before.cpu.as_secs_f64(), after.cpu.as_secs_f64());
    if long > 0.2 && short < long / 10.0 {
        return Some(format!(
            "the good revision passes in {short:.2} s of processor time where the newest one takes {long:.2} s to fail: \
             see that it really tests something"
        ));
    }
    let megabytes = |bytes: u64| bytes >> 20;
    if before.memory > 64 << 20 && after.memory < before.memory / 10 {
        return Some(format!(
            "the good revision passes with {} MB of memory where the newest one takes {} MB to fail: see that it really \
             tests something",
            megabytes(after.memory),
            megabytes(before.memory)
        ));
    }
    None
}

impl HistoryJob {
    /// What the test uses and the fix takes out: then the test may pass because it tests nothing any more.
    pub fn loss(&self, fix: &Tree) -> Result<Option<String>, PatchError> {
        let mut test = String::new();
        let carried = self.history.carried.iter();
        for state in carried.filter_map(|path| self.history.today.state(path).ok()?) {
            test.push_str(&String::from_utf8_lossy(&state.content));
        }
        for file in self.test.command.files(&self.start).unwrap_or_default() {
            // What cannot be read tells nothing.
            let content = file::read(&file, file::BIGGEST_INPUT).unwrap_or_default();
            test.push_str(&String::from_utf8_lossy(&content));
        }
        let patch = self.history.patch_of(fix)?.backport;
        Ok(lost_name(&patch, &test).map(|name| {
            format!(
                "the fix takes out {name}, which the test names: see that it still tests something"
            )
        }))
    }
}
