//! How the answer is searched for: the language of the input, and the algorithm.

use std::path::Path;
use std::sync::Arc;

use yester_cfamily::reduce_declarations;
use yester_core::{Candidate, Grouping, Lab, Outcome, Phase, Space, Subset, isolate};
use yester_report::{Minimality, Sure, spelling};
use yester_tree::{
    BIGGEST_TREE, ChosenLanguage, Hdd, Language, LanguageChoice, NamedLanguage, ReduceTuning,
    TextDifferences, Variant, ddmin_text, reduce_directory, reduce_text,
};
use yester_yacc::OwnLanguage;

use super::input::Input;
use crate::cli::{Algorithm, MethodArguments};
use crate::failure::Failure;
use crate::{driver::Halt, user_file};

/// How the search goes about it.
pub struct Method {
    algorithm: Algorithm,
    by_branch: bool,
    hoist: bool,
    choice: LanguageChoice,
    passing: Option<Arc<[u8]>>,
    /// What a person should know about it before it begins.
    pub notes: Vec<String>,
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
        let passing = arguments.isolate.as_deref().map(user_file::read);
        let passing = passing.transpose()?.map(Arc::from);
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
            choice: LanguageChoice {
                own: None,
                named,
                valid,
            },
            passing,
            notes: Vec::new(),
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
                method.choice.own = Some(Arc::new(own));
            }
        }
        if let Input::File { content, .. } = input
            && method.passing.is_none()
        {
            let ChosenLanguage {
                grammar,
                valid,
                reason,
            } = method.choice.of(path, content);
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

    pub fn search(&self, lab: &mut dyn Lab, input: &Input, path: &Path) -> Result<Reduced, Halt> {
        match input {
            Input::Directory(files) => {
                let choose = |path: &Path, content: &[u8]| {
                    let chosen = self.choice.of(path, content);
                    (chosen.grammar, chosen.valid)
                };
                let files = reduce_directory(lab, files.clone(), &choose, ReduceTuning::default())?;
                Ok(Reduced::new(Candidate::Tree(files), Minimality::Ideas))
            }
            Input::File { content, .. } => {
                let text = Arc::clone(content);
                if let Some(passing) = &self.passing {
                    return narrow(lab, text, passing);
                }
                let ChosenLanguage { grammar, valid, .. } = self.choice.of(path, content);
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
                    Algorithm::Ddmin => (ddmin_text(lab, text)?, Minimality::Bytes),
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

fn named(name: &str) -> Result<NamedLanguage, Failure> {
    NamedLanguage::by_name(name).ok_or_else(|| {
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
        String::from_utf8(user_file::read(path)?)
            .map_err(|_| Failure::usage(format!("{} is not UTF-8", path.display())))
    };
    OwnLanguage::new(grammar, &text(grammar)?, lexer, &text(lexer)?)
        .map_err(|error| Failure::usage(error.to_string()))
}
