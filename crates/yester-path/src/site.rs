//! What the compiler knows about a program: its functions, their branches and calls, and static control dependence.

use yester_pathrt::format::is_system_file;

use crate::recording::RecordingError;
use crate::relevance::{self, CodeBlock, SharedPlaces};
use crate::value::ValueForm;

/// All functions of a program, by number.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    /// Ordered by number. There may be gaps.
    functions: Vec<Function>,
    /// The memory that functions share, if the compiler described what they do.
    pub(crate) shared: SharedPlaces,
}

/// A function of the program.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its number in this recording.
    pub id: u32,
    /// Its name; of a C++ function, demangled.
    pub name: String,
    /// The file it is in.
    pub file: String,
    /// The line where it begins.
    pub line: u32,
    /// The source file of its module.
    pub module: String,
    /// Its branches, calls and values.
    pub sites: Vec<Site>,
    /// What other places of it are control dependent on. Places refer to these by their number, which begins with 1.
    pub classes: Vec<Vec<Dependence>>,
    /// What it does, if the compiler described it.
    pub(crate) code: Vec<CodeBlock>,
    /// For each event code, its site.
    site_of_code: Vec<u32>,
    /// The first code of each site.
    first_code: Vec<u32>,
}

/// A demangled name.
pub fn readable(name: &str) -> String {
    let symbol = name
        .starts_with("_Z")
        .then(|| cpp_demangle::Symbol::new(name));
    let text = symbol.and_then(|symbol| symbol.ok()?.demangle().ok());
    text.unwrap_or_else(|| name.to_owned())
}

/// A text in which mangled names may occur, followed by `()` if the result of the function is meant.
pub fn readable_words(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
        let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        let name = readable(word);
        let has_parameters = name != word && name.contains('(');
        found.push_str(&name);
        rest = match behind.strip_prefix("()") {
            Some(behind) if has_parameters => behind,
            _ => behind,
        };
        let other = rest.find(is_of_name).unwrap_or(rest.len());
        let (separator, behind) = rest.split_at(other);
        found.push_str(separator);
        rest = behind;
    }
    found
}

/// A branch, switch, call or value of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The file, if it is not the function's.
    pub file: Option<String>,
    /// The line.
    pub line: u32,
    /// The column, which distinguishes the two branches of `a && b`.
    pub column: u32,
    /// What it is.
    pub kind: SiteKind,
    /// The branches of its function that decide whether it is reached. Empty if it depends on the entry only.
    pub dependence: Vec<Dependence>,
    /// For each outcome the sites of its function that may come next; none if the function ends before another. Nothing at all
    /// if the table does not tell it.
    pub successors: Vec<Vec<u32>>,
    /// The next site of its function that is reached whatever happens, unless the function is left by a jump.
    pub post_dominator: Option<u32>,
}

/// What a site is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SiteKind {
    /// Outcome 0 is false, 1 is true.
    Branch,
    /// Outcome 0 is the default, `i + 1` the case with this value.
    Switch(Vec<i64>),
    /// A call. Its only outcome is 0.
    Call,
    /// A branch that the compiler added and that changes nothing, with outcomes like those of a branch.
    Predicate {
        /// Its condition, such as `x > y`.
        text: String,
    },
    /// A value that is assigned, passed, returned or used as an index. It has no outcome and no events, but values of its own:
    /// [`Recording::value_events`](crate::Recording::value_events).
    Value {
        /// What has the value: `x`, `*p`, `a[]`, `s->field`, `index of a`, `argument 2 of f`, `result of f`.
        name: String,
        /// How its bits are to be read.
        form: ValueForm,
    },
}

/// A site and the outcome of it that something depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dependence {
    /// The index of the site in its function.
    pub site: u32,
    /// Its outcome.
    pub outcome: u32,
}

