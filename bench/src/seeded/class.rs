//! How near a report comes to a fault: the classes of section 5.2 of "DARWIN: an approach for debugging evolving programs".

use std::collections::BTreeSet;
use std::fs;

use super::{Case, Outline};
use crate::case::Purpose;

/// One of the two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionSide {
    /// The one that is right.
    Old,
    /// The one that is wrong.
    New,
}

/// What is known of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    /// Its kind in the rule, or `exposed`.
    pub kind: String,
    /// What its program is for.
    pub role: Purpose,
    /// The function with the fault; none for a table.
    pub function: Option<String>,
    /// The lines of the old version that are right where the new one is wrong.
    pub lines_old: Vec<u32>,
    /// The wrong lines of the new version, or those next to what is missing.
    pub lines_new: Vec<u32>,
    /// Whether code is missing, so that no line of the new version is wrong itself.
    pub is_missing: bool,
}

/// A place that a report names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedPlace {
    /// The version that it is in.
    pub version: VersionSide,
    /// The file; asked only where a version has several.
    pub file: String,
    /// The line.
    pub line: u32,
    /// What the report calls the function; asked only where the line is in none.
    pub function: Option<String>,
}

/// How near a report comes, the nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LocalizationClass {
    /// The line with the fault.
    SameLine,
    /// A line that reads the same.
    IdenticalLine,
    /// The function with the fault.
    SameFunction,
    /// A caller or a callee of it.
    NeighbourFunction,
    /// Nothing of these.
    Elsewhere,
}

impl LocalizationClass {
    /// What the paper calls it.
    pub fn name(self) -> &'static str {
        match self {
            LocalizationClass::SameLine => "1",
            LocalizationClass::IdenticalLine => "1a",
            LocalizationClass::SameFunction => "2",
            LocalizationClass::NeighbourFunction => "3",
            LocalizationClass::Elsewhere => "4",
        }
    }

    /// Whether it is class 1 or 1a.
    pub fn is_line(self) -> bool {
        self <= LocalizationClass::IdenticalLine
    }
}

/// Tells the classes of reports for a case.
#[derive(Clone, Debug)]
pub struct Classifier {
    truth: Truth,
    texts: [Vec<String>; 2],
    outlines: [Outline; 2],
    /// The lines with the fault, as they read in both versions.
    guilty: BTreeSet<String>,
    functions: BTreeSet<String>,
}

impl Classifier {
    /// For the files of a case.
    pub fn of(case: &Case) -> Result<Classifier, String> {
        let read = |path| fs::read_to_string(path).map_err(|error| error.to_string());
        let texts = [read(&case.old)?, read(&case.new)?];
        Ok(Classifier::new(case.truth.clone(), &texts[0], &texts[1]))
    }

    /// For the texts of two versions.
    pub fn new(truth: Truth, old: &str, new: &str) -> Classifier {
        let texts = [old, new].map(|text| {
            let lines = text.lines().map(|line| line.trim().to_owned());
            lines.collect::<Vec<_>>()
        });
        let outlines = [Outline::of(old), Outline::of(new)];
        let mut guilty = BTreeSet::new();
        let mut functions: BTreeSet<String> = truth.function.iter().cloned().collect();
        let sides = [&truth.lines_old, &truth.lines_new];
        for (side, lines) in sides.into_iter().enumerate() {
            for &line in lines {
                if side == 0 || !truth.is_missing {
                    guilty.extend(texts[side].get(line as usize - 1).cloned());
                }
                if let Some(function) = outlines[side].at(line) {
                    functions.insert(function.name.clone());
                }
            }
        }
        // Brackets alone are not the fault.
        guilty.retain(|text| text.contains(|character: char| character.is_ascii_alphanumeric()));
        Classifier {
            truth,
            texts,
            outlines,
            guilty,
            functions,
        }
    }

    /// Whether a line that is not the fault reads the same.
    pub fn has_identical_lines(&self) -> bool {
        let mut versions = [VersionSide::Old, VersionSide::New].into_iter();
        versions.any(|version| {
            let mut lines = 1..=self.texts[version as usize].len() as u32;
            lines.any(|line| {
                self.class_of_line(version, line) == Some(LocalizationClass::IdenticalLine)
            })
        })
    }

    fn class_of_line(&self, version: VersionSide, line: u32) -> Option<LocalizationClass> {
        let lines = match version {
            VersionSide::Old => &self.truth.lines_old,
            VersionSide::New => &self.truth.lines_new,
        };
        let text = self.texts[version as usize].get((line as usize).wrapping_sub(1));
        if lines.contains(&line) {
            Some(LocalizationClass::SameLine)
        } else if text.is_some_and(|text| self.guilty.contains(text)) {
            Some(LocalizationClass::IdenticalLine)
        } else {
            None
        }
    }

