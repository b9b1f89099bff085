//! What a recording of the failing run tells about the places in it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use yester_path::intervention::search::SliceLines;
use yester_path::{
    ChainEnd, ChainLine, ChainLink, DecidingBranch, LineChains, LinkRole, RecordingError, Run,
};
use yester_report::{FlipBytes, FlipDependences, FlipLink, FlipPlace};
use yester_run::{Ending, Observation, Why};

use super::job::FlipJob;
use crate::failure::{Exit, Failure};
use crate::record::{BuiltVersion, ProgramSession, Recorded, Recorder, RecorderSettings, RunPlace};

/// How many bytes of events are recorded: about a million.
const RECORD_LIMIT: &str = "1048576";
/// How long the run may take while it is recorded.
const PATIENCE: Duration = Duration::from_secs(5);

/// So many links of a chain are told.
const MOST_LINKS: usize = 6;
/// So many pieces of the output are compared with what is right.
const MOST_PIECES: u64 = 1 << 18;

/// The failing run on the user's own input.
pub struct FailingRecord {
    recorded: Recorded,
    /// Where the program was built.
    root: PathBuf,
    /// What the run got wrong.
    end: ChainEnd,
    /// Whether it is one of a program, not of a test that starts programs.
    is_program: bool,
}

impl FailingRecord {
    /// Records it. Nothing if the program leaves no recording.
    pub fn new(
        (job, session): (&FlipJob, &ProgramSession),
        built: &BuiltVersion,
        failing: &Observation,
        expected: Option<&[u8]>,
        is_program: bool,
    ) -> Result<Option<FailingRecord>, Failure> {
        let mut recorder = Recorder::new(RecorderSettings {
            session,
            command: &job.test.command,
            place: RunPlace::Copy(built.tree),
            input: &job.test.input,
            why: Why::Search,
            program_in_tree: job.test.program_in_tree.clone(),
            environment: vec![
                ("YESTER_RECORD_LIMIT".into(), RECORD_LIMIT.into()),
                ("YESTER_OUTPUT".into(), "1".into()),
            ],
        });
        let recorded = recorder.run(Run {
            input: &job.test.input,
            symbolic: &job.symbolic,
            timeout: match failing.ending {
                Ending::Timeout => Duration::from_secs(1),
                _ => PATIENCE.max(failing.elapsed * 10).min(PATIENCE * 4),
            },
        });
        match recorded {
            Ok(recorded) => {
                // What is wrong about it is not known if the user judges, and not what of it a test looks at.
                let end = if job.is_judged_by_user() || !is_program {
                    ChainEnd::Unknown
                } else {
                    end(&recorded, failing, expected)?
                };
                Ok(Some(FailingRecord {
                    recorded,
                    root: built.root.clone(),
                    end,
                    is_program,
                }))
            }
            // A script, or a program of another compiler.
            Err(failure) if failure.exit == Exit::Usage => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// The name that the compiler knew a file of a version by, from its name in another tree of the same version.
    pub fn file(&self, file: &str, root: &Path) -> String {
        match Path::new(file).strip_prefix(root) {
            Ok(inside) => self.root.join(inside).display().to_string(),
            Err(_) => file.to_owned(),
        }
    }

    /// The name of a file of the recording in another tree of the same version.
    pub fn original(&self, file: &str, root: &Path) -> String {
        match Path::new(file).strip_prefix(&self.root) {
            Ok(inside) => root.join(inside).display().to_string(),
            Err(_) => file.to_owned(),
        }
    }

    /// The lines that what the run got wrong depends on, named as in another tree of the same version. Nothing if that cannot be told.
    pub fn slice(&self, root: &Path) -> Option<SliceLines> {
        let recording = &self.recorded.recording;
        let end = match (self.end, &self.recorded.observation.ending) {
            (ChainEnd::Unknown, Ending::Signal(_)) if self.is_program => ChainEnd::Crash,
            (end, _) => end,
        };
        if recording.cut || self.recorded.others > 0 {
            return None;
        }
        let lines = recording.lines_behind(end).ok()??.into_iter();
        let lines = lines.map(|line| (self.original(&line.file, root), line.line));
        Some(lines.collect())
    }

    /// What lines depend on, and what depends on them; `name` says how the user knows a file. What cannot be told is left out.
    pub fn dependences(
        &self,
        lines: &[ChainLine],
        name: &dyn Fn(&str) -> String,
    ) -> Result<Vec<Option<FlipDependences>>, Failure> {
        let recording = &self.recorded.recording;
        // Behind the end of what was recorded everything may depend on something else.
        // Of several processes it is not known which one was recorded.
        let chains = if recording.cut || self.recorded.others > 0 {
            return Ok(vec![None; lines.len()]);
        } else {
            recording.chains(lines, self.end)
        };
        let chains = match chains {
            Err(error @ RecordingError::Io { .. }) => return Err(error.into()),
            chains => chains.unwrap_or_else(|_| vec![None; lines.len()]),
        };
        let tell = |chains: Option<LineChains>| self.told(&chains?, name);
        Ok(chains.into_iter().map(tell).collect())
    }

    fn told(&self, chains: &LineChains, name: &dyn Fn(&str) -> String) -> Option<FlipDependences> {
        if chains.from_input.is_empty() && chains.to_output.is_empty() {
            return None;
        }
        let mut input: Vec<FlipBytes> = Vec::new();
        for byte in &chains.bytes {
            let source = self.recorded.recording.sources.get(byte.source)?;
            let source = source.to_string();
            match input.iter_mut().find(|one| one.source == source) {
                Some(known) => known.offsets.push(byte.offset),
                None => input.push(FlipBytes {
                    source,
                    offsets: vec![byte.offset],
                }),
            }
        }
        let mut to_output = self.links(&chains.to_output, name);
        if let (Some(last), Some(ChainLink { role, .. })) =
            (to_output.last_mut(), chains.to_output.last())
            && let (LinkRole::Calls(function), ChainEnd::Output(_)) = (role, self.end)
        {
            last.does = format!("writes it with {function}");
        }
        Some(FlipDependences {
            from_input: self.links(&chains.from_input, name),
            to_output,
            input,
        })
    }

    /// The links of a chain. Of a long one, some in the middle are left out.
    fn links(&self, links: &[ChainLink], name: &dyn Fn(&str) -> String) -> Vec<FlipLink> {
        let half = MOST_LINKS / 2;
        let left_out = links.len().saturating_sub(MOST_LINKS);
        let told = links.iter().enumerate();
        let told = told.filter(|(index, _)| *index < half || *index >= half + left_out);
        let told = told.filter_map(|(index, link)| {
            let function = self
                .recorded
                .recording
                .sites
                .function(link.place.function)?;
            Some(FlipLink {
                file: name(&function.file),
                line: link.place.line,
                does: does(&link.role),
                certain: link.is_certain,
                left_out: if index == half + left_out {
                    left_out as u64
                } else {
                    0
                },
            })
        });
        told.collect()
    }

    /// The branch that alone decides over the line of a place, in a file as the compiler knows it.
    pub fn deciding_branch(&self, file: &str, place: &FlipPlace) -> Option<DecidingBranch> {
        let sites = &self.recorded.recording.sites;
        sites.deciding_branch(file, &place.function, place.line)
    }

    /// Whether both places assign the same variable.
    pub fn assign_the_same(&self, file: &str, one: &FlipPlace, other: &FlipPlace) -> Option<bool> {
        let sites = &self.recorded.recording.sites;
        sites.write_the_same(file, &one.function, [one.line, other.line])
    }
}

/// What a step does, in words.
fn does(role: &LinkRole) -> String {
    match role {
        LinkRole::Reads(function) => format!("reads it with {function}"),
        LinkRole::Arguments => "has the arguments of the program".to_owned(),
        LinkRole::Assigns => "assigns".to_owned(),
        LinkRole::Passes(function) => format!("passes it to {function}"),
        LinkRole::Returns => "returns".to_owned(),
        LinkRole::Decides => "decides".to_owned(),
        LinkRole::Calls(function) => match function.as_str() {
            "" => "calls a function".to_owned(),
            name => format!("calls {name}"),
        },
    }
}

/// What the run got wrong: the first byte of its output that is another, or its exit code.
fn end(
    recorded: &Recorded,
    failing: &Observation,
    expected: Option<&[u8]>,
) -> Result<ChainEnd, RecordingError> {
    let seen = &recorded.observation;
    // A run that does something else each time tells nothing about the one that failed.
    if seen.ending != failing.ending || seen.stdout != failing.stdout {
        return Ok(ChainEnd::Unknown);
    }
    let of_exit = match failing.ending {
        Ending::Exit(_) => ChainEnd::ExitCode,
        _ => ChainEnd::Unknown,
    };
    let Some(expected) = expected else {
        return Ok(of_exit);
    };
    let output = recorded.recording.output_beginning(MOST_PIECES)?;
    let Some(target) = output.target(1).filter(|target| output.is_whole(*target)) else {
        return Ok(ChainEnd::Unknown);
    };
    let mut count = 0;
    for byte in output.bytes(target) {
        if expected.get(count) != Some(&byte.value) {
            return Ok(ChainEnd::Output(output.pieces[byte.piece].origin));
        }
        count += 1;
    }
    // What is missing was written by nobody.
    Ok(if count == expected.len() {
        of_exit
    } else {
        ChainEnd::Unknown
    })
}
