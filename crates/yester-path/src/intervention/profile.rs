//! What every place of a run did.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use yester_pathrt::format::intervention::{COUNT_WORDS, MOST_LOGGED};

use super::call::CallableFunction;
use super::exit::Exits;
use super::gap::Gap;
use crate::recording::read_file;
use crate::value::ValueForm;

/// No table of places is bigger.
const MOST_TABLE: u64 = 1 << 30;

/// A place for interventions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterventionPlace {
    /// What tells its module from others.
    pub module: u64,
    /// Its number in the module.
    pub number: u64,
    /// What is there.
    pub kind: PlaceKind,
    /// How its values are to be read; those of operands for an operator.
    pub form: ValueForm,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The function.
    pub function: String,
    /// The variable, the function that is called, or the operator.
    pub text: String,
}

#[cfg(test)]
impl InterventionPlace {
    /// A place with a whole number, for tests.
    pub(super) fn example(kind: PlaceKind, function: &str, text: &str) -> InterventionPlace {
        InterventionPlace {
            module: 1,
            number: 0,
            kind,
            form: ValueForm::parse("i32").expect("a form"),
            file: "a.c".to_owned(),
            line: 1,
            column: 1,
            function: function.to_owned(),
            text: text.to_owned(),
        }
    }
}

/// What is at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// A condition.
    Branch,
    /// A switch, with the values of its cases.
    Switch(Vec<i64>),
    /// A value that is assigned.
    Store,
    /// A value that is passed, returned, or used as an index.
    Value,
    /// A number outside of functions, as it is before the program begins.
    Datum,
    /// A call whose result nobody uses.
    Call,
    /// An operator.
    Operator,
    /// What is between two statements, with what can be assigned and passed there.
    Gap(Gap),
    /// What is between two statements, with the ways to leave there.
    Exit(Exits),
}

/// What the places of one process did.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Which process of the test it is, from 1.
    pub process: u64,
    /// All places, in the order of their numbers.
    pub places: Vec<InterventionPlace>,
    /// The functions that can be called.
    pub functions: Vec<CallableFunction>,
    /// How often each was reached.
    pub counts: Vec<u64>,
    /// How the operands of each operator were related.
    pub relations: Vec<u64>,
    /// Which values the left side of each comparison had, the first ones.
    pub operands: Vec<Vec<u64>>,
    /// Each time that a place other than an operator was reached: the place and the value.
    pub log: Vec<(usize, u64)>,
}

impl Profile {
    /// Reads the profiles of all processes below a directory, in the order in which they began.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read_all(directory: &Path) -> io::Result<Vec<Profile>> {
        let mut processes: Vec<(u64, PathBuf)> = Vec::new();
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Ok(number) = name.parse() {
                processes.push((number, path.clone()));
            }
        }
        processes.sort();
        let read = |(number, path): (u64, PathBuf)| Profile::read(number, &path);
        processes.into_iter().map(read).collect()
    }

    fn read(process: u64, directory: &Path) -> io::Result<Profile> {
        let table = read_file(&directory.join("places"), MOST_TABLE)?;
        let Table { places, functions } = Table::parse(&String::from_utf8_lossy(&table));
        let counts = words(&directory.join("counts"), COUNT_WORDS * places.len())?;
        let of_place = |word: &dyn Fn(&[u64]) -> u64| -> Vec<u64> {
            counts.chunks_exact(COUNT_WORDS).map(word).collect()
        };
        let operands = |words: &[u64]| {
            let (known, values) = (words[2] as usize, &words[3..]);
            values[..known.min(values.len())].to_vec()
        };
        let path = directory.join("log");
        let head = words(&path, 2)?;
        let logged = head
            .get(1)
            .map_or(0, |count| (*count as usize).min(MOST_LOGGED));
        let log = words(&path, 2 * (logged + 1))?;
        let log = log.chunks_exact(2).skip(1);
        let log = log.map(|record| (record[0] as usize, record[1]));
        Ok(Profile {
            process,
            functions,
            counts: of_place(&|words| words[0]),
            relations: of_place(&|words| words[1]),
            operands: counts.chunks_exact(COUNT_WORDS).map(operands).collect(),
            log: log.filter(|(place, _)| *place < places.len()).collect(),
            places,
        })
    }

    /// Takes some places for places that were never reached.
    pub fn leave_out(&mut self, is_left_out: impl Fn(&InterventionPlace) -> bool) {
        let is_left_out: Vec<bool> = self.places.iter().map(is_left_out).collect();
        for (count, is_left_out) in self.counts.iter_mut().zip(&is_left_out) {
            if *is_left_out {
                *count = 0;
            }
        }
        self.log.retain(|(place, _)| !is_left_out[*place]);
    }

    /// How many branches the process took.
    pub fn branches(&self) -> u64 {
        let places = self.places.iter().zip(&self.counts);
        let branches = places.filter(|(place, _)| place.kind == PlaceKind::Branch);
        branches.map(|(_, count)| count).sum()
    }
}

