//! Branches of two versions of a program correspond, though lines and functions have moved.

use crate::laboratory::{Input, Laboratory};
use yester_path::{Matching, Recording, SiteKind};

fn recorded(source: &str) -> Recording {
    Laboratory::new(source).record(&Input::stdin("abc")).1
}

/// For each branch and switch of the old version its line, and the line of its partner.
fn lines(old: &Recording, new: &Recording) -> Vec<(u32, Option<u32>)> {
    let matching = Matching::new(&old.sites, &new.sites);
    let mut found = Vec::new();
    for function in old.sites.functions() {
        for (index, site) in function.sites.iter().enumerate() {
            if site.kind == SiteKind::Call {
                continue;
            }
            let partner = matching.new_site(function.id, index as u32);
            let line = partner.map(|(function, site)| {
                let function = new.sites.function(function).expect("it is there");
                function.sites[site as usize].line
            });
            found.push((site.line, line));
        }
    }
    found
}

const OLD: &str = "#include <stdio.h>
static int digit(int c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  return -1; }
int value(const char *text) {
  int sum = 0;
  for (int i = 0; text[i]; i++) {
    if (digit(text[i]) < 0)
      continue;
    sum = sum * 10 + digit(text[i]);
  }
  switch (sum) { case 1: return 7; case 2: return 8; }
  return sum; }
int main(void) { char b[9] = \"\"; fread(b, 1, 8, stdin);
  if (value(b) > 100) puts(\"big\");
  return 0; }";

#[test]
fn what_did_not_change_corresponds_wherever_it_went() {
    let (old, same) = (recorded(OLD), recorded(OLD));
    assert!(
        lines(&old, &same)
            .iter()
            .all(|(line, other)| Some(*line) == *other)
    );
    // Another order of functions, a comment, a rename, a new case and a new check.
    let new = "#include <stdio.h>
int value(const char *text);
int main(void) { char b[9] = \"\"; fread(b, 1, 8, stdin);
  // The limit.
  if (value(b) > 100) puts(\"big\");
  return 0; }
static int number_of(int c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  return -1; }
int value(const char *text) {
  int sum = 0;
  if (!text)
    return -1;
  for (int i = 0; text[i]; i++) {
    if (number_of(text[i]) < 0)
      continue;
    sum = sum * 10 + number_of(text[i]);
  }
  switch (sum) { case 1: return 7; case 2: return 8; case 3: return 9; }
  return sum; }";
    let found = lines(&old, &recorded(new));
    let expected = [
        (3, Some(8)),
        (3, Some(8)),
        (8, Some(15)),
        (9, Some(16)),
        (13, Some(20)),
        (16, Some(5)),
    ];
    assert!(
        expected.iter().all(|pair| found.contains(pair)),
        "{found:?}"
    );
}
