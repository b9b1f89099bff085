//! Places that stand for the same cause are one entry: the best of them, and the others below it.
//!
//! Two places are the same cause if they are in the same line, if they are about the same variable, if one passes on what the other
//! assigns and both become the same, or if one is a condition that alone decides over the other, and skipping that makes the run right too. Whatever
//! is not certain to be the same stays an entry of its own.

/// A place at which something makes the run right or nearer, with what tells causes apart.
#[derive(Clone, Debug)]
pub struct FoundPlace<'a> {
    /// What is there, as [`kind`](super::kind) has it.
    pub kind: &'a str,
    /// The file, as the user knows it.
    pub file: &'a str,
    /// The file, as the compiler knows it.
    pub path: &'a str,
    /// The line.
    pub line: u32,
    /// The function.
    pub function: &'a str,
    /// What has the value, as [`name`](super::name) has it.
    pub name: &'a str,
    /// What it was.
    pub was: &'a str,
    /// What it becomes.
    pub becomes: &'a str,
    /// The line of the source, if it could be read.
    pub source: Option<&'a str>,
    /// The variable that is assigned, if one is.
    pub variable: Option<&'a str>,
    /// Whether the run is as good if what is in the line is skipped.
    pub is_skipped: bool,
    /// Whether it is a branch of a run on an input that was made.
    pub is_made: bool,
    /// Whether the run passes then; otherwise more of its output is right than before.
    pub passes: bool,
    /// The tests that pass then.
    pub cured: Vec<u64>,
}

/// What the compiler knows about two lines.
pub trait Knowledge {
    /// The line of the branch that alone decides over the line of a place, and the outcome with which it is executed.
    fn decides(&self, place: &FoundPlace<'_>) -> Option<(u32, Option<&'static str>)>;

    /// Whether both lines, which are in one function, assign the same variable. None if that is not known.
    fn assign_the_same(&self, one: &FoundPlace<'_>, other: &FoundPlace<'_>) -> Option<bool>;
}

/// Somebody who may not be there knows nothing.
impl<K: Knowledge> Knowledge for Option<&K> {
    fn decides(&self, place: &FoundPlace<'_>) -> Option<(u32, Option<&'static str>)> {
        self.as_ref()?.decides(place)
    }

    fn assign_the_same(&self, one: &FoundPlace<'_>, other: &FoundPlace<'_>) -> Option<bool> {
        self.as_ref()?.assign_the_same(one, other)
    }
}

impl FoundPlace<'_> {
    /// What an intervention does to something that is passed, returned or used as an index.
    fn is_use(&self) -> bool {
        self.kind == "value" && self.variable.is_none()
    }
}

/// The places in the order in which they are told, by their numbers. What makes the run pass on the user's input comes first. Places at which more of its
/// output becomes right follow, in turn with branches that go another way on inputs that were made: neither says for sure what is wrong.
pub fn in_order(places: &[FoundPlace<'_>]) -> Vec<usize> {
    let numbers = 0..places.len();
    let (made, interventions): (Vec<_>, Vec<_>) = numbers.partition(|one| places[*one].is_made);
    let (mut ordered, nearer): (Vec<_>, Vec<_>) = interventions
        .into_iter()
        .partition(|one| places[*one].passes);
    let (mut nearer, mut made) = (nearer.into_iter(), made.into_iter());
    loop {
        let turn = [nearer.next(), made.next()];
        if turn.iter().all(Option::is_none) {
            return ordered;
        }
        ordered.extend(turn.into_iter().flatten());
    }
}

/// Places that stand for one cause, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The best of them.
    pub lead: usize,
    /// The others.
    pub others: Vec<usize>,
    /// Those of the others that are told below the best. A line is told once, however many of its operands matter.
    pub told: Vec<usize>,
}

