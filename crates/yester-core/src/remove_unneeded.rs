use crate::closure::Lesson;
use crate::{Answer, Cached, Knowledge, Outcome, Stop, Subset, Tester};

/// What [`remove_unneeded`] leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remainder {
    /// Fails, and has all it needs.
    pub failing: Subset,
    /// Whether it gave up since too many runs in a row had no outcome.
    pub gave_up: bool,
}

/// A smaller failing subset, by leaving out deltas that no other one needs. `failing` fails and has all it needs.
///
/// Only the deltas on top are tried: those that nothing else needs. What goes may leave others on top. One that has to
/// stay keeps all that it needs without a test. When a test is unresolved, `learn` may tell that something needs what
/// was left out after all; then that is not on top, and what needs it is tried instead. So few tests are unresolved,
/// and about k·log n are needed for k deltas that stay on top. What was refused once is not asked for again when others
/// have gone.
///
/// After `unresolved_runs` runs in a row without an outcome it gives up: the deltas make no sense one by one.
pub fn remove_unneeded<T: Tester + ?Sized>(
    tester: &mut T,
    knowledge: &mut Knowledge,
    failing: &Subset,
    unresolved_runs: usize,
    learn: &mut dyn FnMut(&Subset, &Answer) -> Lesson,
) -> Result<Remainder, Stop> {
    let mut search = Removal {
        tester: Cached::new(tester),
        knowledge,
        learn,
        failing: failing.clone(),
        staying: Subset::empty(failing.universe()),
        removed: 0,
        kept: 0,
        allowed: unresolved_runs,
        unresolved: 0,
    };
    search.tester.learn(failing, Outcome::Fail);
    let mut layers = 1;
    while !search.gave_up() {
        let top = search.top(&search.failing);
        if top.is_empty() {
            break;
        }
        // Where one layer went several may.
        if layers > 1 && search.remove_layers(layers)? {
            layers *= 2;
            continue;
        }
        let before = search.failing.len();
        search.remove(&top)?;
        let all_went = search.failing.len() + top.concat().len() == before;
        layers = if all_went { 2 } else { 1 };
    }
    Ok(Remainder {
        gave_up: search.gave_up(),
        failing: search.failing,
    })
}

/// Deltas that go together, since they need each other.
type Group = Vec<usize>;

struct Removal<'a, T: ?Sized> {
    tester: Cached<&'a mut T>,
    knowledge: &'a mut Knowledge,
    learn: &'a mut dyn FnMut(&Subset, &Answer) -> Lesson,
    failing: Subset,
    /// What has to stay, with all that it needs.
    staying: Subset,
    /// How many groups went so far, and how many were refused alone.
    removed: usize,
    kept: usize,
    /// How many runs in a row may be unresolved, and how many were.
    allowed: usize,
    unresolved: usize,
}

impl<T: Tester + ?Sized> Removal<'_, T> {
    fn gave_up(&self) -> bool {
        self.unresolved >= self.allowed
    }

    /// The groups of deltas that nothing outside of them needs, one delta each unless they need each other.
    fn top(&self, failing: &Subset) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
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

    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        let answer = self.tester.test(subset)?;
        if answer.outcome != Outcome::Unresolved {
            self.unresolved = 0;
        } else if answer.is_from_a_run() {
            self.unresolved += 1;
        }
        Ok(answer)
    }

    /// Tries to leave out so many layers at once: what is on top, what is on top then, and so on.
    fn remove_layers(&mut self, layers: usize) -> Result<bool, Stop> {
        let mut left = self.failing.clone();
        for _ in 0..layers {
            left = left.without(&self.top(&left).concat());
        }
        let fails = self.test(&left)?.outcome == Outcome::Fail;
        if fails {
            self.failing = left;
        }
        Ok(fails)
    }

    /// Leaves out as many of these groups as possible, from the back. Ends early when something was learned.
    fn remove(&mut self, groups: &[Group]) -> Result<(), Stop> {
        let mut open = vec![groups];
        while let Some(groups) = open.pop() {
            if self.gave_up() {
                return Ok(());
            }
            let deltas = groups.concat();
            let candidate = self.failing.without(&deltas);
            self.foresee(groups, &open);
            let answer = self.test(&candidate)?;
            match answer.outcome {
                Outcome::Fail => {
                    self.failing = candidate;
                    self.removed += groups.len();
                    continue;
                }
                Outcome::Unresolved if self.take_in(&candidate, &deltas, &answer) => return Ok(()),
                Outcome::Unresolved | Outcome::Pass => {}
            }
            if let [group] = groups {
                let with_group = self.staying.with(group);
                self.staying = self.knowledge.closure(&with_group);
                self.kept += 1;
            } else {
                let (front, back) = groups.split_at(groups.len() / 2);
                open.extend([front, back]);
            }
        }
        Ok(())
    }

    /// Learns from an unresolved test. Says whether there was something to learn.
    fn take_in(&mut self, candidate: &Subset, left_out: &[usize], answer: &Answer) -> bool {
        let lesson = (self.learn)(candidate, answer);
        let mut news = false;
        for (delta, needed) in lesson.needs {
            if candidate.contains(delta) && left_out.contains(&needed) {
                news |= self.knowledge.need(delta, needed);
            }
        }
        // Something needs these; what, may come out when there is less left.
        let mut kept = lesson.add;
        kept.retain(|add| left_out.contains(add));
        news |= !kept.is_empty();
        let with_kept = self.staying.with(&kept);
        self.staying = self.knowledge.closure(&with_kept);
        news
    }

    /// Tells the tester what comes after the question for `groups`, when `open` is what is left then.
    fn foresee(&mut self, groups: &[Group], open: &[&[Group]]) {
        let stay = (self.kept + 1) as f64 / (self.kept + self.removed + 2) as f64;
        let mut states = vec![Foreseen {
            likelihood: 1.0,
            failing: self.failing.clone(),
            open: open.iter().copied().chain([groups]).collect(),
        }];
        let questions = std::iter::from_fn(move || {
            let likeliest = |one: &&Foreseen<'_>, other: &&Foreseen<'_>| {
                one.likelihood.total_cmp(&other.likelihood)
            };
            let state = states.iter().max_by(likeliest)?.clone();
            states.retain(|other| *other != state);
            let (question, next) = state.ask(stay)?;
            states.extend(next);
            Some(question)
        });
        self.tester.foresee(&mut questions.skip(1));
    }
}

/// Where the search may be after a few questions.
#[derive(Clone, PartialEq)]
struct Foreseen<'a> {
    likelihood: f64,
    failing: Subset,
    open: Vec<&'a [Group]>,
}

impl<'a> Foreseen<'a> {
    /// The question that is asked here, and where the search is after it, when each group stays with this likelihood.
    fn ask(mut self, stay: f64) -> Option<(Subset, Vec<Foreseen<'a>>)> {
        let groups = self.open.pop()?;
        let question = self.failing.without(&groups.concat());
        let goes = (1.0 - stay).powi(i32::try_from(groups.len()).unwrap_or(i32::MAX));
        let gone = Foreseen {
            likelihood: self.likelihood * goes,
            failing: question.clone(),
            open: self.open.clone(),
        };
        if groups.len() > 1 {
            let (front, back) = groups.split_at(groups.len() / 2);
            self.open.extend([front, back]);
        }
        self.likelihood *= 1.0 - goes;
        let next = [gone, self]
            .into_iter()
            .filter(|state| !state.open.is_empty());
        Some((question, next.collect()))
    }
}