impl Site {
    /// How many outcomes there are.
    pub fn outcomes(&self) -> usize {
        match &self.kind {
            SiteKind::Branch | SiteKind::Predicate { .. } => 2,
            SiteKind::Switch(cases) => cases.len() + 1,
            SiteKind::Call => 1,
            SiteKind::Value { .. } => 0,
        }
    }

    /// The condition of a predicate.
    pub fn predicate(&self) -> Option<&str> {
        match &self.kind {
            SiteKind::Predicate { text } => Some(text),
            SiteKind::Branch | SiteKind::Switch(_) | SiteKind::Call | SiteKind::Value { .. } => {
                None
            }
        }
    }

    /// Whether it writes events. Values do not.
    pub fn has_events(&self) -> bool {
        self.outcomes() > 0
    }

    /// The name of an outcome: `true`, `false`, `case 3`, `default`, `called`.
    pub fn outcome(&self, outcome: u32) -> String {
        match (&self.kind, outcome) {
            (SiteKind::Branch | SiteKind::Predicate { .. }, 0) => "false".to_owned(),
            (SiteKind::Branch | SiteKind::Predicate { .. }, _) => "true".to_owned(),
            (SiteKind::Switch(_), 0) => "default".to_owned(),
            (SiteKind::Switch(cases), outcome) => match cases.get(outcome as usize - 1) {
                Some(case) => format!("case {case}"),
                None => format!("case number {outcome}"),
            },
            (SiteKind::Call, _) => "called".to_owned(),
            (SiteKind::Value { .. }, _) => "assigned".to_owned(),
        }
    }
}

impl Function {
    /// Whether it is defined in a header of the system.
    pub fn is_of_system(&self) -> bool {
        is_system_file(&self.file)
    }

    /// The site and the outcome of an event code.
    pub(crate) fn decode(&self, code: u32) -> Option<(u32, u32)> {
        let site = *self.site_of_code.get(code as usize)?;
        Some((site, code - self.first_code[site as usize]))
    }

    /// The file that a site is in.
    pub fn file_of<'a>(&'a self, site: &'a Site) -> &'a str {
        site.file.as_deref().unwrap_or(&self.file)
    }

    fn index_codes(&mut self) {
        for (index, site) in self.sites.iter().enumerate() {
            self.first_code.push(self.site_of_code.len() as u32);
            let codes = std::iter::repeat_n(index as u32, site.outcomes());
            self.site_of_code.extend(codes);
        }
    }
}

impl Sites {
    /// Parses the table of a recording.
    pub fn parse(text: &str) -> Result<Sites, RecordingError> {
        let mut reader = SitesParser::default();
        for (index, line) in text.lines().enumerate() {
            reader.line(line).map_err(|what| RecordingError::Damaged {
                file: "sites".to_owned(),
                place: format!("line {}", index + 1),
                what,
            })?;
        }
        reader.finish().map_err(|what| RecordingError::Damaged {
            file: "sites".to_owned(),
            place: "its end".to_owned(),
            what,
        })
    }

    /// A function by its number.
    pub fn function(&self, id: u32) -> Option<&Function> {
        let index = self.index(id)?;
        Some(&self.functions[index as usize])
    }

    /// All of them.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The index of a function in [`Sites::functions`].
    pub(crate) fn index(&self, id: u32) -> Option<u32> {
        match self.functions.get(id as usize) {
            Some(function) if function.id == id => Some(id),
            _ => {
                let found = self
                    .functions
                    .binary_search_by_key(&id, |function| function.id);
                found.ok().map(|index| index as u32)
            }
        }
    }
}

/// The values of the cases of a switch.
fn values(cases: &str) -> Result<Vec<i64>, String> {
    let cases = cases.split(',').filter(|_| !cases.is_empty());
    let value = |case: &str| {
        case.parse()
            .map_err(|_| format!("'{case}' is not a case value"))
    };
    cases.map(value).collect()
}

fn number(text: &str) -> Result<u32, String> {
    text.parse()
        .map_err(|_| format!("'{text}' is not the number of a site"))
}

