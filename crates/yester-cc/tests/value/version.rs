//! The values of two versions of a program, compared site by site.

use yester_path::{Matching, Recording, SiteKind};

use crate::laboratory::{Build, Laboratory, tell};

/// The first value that differs, as the old and the new version tell it; only sites that correspond count.
fn first_difference(old: &str, new: &str) -> Option<(String, String)> {
    // The files must last as long as they are read.
    let record = |text: &str| -> (Laboratory, Recording) {
        let laboratory = Laboratory::c(text, Build::Trace);
        laboratory.run("");
        let recording = laboratory.recordings().remove(0);
        (laboratory, recording)
    };
    let ((_old, old), (_new, new)) = (record(old), record(new));
    let matching = Matching::new(&old.sites, &new.sites);
    let old_values = old.value_events(0).expect("values");
    let old_values = old_values.filter_map(|value| {
        let partner = matching.new_site(value.function, value.site)?;
        Some((partner, value))
    });
    let new_values = new.value_events(0).expect("values");
    let new_values = new_values.filter(|value| {
        let partner = matching.old_site(value.function, value.site);
        partner.is_some()
    });
    old_values
        .zip(new_values)
        .find(|((partner, one), other)| {
            *partner != (other.function, other.site) || one.value != other.value
        })
        .map(|((_, one), other)| (tell(&old, &one), tell(&new, &other)))
}

const PROGRAM: &str = "static int limit, table[8];\nstatic int scale(int n, double factor) {\n  int result = n;\n  if (n > 3)\n    result = (int)(n * factor);\n  return result;\n}\nint main(void) {\n  int sum = 0;\n  limit = 10;\n  for (int i = 0; i < 4; i++) {\n    table[i + 1] = scale(i, 1.5);\n    sum += table[i];\n  }\n  return sum > limit;\n}\n";

fn expect(from: &str, to: &str, old: &str, new: &str) {
    assert!(PROGRAM.contains(from));
    let changed = PROGRAM.replacen(from, to, 1);
    let expected = Some((old.to_owned(), new.to_owned()));
    assert_eq!(first_difference(PROGRAM, &changed), expected, "{to}");
}

#[test]
fn the_first_value_that_differs_is_where_the_versions_do() {
    assert_eq!(first_difference(PROGRAM, PROGRAM), None);
    // A constant that no branch shows, an index, an argument, an initial value, a result.
    expect("limit = 10", "limit = 11", "10 limit = 10", "10 limit = 11");
    let old = "12 index of table = 1";
    expect("table[i + 1]", "table[i + 2]", old, "12 index of table = 2");
    let old = "13 index of table = 0";
    expect(
        "+= table[i]",
        "+= table[7 - i]",
        old,
        "13 index of table = 7",
    );
    let old = "12 argument 2 of scale = 1.5";
    expect("1.5", "2.5", old, "12 argument 2 of scale = 2.5");
    expect("sum = 0", "sum = 1", "9 sum = 0", "9 sum = 1");
    let old = "6 result of scale = 0";
    expect(
        "return result;",
        "return result + 1;",
        old,
        "6 result of scale = 1",
    );
}

#[test]
fn other_lines_and_renamed_variables_make_no_difference() {
    let moved = PROGRAM.replace(
        "int main(void) {\n",
        "\n\nint main(void)\n{\n  int unused;\n",
    );
    assert_eq!(first_difference(PROGRAM, &moved), None);
    let renamed = PROGRAM.replace("result", "answer").replace("sum", "total");
    assert_eq!(first_difference(PROGRAM, &renamed), None);
    let longer = PROGRAM.replace(
        "  limit = 10;\n",
        "  int more = 5;\n  limit = 10;\n  more++;\n",
    );
    assert_eq!(first_difference(PROGRAM, &longer), None);
}

#[test]
fn values_change_nothing_that_is_told_of_branches() {
    let tables = [Build::WithoutValues, Build::Trace].map(|build| {
        let laboratory = Laboratory::c(PROGRAM, build);
        laboratory.run("");
        let sites = laboratory.recordings().remove(0).sites;
        let functions = sites.functions().iter();
        let branches = functions.flat_map(|function| {
            let events = function.sites.iter().filter(|site| site.has_events());
            // The numbers of sites differ, so each is told by its place.
            let place = |site: u32| {
                let site = &function.sites[site as usize];
                (site.line, site.column)
            };
            let told = events.map(move |site| {
                let dependence = site.dependence.iter();
                let dependence = dependence.map(|one| (place(one.site), one.outcome));
                let successors = site.successors.iter();
                let successors =
                    successors.map(|next| next.iter().map(|&next| place(next)).collect());
                (
                    (site.line, site.column, site.kind == SiteKind::Branch),
                    dependence.collect::<Vec<_>>(),
                    successors.collect::<Vec<Vec<_>>>(),
                    site.post_dominator.map(place),
                )
            });
            told.collect::<Vec<_>>()
        });
        branches.collect::<Vec<_>>()
    });
    assert!(!tables[0].is_empty());
    assert_eq!(tables[0], tables[1]);
}
