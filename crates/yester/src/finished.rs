//! How a command has ended: a value, which somebody else tells.

use yester_report::{Answer, AnyReport, Report};

use crate::failure::{Exit, Failure};

pub struct Finished {
    pub exit: Exit,
    pub report: Box<dyn AnyReport>,
    /// What is said beside the report.
    pub failure: Option<Failure>,
    /// The answer itself, where it goes to standard output. The report goes to standard error then.
    pub answer: Option<Vec<u8>>,
}

impl Finished {
    /// With an answer, or the best so far.
    pub fn new<R: Answer + 'static>(exit: Exit, report: Report<R>) -> Finished {
        Finished {
            exit,
            report: Box::new(report),
            failure: None,
            answer: None,
        }
    }

    /// With a failure, which the report has too.
    pub fn failed<R: Answer + 'static>(failure: Failure, report: Report<R>) -> Finished {
        Finished {
            exit: failure.exit,
            report: Box::new(Report {
                status: failure.status(),
                error: Some(failure.reported()),
                ..report
            }),
            failure: Some(failure),
            answer: None,
        }
    }
}
