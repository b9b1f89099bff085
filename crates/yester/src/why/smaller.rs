//! The second question: which part of the input does it take? It has to go on failing with the culprit, and passing without it:
//! otherwise the reduction would slip to another cause.

use std::path::{Path, PathBuf};

use super::blame::Blame;
use super::job::WhyJob;
use super::pair::Ground;
use crate::cli::StepChoice;
use crate::failure::{Exit, Failure};
use crate::step::{StepCall, Steps};

/// Which share of the time that is left it may take.
const SHARE: f64 = 0.5;

/// Whether there is an input to make smaller.
pub fn is_wanted(job: &WhyJob) -> bool {
    job.input.is_some() && !job.skips(StepChoice::Reduce)
}

/// Makes the input of the test smaller. Gives the path of the smaller one.
pub fn search(
    job: &WhyJob,
    steps: &mut Steps<'_>,
    (blame, ground): (&Blame, &Ground),
) -> Result<Option<PathBuf>, Failure> {
    let Some(input) = &job.input else {
        steps.leave_out("reduce", "TEST names no input file; --input FILE names one");
        return Ok(None);
    };
    if job.skips(StepChoice::Reduce) {
        steps.leave_out("reduce", "--skip reduce leaves it out");
        return Ok(None);
    }
    let place = match ground {
        Ground::Firm(place) => place.clone(),
        Ground::Unknown(failure) => {
            steps.leave_out("reduce", &failure.message);
            return Ok(None);
        }
        Ground::Different(reason) => {
            steps.leave_out("reduce", reason);
            return Ok(None);
        }
    };
    let output = output(job, &input.path);
    let file = place.join("bad").join(&input.place);
    let mut words = vec![
        file.clone().into_os_string(),
        "--within".into(),
        place.into_os_string(),
        "--failing".into(),
        "--output".into(),
        output.clone().into_os_string(),
    ];
    if let Some(line) = blame.pair.counterpart(job) {
        words.extend(["--counterpart".into(), line]);
    }
    let name = input.path.display().to_string();
    let why = match &blame.pair.good {
        Some(_) => format!("{name} must go on failing with the culprit and passing without it"),
        None => format!("{name} must go on failing"),
    };
    let end = steps.carry_out(StepCall {
        command: "reduce",
        why,
        words,
        without: &["with"],
        test: ["sh", "yester-why.sh"].map(Into::into).to_vec(),
        share: SHARE,
    })?;
    // People know the file by their own name for it.
    let file = file.display().to_string();
    if let Some(step) = steps.done.last_mut() {
        step.headline = step.headline.replace(&file, &name);
        step.story.headline = step.story.headline.replace(&file, &name);
        if let Some(input) = &mut step.story.input
            && input.original == file
        {
            input.original = name;
        }
    }
    let is_answer = matches!(end.exit, Exit::Found | Exit::Limit);
    Ok(Some(output.clone()).filter(|_| is_answer && job.start.join(&output).is_file()))
}

/// Where the smaller input goes: beside the patches, with a name that says what it is.
fn output(job: &WhyJob, input: &Path) -> PathBuf {
    let stem = input.file_stem().unwrap_or_default().to_string_lossy();
    let name = match input.extension() {
        Some(extension) => format!("{stem}.reduced.{}", extension.to_string_lossy()),
        None => format!("{stem}.reduced"),
    };
    let directory = job.arguments.output.as_deref().unwrap_or(Path::new(""));
    directory.join(name)
}
