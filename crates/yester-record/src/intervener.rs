//! Runs a program, or a test that starts programs, with an intervention.
//!
//! What is written into the environment is explained in the runtime (`yester-pathrt/src/intervention`).

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

use yester_core::{Candidate, Hash};
use yester_path::intervention::{Profile, ResultRecord};
use yester_path::{InputSource, ProgramInput, Recording, RecordingError, processes};
use yester_run::{
    Exchange, Invocation, Observation, Outputs, Ran, Subject, Verdict, Why, file, is_trouble,
};

use crate::error::RecordError;
use crate::input_placement::put_input;
use crate::recorder::Seen;
use crate::session::{ProgramRun, ProgramSession, check_started, user_environment};

/// What to run, and how.
pub struct IntervenerSettings<'a> {
    /// Makes the runs.
    pub session: &'a ProgramSession,
    /// The program.
    pub program: &'a Path,
    /// The input that the user gave.
    pub input: &'a ProgramInput,
    /// The tree that every run has a copy of.
    pub tree: Hash,
    /// The path of the program in the tree, if that has it.
    pub program_in_tree: Option<OsString>,
}

/// What is wanted of a run.
#[derive(Clone, Copy, Debug)]
pub enum RunRequest<'a> {
    /// Nothing.
    None,
    /// To write down what every place does.
    Profile,
    /// To carry out the intervention of a plan.
    Intervention(&'a str),
    /// To carry out the intervention of a plan, and to record what becomes of the value.
    Followed(&'a str),
    /// To carry out all interventions of a plan, each in a child of the program, whose output is compared with what is expected.
    Batch {
        /// The plan.
        plan: &'a str,
        /// What a right run prints.
        expected: &'a [u8],
    },
}

/// A run that has ended.
pub struct InterventionRun {
    /// What it has shown.
    pub observation: Seen,
    /// Of the processes of the run, if they were wanted.
    pub profiles: Vec<Profile>,
    /// Of the interventions, if they were wanted.
    pub results: Vec<ResultRecord>,
    /// Of the first process, if it was wanted and there is one that can be read.
    pub recording: Option<Recording>,
    /// The recording reads its events from here.
    _outputs: Option<Outputs>,
}

/// Where events are recorded they are not needed: the expressions are.
const RECORD_LIMIT: &str = "1000000";

/// The plan of a run. Its first line has limits, which depend on how fast the machine is.
const PLAN: &str = "plan";

/// Runs a command with interventions.
pub struct Intervener<'a> {
    settings: IntervenerSettings<'a>,
}

impl<'a> Intervener<'a> {
    /// For this command.
    pub fn new(settings: IntervenerSettings<'a>) -> Intervener<'a> {
        Intervener { settings }
    }

    /// Runs it once.
    ///
    /// # Errors
    /// If the command cannot be started, what it has left cannot be read, or the search has to end.
    pub fn run(
        &mut self,
        request: RunRequest<'_>,
        timeout: Duration,
    ) -> Result<InterventionRun, RecordError> {
        self.run_for(request, timeout, Why::Search)
    }

    /// Runs once more what was right before, to be sure.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn confirm(
        &mut self,
        plan: &str,
        timeout: Duration,
    ) -> Result<InterventionRun, RecordError> {
        self.run_for(RunRequest::Intervention(plan), timeout, Why::Confirmation)
    }

    fn run_for(
        &mut self,
        request: RunRequest<'_>,
        timeout: Duration,
        why: Why,
    ) -> Result<InterventionRun, RecordError> {
        let mut found = None;
        let wanted = [(self.settings.input, request)];
        self.carry_out(&wanted, (timeout, why), &|_| None, |_, run| {
            found = Some(run);
            Ok(())
        })?;
        Ok(found.expect("one run has one result"))
    }

    /// Runs as many at once as there are jobs, and gives each as soon as it has ended. `read` says what a run is, as far as it
    /// tells that by itself.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_all(
        &mut self,
        wanted: &[RunRequest<'_>],
        timeout: Duration,
        read: &dyn Fn(&Observation) -> Option<Verdict>,
        take: impl FnMut(usize, InterventionRun) -> Result<(), RecordError>,
    ) -> Result<(), RecordError> {
        let input = self.settings.input;
        let wanted: Vec<_> = wanted.iter().map(|request| (input, *request)).collect();
        self.carry_out(&wanted, (timeout, Why::Search), read, take)
    }

