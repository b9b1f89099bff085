//! Which revisions are walked through: `--from` and `--until`.

use std::sync::LazyLock;

use regex::Regex;
use yester_patch::{Commit, PatchError, Repository};

use crate::cli::HistoryArguments;
use crate::failure::Failure;
use crate::versions::failed;

/// Where a walk ends.
enum Until {
    /// With the first commit.
    Beginning,
    Revision(String),
    Date(String),
    Count(usize),
}

/// Words that git takes for a date. It takes everything for one, and for now what it does not understand.
static DATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(19|20)\d\d-\d\d-\d\d([ T]|$)|^\d+[ .](day|week|month|year)s?[ .]ago$|^yesterday$",
    )
    .expect("a constant")
});

/// The revisions to walk through, the newest first, and whether the user has named the oldest of them.
pub fn revisions(
    repository: &Repository,
    arguments: &HistoryArguments,
) -> Result<(Vec<Commit>, bool), Failure> {
    let from = &arguments.from;
    let newest = repository.resolve(from).map_err(|error| match error {
        PatchError::UnknownRevision { .. } if from == "HEAD" => {
            Failure::nothing("this repository has no commit yet")
        }
        PatchError::UnknownRevision { .. } => {
            Failure::usage(format!("'{from}' is not a revision of this repository"))
                .hint("git log --oneline --all and git tag list revisions")
        }
        error => failed(&error),
    })?;
    let is_shallow = repository.is_shallow();
    let shallow = |failure: Failure| {
        if is_shallow {
            failure.hint("this is a shallow clone: git fetch --unshallow gets the whole history")
        } else {
            failure
        }
    };
    let until = until(repository, arguments.until.as_deref()).map_err(&shallow)?;
    let limit = match &until {
        Until::Beginning => Vec::new(),
        Until::Revision(id) => vec![format!("^{id}")],
        Until::Date(date) => vec![format!("--since={date}")],
        Until::Count(count) => vec![format!("--max-count={}", count.saturating_add(1))],
    };
    let mut list = vec!["--first-parent", &newest];
    list.extend(limit.iter().map(String::as_str));
    let listed = repository.commits(&list).or_else(|error| {
        let listed = repository.commits_that_are_there(&list);
        listed.map_err(|_| error)
    });
    let mut revisions = listed.map_err(|error| failed(&error))?;
    if let Until::Revision(id) = &until {
        let is_older = repository
            .merge_base(id, &newest)
            .is_ok_and(|base| base == *id);
        if !is_older || *id == newest {
            return Err(Failure::usage(format!(
                "{} is not older than {from}",
                arguments.until.as_deref().unwrap_or_default()
            ))
            .hint("--until takes a revision in the past of the one that fails"));
        }
        // Where it came in by a merge, the first parents lead past it, down to what they share.
        let past = repository.commits(&["--ancestry-path", &newest, &format!("^{id}")]);
        let past = past.map_err(|error| failed(&error))?;
        revisions.retain(|commit| past.iter().any(|other| other.id == commit.id));
        revisions.push(repository.commit(id).map_err(|error| failed(&error))?);
    }
    if revisions.len() < 2 {
        let word = match (&until, arguments.until.as_deref()) {
            (Until::Beginning, _) | (_, None) => {
                format!("{from} is the only commit: there is no history")
            }
            (_, Some(until)) => format!("there is no commit between {until} and {from}"),
        };
        return Err(shallow(Failure::nothing(word)));
    }
    Ok((revisions, matches!(until, Until::Revision(_))))
}

fn until(repository: &Repository, word: Option<&str>) -> Result<Until, Failure> {
    let Some(word) = word else {
        return Ok(Until::Beginning);
    };
    // An abbreviated id may have digits only, but not as few as people count revisions with.
    if word.len() < 7
        && let Ok(count) = word.parse()
    {
        return match count {
            0 => Err(Failure::usage("--until 0 leaves no revision to walk to")),
            count => Ok(Until::Count(count)),
        };
    }
    if DATE.is_match(word) {
        return Ok(Until::Date(word.to_owned()));
    }
    match repository.resolve(word) {
        Ok(id) => Ok(Until::Revision(id)),
        Err(PatchError::UnknownRevision { .. }) => Err(Failure::usage(format!(
            "'{word}' is neither a revision, nor a date, nor a number"
        ))
        .hint("a date is written as 2024-01-31, or as '2 years ago'")),
        Err(error) => Err(failed(&error)),
    }
}
