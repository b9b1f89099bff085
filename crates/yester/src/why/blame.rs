//! The first question: which change broke it? `changes` answers it where a version is known that passes, otherwise `history`.

use std::ffi::OsString;

use yester_report::{ChangedLines, ChangesResult, HistoryResult, PatchRole, TestOutcome, quote};

use super::job::WhyJob;
use super::pair::{Changed, Pair, PairVersion};
use crate::cli::StepChoice;
use crate::failure::{Exit, Failure};
use crate::step::{StepCall, StepEnd, Steps};
use crate::versions::{Side, VersionPlace, failed};

/// So many tags are tried. Each costs a build and a run.
const MOST_TAGS: usize = 6;
/// Which share of the time the search for the change may take, since others come after it.
const SHARE: f64 = 0.6;

/// What is known of the change that broke it.
pub struct Blame {
    /// The version that passes, in the user's words.
    pub good: Option<String>,
    /// The version that fails.
    pub bad: String,
    /// The version that fails beside one that passes, as near to each other as they are known.
    pub pair: Pair,
    /// The lines of the failing one that the culprit changes.
    pub changed: Vec<Changed>,
    /// The version that the culprit is a patch to.
    pub base: Option<PairVersion>,
}

impl Blame {
    /// Says where the culprit is in the version that the user asks about: later changes have moved it.
    pub fn tell_lines(&self, job: &WhyJob, steps: &mut Steps<'_>) {
        let Some(base) = &self.base else { return };
        let lines = base.lines_of(job);
        // The culprit's own lines are known where it is a patch to the version before it.
        let is_beside = self.pair.good.as_ref() == Some(base);
        let own = is_beside.then(|| self.pair.bad.lines_of(job));
        let stories = steps.done.iter_mut().map(|step| &mut step.story);
        let patches = stories.flat_map(|story| &mut story.patches);
        for patch in patches.filter(|patch| patch.role == PatchRole::Culprit) {
            for change in &mut patch.changes {
                let known = |changed: &&Changed| {
                    changed.file == change.file && changed.new.0 == change.line
                };
                if let Some(changed) = self.changed.iter().find(known) {
                    // Without lines on the old side, the number is that of the line before.
                    let behind = changed.old.0 - u64::from(changed.old.1 > 0).min(changed.old.0);
                    let here = own
                        .as_ref()
                        .and_then(|own| own.of(&change.file, change.line));
                    change.here = here.or_else(|| lines.of_change(&change.file, behind));
                }
            }
        }
    }
}

/// Finds the change that broke it, as far as it can be found. An error says that there is nothing to debug.
pub fn search(job: &mut WhyJob, steps: &mut Steps<'_>) -> Result<Blame, Failure> {
    let unknown = Blame {
        good: None,
        bad: job.bad_text(),
        pair: Pair::of_bad(version_of(&job.bad)),
        changed: Vec::new(),
        base: None,
    };
    if job.skips(StepChoice::Changes) {
        steps.leave_out("changes", "--skip changes leaves it out");
    } else if let Some(blame) = with_good(job, steps)? {
        return Ok(blame);
    }
    if job.good.is_some() || job.bad.commit().is_none() {
        return Ok(unknown);
    }
    if job.skips(StepChoice::History) {
        steps.leave_out("history", "--skip history leaves it out");
        return Ok(unknown);
    }
    Ok(without_good(job, steps)?.unwrap_or(unknown))
}

