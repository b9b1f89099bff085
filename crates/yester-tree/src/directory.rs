//! A directory as one tree: its directories, its files, and what is in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use yester_core::{
    Candidate, Entry, Infeasible, Lab, Phase, Reach, Space, Stop, Subset, abridged, sweep,
};

use crate::{Auto, Grammar, ReduceTuning};

/// The files of a directory by their paths.
pub type Files = BTreeMap<String, Entry>;

/// Says which language a file is in, and whether it must stay valid.
pub type Choose<'a> = &'a dyn Fn(&Path, &[u8]) -> (Arc<dyn Grammar>, bool);

/// The smallest directory that still fails: first whole directories and files go, the big ones first, then what is in
/// the files, and again for as long as one makes something possible for the other.
pub fn reduce_directory(
    lab: &mut dyn Lab,
    mut files: Files,
    choose: Choose<'_>,
    tuning: ReduceTuning,
) -> Result<Files, Stop> {
    loop {
        let before = files.clone();
        files = without_files(lab, files)?;
        files = with_less_in_files(lab, files, choose, tuning)?;
        if files == before {
            return Ok(files);
        }
    }
}

/// Level by level from the top, as in hierarchical delta debugging.
fn without_files(lab: &mut dyn Lab, mut files: Files) -> Result<Files, Stop> {
    let mut level = 1;
    loop {
        let groups = at_level(&files, level);
        lab.enter(Phase {
            what: "removing files",
            deltas: groups.len(),
        });
        let space = Groups {
            files: &files,
            groups: &groups,
            emptied: false,
        };
        let all = Subset::full(groups.len());
        let weight = |group: usize| space.weight(group);
        let kept = sweep(&mut *lab.tester(&space), &all, weight, Reach::Everything)?;
        files = space.files(&kept);
        if files.keys().all(|path| path.split('/').count() <= level) {
            return Ok(files);
        }
        level += 1;
    }
}

fn with_less_in_files(
    lab: &mut dyn Lab,
    mut files: Files,
    choose: Choose<'_>,
    tuning: ReduceTuning,
) -> Result<Files, Stop> {
    let full: Vec<BTreeSet<String>> = files
        .iter()
        .filter(|(_, entry)| size(entry) > 0)
        .map(|(path, _)| BTreeSet::from([path.clone()]))
        .collect();
    lab.enter(Phase {
        what: "emptying files",
        deltas: full.len(),
    });
    let space = Groups {
        files: &files,
        groups: &full,
        emptied: true,
    };
    let weight = |group: usize| space.weight(group);
    let all = Subset::full(full.len());
    let kept = sweep(&mut *lab.tester(&space), &all, weight, Reach::Everything)?;
    files = space.files(&kept);

    let mut paths: Vec<String> = files.keys().cloned().collect();
    paths.sort_by_key(|path| (u64::MAX - size(&files[path]), path.clone()));
    for path in paths {
        let Entry::File {
            content,
            executable,
        } = files[&path].clone()
        else {
            continue;
        };
        if content.is_empty() {
            continue;
        }
        let (grammar, valid) = choose(Path::new(&path), &content);
        let with = |content: Arc<[u8]>| {
            let entry = Entry::File {
                content,
                executable,
            };
            let mut files = files.clone();
            files.insert(path.clone(), entry);
            files
        };
        let auto = Auto {
            grammar,
            valid,
            wrap: &|content| Candidate::Tree(with(content)),
            enough: 0,
            tuning,
        };
        let content = auto.reduce(lab, content)?;
        files = with(content);
    }
    Ok(files)
}

/// The files and directories at a depth, and the files that are not so deep.
fn at_level(files: &Files, level: usize) -> Vec<BTreeSet<String>> {
    let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files.keys() {
        let parts: Vec<&str> = path.split('/').take(level).collect();
        groups
            .entry(parts.join("/"))
            .or_default()
            .insert(path.clone());
    }
    groups.into_values().collect()
}

fn size(entry: &Entry) -> u64 {
    match entry {
        Entry::File { content, .. } => content.len() as u64,
        Entry::Symlink(_) | Entry::Absent => 0,
    }
}

/// Groups of files as deltas: those of a group that is not kept go, or lose their content.
struct Groups<'a> {
    files: &'a Files,
    groups: &'a [BTreeSet<String>],
    emptied: bool,
}

impl Groups<'_> {
    fn files(&self, kept: &Subset) -> Files {
        let mut files = self.files.clone();
        let gone = (0..self.groups.len()).filter(|group| !kept.contains(*group));
        for path in gone.flat_map(|group| &self.groups[group]) {
            match files.get_mut(path) {
                Some(Entry::File { content, .. }) if self.emptied => *content = [].into(),
                _ => {
                    files.remove(path);
                }
            }
        }
        files
    }
}

impl Space for Groups<'_> {
    fn len(&self) -> usize {
        self.groups.len()
    }

    fn label(&self, delta: usize) -> String {
        let first = self.groups[delta].first().map_or("", String::as_str);
        match self.groups[delta].len() {
            1 => first.to_owned(),
            count => format!("{first} and {} more", count - 1),
        }
    }

    fn describe(&self, kept: &Subset) -> String {
        let gone = (0..self.len()).filter(|group| !kept.contains(*group));
        let labels = gone.map(|group| self.label(group));
        let word = if self.emptied { "emptied" } else { "without" };
        format!("{word} {}", abridged(labels, self.len() - kept.len()))
    }

    fn weight(&self, delta: usize) -> u64 {
        let sizes = self.groups[delta]
            .iter()
            .map(|path| size(&self.files[path]) + 1);
        sizes.sum()
    }

    fn render(&self, kept: &Subset) -> Result<Candidate, Infeasible> {
        Ok(Candidate::Tree(self.files(kept)))
    }
}
