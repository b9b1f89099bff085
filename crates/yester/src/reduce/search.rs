//! How the answer is searched for: the language of the input, and the algorithm.

use std::path::Path;
use std::sync::Arc;

use yester_cfamily::reduce_declarations;
use yester_core::{
    Candidate, Entry, Grouping, Lab, Outcome, Phase, Space, Stop, Subset, ddmin, isolate,
};
use yester_report::{Minimality, Sure};
use yester_tree::{
    BIGGEST_TREE, Extent, Flat, Grammar, Hdd, Language, ReduceTuning, Structure, TextDifferences,
    Unit, Variant, reduce_directory, reduce_text,
};
use yester_yacc::OwnLanguage;

use super::input::Input;
use crate::cli::{Algorithm, MethodArguments};
use crate::driver::Halt;
use crate::failure::{Failure, plain};
use crate::file;
use crate::spelling;

/// How the search goes about it.
pub struct Method {
    algorithm: Algorithm,
    by_branch: bool,
    hoist: bool,
    valid: Option<bool>,
    own: Option<Arc<dyn Grammar>>,
    named: Option<Named>,
    passing: Option<Arc<[u8]>>,
    /// What a person should know about it before it begins.
    pub notes: Vec<String>,
}

#[derive(Clone, Copy)]
enum Named {
    Language(&'static Language),
    Text,
    Binary,
}

/// The language of a file.
struct Choice {
    grammar: Arc<dyn Grammar>,
    /// Whether candidates have to parse.
    valid: bool,
    /// Why it is not the language that the file seems to be in.
    reason: Option<String>,
}

/// A smaller input that fails.
pub struct Reduced {
    pub candidate: Candidate,
    pub minimality: Minimality,
    /// The nearest passing input, when one was searched for.
    pub passing: Option<Vec<u8>>,
    /// How many differences to it there were, and are left.
    pub differences: Option<(u64, u64)>,
    /// What the runs in a clean directory showed, once there were some.
    pub sure: Option<Sure>,
}

impl Reduced {
    /// What there was when the search was stopped.
    pub fn unfinished(candidate: Candidate) -> Reduced {
        Reduced::new(candidate, Minimality::Unknown)
    }

    fn new(candidate: Candidate, minimality: Minimality) -> Reduced {
        Reduced {
            candidate,
            minimality,
            passing: None,
            differences: None,
            sure: None,
        }
    }
}

impl Method {
    pub fn new(arguments: &MethodArguments, input: &Input, path: &Path) -> Result<Method, Failure> {
        let own = match (&arguments.grammar, &arguments.lexer) {
            (Some(grammar), Some(lexer)) => Some(own_language(grammar, lexer)?),
            _ => None,
        };
        let named = arguments.language.as_deref().map(named).transpose()?;
        let passing = arguments.isolate.as_deref().map(read).transpose()?;
        if let Input::Directory(_) = input {
            let is_auto = arguments.algorithm == Algorithm::Auto;
            if !is_auto || passing.is_some() || own.is_some() || named.is_some() {
                return Err(Failure::usage(
                    "a directory is reduced by --algorithm auto, in the languages of its files",
                ));
            }
        }
        let is_hdd = matches!(
            arguments.algorithm,
            Algorithm::Hdd | Algorithm::HddPlus | Algorithm::HddStar
        );
        if (arguments.by_branch || arguments.hoist) && !is_hdd {
            return Err(
                Failure::usage("--by-branch and --hoist are for hdd, hdd+ and hdd*")
                    .hint("add --algorithm hdd"),
            );
        }
        let valid = match (arguments.valid, arguments.allow_invalid) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        let mut method = Method {
            algorithm: arguments.algorithm,
            by_branch: arguments.by_branch,
            hoist: arguments.hoist,
            valid,
            notes: Vec::new(),
            named,
            passing,
            own: None,
        };
        if let Some(own) = own {
            method.notes.extend(own.notes().iter().cloned());
            if let Input::File { content, .. } = input
                && let Some((line, column, what)) = own.fault_of(content)
            {
                method.notes.push(format!(
                    "{}:{line}:{column}: {what}; with this grammar only what parses can be reduced, so it is taken as text",
                    path.display()
                ));
            } else {
                method.own = Some(Arc::new(own));
            }
        }
        if let Input::File { content, .. } = input
            && method.passing.is_none()
        {
            let Choice {
                grammar,
                valid,
                reason,
            } = method.choose(path, content);
            let how = match reason {
                Some(reason) => format!(", since {} is {reason}", path.display()),
                None if valid => " (--allow-invalid also tries what does not parse)".to_owned(),
                None => String::new(),
            };
            method
                .notes
                .push(format!("language: {}{how}", grammar.name()));
            if valid && content.len() > BIGGEST_TREE {
                method.notes.push(
                    "the input is big: as long as it has more than a megabyte, what does not parse is tried too"
                        .to_owned(),
                );
            }
        }
        Ok(method)
    }