/// Sites with their outcomes: `0:1,3:0`.
fn dependences(text: &str) -> Result<Vec<Dependence>, String> {
    let all = text.split(',').filter(|one| !one.is_empty());
    let all = all.map(|one| {
        let (site, outcome) = one.split_once(':')?;
        Some(Dependence {
            site: site.parse().ok()?,
            outcome: outcome.parse().ok()?,
        })
    });
    all.collect::<Option<Vec<Dependence>>>()
        .ok_or_else(|| format!("'{text}' is not a dependence"))
}

/// Sites for each outcome: `3,4/5,` are one for the first, two for the second, none for the third.
fn numbers(text: &str) -> Result<Vec<Vec<u32>>, String> {
    let sites = |sites: &str| {
        let sites = sites.split('/').filter(|site| !site.is_empty());
        sites.map(number).collect()
    };
    text.split(',').map(sites).collect()
}

/// Parses a table line by line.
#[derive(Default)]
struct SitesParser {
    functions: Vec<Function>,
    module: String,
    shared: SharedPlaces,
    next: u32,
    /// How many sites of the last function are still missing.
    missing: usize,
}

impl SitesParser {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let fields: Vec<&str> = line.split('\t').collect();
        let whole = |text: &str| {
            text.parse::<u32>()
                .map_err(|_| format!("'{text}' is not a number"))
        };
        match (fields[0], &fields[1..]) {
            ("module", [first, path]) => {
                self.complete()?;
                self.next = whole(first)?;
                self.module = (*path).to_owned();
            }
            ("function", [name, file, line, sites]) => {
                self.complete()?;
                self.missing = whole(sites)? as usize;
                self.functions.push(Function {
                    id: self.next,
                    name: readable(name),
                    file: (*file).to_owned(),
                    line: whole(line)?,
                    module: self.module.clone(),
                    sites: Vec::new(),
                    classes: Vec::new(),
                    code: Vec::new(),
                    site_of_code: Vec::new(),
                    first_code: Vec::new(),
                });
                self.next = self.next.checked_add(1).ok_or("too many functions")?;
            }
            (kind @ ("branch" | "call"), [file, line, column, relations @ ..]) => {
                let kind = match kind {
                    "branch" => SiteKind::Branch,
                    _ => SiteKind::Call,
                };
                self.site(file, whole(line)?, whole(column)?, kind, relations)?;
            }
            ("class", [dependence]) => {
                let dependence = dependences(dependence)?;
                let function = self.functions.last_mut();
                let function = function.ok_or("a class that belongs to no function")?;
                function.classes.push(dependence);
            }
            ("switch", [file, line, column, cases, relations @ ..]) => {
                let kind = SiteKind::Switch(values(cases)?);
                self.site(file, whole(line)?, whole(column)?, kind, relations)?;
            }
            ("predicate", [file, line, column, text, relations @ ..]) => {
                let kind = SiteKind::Predicate {
                    text: readable_words(text),
                };
                self.site(file, whole(line)?, whole(column)?, kind, relations)?;
            }
            ("value", [file, line, column, name, form, relations @ ..]) => {
                let form = ValueForm::parse(form);
                let kind = SiteKind::Value {
                    name: readable_words(name),
                    form: form.ok_or("a value of an unknown form")?,
                };
                self.site(file, whole(line)?, whole(column)?, kind, relations)?;
            }
            ("block", fields) => {
                let function = self.functions.last_mut();
                let function = function.ok_or("a block that belongs to no function")?;
                function.code.push(CodeBlock::parse(fields)?);
            }
            (kind @ ("set" | "do" | "test" | "give"), fields) => {
                let function = self.functions.last_mut();
                let function = function.ok_or("a step that belongs to no function")?;
                let step = self.shared.step(function, kind, fields)?;
                let block = function.code.last_mut();
                block
                    .ok_or("a step that belongs to no block")?
                    .steps
                    .push(step);
            }
            ("escape", [name]) => self.shared.escape(&self.module, name)?,
            _ => return Err(format!("unknown line '{line}'")),
        }
        Ok(())
    }

    fn site(
        &mut self,
        file: &str,
        line: u32,
        column: u32,
        kind: SiteKind,
        relations: &[&str],
    ) -> Result<(), String> {
        // A table may end with the dependence: what comes next is not told then.
        let (dependence, order) = match *relations {
            [dependence] => (dependence, None),
            [dependence, successors, post_dominator] => {
                (dependence, Some((successors, post_dominator)))
            }
            _ => return Err(format!("{} fields after the place", relations.len())),
        };
        self.missing = self
            .missing
            .checked_sub(1)
            .ok_or("a site that belongs to no function")?;
        let dependence = dependences(dependence)?;
        let (successors, post_dominator) = match order {
            Some((successors, post_dominator)) => (
                numbers(successors)?,
                Some(post_dominator)
                    .filter(|site| !site.is_empty())
                    .map(number)
                    .transpose()?,
            ),
            None => (Vec::new(), None),
        };
        let function = self.functions.last_mut().expect("it lacks a site");
        function.sites.push(Site {
            file: Some(file.to_owned()).filter(|file| !file.is_empty()),
            line,
            column,
            kind,
            dependence,
            successors,
            post_dominator,
        });
        Ok(())
    }

    /// Checks the last function.
    fn complete(&mut self) -> Result<(), String> {
        if self.missing > 0 {
            return Err(format!("{} sites of a function are missing", self.missing));
        }
        let Some(function) = self.functions.last_mut() else {
            return Ok(());
        };
        if function.first_code.is_empty() {
            let sites = &function.sites;
            let exists = |dependence: &Dependence| {
                sites
                    .get(dependence.site as usize)
                    .filter(|site| site.kind != SiteKind::Call)
                    .is_some_and(|site| (dependence.outcome as usize) < site.outcomes())
            };
            let follows = |site: &Site| {
                let mut next = site.successors.iter().flatten().chain(&site.post_dominator);
                // A value is followed by something, although it has no outcome.
                let ways = site.outcomes().max(1);
                let mut exists =
                    |next: &u32| sites.get(*next as usize).is_some_and(Site::has_events);
                (site.successors.is_empty() || site.successors.len() == ways)
                    && next.all(&mut exists)
            };
            if !sites.iter().all(follows) {
                return Err(format!(
                    "a site of {} is followed by one that is not there",
                    function.name
                ));
            }
            let of_sites = sites.iter().flat_map(|site| &site.dependence);
            let of_classes = function.classes.iter().flatten();
            if !of_sites.chain(of_classes).all(exists) {
                return Err(format!(
                    "a site of {} depends on one that is not there",
                    function.name
                ));
            }
            relevance::check(function)?;
            function.index_codes();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Sites, String> {
        self.complete()?;
        let mut functions = self.functions;
        functions.sort_by_key(|function| function.id);
        if functions.windows(2).any(|pair| pair[0].id == pair[1].id) {
            return Err("two functions have the same number".to_owned());
        }
        Ok(Sites {
            functions,
            shared: self.shared,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "module\t5\ta.c\nfunction\tmain\ta.c\t3\t4\nbranch\t\t4\t7\t\n\
                        switch\tb.h\t5\t3\t-1,7\t0:1\nbranch\t\t6\t1\t0:0,1:2\ncall\t\t7\t2\t2:0\nfunction\tempty\ta.c\t9\t0\n";

    #[test]
    fn codes_count_through_the_outcomes_of_all_sites() {
        let sites = Sites::parse(TEXT).expect("it is right");
        let main = sites.function(5).expect("the first of its module");
        let decoded: Vec<_> = (0..9).map(|code| main.decode(code)).collect();
        assert_eq!(
            decoded,
            [
                Some((0, 0)),
                Some((0, 1)),
                Some((1, 0)),
                Some((1, 1)),
                Some((1, 2)),
                Some((2, 0)),
                Some((2, 1)),
                Some((3, 0)),
                None
            ]
        );
        assert_eq!(main.sites[1].outcome(1), "case -1");
        assert_eq!(main.file_of(&main.sites[1]), "b.h");
        assert_eq!(
            main.sites[2].dependence[1],
            Dependence {
                site: 1,
                outcome: 2
            }
        );
        assert_eq!(sites.function(6).expect("the second").name, "empty");
        assert!(sites.function(0).is_none() && sites.function(7).is_none());
    }

    #[test]
    fn what_makes_no_sense_is_an_error_that_names_the_line() {
        for (wrong, place) in [
            (TEXT.replace("\t3\t4\n", "\t3\t5\n"), "line 7"),
            (TEXT.replace("\t3\t4\n", "\t3\t3\n"), "line 6"),
            (TEXT.replace("1:2", "1:3"), "line 7"),
            (TEXT.replace("2:0", "3:0"), "line 7"),
            (TEXT.replace("call\t", "call\t\t"), "line 6"),
            (TEXT.replace("-1,7", "-1,x"), "line 4"),
            (TEXT.replace("switch", "swatch"), "line 4"),
            (TEXT.replace("0:1", "01"), "line 4"),
            (
                format!("{TEXT}module\t5\tb.c\nfunction\tf\tb.c\t1\t0\n"),
                "its end",
            ),
        ] {
            let error = Sites::parse(&wrong).expect_err("it is wrong").to_string();
            assert!(error.contains(place), "{error}");
        }
    }

    #[test]
    fn what_may_come_next_is_read_for_each_outcome() {
        let text = "module\t0\ta.c\nfunction\tf\ta.c\t1\t3\nbranch\t\t2\t5\t\t1,2\t2\n\
                    switch\t\t3\t1\t4,5\t0:0\t2/0,,1\t\ncall\t\t4\t1\t\t\t\n";
        let sites = Sites::parse(text).expect("it is right");
        let sites = &sites.function(0).expect("the function").sites;
        assert_eq!(sites[0].successors, [[1], [2]]);
        assert_eq!(sites[0].post_dominator, Some(2));
        assert_eq!(sites[1].successors, [vec![2, 0], vec![], vec![1]]);
        assert_eq!(sites[1].post_dominator, None);
        assert_eq!(sites[2].successors, [[0; 0]]);
        for wrong in [
            ("\t1,2\t2", "\t1,3\t2"),
            ("\t1,2\t2", "\t1\t2"),
            ("\t1,2\t2", "\t1,2\t3"),
        ] {
            assert!(
                Sites::parse(&text.replace(wrong.0, wrong.1)).is_err(),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn a_predicate_is_a_branch_with_a_text() {
        let text = "module\t0\ta.c\nfunction\tf\ta.c\t1\t3\nbranch\t\t2\t5\t\t1,2\t2\n\
                    predicate\t\t3\t1\tx > y\t0:0\t2,2\t2\npredicate\t\t4\t1\t_ZN1a1fEi < 0\t\n";
        let sites = Sites::parse(text).expect("it is right");
        let function = sites.function(0).expect("the function");
        assert_eq!(function.decode(3), Some((1, 1)));
        let site = &function.sites[1];
        assert_eq!(
            (site.predicate(), site.outcome(0)),
            (Some("x > y"), "false".to_owned())
        );
        assert_eq!(site.dependence.len(), 1);
        assert_eq!(function.sites[2].predicate(), Some("a::f(int) < 0"));
        assert_eq!(function.sites[0].predicate(), None);
        assert!(Sites::parse(&text.replace("\tx > y", "")).is_err());
    }

    #[test]
    fn no_prefix_of_a_text_makes_it_panic() {
        for end in 0..TEXT.len() {
            let _ = Sites::parse(&TEXT[..end]);
        }
    }
}