/// Searches from each version that may pass, until one does.
fn with_good(job: &mut WhyJob, steps: &mut Steps<'_>) -> Result<Option<Blame>, Failure> {
    if let Some(work) = job.work.take() {
        let head = job.bad.word.clone();
        let why = format!("tracked files have uncommitted changes; does {head} pass without them?");
        let end = compare(job, steps, (&job.bad, &work), &why)?;
        if !is_good_failing(&end) {
            job.bad = work;
            return blame_of(job, steps, end, &head).map(Some);
        }
        steps.forget_last();
        steps.events().say(&format!(
            "{head} fails too: the uncommitted changes are not to blame"
        ));
    }
    if let Some(good) = &job.good {
        let why = format!("{} is said to pass", good.word);
        let end = compare(job, steps, (good, &job.bad), &why)?;
        return blame_of(job, steps, end, &good.word).map(Some);
    }
    let (Some(repository), Some(commit)) = (&job.repository, job.bad.commit()) else {
        return Ok(None);
    };
    let tags = repository.tags_before(&commit.id);
    let tags = tags.map_err(|error| failed(&error))?;
    // Further and further back: what is right was right long ago.
    let mut at = 0;
    for attempt in 0..MOST_TAGS {
        let Some(tag) = tags.get(at) else { break };
        // It may have the name of a directory.
        let word = if job.start.join(tag).exists() {
            format!("{tag}~0")
        } else {
            tag.clone()
        };
        let good = Side::find(word.as_ref(), &job.start, &Ok(repository.clone()))?;
        let end = compare(
            job,
            steps,
            (&good, &job.bad),
            &format!("does the tag {tag} pass?"),
        )?;
        if !is_good_failing(&end) {
            return blame_of(job, steps, end, tag).map(Some);
        }
        steps.forget_last();
        steps.events().say(&format!("{tag} does not pass"));
        at += 1 << attempt;
    }
    Ok(None)
}

/// Calls `changes`.
fn compare(
    job: &WhyJob,
    steps: &mut Steps<'_>,
    (good, bad): (&Side, &Side),
    why: &str,
) -> Result<StepEnd, Failure> {
    let mut words: Vec<OsString> = vec![good.word.clone().into(), bad.word.clone().into()];
    for path in job.missing_in(&good.version, &bad.version) {
        words.extend(["--carry".into(), path.into()]);
    }
    words.extend(output(job));
    steps.carry_out(StepCall {
        command: "changes",
        why: why.to_owned(),
        words,
        without: &[],
        test: job.test.clone(),
        share: SHARE,
    })
}

/// Where the patches go.
pub fn output(job: &WhyJob) -> Vec<OsString> {
    let output = job.arguments.output.iter();
    output
        .flat_map(|output| ["--output".into(), output.clone().into_os_string()])
        .collect()
}

/// Whether the version that should pass does not: then another one may.
fn is_good_failing(end: &StepEnd) -> bool {
    // The codes do not say of which version they are.
    let is_about_good = |failure: &Failure| failure.message.contains("the good version");
    let is_swapped = |failure: &Failure| failure.code == Some(SWAPPED);
    let failure = end.failure.as_ref().filter(|_| end.exit == Exit::Nothing);
    failure.is_some_and(|failure| is_about_good(failure) && !is_swapped(failure))
}

/// What `changes` has found. Where the failing version passes, there is nothing to debug.
fn blame_of(job: &WhyJob, steps: &Steps<'_>, end: StepEnd, good: &str) -> Result<Blame, Failure> {
    let is_nothing = end.exit == Exit::Nothing || end.exit == Exit::Usage;
    if is_nothing && let Some(failure) = end.failure {
        return Err(passing(failure, job));
    }
    let version = version_of(&job.bad);
    let has_run = end.result::<ChangesResult>().is_some();
    let blame = |pair, changed| Blame {
        // What stopped before it was run is not said to pass.
        good: has_run.then(|| good.to_owned()),
        bad: job.bad_text(),
        pair,
        changed,
        base: end
            .result::<ChangesResult>()
            .map(|found| PairVersion::named(&found.base, &job.start)),
    };
    let Some(found) = end.result::<ChangesResult>() else {
        steps.events().note("changes has found nothing so far");
        return Ok(blame(Pair::of_bad(version), Vec::new()));
    };
    let changed = changed(&found.changes);
    let verified = &found.verified;
    let pair = match (&found.commit, &found.fix_patch) {
        (Some(commit), _) if let Some(pair) = around(job, &commit.id)? => pair,
        (_, Some(fix)) if verified.bad_minus_culprit == Some(TestOutcome::Pass) => Pair {
            good: Some(version.clone().with_patch(fix)),
            bad: version,
        },
        _ if verified.good_plus_culprit == Some(TestOutcome::Fail) => {
            let base = PairVersion::named(&found.base, &job.start);
            Pair {
                bad: base.clone().with_patch(&found.culprit_patch),
                good: Some(base),
            }
        }
        _ => Pair::of_bad(version),
    };
    Ok(blame(pair, changed))
}

