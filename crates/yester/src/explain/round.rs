//! One round of the search: both versions built in one way, run on the user's input, compared, and run on alternate inputs.

use std::num::NonZero;

use yester_path::explanation::{
    Alternate, Alternates, Behind, Differing, Direction, Evidence, NEW, OLD, Relevant, Suspect,
    VersionSources, Versions, WrittenDifference, written_differently,
};
use yester_path::{
    Asking, DifferenceKind, EventKind, Joint, Loss, Matching, Recording, RecordingError,
    SourcePlace, StepDifference, first_difference, last_step, step_differences,
};
use yester_record::{Behaviour, BuiltVersion, ProgramSession, Recorded, TwoVersions};
use yester_run::{Ending, Events};

use super::job::ExplainJob;
use super::source::Sources;
use crate::cli::EvidenceChoice;
use crate::failure::Failure;

/// What a round looks for, in words.
const ONLY_NEW: &str = "looking for inputs that only the new version treats differently";
const ONLY_OLD: &str = "looking for inputs that only the old version treats differently";
const ALIKE: &str = "looking for inputs that both versions treat alike";
const PARTS: &str = "running both versions on parts of your input";

/// What a round has seen.
pub struct Round {
    /// Both versions on the user's input.
    pub given: [Recorded; 2],
    /// What they did.
    pub behaviours: [Behaviour; 2],
    pub alternates: Vec<Alternate<Behaviour>>,
    differences: Vec<StepDifference>,
    written: Vec<WrittenDifference>,
    /// What differs on other inputs on which the versions agree.
    harmless: Vec<Differing>,
    /// What the first difference in the output depends on.
    behind: Behind,
    /// Reasons to look twice.
    pub notes: Vec<String>,
    /// What was not followed, for both versions.
    pub lost: [Vec<Loss>; 2],
    /// The last step of each version that a signal killed, if it is known.
    pub crashes: [Option<SourcePlace>; 2],
    pub runs: u64,
}

impl Round {
    /// Runs and compares. Fails if there is nothing to explain.
    pub fn new(
        (job, session): (&ExplainJob, &ProgramSession),
        built: &[BuiltVersion; 2],
        evidence: &[EvidenceChoice],
        sources: &Sources,
        events: &Events,
    ) -> Result<Round, Failure> {
        events.step_within(
            "running both versions on your input",
            "--timeout",
            Some(job.arguments.timeout),
        );
        let mut both = TwoVersions::new(job.as_run(session), built);
        let given = [both.record(OLD)?, both.record(NEW)?];
        let behaviours = [OLD, NEW].map(|version| both.behaviour(&given[version].observation));
        if behaviours[OLD].is_same(&behaviours[NEW]) {
            return Err(Failure::nothing(format!(
                "both versions do the same on this input: {}",
                behaviours[OLD].ending
            ))
            .hint("check the input: what they print or how they exit has to differ"));
        }
        let mut notes = Vec::new();
        for version in [OLD, NEW] {
            notes.extend(unsteadiness(job, &mut both, &given[version], version)?);
        }
        let recordings = [&given[OLD].recording, &given[NEW].recording];
        let failed = |error: RecordingError| Failure::from(error);
        let matching = Matching::with_texts(
            &recordings[OLD].sites,
            &recordings[NEW].sites,
            |(file, line)| sources.line_text(OLD, file, line),
            |(file, line)| sources.line_text(NEW, file, line),
        );
        let joint = Joint::new(&recordings);
        let (mut differences, mut written) = (Vec::new(), Vec::new());
        let mut behind = Behind::default();
        if evidence.contains(&EvidenceChoice::Values) {
            let found = step_differences(recordings[OLD], recordings[NEW], &matching);
            differences = found.map_err(failed)?;
            let is_cut = |recording: &&Recording| recording.cut || recording.values_cut;
            if recordings.iter().any(is_cut) {
                // Each recording ends somewhere else, so what only one of them has means nothing.
                differences.retain(|one| !matches!(one.kind, DifferenceKind::Alone { .. }));
                notes.push(
                    "the runs are too long to be recorded to their end: what comes later is not compared; a shorter input shows more"
                        .to_owned(),
                );
            }
            written = written_differently(recordings, &joint).map_err(failed)?;
            let killed = [OLD, NEW]
                .map(|version| matches!(given[version].observation.ending, Ending::Signal(_)));
            behind = Behind::of(recordings, killed, sources).map_err(failed)?;
        }
        let relevant = Relevant::of(recordings, sources).map_err(failed)?;
        let jobs = job.arguments.trial.jobs();
        let mut search = Alternates {
            input: &job.input,
            symbolic: &job.symbolic,
            asking: Asking {
                program: job.arguments.solver.clone(),
                limit: job.arguments.solver_timeout,
                jobs: NonZero::new(jobs).unwrap_or(NonZero::<usize>::MIN),
            },
            most_inputs: job.arguments.most_inputs,
            timeout: job.arguments.timeout,
            relevant: &relevant,
            versions: &mut both,
            joint: &joint,
            matching: &matching,
            given: &given,
            left_out: 0,
        };
        let mut alternates = Vec::new();
        let by_inputs = [EvidenceChoice::Branches, EvidenceChoice::Predicates];
        if evidence.iter().any(|one| by_inputs.contains(one)) {
            events.phase(ONLY_NEW, job.arguments.most_inputs);
            alternates = search.find(Direction::LeavesNew)?;
            if alternates.is_empty() {
                events.phase(ONLY_OLD, job.arguments.most_inputs);
                alternates = search.find(Direction::LeavesOld)?;
            }
            events.phase(ALIKE, job.arguments.most_inputs);
            for turned in search.find(Direction::Turns)? {
                if !alternates.iter().any(|known| known.input == turned.input) {
                    alternates.push(turned);
                }
            }
        }
        let mut harmless = Vec::new();
        if evidence.contains(&EvidenceChoice::Values) {
            events.phase(PARTS, 0);
            harmless = search.harmless()?;
        }
        let agreeing = alternates.iter().filter(|alternate| alternate.agrees);
        harmless.extend(agreeing.map(|alternate| alternate.harmless.clone()));
        if search.left_out > 0 {
            notes.push(format!(
                "the runs have {} more branches on the input than were asked about; --most-inputs N asks about more",
                search.left_out
            ));
        }
        let losses = |version: usize| recordings[version].losses().map_err(failed);
        let lost = [losses(OLD)?, losses(NEW)?];
        let crash = |version: usize| match given[version].observation.ending {
            Ending::Signal(_) => last_step(recordings[version]).map_err(failed),
            _ => Ok(None),
        };
        let crashes = [crash(OLD)?, crash(NEW)?];
        Ok(Round {
            lost,
            crashes,
            runs: both.runs,
            given,
            behaviours,
            alternates,
            differences,
            written,
            harmless,
            behind,
            notes,
        })
    }