    /// The class of one place.
    pub fn class(&self, place: &ReportedPlace) -> LocalizationClass {
        if let Some(class) = self.class_of_line(place.version, place.line) {
            return class;
        }
        let outlined = self.outlines[place.version as usize].at(place.line);
        let name = match (outlined, &place.function) {
            (Some(function), _) => function.name.as_str(),
            (None, Some(name)) => name,
            (None, None) => return LocalizationClass::Elsewhere,
        };
        let is_neighbour = |guilty: &String| {
            let mut outlines = self.outlines.iter();
            outlines.any(|outline| outline.are_neighbours(name, guilty))
        };
        if self.functions.contains(name) {
            LocalizationClass::SameFunction
        } else if self.functions.iter().any(is_neighbour) {
            LocalizationClass::NeighbourFunction
        } else {
            LocalizationClass::Elsewhere
        }
    }

    /// The class of a whole report: the best of its places. A report without places is class 4.
    pub fn class_of_all(&self, places: &[ReportedPlace]) -> LocalizationClass {
        let classes = places.iter().map(|place| self.class(place));
        classes.min().unwrap_or(LocalizationClass::Elsewhere)
    }

    /// Where the line with the fault is among the places, from 1.
    pub fn rank(&self, places: &[ReportedPlace]) -> Option<usize> {
        let is_right = |place| self.class(place) == LocalizationClass::SameLine;
        places.iter().position(is_right).map(|index| index + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "\
int low(int x)
{
    if (x >= 3) {
        return 1;
    }
    return 0;
}
int middle(int x)
{
    if (x >= 3) {
        x++;
    }
    return low(x);
}
int main(void)
{
    return middle(4);
}
int other(void)
{
    return 7;
}
";

    fn truth(lines_old: &[u32], lines_new: &[u32], is_missing: bool) -> Truth {
        Truth {
            kind: "tightened".to_owned(),
            role: Purpose::Tune,
            function: Some("low".to_owned()),
            lines_old: lines_old.to_vec(),
            lines_new: lines_new.to_vec(),
            is_missing,
        }
    }

    fn tightened() -> Classifier {
        let new = OLD.replacen(">= 3", "> 3", 1);
        Classifier::new(truth(&[3], &[3], false), OLD, &new)
    }

    fn place(version: VersionSide, line: u32) -> ReportedPlace {
        ReportedPlace {
            version,
            file: String::new(),
            line,
            function: None,
        }
    }

    #[test]
    fn the_line_itself_is_class_1_in_both_versions() {
        let classifier = tightened();
        for version in [VersionSide::Old, VersionSide::New] {
            assert_eq!(classifier.class(&place(version, 3)).name(), "1");
        }
    }

    #[test]
    fn a_line_that_reads_the_same_is_class_1a() {
        let classifier = tightened();
        assert_eq!(classifier.class(&place(VersionSide::New, 10)).name(), "1a");
        assert!(classifier.has_identical_lines());
        let alone = Classifier::new(truth(&[6], &[6], false), OLD, &OLD.replacen("0;", "2;", 1));
        assert!(!alone.has_identical_lines());
    }

    #[test]
    fn another_line_of_the_function_is_class_2() {
        let classifier = tightened();
        assert_eq!(classifier.class(&place(VersionSide::New, 4)).name(), "2");
        let named = ReportedPlace {
            version: VersionSide::New,
            file: String::new(),
            line: 99,
            function: Some("low".to_owned()),
        };
        assert_eq!(classifier.class(&named).name(), "2");
    }

    #[test]
    fn a_caller_or_callee_is_class_3_and_all_else_class_4() {
        let classifier = tightened();
        assert_eq!(classifier.class(&place(VersionSide::New, 13)).name(), "3");
        assert_eq!(classifier.class(&place(VersionSide::New, 17)).name(), "4");
        assert_eq!(classifier.class(&place(VersionSide::New, 21)).name(), "4");
        assert_eq!(classifier.class(&place(VersionSide::New, 99)).name(), "4");
        assert_eq!(classifier.class(&place(VersionSide::New, 0)).name(), "4");
    }

    #[test]
    fn missing_code_is_named_by_its_old_line_or_by_what_is_next_to_the_gap() {
        let new = OLD.replacen("        x++;\n", "", 1);
        let mut truth = truth(&[11], &[10], true);
        truth.function = Some("middle".to_owned());
        let classifier = Classifier::new(truth, OLD, &new);
        assert_eq!(classifier.class(&place(VersionSide::Old, 11)).name(), "1");
        assert_eq!(classifier.class(&place(VersionSide::New, 10)).name(), "1");
        // What is next to the gap is right, so its like is not the fault.
        assert_eq!(classifier.class(&place(VersionSide::New, 3)).name(), "3");
        assert!(!classifier.has_identical_lines());
    }

    #[test]
    fn a_report_is_as_good_as_its_best_place_and_the_rank_is_that_of_the_line() {
        let classifier = tightened();
        let places = [21, 10, 3].map(|line| place(VersionSide::New, line));
        assert_eq!(classifier.class_of_all(&places).name(), "1");
        assert_eq!(classifier.rank(&places), Some(3));
        assert_eq!(classifier.class_of_all(&places[..2]).name(), "1a");
        assert_eq!(classifier.rank(&places[..2]), None);
        assert_eq!(classifier.class_of_all(&[]).name(), "4");
    }
}