/// The codes of a test that does not fail: nowhere, or only where it should pass.
const PASSES: &str = "not_failing";
const SWAPPED: &str = "swapped";

/// There is nothing to debug.
fn passing(failure: Failure, job: &WhyJob) -> Failure {
    let is_swapped = failure.code == Some(SWAPPED);
    if failure.code != Some(PASSES) && !is_swapped || is_swapped && job.good.is_some() {
        return failure;
    }
    Failure {
        code: Some(PASSES),
        hint: failure.hint.filter(|_| !is_swapped),
        message: format!(
            "TEST passes on {}: there is nothing to find out",
            job.bad_text()
        ),
        ..failure
    }
}

/// A commit and its first parent.
fn around(job: &WhyJob, id: &str) -> Result<Option<Pair>, Failure> {
    let Some(repository) = &job.repository else {
        return Ok(None);
    };
    let commit = repository.commit(id).map_err(|error| failed(&error))?;
    Ok(commit.parents.first().map(|parent| Pair {
        good: Some(PairVersion::Revision(parent.clone())),
        bad: PairVersion::Revision(commit.id.clone()),
    }))
}

/// Calls `history`.
fn without_good(job: &WhyJob, steps: &mut Steps<'_>) -> Result<Option<Blame>, Failure> {
    let mut words: Vec<OsString> = vec!["--from".into(), job.bad.word.clone().into()];
    if let Some(input) = job.input.as_ref().filter(|input| input.is_in_tree) {
        words.extend(["--carry".into(), input.place.clone().into()]);
    }
    words.extend(output(job));
    let end = steps.carry_out(StepCall {
        command: "history",
        why: "no tag is known to pass, so it walks back to a revision that does".to_owned(),
        words,
        without: &[],
        test: job.test.clone(),
        share: SHARE,
    })?;
    if end.failure.as_ref().and_then(|failure| failure.code) == Some(PASSES) {
        return Err(passing(end.failure.expect("it has a code"), job));
    }
    let Some(found) = end.result::<HistoryResult>() else {
        return Ok(None);
    };
    let bad = version_of(&job.bad);
    let is_fixed = found.verified.fixed == Some(TestOutcome::Pass);
    let fix = found.fix_patch.as_ref().filter(|_| is_fixed);
    let is_plain = found.backport_patch.is_none();
    let commit = found.culprit_commit.as_ref().filter(|_| is_plain);
    let pair = match (commit, fix) {
        (Some(commit), _) if let Some(pair) = around(job, &commit.id)? => pair,
        (_, Some(fix)) => Pair {
            good: Some(bad.clone().with_patch(fix)),
            bad,
        },
        _ => Pair::of_bad(bad),
    };
    let short = |id: &String| quote::word(id[..id.len().min(10)].as_ref());
    Ok(Some(Blame {
        good: found.good.as_ref().map(short),
        bad: job.bad_text(),
        pair,
        changed: changed(&found.changes),
        base: None,
    }))
}

fn changed(changes: &[ChangedLines]) -> Vec<Changed> {
    let changes = changes.iter();
    changes
        .map(|change| Changed {
            file: change.file.clone(),
            old: (change.old_start, change.old_lines),
            new: (change.new_start, change.new_lines),
        })
        .collect()
}

/// One of the versions that the user asks about.
pub fn version_of(side: &Side) -> PairVersion {
    match &side.place {
        VersionPlace::Revision(commit) => PairVersion::Revision(commit.id.clone()),
        VersionPlace::Directory(path) => PairVersion::Directory(path.clone()),
    }
}
