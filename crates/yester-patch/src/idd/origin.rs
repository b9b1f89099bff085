//! What is found of a bug: where it came from, or why nobody can say.

use super::line::Doubt;
use super::tree::Tree;
use crate::{AtomSet, BrokenMerge, ChangeSpace, Commit, CulpritHunk, applied};

/// What the iteration has found.
pub struct Origin {
    /// What broke it, if a revision passes.
    pub broken: Option<Broken>,
    /// The merges that lead there, the outermost first.
    pub merges: Vec<BrokenMerge>,
    /// Why no revision passes, where none does.
    pub reason: Option<NoGoodRevision>,
    /// The oldest revision that is known to fail.
    pub oldest: Commit,
    /// The revisions from there to the newest, each with the tree that fails.
    pub way: Vec<(Commit, Option<Tree>)>,
    /// Revisions that give no answer though their neighbours do.
    pub skipped: Vec<Commit>,
    /// Revisions that cannot be read.
    pub unread: Vec<Commit>,
    /// Whether the good revision fails as the newest one does without some lines of its patch: these may be the fix.
    pub is_patch_doubtful: bool,
    /// How many trials it took.
    pub trials: IterationTrials,
}

impl Origin {
    /// What is known before a walk has come to its end: a revision that fails.
    pub fn unknown(oldest: Commit) -> Origin {
        Origin {
            broken: None,
            merges: Vec::new(),
            reason: None,
            oldest,
            way: Vec::new(),
            skipped: Vec::new(),
            unread: Vec::new(),
            is_patch_doubtful: false,
            trials: IterationTrials::default(),
        }
    }
}

/// A version that passes, the next one, which fails, and what makes the difference.
pub struct Broken {
    /// The revision that passes.
    pub good: Commit,
    /// The next one.
    pub bad: Commit,
    /// The commits of which one broke it, oldest first.
    pub suspects: Vec<Commit>,
    /// The version that passes.
    pub passing: Tree,
    /// The version that fails.
    pub failing: Tree,
    /// All that differs between the two.
    pub space: ChangeSpace,
    /// What broke it.
    pub atoms: AtomSet,
    /// The same by hunks.
    pub hunks: Vec<CulpritHunk>,
    /// Whether no single line can be left out.
    pub is_minimal_by_line: bool,
    /// What of the difference the patch of the version that fails has brought, and not its commit.
    pub(super) of_patch: AtomSet,
}

impl Broken {
    /// The version that passes, with what broke it.
    pub fn with_culprit(&self) -> Tree {
        self.passing.with(applied(&self.space, &self.atoms))
    }

    /// What a doubt says, of the revisions of a line.
    pub(super) fn of_doubt(commits: &[Commit], doubt: Doubt) -> Broken {
        let failing = doubt.failing_tree();
        let Doubt {
            revision,
            failing: newer,
            passing,
            space,
            atoms,
        } = doubt;
        let hunk = CulpritHunk {
            atoms: atoms.clone(),
            without: None,
        };
        Broken {
            good: commits[revision].clone(),
            bad: commits[newer].clone(),
            suspects: vec![commits[newer].clone()],
            hunks: vec![hunk],
            is_minimal_by_line: true,
            failing,
            passing,
            of_patch: AtomSet::empty(atoms.universe()),
            atoms,
            space,
        }
    }

    /// Whether a part of what broke it is not the commit's, but the patch's.
    pub(super) fn is_of_patch(&self) -> bool {
        self.atoms.iter().any(|atom| self.of_patch.contains(atom))
    }
}

/// Why no revision passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoGoodRevision {
    /// This one is the last that fails, and the next cannot be made to without touching pinned files.
    Stuck(Commit, Commit),
    /// All fail, down to this one, with the patches that they need: what breaks them may be in there.
    AllFailWithPatches(Commit),
    /// All fail, down to this one.
    AllFail(Commit),
    /// This is the oldest one that fails.
    Undecided(Commit),
}

/// How many trials went into what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IterationTrials {
    /// Testing revisions.
    pub walk: u64,
    /// Making patches.
    pub patches: u64,
    /// Looking for what broke it.
    pub culprit: u64,
}
