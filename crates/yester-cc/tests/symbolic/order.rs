//! What the compiler says about the order of sites is what happens.

use crate::laboratory::{Input, Laboratory};
use yester_path::alignment::{Run, Statement};
use yester_path::{Branch, EventKind, Recording};

/// Checks that each event follows the one before it in its activation as the table says, and that post-dominators are reached in
/// activations that return. Returns how many events were checked.
fn follows(recording: &Recording) -> usize {
    let mut checked = 0;
    let mut stack: Vec<Vec<(u32, u32)>> = Vec::new();
    for event in recording.events(0).expect("events") {
        let event = event.expect("an event");
        let (function, site, outcome) = match event.kind {
            EventKind::Enter { .. } => {
                stack.push(Vec::new());
                continue;
            }
            EventKind::Return { function } => {
                let sites = &recording.sites.function(function).expect("it is").sites;
                let seen = stack.pop().expect("it was entered");
                for (index, (site, _)) in seen.iter().enumerate() {
                    if let Some(always) = sites[*site as usize].post_dominator {
                        let later = &seen[index + 1..];
                        assert!(later.iter().any(|(site, _)| *site == always));
                        checked += 1;
                    }
                }
                continue;
            }
            EventKind::Branch {
                function,
                site,
                outcome,
            } => (function, site, outcome),
            EventKind::Call { function, site } => (function, site, 0),
            EventKind::Land { .. } => {
                stack.truncate(event.depth);
                continue;
            }
            _ => continue,
        };
        let function = recording.sites.function(function).expect("it is");
        let seen = stack.last_mut().expect("a function");
        if let Some((before, outcome)) = seen.last() {
            let next = &function.sites[*before as usize].successors[*outcome as usize];
            assert!(
                next.contains(&site),
                "{}: {before} {outcome} {site}",
                function.name
            );
            checked += 1;
        }
        seen.push((site, outcome));
    }
    checked
}

#[test]
fn each_site_is_followed_by_one_of_its_successors() {
    let laboratory = Laboratory::new(
        "#include <stdio.h>
        #include <string.h>
        static int twice(int x) { return x > 9 && x < 20 ? 2 * x : x; }
        static int walk(const char *text) {
          int sum = 0;
          for (const char *p = text; *p; p++) {
            switch (*p) {
              case 'a': sum += twice(1); break;
              case 'b': if (sum > 3) continue;
              case 'c': sum++; break;
              default: do { sum += twice(sum); } while (sum % 5 != 0 && sum < 40);
            }
            if (sum > 90) return sum;
          }
          while (sum-- > 0 || (text[0] == 'z' && sum > -9)) if (twice(sum) == 7) break;
          return sum;
        }
        int main(void) { char b[16] = \"\"; fread(b, 1, 15, stdin); return walk(b) == walk(\"abcxyz\") && printf(\"%d\", twice(12)); }",
    );
    for text in ["abcabcdddd", "", "bbbbcccaa", "zzzzzzzzz"] {
        let (_, recording) = laboratory.record(&Input::stdin(text));
        assert!(follows(&recording) > 20, "{text}");
        depends(&recording);
    }
}

/// Checks that branches depend on what the alignment of the path-generation paper says, and that leaving branches out leads to the
/// next one above.
fn depends(recording: &Recording) {
    let run = Run::new(&recording.sites, recording.events(0).expect("events")).expect("a run");
    let is_branch =
        |event: &usize| matches!(run.events[*event].statement(), Statement::Branch { .. });
    // The index among branches of each event.
    let mut index_of = vec![None; run.events.len()];
    for (index, event) in (0..run.events.len()).filter(is_branch).enumerate() {
        index_of[event] = Some(index as u64);
    }
    let above = |event: usize, is_wanted: &dyn Fn(usize) -> bool| {
        let mut above = run.events[event].dependence();
        while let Some(event) = above.filter(|event| !is_branch(event) || !is_wanted(*event)) {
            above = run.events[event].dependence();
        }
        above
    };
    let all: Vec<Branch> = recording
        .dependent_branches(|_| true)
        .map(|branch| branch.expect("it can be read"))
        .collect();
    let branches: Vec<usize> = (0..run.events.len()).filter(is_branch).collect();
    assert_eq!(all.len(), branches.len());
    for (branch, event) in all.iter().zip(&branches) {
        let expected = above(*event, &|_| true).and_then(|event| index_of[event]);
        assert_eq!(branch.dependence, expected);
    }
    let some: Vec<Branch> = recording
        .dependent_branches(|branch| branch.index % 3 != 1)
        .map(|branch| branch.expect("it can be read"))
        .collect();
    let is_wanted = |event: usize| index_of[event].is_some_and(|index| index % 3 != 1);
    let wanted: Vec<usize> = branches
        .iter()
        .copied()
        .filter(|event| is_wanted(*event))
        .collect();
    assert_eq!(some.len(), wanted.len());
    for (index, (branch, event)) in some.iter().zip(&wanted).enumerate() {
        assert_eq!(branch.index, index as u64);
        let expected = above(*event, &is_wanted);
        let expected = expected.map(|event| wanted.binary_search(&event).expect("wanted") as u64);
        assert_eq!(branch.dependence, expected);
    }
}

#[test]
fn exceptions_and_loops_over_containers_follow_too() {
    let laboratory = Laboratory::with_language(
        "#include <map>
        #include <string>
        #include <cstdio>
        static int of(const std::map<std::string, int> &m, const std::string &key) {
          auto found = m.find(key); if (found == m.end()) throw key; return found->second; }
        int main() { std::map<std::string, int> m; int c, sum = 0;
          while ((c = getchar()) != EOF) { std::string s(1, c); m[s]++; try { sum += of(m, s + \"x\"); } catch (const std::string &) { sum--; } }
          for (const auto &one : m) sum += one.second; return sum != 0; }",
        "cc",
        &[],
    );
    let (_, recording) = laboratory.record(&Input::stdin("hello"));
    assert!(follows(&recording) > 50);
}
