use yester_core::{Outcome, Stop, Subset, Tester};

/// Answers by a rule and writes down each question.
pub struct Table<R> {
    rule: R,
    pub rows: Vec<(Subset, Outcome)>,
}

impl<R: Fn(&Subset) -> Outcome> Table<R> {
    pub fn new(rule: R) -> Self {
        Table {
            rule,
            rows: Vec::new(),
        }
    }

    /// Compares with rows in Zeller's notation.
    pub fn shows(&self, expected: &str) {
        let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
        let rows: Vec<String> = self.rows.iter().map(row).collect();
        assert_eq!(rows, expected);
    }
}

fn row((subset, outcome): &(Subset, Outcome)) -> String {
    let mark = match outcome {
        Outcome::Pass => "✓",
        Outcome::Fail => "✗",
        Outcome::Unresolved => "?",
    };
    format!("{subset} {mark}")
}

impl<R: Fn(&Subset) -> Outcome> Tester for Table<R> {
    fn test(&mut self, subset: &Subset) -> Result<Outcome, Stop> {
        let outcome = (self.rule)(subset);
        self.rows.push((subset.clone(), outcome));
        Ok(outcome)
    }
}
