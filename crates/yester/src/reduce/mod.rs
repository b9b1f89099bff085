//! `yester reduce`: from a failing input to the part of it that fails.

mod answer;
mod best;
mod input;
mod job;
mod output;
mod search;

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use yester_core::Lab;
use yester_core::{Candidate, Outcome, Phase};
use yester_report::{Sure, quote};
use yester_run::{
    Baseline, BaselineError, CommandLab, Consumer, ERROR_RATE, Events, Expectation, Reading,
    Repeat, RunDirectory, Runner, Signature,
};

use self::best::{BEST, Improvements, SmallestInput, save};
use self::input::is_standard;
use self::job::ReduceJob;
use self::output::Destination;
use self::search::Reduced;
use crate::call::Call;
use crate::cli::ReduceArguments;
use crate::complaint;
use crate::driver::{
    self, Halt, Presentation, Problem, RunTarget, Scope, Search, SharedArguments, Standing,
    TrialSetup, Words,
};
use crate::failure::{Exit, Failure};
use crate::finished::Finished;
use crate::runs::Extent;
use crate::versions::Surroundings;

pub fn run(arguments: ReduceArguments, call: &Call, events: &Events) -> Result<Finished, Failure> {
    events.step(ReduceJob::WORDS.introduction, None);
    driver::drive(&mut ReduceJob::new(arguments, &call.start)?, call, events)
}

impl Problem for ReduceJob {
    const WORDS: Words = Words {
        unit: "bytes",
        introduction: "reading the input",
        preparation: "preparing the trials",
        baseline: "running the command on the whole input",
    };

    type Baseline = Baseline;

    fn arguments(&self) -> SharedArguments<'_> {
        let ReduceArguments { trial, run, .. } = &self.arguments;
        SharedArguments {
            name: &self.run,
            trial,
            run,
        }
    }

    fn scope(&self) -> Scope {
        Scope {
            target: RunTarget {
                words: quote::word(self.arguments.file.as_os_str()),
                test: quote::command(self.command.words.iter().map(|word| word.as_os_str())),
            },
            size: self.input.candidate().bytes(),
            whole: Some(self.input.candidate()),
            failing_side: "the input".to_owned(),
        }
    }

    fn introduce(&mut self, events: &Events) -> Result<(), Failure> {
        for note in &self.companions.notes {
            events.say(note);
        }
        Ok(())
    }

    fn nothing_to_search(&self) -> Option<Failure> {
        let name = if is_standard(&self.arguments.file) {
            "standard input".into()
        } else {
            self.arguments.file.to_string_lossy()
        };
        let message = format!("{name} is empty: there is nothing to leave out");
        self.input.is_empty().then(|| Failure::nothing(message))
    }

    fn prepare(&self, run: &RunDirectory) -> Result<TrialSetup, Failure> {
        let base = match &self.surroundings {
            Some(surroundings) => Some(surroundings.copy(&self.run, run)?),
            None => None,
        };
        Ok(TrialSetup {
            invocation: self.invocation(),
            subject: self.subject(),
            visible: self.visible(base.as_ref().map(|(_, place)| place.as_path()))?,
            base,
        })
    }

    fn expectation(&self) -> Expectation {
        self.expectation()
    }

    fn establish(
        &self,
        runner: &mut Runner,
        expectation: &Expectation,
        run: &RunDirectory,
    ) -> Result<Baseline, Halt> {
        let (input, empty) = (self.input.candidate(), self.input.nothing());
        Baseline::establish(runner, &input, &empty, expectation).map_err(|error| {
            let shown = match error {
                BaselineError::Stop(stop) => return Halt::Stop(stop),
                BaselineError::EmptyFails(_) => &empty,
                _ => &input,
            };
            let directory = Path::new("baseline");
            // Without room for it the message still says what to look at.
            let _ = save(run, directory, &self.name, shown);
            for helper in &self.companions.helpers {
                let _ = run.write(directory.join(&helper.path), &helper.content);
            }
            let ReduceArguments { exit, reading, .. } = &self.arguments;
            Halt::Nothing(complaint::about(
                &error,
                &self.command_in(&run.path().join(directory)),
                exit.interesting || exit.failing,
                !reading.fail_if.is_empty(),
                |trial| self.suspicion(trial),
            ))
        })
    }

    fn baseline(baseline: &Baseline) -> &Baseline {
        baseline
    }

    fn remarks(&self, baseline: &Baseline) -> Vec<String> {
        let mut remarks = self.method.notes.clone();
        if let Reading::Failing(Signature { line: None, .. }) = &baseline.judge.reading
            && self.arguments.exit.keep_message
        {
            remarks.push(
                "--keep-message has nothing to keep: no line of the output is the same in every run"
                    .to_owned(),
            );
        }
        remarks
    }

    fn needs_clean_trees(&self, _: &Baseline) -> bool {
        // What one candidate leaves in the tree is nothing to the next.
        self.surroundings.is_some()
    }
}

