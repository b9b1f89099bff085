use crate::closure::Lesson;
use crate::{Cached, Knowledge, Outcome, Stop, Subset, Tester};

/// A smaller failing subset, by leaving out deltas that no other one needs. `failing` fails and has all it needs.
///
/// Only the deltas on top are tried: those that nothing else needs. What goes may leave others on top. One that has to
/// stay keeps all that it needs without a test. When a test is unresolved, `learn` may tell that something needs what
/// was left out after all; then that is not on top, and what needs it is tried instead. So few tests are unresolved,
/// and about k·log n are needed for k deltas that stay on top. What was refused once is not asked for again when others
/// have gone.
pub fn peel<T: Tester + ?Sized>(
    tester: &mut T,
    knowledge: &mut Knowledge,
    failing: &Subset,
    learn: &mut dyn FnMut(&Subset, Option<String>) -> Lesson,
) -> Result<Subset, Stop> {
    let mut peeling = Peeling {
        tester: Cached::new(tester),
        knowledge,
        learn,
        failing: failing.clone(),
        staying: Subset::empty(failing.universe()),
    };
    peeling.tester.learn(failing, Outcome::Fail);
    let mut layers = 1;
    loop {
        let top = peeling.top(&peeling.failing);
        if top.is_empty() {
            return Ok(peeling.failing);
        }
        // Where one layer went several may.
        if layers > 1 && peeling.remove_layers(layers)? {
            layers *= 2;
            continue;
        }
        let before = peeling.failing.len();
        peeling.remove(&top)?;
        let all_went = peeling.failing.len() + top.concat().len() == before;
        layers = if all_went { 2 } else { 1 };
    }
}

struct Peeling<'a, T: ?Sized> {
    tester: Cached<&'a mut T>,
    knowledge: &'a mut Knowledge,
    learn: &'a mut dyn FnMut(&Subset, Option<String>) -> Lesson,
    failing: Subset,
    /// What has to stay, with all that it needs.
    staying: Subset,
}

impl<T: Tester + ?Sized> Peeling<'_, T> {
    /// The groups of deltas that nothing outside of them needs, one delta each unless they need each other.
    fn top(&self, failing: &Subset) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let open = failing.difference(&self.staying);
        let mut taken = Subset::empty(open.universe());
        for delta in open.iter() {
            if taken.contains(delta) {
                continue;
            }
            let without = self.knowledge.interior(&failing.without(&[delta]));
            let group = failing.difference(&without);
            // On top if each of the group goes with the same ones.
            let is_top = group.iter().all(|other| {
                let without = self.knowledge.interior(&failing.without(&[other]));
                failing.difference(&without) == group
            });
            if is_top {
                group.iter().for_each(|member| taken.insert(member));
                groups.push(group.iter().collect());
            }
        }
        groups
    }

    /// Tries to leave out so many layers at once: what is on top, what is on top then, and so on.
    fn remove_layers(&mut self, layers: usize) -> Result<bool, Stop> {
        let mut left = self.failing.clone();
        for _ in 0..layers {
            left = left.without(&self.top(&left).concat());
        }
        let fails = self.tester.test(&left)? == Outcome::Fail;
        if fails {
            self.failing = left;
        }
        Ok(fails)
    }

    /// Leaves out as many of these groups as possible, from the back. Ends early when something was learned.
    fn remove(&mut self, groups: &[Vec<usize>]) -> Result<(), Stop> {
        let mut open = vec![groups];
        while let Some(groups) = open.pop() {
            let deltas = groups.concat();
            let candidate = self.failing.without(&deltas);
            match self.tester.test(&candidate)? {
                Outcome::Fail => {
                    self.failing = candidate;
                    continue;
                }
                Outcome::Unresolved => {
                    let output = self.tester.output_of(&candidate);
                    let lesson = (self.learn)(&candidate, output);
                    let mut news = false;
                    for (delta, needed) in lesson.needs {
                        if candidate.contains(delta) && deltas.contains(&needed) {
                            news |= self.knowledge.need(delta, needed);
                        }
                    }
                    // Something needs these; what, may come out when there is less left.
                    let kept: Vec<usize> = lesson
                        .add
                        .into_iter()
                        .filter(|add| deltas.contains(add))
                        .collect();
                    news |= !kept.is_empty();
                    let with_kept = self.staying.with(&kept);
                    self.staying = self.knowledge.closure(&with_kept);
                    if news {
                        return Ok(());
                    }
                }
                Outcome::Pass => {}
            }
            if let [group] = groups {
                let with_group = self.staying.with(group);
                self.staying = self.knowledge.closure(&with_group);
            } else {
                let (front, back) = groups.split_at(groups.len() / 2);
                open.extend([front, back]);
            }
        }
        Ok(())
    }
}
