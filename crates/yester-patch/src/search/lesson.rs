//! What the messages of a failing build say about changes that are missing.

use std::collections::HashMap;

use yester_core::{Answer, Lesson, Subset};

use super::rendered_file::RenderedFile;
use super::tuning::TUNING;
use crate::word::names;
use crate::{ChangeSpace, Message, messages};

/// The deltas that are missing in a subset, by what a build of it has printed, or by what is wrong with it as anybody can
/// see without one.
///
/// Where a message points at lines that a delta has changed, that delta needs the ones that define the names in question,
/// or, when none defines them, the ones that mention them. Where a message names nothing that is known, what lies
/// around the place is added.
pub(super) fn lesson(space: &ChangeSpace, subset: &Subset, answer: &Answer) -> Lesson {
    let mut lesson = Lesson::default();
    let output = answer.complaint().unwrap_or_default();
    let mut files: HashMap<String, RenderedFile> = HashMap::new();
    for message in messages(output).into_iter().take(TUNING.messages) {
        let path = message
            .file
            .as_deref()
            .and_then(|file| changed(space, file));
        let path = path.filter(|_| message.line.is_some());
        let file = path.map(|path| {
            let render = || RenderedFile::new(space.text(&path, subset).unwrap_or_default());
            (&*files.entry(path.clone()).or_insert_with(render), path)
        });
        let complaint = Complaint::new(space, subset, message, file);
        let wanted = complaint.wanted();
        match complaint.blamed() {
            Some(blamed) => lesson
                .needs
                .extend(wanted.iter().map(|wanted| (blamed, *wanted))),
            None => lesson.add.extend(wanted),
        }
    }
    lesson
}

/// Words of the C preprocessor that are no names.
const DIRECTIVES: &[&str] = &["if", "ifdef", "ifndef", "elif", "else", "defined"];

/// A message, and what is known of the place that it is about.
struct Complaint<'a> {
    space: &'a ChangeSpace,
    subset: &'a Subset,
    names: Vec<String>,
    /// Counted from 0.
    line: u32,
    /// The file in the tree, if it has changed.
    file: Option<(&'a RenderedFile, String)>,
    /// The deltas that have changed the line or would change it.
    here: Vec<usize>,
    /// The deltas near it or in the same entity, applied or not, the nearest first.
    near: Vec<usize>,
    /// The deltas that define what the line mentions.
    mentioned: Vec<usize>,
}

impl<'a> Complaint<'a> {
    fn new(
        space: &'a ChangeSpace,
        subset: &'a Subset,
        message: Message,
        file: Option<(&'a RenderedFile, String)>,
    ) -> Self {
        let mut complaint = Complaint {
            space,
            subset,
            names: message.names,
            line: message.line.unwrap_or_default().saturating_sub(1),
            file,
            here: Vec::new(),
            near: Vec::new(),
            mentioned: Vec::new(),
        };
        if let Some((text, path)) = &complaint.file {
            let words_of = |line: u32| -> Vec<String> {
                let words = names(text.line(line)).map(<[u8]>::to_vec);
                words
                    .filter_map(|word| String::from_utf8(word).ok())
                    .collect()
            };
            let words = words_of(complaint.line);
            let asked = text.asked_before_error(complaint.line);
            if !asked.is_empty() {
                let is_name = |word: &String| !DIRECTIVES.contains(&word.as_str());
                complaint.names = asked.into_iter().flat_map(words_of).collect();
                complaint.names.retain(is_name);
            }
            complaint.here = space.touching(path, complaint.line, subset);
            complaint.near = space.at(path, complaint.line, subset);
            complaint.mentioned = complaint.related(space.mentions(&words).defining);
        }
        complaint
    }

    /// The deltas that might help and are not applied.
    fn wanted(&self) -> Vec<usize> {
        let named = self.names.iter().find_map(|name| {
            let mentions = self.space.mentions(std::slice::from_ref(name));
            some(self.few(&mentions.defining))
                .or_else(|| some(self.few(&mentions.inside)))
                .or_else(|| some(self.hiding(name)))
                .or_else(|| some(self.few(&mentions.mentioning)))
        });
        named
            .or_else(|| some(self.few(&self.mentioned)))
            .unwrap_or_else(|| self.absent(&self.near).take(TUNING.nearest).collect())
    }

    /// The delta that cannot do without them: what changed the line, or what defines the names in question, or else the
    /// nearest one, or what the line mentions.
    fn blamed(&self) -> Option<usize> {
        let is_applied = |delta: &&usize| self.subset.contains(**delta);
        let first = |deltas: &[usize]| deltas.iter().find(is_applied).copied();
        let only = |deltas: &[usize]| {
            let mut applied = deltas.iter().filter(is_applied);
            let first = applied.next();
            first.filter(|_| applied.next().is_none()).copied()
        };
        let named = self.names.get(..1).unwrap_or_default();
        let named = self.space.mentions(named);
        first(&self.here)
            .or_else(|| only(&self.related(named.defining)))
            .or_else(|| only(&self.related(named.inside)))
            .or_else(|| first(&self.near))
            .or_else(|| only(&self.mentioned))
            .or_else(|| only(&self.related(named.mentioning)))
    }

    /// The deltas about files of the same language.
    fn related(&self, mut deltas: Vec<usize>) -> Vec<usize> {
        if let Some((_, path)) = &self.file {
            deltas.retain(|delta| self.space.is_related(*delta, path));
        }
        deltas
    }

    fn absent<'b>(&'b self, deltas: &'b [usize]) -> impl Iterator<Item = usize> + 'b {
        let is_absent = |delta: &&usize| !self.subset.contains(**delta);
        deltas.iter().filter(is_absent).copied()
    }

    /// Those that are not applied, unless they are too many to tell anything.
    fn few(&self, deltas: &[usize]) -> Vec<usize> {
        let mut missing = self.related(self.absent(deltas).collect());
        // A member of what the message names rather than another thing of the same name.
        let is_member = |delta: &usize| self.space.is_inside(*delta, &self.names);
        if missing.len() > 1 && missing.iter().any(is_member) {
            missing.retain(is_member);
        }
        // A file that defines the name itself does not get it from others, unless the line is an import.
        if let Some((_, path)) = &self.file {
            let is_import = deltas.iter().any(|delta| self.here.contains(delta));
            let fits = |delta: &usize| self.space.is_of_file(*delta, path) != is_import;
            if missing.iter().any(fits) {
                missing.retain(fits);
            }
        }
        if missing.len() > TUNING.common_name {
            // Of too many those count that are right there.
            missing.retain(|delta| self.near.contains(delta));
        }
        missing
    }

    /// What would make the C preprocessor let through a definition of the name.
    fn hiding(&self, name: &str) -> Vec<usize> {
        let Some((text, path)) = &self.file else {
            return Vec::new();
        };
        let lines = text.hiding(name, self.line).into_iter();
        let deltas = lines.flat_map(|line| self.space.touching(path, line, self.subset));
        self.few(&deltas.collect::<Vec<_>>())
    }
}

/// The changed file that a tool means, wherever it runs.
fn changed(space: &ChangeSpace, file: &str) -> Option<String> {
    let mut path = file;
    while space.difference().change_at(path).is_none() {
        path = path.split_once('/')?.1;
    }
    Some(path.to_owned())
}

fn some(deltas: Vec<usize>) -> Option<Vec<usize>> {
    Some(deltas).filter(|deltas| !deltas.is_empty())
}