impl Search for ReduceJob {
    const KEEPS_OUTPUTS: bool = false;
    const STARTS_CLEAN_JOURNAL: bool = false;
    const LOOKS: usize = 6;
    type Best = SmallestInput;
    type Finding = Reduced;

    fn best(&self, run: &Rc<RunDirectory>) -> Result<SmallestInput, Failure> {
        let best = SmallestInput::new(run, &self.name, self.input.candidate())
            .map_err(|error| Failure::io("write the best so far", &error))?;
        self.rescue(&run.path().join(BEST));
        Ok(best)
    }

    fn teach(&self, lab: &mut CommandLab<SmallestInput>, baseline: &Baseline) {
        lab.remember(&self.input.candidate(), Outcome::Fail);
        lab.remember(&self.input.nothing(), baseline.empty);
        lab.remember_messages(&baseline.messages);
    }

    fn search(
        &self,
        lab: &mut CommandLab<SmallestInput>,
        _: &Baseline,
        _: &[Reduced],
    ) -> Result<Reduced, Halt> {
        self.method.search(lab, &self.input, &self.arguments.file)
    }

    fn prove(
        &self,
        lab: &mut CommandLab<SmallestInput>,
        _: &Baseline,
        finding: &mut Reduced,
        _: &[Reduced],
    ) -> Result<bool, Halt> {
        lab.enter(Phase {
            what: "checking the answer in a clean directory",
            deltas: 0,
        });
        let confirmation = lab.confirm(&finding.candidate)?;
        let is_flaky = matches!(lab.repeat(), Repeat::Sequential { .. });
        finding.sure = Some(Sure {
            failures: confirmation.failures,
            runs: confirmation.runs,
            confidence: is_flaky.then_some(1.0 - ERROR_RATE),
        });
        Ok(confirmation.outcome == Outcome::Fail)
    }

    fn is_proved(finding: &Reduced) -> bool {
        finding.sure.is_some()
    }

    fn is_complete(&self, _: &[Reduced]) -> bool {
        true
    }

    fn unfinished(&self, best: &SmallestInput) -> Option<Reduced> {
        Some(Reduced::unfinished(best.candidate().clone()))
    }

    fn second_look(&self, repeat: &Repeat) -> Option<&'static str> {
        let is_surprise = matches!(repeat, Repeat::Once | Repeat::Always(_));
        (is_surprise && self.arguments.reading.repeat.is_none())
            .then_some("the answer does not always fail; searching again with repeats")
    }

    fn refuted(&self) -> &'static str {
        "the smallest failing input does not fail again in a clean directory"
    }
}

impl Presentation for ReduceJob {
    type Result = yester_report::ReductionResult;

    fn extent(&self, left: u64) -> Extent {
        Extent::Bytes {
            bytes: left,
            original_bytes: self.input.candidate().bytes(),
        }
    }

    fn consumers(&self, run: &Rc<RunDirectory>) -> Vec<Box<dyn Consumer>> {
        vec![Box::new(Improvements::new(run, &self.name))]
    }

    fn standing(_: &[Reduced]) -> Standing {
        // Whatever does not fail again is not reported.
        Standing::Found
    }

    fn write(
        &self,
        _: &RunDirectory,
        findings: &[Reduced],
    ) -> Result<yester_report::ReductionResult, Failure> {
        let [finding, ..] = findings else {
            unreachable!("only what was found is written")
        };
        self.write_output(&finding.candidate)?;
        self.result(finding)
    }

    fn answer(&self, findings: &[Reduced]) -> Option<Vec<u8>> {
        let [finding, ..] = findings else {
            return None;
        };
        match (&self.destination, &finding.candidate) {
            (Destination::Standard, Candidate::File(content)) => Some(content.to_vec()),
            _ => None,
        }
    }

    fn left(result: &yester_report::ReductionResult) -> u64 {
        result.bytes
    }

    fn sure(finding: &Reduced) -> Option<Sure> {
        finding.sure
    }

    fn next(&self, run: &RunDirectory, _: Option<&Self::Result>) -> String {
        let is_given =
            self.command.has_placeholder() || self.arguments.stdin || self.surroundings.is_some();
        // rustc makes the name of a file that of a crate, which has no dot.
        let is_crate = |path: &Path| {
            let stem = path.file_stem().unwrap_or_default();
            path.extension() == Some("rs".as_ref()) && stem.as_encoded_bytes().contains(&b'.')
        };
        let path = self.destination.path().filter(|path| !is_crate(path));
        match path.filter(|_| is_given) {
            Some(path) => self.command_on(path),
            None => self.command_in(&run.path().join(BEST)),
        }
    }

    fn save(&self, run: &RunDirectory, place: &Path, candidate: &Candidate) -> io::Result<PathBuf> {
        save(run, place, &self.name, candidate)
    }

    fn clean_up(&self, run: &RunDirectory, _: Exit) {
        if self.surroundings.is_some() && !self.arguments.trial.keep {
            driver::discard(&Surroundings::copy_in(run));
        }
    }
}
