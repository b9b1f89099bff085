//! Places that stand for the same cause are one entry: the best of them, and the others below it.
//!
//! Two places are the same cause if they are in the same line, if they are about the same variable, if one passes on what the other
//! assigns and both become the same, or if one is a condition that alone decides over the other, and skipping that makes the run right too. Whatever
//! is not certain to be the same stays an entry of its own.

use yester_report::FlipPlace;

/// What the compiler knows about two lines.
pub trait Knowledge {
    /// The line of the branch that alone decides over the line of a place, and the outcome with which it is executed.
    fn decides(&self, place: &Candidate) -> Option<(u32, Option<&'static str>)>;

    /// Whether both lines, which are in one function, assign the same variable. None if that is not known.
    fn assign_the_same(&self, one: &Candidate, other: &Candidate) -> Option<bool>;
}

/// A place with what tells causes apart.
pub struct Candidate {
    pub place: FlipPlace,
    /// The file as the compiler knows it.
    pub path: String,
    /// The variable that is assigned, if one is.
    pub variable: Option<String>,
    /// Whether the run is as good if what is in the line is skipped.
    pub is_skipped: bool,
}

impl Candidate {
    /// What an intervention does to something that is passed, returned or used as an index.
    fn is_use(&self) -> bool {
        self.place.kind == "value" && self.variable.is_none()
    }
}

/// What makes the run pass on the user's input comes first. Places at which more of its output becomes right follow, in turn with branches that go another way
/// on inputs that were made: neither says for sure what is wrong.
pub fn in_order(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let is_made = |one: &Candidate| one.place.evidence == "input";
    let (made, interventions): (Vec<_>, Vec<_>) = candidates.into_iter().partition(is_made);
    let (mut ordered, nearer): (Vec<_>, Vec<_>) =
        interventions.into_iter().partition(|one| one.place.passes);
    let (mut nearer, mut made) = (nearer.into_iter(), made.into_iter());
    loop {
        let turn = [nearer.next(), made.next()];
        if turn.iter().all(Option::is_none) {
            return ordered;
        }
        ordered.extend(turn.into_iter().flatten());
    }
}

/// Puts each place below the first one before it that stands for the same cause.
pub fn grouped(candidates: Vec<Candidate>, knowledge: &dyn Knowledge) -> Vec<Candidate> {
    let mut groups: Vec<Vec<Candidate>> = Vec::new();
    for candidate in candidates {
        let known = groups
            .iter_mut()
            .find(|group| is_same_cause(&group[0], &candidate, knowledge));
        match known {
            Some(group) => group.push(candidate),
            None => groups.push(vec![candidate]),
        }
    }
    let entry = |group: Vec<Candidate>| {
        let mut group = group.into_iter();
        let mut lead = group.next()?;
        for other in group {
            // A line is told once, however many of its operands matter.
            let line = other.place.line;
            let mut known = lead.place.same_cause.iter().map(|one| one.line);
            if line != lead.place.line && !known.any(|one| one == line) {
                lead.place.same_cause.push(other.place.as_same_cause());
            }
            if lead.place.input.is_none() {
                lead.place.input = other.place.input;
                lead.place.reduced = other.place.reduced;
            }
        }
        Some(lead)
    };
    groups.into_iter().filter_map(entry).collect()
}

fn is_same_cause(one: &Candidate, other: &Candidate, knowledge: &dyn Knowledge) -> bool {
    let (first, second) = (&one.place, &other.place);
    let cured = |place: &FlipPlace| -> Vec<u64> {
        let cures = place.cures.iter().map(|cure| cure.test);
        cures.collect()
    };
    // What makes other tests pass is another cause, or a better place.
    if first.file != second.file || first.passes != second.passes || cured(first) != cured(second) {
        return false;
    }
    if first.line == second.line {
        return true;
    }
    if first.function != second.function {
        return is_result(first, second) || is_result(second, first);
    }
    is_same_variable(one, other, knowledge)
        || passes_on(one, other)
        || passes_on(other, one)
        || decides(one, other, knowledge)
        || decides(other, one, knowledge)
}

fn is_same_variable(one: &Candidate, other: &Candidate, knowledge: &dyn Knowledge) -> bool {
    // What is added is nowhere in the program, so that only its name tells.
    let is_added = |one: &Candidate| one.place.was == "left as it is";
    one.variable.is_some()
        && one.variable == other.variable
        && (is_added(one)
            || is_added(other)
            || knowledge.assign_the_same(one, other).unwrap_or(true))
}

/// Whether a variable is assigned at the first place, and used at the second with the value that it has and becomes at the first.
fn passes_on(one: &Candidate, other: &Candidate) -> bool {
    let Some(variable) = &one.variable else {
        return false;
    };
    other.is_use() && becomes_the_same(&one.place, &other.place) && names(&other.place, variable)
}

/// Whether the first place is the result of a function, and the second has it from a call in its line.
fn is_result(one: &FlipPlace, other: &FlipPlace) -> bool {
    let called = one.name.strip_prefix("result of ");
    one.kind == "value"
        && other.kind == "value"
        && becomes_the_same(one, other)
        && called.is_some_and(|called| names(other, called.split('(').next().unwrap_or(called)))
}

fn becomes_the_same(one: &FlipPlace, other: &FlipPlace) -> bool {
    (&one.was, &one.becomes) == (&other.was, &other.becomes)
}

/// Whether the first place is a condition without which the statement of the second is skipped.
fn decides(one: &Candidate, other: &Candidate, knowledge: &dyn Knowledge) -> bool {
    let one = &one.place;
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
fn names(place: &FlipPlace, name: &str) -> bool {
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
    use yester_report::Place;

    use super::*;

    struct Known;

    impl Knowledge for Known {
        fn decides(&self, place: &Candidate) -> Option<(u32, Option<&'static str>)> {
            (place.place.line == 9).then_some((8, Some("true")))
        }

        fn assign_the_same(&self, one: &Candidate, other: &Candidate) -> Option<bool> {
            Some(one.place.line < 20 && other.place.line < 20)
        }
    }

    fn candidate(kind: &'static str, line: u32, name: &str, was: &str, becomes: &str) -> Candidate {
        Candidate {
            path: "a.c".to_owned(),
            variable: if name.contains(' ') {
                None
            } else {
                variable(name)
            },
            is_skipped: kind == "statement",
            place: FlipPlace {
                place: Place {
                    kind,
                    file: "a.c".to_owned(),
                    line,
                    column: 1,
                    function: "f".to_owned(),
                    name: name.to_owned(),
                    was: was.to_owned(),
                    becomes: becomes.to_owned(),
                    evidence: "intervention",
                    source: Some(format!("    use(x, y{line});")),
                },
                instance: Some(1),
                instances: vec![1],
                executions: 1,
                passes: true,
                input: None,
                reduced: false,
                critical: 1,
                tried: 1,
                cures: Vec::new(),
                same_cause: Vec::new(),
                dependences: None,
            },
        }
    }

    fn lines(candidates: Vec<Candidate>) -> Vec<Vec<u32>> {
        let places = grouped(candidates, &Known);
        let lines = places.iter().map(|Candidate { place, .. }| {
            let others = place.same_cause.iter().map(|other| other.line);
            std::iter::once(place.line).chain(others).collect()
        });
        lines.collect()
    }

    #[test]
    fn what_is_nearer_and_what_other_inputs_do_are_told_in_turn_behind_what_passes() {
        let with = |line, passes, evidence| {
            let mut one = candidate("branch", line, "", "true", "false");
            (one.place.passes, one.place.place.evidence) = (passes, evidence);
            one
        };
        let all = vec![
            with(1, true, "intervention"),
            with(2, false, "intervention"),
            with(3, false, "intervention"),
            with(4, false, "intervention"),
            with(5, true, "input"),
            with(6, true, "input"),
            with(7, true, "expected"),
        ];
        let ordered = in_order(all).into_iter().map(|one| one.place.line);
        assert_eq!(ordered.collect::<Vec<_>>(), [1, 7, 2, 5, 3, 6, 4]);
    }

    #[test]
    fn a_condition_and_what_it_alone_decides_are_one_entry() {
        let branch = |becomes| candidate("branch", 8, "", "true", becomes);
        let skipped = || candidate("statement", 9, "g", "executed", "skipped");
        assert_eq!(lines(vec![branch("false"), skipped()]), [[8, 9]]);
        assert_eq!(lines(vec![skipped(), branch("false")]), [[9, 8]]);
        // This one would execute it.
        assert_eq!(lines(vec![branch("true"), skipped()]).len(), 2);
    }

    #[test]
    fn a_line_is_told_once_in_its_entry() {
        let branch = |becomes| candidate("branch", 8, "", "true", becomes);
        let skipped = || candidate("statement", 9, "g", "executed", "skipped");
        let all = vec![branch("false"), skipped(), branch("true"), skipped()];
        assert_eq!(lines(all), [[8, 9]]);
    }

    #[test]
    fn one_variable_is_one_entry_and_two_of_the_same_name_are_two() {
        let all = vec![
            candidate("value", 3, "x", "1", "2"),
            candidate("value", 5, "y", "1", "2"),
            candidate("value", 12, "x", "7", "9"),
            candidate("value", 30, "x", "1", "2"),
        ];
        assert_eq!(lines(all), [vec![3, 12], vec![5], vec![30]]);
    }

    #[test]
    fn a_variable_that_is_passed_on_is_the_same_if_it_becomes_the_same() {
        let all = vec![
            candidate("value", 15, "argument 1 of use", "1", "2"),
            candidate("value", 3, "x", "1", "2"),
            candidate("value", 16, "argument 1 of use", "1", "3"),
            candidate("value", 5, "z", "1", "2"),
        ];
        assert_eq!(lines(all), [vec![15, 3], vec![16], vec![5]]);
    }
}
