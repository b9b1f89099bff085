use yester_core::{Answer, Outcome, Stop, Subset, Tester, first_in_order};

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
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        let outcome = (self.rule)(subset);
        self.rows.push((subset.clone(), outcome));
        Ok(Answer::known(outcome))
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        first_in_order(self, candidates, wanted)
    }

    fn foresee(&mut self, _: &mut dyn Iterator<Item = Subset>) {}
}