    fn choose(&self, path: &Path, content: &[u8]) -> Choice {
        let grammar: Arc<dyn Grammar> = match (&self.own, self.named) {
            (Some(own), _) => Arc::clone(own),
            (None, Some(Named::Language(language))) => Arc::new(language.grammar()),
            (None, Some(Named::Text)) => Arc::new(Structure::text()),
            (None, Some(Named::Binary)) => Arc::new(Structure::binary()),
            (None, None) => {
                let by_content = || Language::by_content(content);
                match Language::by_path(path).or_else(by_content) {
                    Some(language) => Arc::new(language.grammar()),
                    None => Arc::new(Structure::of(content)),
                }
            }
        };
        let refusal = match content.len() {
            // It is cut in another way first.
            BIGGEST_TREE.. => None,
            _ => grammar.refusal(content),
        };
        let reason = refusal.map(|refusal| format!("{refusal} of {}", grammar.name()));
        let grammar = match refusal {
            Some(_) => Arc::new(Structure::of(content)),
            None => grammar,
        };
        Choice {
            valid: grammar.is_strict() && self.valid.unwrap_or(true),
            grammar,
            reason,
        }
    }

    pub fn search(&self, lab: &mut dyn Lab, input: &Input, path: &Path) -> Result<Reduced, Halt> {
        match input {
            Input::Directory(files) => {
                let choose = |path: &Path, content: &[u8]| {
                    let choice = self.choose(path, content);
                    (choice.grammar, choice.valid)
                };
                let files = reduce_directory(lab, files.clone(), &choose, ReduceTuning::default())?;
                Ok(Reduced::new(Candidate::Tree(files), Minimality::Ideas))
            }
            Input::File { content, .. } => {
                let text = Arc::clone(content);
                if let Some(passing) = &self.passing {
                    return narrow(lab, text, passing);
                }
                let Choice { grammar, valid, .. } = self.choose(path, content);
                let (text, minimality) = match self.algorithm {
                    Algorithm::Auto => {
                        let tuning = ReduceTuning::default();
                        let text = reduce_declarations(lab, text, &grammar, valid, tuning)?;
                        let reduced = reduce_text(lab, text, grammar, valid, tuning)?;
                        let minimality = if reduced.is_one_minimal {
                            Minimality::Bytes
                        } else {
                            Minimality::Ideas
                        };
                        (reduced.text, minimality)
                    }
                    Algorithm::Ddmin => plain_ddmin(lab, text)?,
                    Algorithm::Hdd | Algorithm::HddPlus | Algorithm::HddStar => {
                        let variant = match self.algorithm {
                            Algorithm::HddPlus => Variant::Plus,
                            Algorithm::HddStar => Variant::Star,
                            _ => Variant::Once,
                        };
                        let hdd = Hdd {
                            grammar,
                            valid,
                            wrap: &Candidate::File,
                            variant,
                            by_branch: self.by_branch,
                            hoist: self.hoist,
                        };
                        let minimality = match variant {
                            Variant::Once => Minimality::Unknown,
                            Variant::Plus | Variant::Star => Minimality::Nodes,
                        };
                        (hdd.reduce(lab, text)?, minimality)
                    }
                };
                Ok(Reduced::new(Candidate::File(text), minimality))
            }
        }
    }
}

/// Lines, then bytes, as Zeller and Hildebrandt have it.
fn plain_ddmin(lab: &mut dyn Lab, mut text: Arc<[u8]>) -> Result<(Arc<[u8]>, Minimality), Stop> {
    for (unit, what) in [
        (Unit::Line, "removing lines"),
        (Unit::Byte, "removing bytes"),
    ] {
        let space = Flat::new(Arc::clone(&text), unit);
        lab.enter(Phase {
            what,
            deltas: space.len(),
        });
        let all = Subset::full(space.len());
        let kept = ddmin(&mut *lab.tester(&space), &Grouping::flat(space.len()), &all)?;
        text = space.text(&kept);
    }
    Ok((text, Minimality::Bytes))
}

/// From both sides to the smallest difference between a passing and a failing input.
fn narrow(lab: &mut dyn Lab, failing: Arc<[u8]>, passing: &Arc<[u8]>) -> Result<Reduced, Halt> {
    let space = TextDifferences::new(Arc::clone(passing), &failing, &Candidate::File);
    lab.enter(Phase {
        what: "narrowing the difference",
        deltas: space.len(),
    });
    let (nothing, all) = (Subset::empty(space.len()), Subset::full(space.len()));
    let mut tester = lab.tester(&space);
    if tester.test(&nothing)?.outcome != Outcome::Pass {
        let failure = Failure::nothing("the input given to --isolate does not pass");
        return Err(Halt::Nothing(
            failure.hint("--isolate takes an input that is like FILE but works"),
        ));
    }
    let found = isolate(&mut *tester, &Grouping::flat(space.len()), &nothing, &all)?;
    Ok(Reduced {
        passing: Some(space.text(&found.passing)),
        differences: Some((space.len() as u64, found.deltas().len() as u64)),
        ..Reduced::new(
            Candidate::file(space.text(&found.failing)),
            Minimality::Difference,
        )
    })
}

/// How much there is of a candidate.
pub fn extent(candidate: &Candidate) -> Extent {
    match candidate {
        Candidate::File(text) => Extent::of(text),
        Candidate::Tree(entries) => {
            let of_entry = |entry: &Entry| match entry {
                Entry::File { content, .. } => {
                    let Extent { tokens, bytes } = Extent::of(content);
                    Extent {
                        tokens,
                        bytes: bytes + 1,
                    }
                }
                Entry::Symlink(_) => Extent {
                    tokens: 0,
                    bytes: 1,
                },
                Entry::Absent => Extent::default(),
            };
            let add = |sum: Extent, part: Extent| Extent {
                tokens: sum.tokens + part.tokens,
                bytes: sum.bytes + part.bytes,
            };
            entries.values().map(of_entry).fold(Extent::default(), add)
        }
    }
}

fn named(name: &str) -> Result<Named, Failure> {
    match name {
        "text" => return Ok(Named::Text),
        "binary" => return Ok(Named::Binary),
        _ => {}
    }
    Language::by_name(name).map(Named::Language).ok_or_else(|| {
        let failure = Failure::usage(format!("there is no language '{name}'"));
        match meant_language(name) {
            Some(meant) => {
                failure.hint(format!("did you mean {meant}? yester languages lists them"))
            }
            None => failure
                .hint("yester languages lists them; --grammar and --lexer take one of your own"),
        }
    })
}

/// The language that somebody has called by another name of it, by an extension, or nearly by its name.
fn meant_language(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let extension = lower.trim_start_matches('.');
    let mut languages = Language::all().iter();
    let known = languages.find(|language| {
        language.title.to_lowercase() == lower || language.extensions.contains(&extension)
    });
    let names = || Language::all().iter().map(|language| language.name);
    known
        .map(|language| language.name)
        .or_else(|| spelling::closest(name, names().chain(["text", "binary"])))
}

fn own_language(grammar: &Path, lexer: &Path) -> Result<OwnLanguage, Failure> {
    let text = |path: &Path| {
        let bytes = read(path)?;
        String::from_utf8(bytes.to_vec())
            .map_err(|_| Failure::usage(format!("{} is not UTF-8", path.display())))
    };
    OwnLanguage::new(grammar, &text(grammar)?, lexer, &text(lexer)?)
        .map_err(|error| Failure::usage(error.to_string()))
}

fn read(path: &Path) -> Result<Arc<[u8]>, Failure> {
    let content = file::read(path, file::BIGGEST_INPUT);
    content.map(Arc::from).map_err(|error| {
        Failure::usage(format!(
            "failed to read {}: {}",
            path.display(),
            plain(&error)
        ))
    })
}