    /// Runs it on other inputs, each for its own request, as many at once as there are jobs. The results are in the order of the requests.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_on(
        &mut self,
        wanted: &[(&ProgramInput, RunRequest<'_>)],
        timeout: Duration,
    ) -> Result<Vec<InterventionRun>, RecordError> {
        let mut found: Vec<Option<InterventionRun>> = wanted.iter().map(|_| None).collect();
        self.carry_out(wanted, (timeout, Why::Search), &|_| None, |index, run| {
            found[index] = Some(run);
            Ok(())
        })?;
        let found = found.into_iter();
        Ok(found.map(|run| run.expect("each run has ended")).collect())
    }

    fn carry_out(
        &mut self,
        wanted: &[(&ProgramInput, RunRequest<'_>)],
        (timeout, why): (Duration, Why),
        read: &dyn Fn(&Observation) -> Option<Verdict>,
        mut take: impl FnMut(usize, InterventionRun) -> Result<(), RecordError>,
    ) -> Result<(), RecordError> {
        let settings = &self.settings;
        let runs = wanted.iter();
        let runs: Vec<ProgramRun> = runs
            .map(|(input, request)| settings.program_run(input, *request, timeout, why))
            .collect();
        settings
            .session
            .run_all(&runs, &|_, observation| read(observation), |index, ran| {
                take(index, decode(wanted[index].1, ran)?)
            })
    }
}

impl IntervenerSettings<'_> {
    fn program_run(
        &self,
        input: &ProgramInput,
        request: RunRequest<'_>,
        timeout: Duration,
        why: Why,
    ) -> ProgramRun {
        let mut exchange = Exchange::default();
        let mut environment: Vec<(OsString, OsString)> = user_environment().collect();
        let mut name = |variable: &str, file: &str| {
            let variable = OsString::from(variable);
            exchange.variables.push((variable, file.to_owned()));
        };
        let mut label = "as it is";
        match request {
            RunRequest::None => {}
            RunRequest::Profile => {
                label = "profile";
                name("YESTER_INTERVENE_PROFILE", "profile");
                name("YESTER_INTERVENE_COUNTER", "counter");
                exchange.directories.push("profile".to_owned());
            }
            RunRequest::Intervention(_) => {
                label = "intervention";
                name("YESTER_INTERVENE", PLAN);
                name("YESTER_INTERVENE_COUNTER", "counter");
            }
            RunRequest::Followed(_) => {
                label = "followed";
                name("YESTER_INTERVENE", PLAN);
                name("YESTER_RECORD", "record");
                exchange.directories.push("record".to_owned());
                let followed = InputSource::Intervention.to_string();
                environment.push(("YESTER_RECORD_LIMIT".into(), RECORD_LIMIT.into()));
                environment.push(("YESTER_SYMBOLIC".into(), followed.into()));
            }
            RunRequest::Batch { expected, .. } => {
                label = "interventions";
                name("YESTER_INTERVENE", PLAN);
                name("YESTER_INTERVENE_RESULTS", "results");
                name("YESTER_INTERVENE_EXPECTED", "expected");
                exchange
                    .files
                    .insert("expected".to_owned(), expected.into());
            }
        }
        exchange.wants_outputs = matches!(
            request,
            RunRequest::Profile | RunRequest::Followed(_) | RunRequest::Batch { .. }
        );
        let mut label = label.to_owned();
        if let RunRequest::Intervention(plan)
        | RunRequest::Followed(plan)
        | RunRequest::Batch { plan, .. } = request
        {
            let plan_without_limits = plan.split_once('\n').map_or("", |(_, rest)| rest);
            label.push_str(plan_without_limits);
            exchange
                .files
                .insert(PLAN.to_owned(), plan.as_bytes().into());
        }
        let entries = put_input(input, self.input, &mut exchange);
        let confinement = self.session.confinement();
        let is_intervention = !matches!(request, RunRequest::None | RunRequest::Profile);
        let is_guarded = confinement.guards(is_intervention || input != self.input);
        ProgramRun {
            label,
            why,
            invocation: Invocation {
                program: self.program.into(),
                program_in_tree: self.program_in_tree.clone(),
                arguments: input.arguments.clone(),
                has_placeholders: false,
                environment,
                stdin: false,
                timeout,
                memory: confinement.memory(is_guarded, self.session.jobs()),
                is_guarded,
                build: None,
                counterpart: None,
                helpers: Vec::new(),
            },
            subject: Subject::Tree { base: self.tree },
            candidate: Candidate::Tree(entries),
            exchange,
            ignored: &[PLAN],
        }
    }
}

/// Reads what a run has left.
fn decode(request: RunRequest<'_>, ran: Ran) -> Result<InterventionRun, RecordError> {
    check_started(ran.observation(), "the program")?;
    let observation = ran.trial.observation;
    let mut run = InterventionRun {
        observation: Seen(observation.expect("runs of a list keep what they have seen")),
        profiles: Vec::new(),
        results: Vec::new(),
        recording: None,
        _outputs: ran.outputs,
    };
    let Some(own) = run._outputs.as_ref().map(Outputs::path) else {
        return Ok(run);
    };
    match request {
        RunRequest::Profile => {
            run.profiles = Profile::read_all(&own.join("profile"))
                .map_err(RecordError::io("read what the program did"))?;
        }
        RunRequest::Followed(_) => run.recording = recording(own)?,
        RunRequest::Batch { .. } => run.results = results(own)?,
        RunRequest::None | RunRequest::Intervention(_) => {}
    }
    Ok(run)
}

/// The recording of the first process, if it can be read.
fn recording(own: &Path) -> Result<Option<Recording>, RecordError> {
    let found = processes(&own.join("record")).map_err(RecordError::io("read a recording"))?;
    match found.first().map(|first| Recording::open(first)) {
        Some(Err(error @ RecordingError::Io { .. })) => Err(error.into()),
        recording => Ok(recording.and_then(Result::ok)),
    }
}

fn results(own: &Path) -> Result<Vec<ResultRecord>, RecordError> {
    let results = match file::read_own(&own.join("results"), file::BIGGEST_INPUT) {
        // Without a first place there are none.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        // A program that has replaced the file by something else has no results either.
        Err(error) if !is_trouble(&error) => Vec::new(),
        results => results.map_err(RecordError::io("read what interventions did"))?,
    };
    let records = results.chunks_exact(ResultRecord::BYTES);
    Ok(records
        .map(|bytes| ResultRecord::read(bytes.try_into().expect("a whole record")))
        .collect())
}