/// The first words of a file, as many as it has of those that are wanted.
fn words(path: &Path, count: usize) -> io::Result<Vec<u64>> {
    let bytes = read_file(path, 8 * count as u64)?;
    let words = bytes.chunks_exact(8);
    Ok(words
        .map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
        .collect())
}

/// What the tables of all modules say.
#[derive(Default)]
struct Table {
    places: Vec<InterventionPlace>,
    functions: Vec<CallableFunction>,
}

impl Table {
    /// What cannot be read is a place without interventions, so that the numbers of the others stay.
    fn parse(text: &str) -> Table {
        let mut table = Table::default();
        let (mut module, mut number, mut function) = (0, 0, String::new());
        let mut functions = 0;
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let field = |index: usize| fields.get(index).copied().unwrap_or_default();
            match field(0) {
                "module" => {
                    (module, number, functions) = (field(1).parse().unwrap_or(0), 0, 0);
                }
                "function" => {
                    function = field(1).to_owned();
                    let callable = CallableFunction::parse(module, functions, &function, field(4));
                    table.functions.extend(callable);
                    functions += 1;
                }
                kind => {
                    table.places.push(InterventionPlace {
                        module,
                        number,
                        kind: PlaceKind::parse(kind, field(1), field(5)),
                        form: ValueForm::parse(field(1)).unwrap_or(ValueForm::Pointer),
                        file: field(4).to_owned(),
                        line: field(2).parse().unwrap_or(0),
                        column: field(3).parse().unwrap_or(0),
                        function: function.clone(),
                        text: field(5).to_owned(),
                    });
                    number += 1;
                }
            }
        }
        table
    }
}

impl PlaceKind {
    fn parse(kind: &str, form: &str, text: &str) -> PlaceKind {
        match kind {
            "branch" => PlaceKind::Branch,
            "switch" => {
                let cases = text.split(' ').filter_map(|case| case.parse().ok());
                PlaceKind::Switch(cases.collect())
            }
            "store" => PlaceKind::Store,
            "value" => PlaceKind::Value,
            "operator" => PlaceKind::Operator,
            "datum" => PlaceKind::Datum,
            "gap" => PlaceKind::Gap(Gap::parse(text)),
            "exit" => PlaceKind::Exit(Exits::parse(text, form)),
            _ => PlaceKind::Call,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::call::Parameter;
    use super::*;

    #[test]
    fn tables_of_modules_are_numbered_one_after_the_other() {
        let table = "module\t7\ta.c\nfunction\tmain\t/a.c\t1\nbranch\ti1\t2\t3\t/a.c\t\n\
            switch\ti32\t4\t5\t/a.c\t-1 2\nmodule\t8\tb.c\nfunction\tf\t/b.c\t1\tvoid *node i32\nstore\tf64\t2\t3\t/b.c\tx\n";
        let Table { places, functions } = Table::parse(table);
        let numbers: Vec<(u64, u64)> = places.iter().map(|one| (one.module, one.number)).collect();
        assert_eq!(numbers, [(7, 0), (7, 1), (8, 0)]);
        let parameters = vec![
            Parameter::Pointer("node".to_owned()),
            Parameter::Number(ValueForm::parse("i32").expect("a form")),
        ];
        let callable = CallableFunction {
            module: 8,
            number: 0,
            name: "f".to_owned(),
            is_void: true,
            parameters,
        };
        assert_eq!(functions, [callable]);
        assert_eq!(places[1].kind, PlaceKind::Switch(vec![-1, 2]));
        assert_eq!(
            (places[2].function.as_str(), places[2].form),
            ("f", ValueForm::Double)
        );
    }
}