    /// The places that it speaks for. Its alternate inputs have numbers from `first` on.
    pub fn suspects(&self, sources: &Sources, first: usize) -> Vec<Suspect> {
        let evidence = Evidence {
            recordings: [&self.given[OLD].recording, &self.given[NEW].recording],
            sources,
            alternates: &self.alternates,
            differences: &self.differences,
            written: &self.written,
            harmless: &self.harmless,
            behind: &self.behind,
        };
        let mut suspects = evidence.suspects();
        for suspect in &mut suspects {
            suspect.alternate = suspect.alternate.map(|number| number + first);
        }
        suspects
    }
}

/// Runs a version on the user's input again. What differs then is not the version's doing.
fn unsteadiness(
    job: &ExplainJob,
    both: &mut TwoVersions<'_>,
    given: &Recorded,
    version: usize,
) -> Result<Option<String>, Failure> {
    let again = both.record_again(version)?;
    let word = &job.versions[version].word;
    let was = both.behaviour(&given.observation);
    if !was.is_same(&both.behaviour(&again.observation)) {
        return Ok(Some(format!(
            "{word} does not do the same twice: {} differs between two runs on your input",
            if was.ending == again.observation.ending {
                "what it prints"
            } else {
                "how it ends"
            }
        )));
    }
    if was.ending == Ending::Timeout {
        // Where the time is over is nobody's doing.
        return Ok(None);
    }
    let parting = first_difference(&given.recording, &again.recording);
    let parting = parting?;
    Ok(parting.map(|(_, event)| {
        let place = event.and_then(|event| match event {
            EventKind::Branch { function, site, .. } | EventKind::Call { function, site } => {
                let function = given.recording.sites.function(function)?;
                let line = function.sites.get(site as usize)?.line;
                Some(format!(" in {}, line {line}", function.name))
            }
            _ => None,
        });
        format!(
            "{word} does not take the same path twice: its runs part{}",
            place.unwrap_or_default()
        )
    }))
}