/// Puts each place below the first one before it that stands for the same cause.
pub fn grouped(places: &[FoundPlace<'_>], knowledge: &dyn Knowledge) -> Vec<Cause> {
    let mut causes: Vec<Cause> = Vec::new();
    for (number, place) in places.iter().enumerate() {
        let known = causes
            .iter_mut()
            .find(|cause| is_same_cause(&places[cause.lead], place, knowledge));
        let Some(cause) = known else {
            causes.push(Cause {
                lead: number,
                others: Vec::new(),
                told: Vec::new(),
            });
            continue;
        };
        cause.others.push(number);
        let mut lines = std::iter::once(&cause.lead).chain(&cause.told);
        if !lines.any(|one| places[*one].line == place.line) {
            cause.told.push(number);
        }
    }
    causes
}

fn is_same_cause(first: &FoundPlace, second: &FoundPlace, knowledge: &dyn Knowledge) -> bool {
    // What makes other tests pass is another cause, or a better place.
    if first.file != second.file || first.passes != second.passes || first.cured != second.cured {
        return false;
    }
    if first.line == second.line {
        return true;
    }
    if first.function != second.function {
        return is_result(first, second) || is_result(second, first);
    }
    is_same_variable(first, second, knowledge)
        || passes_on(first, second)
        || passes_on(second, first)
        || decides(first, second, knowledge)
        || decides(second, first, knowledge)
}

fn is_same_variable(one: &FoundPlace, other: &FoundPlace, knowledge: &dyn Knowledge) -> bool {
    // What is added is nowhere in the program, so that only its name tells.
    let is_added = |one: &FoundPlace| one.was == "left as it is";
    one.variable.is_some()
        && one.variable == other.variable
        && (is_added(one)
            || is_added(other)
            || knowledge.assign_the_same(one, other).unwrap_or(true))
}

/// Whether a variable is assigned at the first place, and used at the second with the value that it has and becomes at the first.
fn passes_on(one: &FoundPlace, other: &FoundPlace) -> bool {
    let Some(variable) = one.variable else {
        return false;
    };
    other.is_use() && becomes_the_same(one, other) && names(other, variable)
}

/// Whether the first place is the result of a function, and the second has it from a call in its line.
fn is_result(one: &FoundPlace, other: &FoundPlace) -> bool {
    let called = one.name.strip_prefix("result of ");
    one.kind == "value"
        && other.kind == "value"
        && becomes_the_same(one, other)
        && called.is_some_and(|called| names(other, called.split('(').next().unwrap_or(called)))
}

fn becomes_the_same(one: &FoundPlace, other: &FoundPlace) -> bool {
    (one.was, one.becomes) == (other.was, other.becomes)
}

/// Whether the first place is a condition without which the statement of the second is skipped.
fn decides(one: &FoundPlace, other: &FoundPlace, knowledge: &dyn Knowledge) -> bool {
    if !matches!(one.kind, "branch" | "operator") || !other.is_skipped {
        return false;
    }
    let Some((line, outcome)) = knowledge.decides(other) else {
        return false;
    };
    // A branch that goes the way on which the statement is executed does not skip it.
    let is_other_way =
        one.kind == "operator" || outcome.is_none_or(|one_way| one.becomes != one_way);
    line == one.line && is_other_way
}

/// Whether the line of a place has a name as a word of its own.
fn names(place: &FoundPlace, name: &str) -> bool {
    let is_of_word = |one: char| one.is_alphanumeric() || one == '_';
    let mut words = place
        .source
        .iter()
        .flat_map(|line| line.split(|one| !is_of_word(one)));
    words.any(|word| word == name)
}

/// The name of a variable, if a text is one: what is behind pointers and in arrays may be something else each time.
pub fn variable(text: &str) -> Option<String> {
    let is_of_name = |one: char| one.is_alphanumeric() || "_.".contains(one);
    (!text.is_empty() && text.chars().all(is_of_name)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl Knowledge for Known {
        fn decides(&self, place: &FoundPlace<'_>) -> Option<(u32, Option<&'static str>)> {
            (place.line == 9).then_some((8, Some("true")))
        }

        fn assign_the_same(&self, one: &FoundPlace<'_>, other: &FoundPlace<'_>) -> Option<bool> {
            Some(one.line < 20 && other.line < 20)
        }
    }

    fn place<'a>(
        kind: &'a str,
        line: u32,
        name: &'a str,
        was: &'a str,
        becomes: &'a str,
    ) -> FoundPlace<'a> {
        FoundPlace {
            kind,
            file: "a.c",
            path: "a.c",
            line,
            function: "f",
            name,
            was,
            becomes,
            source: Some(match line {
                15 => "    use(x, y15);",
                16 => "    use(x, y16);",
                _ => "    use(x, y);",
            }),
            variable: Some(name).filter(|name| variable(name).is_some()),
            is_skipped: kind == "statement",
            is_made: false,
            passes: true,
            cured: Vec::new(),
        }
    }

    fn lines(places: &[FoundPlace<'_>]) -> Vec<Vec<u32>> {
        let causes = grouped(places, &Known);
        let lines = causes.iter().map(|cause| {
            let told = std::iter::once(&cause.lead).chain(&cause.told);
            told.map(|one| places[*one].line).collect()
        });
        lines.collect()
    }

    #[test]
    fn what_is_nearer_and_what_other_inputs_do_are_told_in_turn_behind_what_passes() {
        let with = |line, passes, is_made| FoundPlace {
            passes,
            is_made,
            ..place("branch", line, "", "true", "false")
        };
        let all = [
            with(1, true, false),
            with(2, false, false),
            with(3, false, false),
            with(4, false, false),
            with(5, true, true),
            with(6, true, true),
            with(7, true, false),
        ];
        let ordered = in_order(&all).into_iter().map(|one| all[one].line);
        assert_eq!(ordered.collect::<Vec<_>>(), [1, 7, 2, 5, 3, 6, 4]);
    }

    #[test]
    fn a_condition_and_what_it_alone_decides_are_one_entry() {
        let branch = |becomes| place("branch", 8, "", "true", becomes);
        let skipped = || place("statement", 9, "g", "executed", "skipped");
        assert_eq!(lines(&[branch("false"), skipped()]), [[8, 9]]);
        assert_eq!(lines(&[skipped(), branch("false")]), [[9, 8]]);
        // This one would execute it.
        assert_eq!(lines(&[branch("true"), skipped()]).len(), 2);
    }

    #[test]
    fn a_line_is_told_once_in_its_entry() {
        let branch = |becomes| place("branch", 8, "", "true", becomes);
        let skipped = || place("statement", 9, "g", "executed", "skipped");
        let all = [branch("false"), skipped(), branch("true"), skipped()];
        assert_eq!(lines(&all), [[8, 9]]);
    }

    #[test]
    fn one_variable_is_one_entry_and_two_of_the_same_name_are_two() {
        let all = [
            place("value", 3, "x", "1", "2"),
            place("value", 5, "y", "1", "2"),
            place("value", 12, "x", "7", "9"),
            place("value", 30, "x", "1", "2"),
        ];
        assert_eq!(lines(&all), [vec![3, 12], vec![5], vec![30]]);
    }

    #[test]
    fn a_variable_that_is_passed_on_is_the_same_if_it_becomes_the_same() {
        let all = [
            place("value", 15, "argument 1 of use", "1", "2"),
            place("value", 3, "x", "1", "2"),
            place("value", 16, "argument 1 of use", "1", "3"),
            place("value", 5, "z", "1", "2"),
        ];
        assert_eq!(lines(&all), [vec![15, 3], vec![16], vec![5]]);
    }
}
