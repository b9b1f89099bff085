//! A new patch at a border: the fewest changes of the newer revision with which the older one fails as before.

use std::collections::BTreeSet;

use yester_core::{Grouping, Lab, Outcome, Phase, Repair, Space, Stop, Subset, bisection};
use yester_patch::{
    AtomSet, Backport, ChangeSpace, CulpritHunk, CulpritSearch, DeltaLevel, applied,
};
use yester_report::{BorderDirection, ReportedBorder};

use super::job::HistoryJob;
use super::line::{Doubt, Line, no_patch};
use super::tree::{Patch, Tree, broken, test};
use crate::versions::lines;

impl Line<'_> {
    /// Makes the patch of now one with which a revision fails, that does not with the patch so far.
    pub fn make_patch(&mut self, revision: usize, failing: usize) -> Result<Repair, Stop> {
        let started = self.lab.answered();
        let Some((_, newer)) = self.known.get(&failing).cloned() else {
            return Ok(Repair::Impossible);
        };
        let job = self.job;
        let plain = Tree::plain(&self.commits[revision]);
        let stop = |error| broken(&error);
        let mut outcome = "gives no answer";
        let fits = match self.tree(revision)? {
            Some(tree) => Some(tree),
            None => {
                outcome = "the patch does not fit";
                None
            }
        };
        if !self.arguments().plain {
            for patch in self.other_patches(revision)? {
                let Some(tree) = job.patched(&patch, &plain.commit).map_err(stop)? else {
                    continue;
                };
                match test(self.lab, job, &tree)?.outcome {
                    Outcome::Fail => {
                        self.replace_patch(revision, tree)?;
                        self.tell_border(
                            revision,
                            (outcome, started),
                            (0, self.patch.backport.lines()),
                        );
                        return Ok(Repair::Fails);
                    }
                    Outcome::Pass => {
                        self.known.insert(revision, (Outcome::Pass, tree));
                        return Ok(Repair::Passes);
                    }
                    Outcome::Unresolved => {}
                }
            }
        }
        let whole = job.difference(&plain, &newer).map_err(stop)?;
        let whole_lines = lines(&whole, &AtomSet::full(whole.difference().atoms()));
        let at_newer = job.patch_of(&newer).map_err(stop)?;
        let mut base = fits.unwrap_or_else(|| plain.clone());
        let mut guilty = BTreeSet::new();
        if base == plain && !at_newer.backport.is_empty() {
            // The parts that do not fit are tried first, as they are in the difference.
            let shared = at_newer.backport.shared_with(whole.difference());
            guilty.extend(shared.iter());
            if !self.arguments().plain {
                let tree = plain.with(applied(&whole, &shared));
                let found = test(self.lab, job, &tree)?.outcome;
                if found == Outcome::Fail {
                    self.replace_patch(revision, tree)?;
                    let after = self.patch.backport.lines();
                    self.tell_border(revision, (outcome, started), (whole_lines, after));
                    return Ok(Repair::Fails);
                }
                if found == Outcome::Pass {
                    self.known.insert(revision, (Outcome::Pass, tree));
                    return Ok(Repair::Passes);
                }
            }
        }
        if self.arguments().plain {
            base = plain.clone();
        }
        let space = job.difference(&base, &newer).map_err(stop)?;
        let all = AtomSet::full(space.difference().atoms());
        let Some(found) = self.fewest(&space, &base, &newer, guilty)? else {
            return Ok(Repair::Impossible);
        };
        let (atoms, hunks) = found;
        let tree = base.with(applied(&space, &atoms));
        let causes: Vec<&CulpritHunk> = hunks
            .iter()
            .filter(|hunk| hunk.without == Some(Outcome::Pass))
            .collect();
        let by_itself = !causes.is_empty();
        if by_itself {
            let causes = causes.iter();
            let causes = causes.fold(AtomSet::empty(all.universe()), |sum, hunk| {
                sum.union(&hunk.atoms)
            });
            let rest = atoms.difference(&causes);
            let passing = base.with(applied(&space, &rest));
            // Together they may be more than each of them is.
            if test(self.lab, job, &passing)?.outcome == Outcome::Pass {
                let space = job.difference(&passing, &tree).map_err(stop)?;
                self.doubt = Some(Doubt {
                    revision,
                    failing,
                    passing,
                    atoms: AtomSet::full(space.difference().atoms()),
                    space,
                });
            }
        }
        let smallest = match self.arguments().plain {
            true => tree,
            false => self.without_earlier(&plain, &base, tree, &space, &atoms)?,
        };
        let patch = job.patch_of(&smallest).map_err(stop)?;
        let after = patch.backport.lines();
        let generous = match self.arguments().plain {
            true => None,
            false => self.generous(&plain, &whole, &patch)?,
        };
        self.replace_patch(revision, generous.unwrap_or(smallest))?;
        self.smallest = Some(patch);
        self.tell_border(revision, (outcome, started), (whole_lines, after));
        Ok(match by_itself {
            true => Repair::FailsByItself,
            false => Repair::Fails,
        })
    }

    fn arguments(&self) -> &crate::cli::HistoryArguments {
        &self.job.arguments
    }

    /// No patch at all, the smallest one, and the one before that of now.
    fn other_patches(&self, revision: usize) -> Result<Vec<Patch>, Stop> {
        let mut patches = Vec::new();
        if !self.patch.backport.is_empty() {
            patches.push(no_patch(self.job, &self.commits[revision].id)?);
        }
        patches.extend(self.smallest.clone());
        patches.extend(self.earlier.first().cloned());
        Ok(patches)
    }

    /// The revision with more than it needs to fail: what else was changed with the same purpose, as far as can be told. A
    /// patch that is just enough to fail may lack what the test needs to pass.
    fn generous(
        &mut self,
        plain: &Tree,
        whole: &ChangeSpace,
        smallest: &Patch,
    ) -> Result<Option<Tree>, Stop> {
        let all = AtomSet::full(whole.difference().atoms());
        let entities = whole.of(&all, DeltaLevel::Entity);
        let knowledge = entities.knowledge();
        let needed = smallest.backport.same_places(whole.difference());
        let own = knowledge.closure(&entities.deltas_of(&needed));
        let every = Subset::full(entities.len());
        let users = every.difference(&knowledge.interior(&every.difference(&own)));
        let tree = plain.with(applied(whole, &entities.atoms(&knowledge.closure(&users))));
        let fails = test(self.lab, self.job, &tree)?.outcome == Outcome::Fail;
        Ok(fails.then_some(tree))
    }

    /// The fewest changes that make one tree fail as another does, and what happens without each hunk of them. Nothing if
    /// all of them together do not: some files must not be touched.
    fn fewest(
        &mut self,
        space: &ChangeSpace,
        base: &Tree,
        newer: &Tree,
        guilty: BTreeSet<usize>,
    ) -> Result<Option<(AtomSet, Vec<CulpritHunk>)>, Stop> {
        let all = AtomSet::full(space.difference().atoms());
        if all.is_empty() {
            return Ok(None);
        }
        let full = base.with(applied(space, &all));
        if !self.job.pinned.is_empty()
            && self.job.entries(&full).map_err(|error| broken(&error))?
                != self.job.entries(newer).map_err(|error| broken(&error))?
            && test(self.lab, self.job, &full)?.outcome != Outcome::Fail
        {
            return Ok(None);
        }
        if self.arguments().plain {
            return self.fewest_by_bisection(space).map(Some);
        }
        let read = read_here(self.job, self.baseline.read.as_ref(), space);
        let culprit = CulpritSearch {
            space,
            start: all,
            guilty,
            read: read.as_ref(),
            thorough: false,
        }
        .culprit(self.lab)?;
        Ok(Some((culprit.atoms, culprit.hunks)))
    }

    /// Artho's search: files, then hunks, then lines.
    fn fewest_by_bisection(
        &mut self,
        space: &ChangeSpace,
    ) -> Result<(AtomSet, Vec<CulpritHunk>), Stop> {
        let all = AtomSet::full(space.difference().atoms());
        let space = space.of(&all, DeltaLevel::Line);
        self.lab.enter(Phase {
            what: "bisecting the patch",
            deltas: space.len(),
        });
        let grouping: Grouping = space.grouping(|_| 0);
        let full = Subset::full(space.len());
        let mut tester = self.lab.tester(&space);
        let found = bisection(&mut *tester, &grouping, &full)?;
        Ok((space.atoms(&found), Vec::new()))
    }

    /// The tree without the patch that was there before, if the new changes alone do as well.
    fn without_earlier(
        &mut self,
        plain: &Tree,
        base: &Tree,
        tree: Tree,
        space: &ChangeSpace,
        atoms: &AtomSet,
    ) -> Result<Tree, Stop> {
        if base == plain {
            return Ok(tree);
        }
        let stop = |error| broken(&error);
        let version = self.job.version_of(base).map_err(stop)?;
        let backport = Backport::new(&version, &applied(space, atoms)).map_err(stop)?;
        let new = Patch {
            backport,
            commit: plain.commit.clone(),
        };
        let alone = self.job.patched(&new, &plain.commit).map_err(stop)?;
        match alone {
            Some(alone) if test(self.lab, self.job, &alone)?.outcome == Outcome::Fail => Ok(alone),
            _ => Ok(tree),
        }
    }

    fn tell_border(
        &mut self,
        revision: usize,
        (outcome, started): (&str, u64),
        (before, after): (u64, u64),
    ) {
        let commit = &self.commits[revision];
        let border = ReportedBorder {
            revision: commit.id.clone(),
            date: commit.date.clone(),
            direction: BorderDirection::Back,
            patch_before: before.max(after),
            patch_after: after,
            trials: self.lab.answered() - started,
            outcome: outcome.to_owned(),
        };
        self.add_border(border);
    }
}

/// The files that are read, as far as is known. Nobody has looked at files that the newest revision does not have.
pub fn read_here(
    job: &HistoryJob,
    read: Option<&BTreeSet<String>>,
    space: &ChangeSpace,
) -> Option<BTreeSet<String>> {
    let mut read = read?.clone();
    let known: BTreeSet<&str> = job.today.paths().map(|(path, _)| path).collect();
    let changes = space.difference().changes.iter();
    let paths = changes.flat_map(|change| [&change.old, &change.new]);
    let unknown = paths
        .flatten()
        .map(|(path, _)| path)
        .filter(|path| !known.contains(path.as_str()));
    read.extend(unknown.cloned());
    Some(read)
}
