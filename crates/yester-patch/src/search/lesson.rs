//! What the messages of a failing build say about changes that are missing.

use yester_core::{Lesson, Subset};

use crate::word::names;
use crate::{ChangeSpace, Message, messages};

/// More messages are not read: what comes later mostly follows from what came first.
const MESSAGES: usize = 200;
/// How many deltas at a place are taken when nothing else is known.
const NEAREST: usize = 4;
/// A name that more deltas have to do with says nothing.
const MANY: usize = 12;

/// The deltas that are missing in a subset, by what a build of it has printed.
///
/// Where a message points at lines that a delta has changed, that delta needs the ones that define the names in question,
/// or, when none defines them, the ones that mention them. Where a message names nothing that is known, what lies
/// around the place is added.
pub(super) fn lesson(space: &ChangeSpace, subset: &Subset, output: Option<String>) -> Lesson {
    let mut lesson = Lesson::default();
    let output = output.unwrap_or_default();
    for message in messages(&output).into_iter().take(MESSAGES) {
        let place = Place::of(space, &message, subset);
        let absent = |delta: &&usize| !subset.contains(**delta);
        let near: Vec<usize> = place.near.iter().filter(absent).copied().collect();
        let few = |deltas: &[usize]| -> Vec<usize> {
            let mut missing: Vec<usize> = deltas.iter().filter(absent).copied().collect();
            // A member of what the message names rather than another thing of the same name.
            let is_member = |delta: &usize| space.is_inside(*delta, &message.names);
            if missing.len() > 1 && missing.iter().any(is_member) {
                missing.retain(is_member);
            }
            if missing.len() <= MANY {
                return missing;
            }
            // Of too many those count that are right there.
            let is_near = |delta: &usize| near.contains(delta);
            missing.into_iter().filter(is_near).collect()
        };
        let named = message.names.iter().find_map(|name| {
            let mentions = space.mentions(std::slice::from_ref(name));
            [mentions.defining, mentions.mentioning]
                .iter()
                .map(|deltas| few(deltas))
                .find(|missing| !missing.is_empty())
        });
        let wanted = named
            .or_else(|| Some(few(&place.mentioned)).filter(|missing| !missing.is_empty()))
            .unwrap_or_else(|| near.iter().take(NEAREST).copied().collect());
        // Who is to blame: what changed the line, or what defines the names in question, or what it mentions.
        let named = || space.mentions(&message.names).defining;
        let applied = |deltas: &[usize]| -> Option<usize> {
            let mut applied = deltas.iter().filter(|delta| subset.contains(**delta));
            let first = applied.next();
            first.filter(|_| applied.next().is_none()).copied()
        };
        let nearest = place.near.iter().find(|delta| subset.contains(**delta));
        let here = (nearest.copied())
            .or_else(|| applied(&named()))
            .or_else(|| applied(&place.mentioned));
        match here {
            Some(here) => lesson
                .needs
                .extend(wanted.iter().map(|wanted| (here, *wanted))),
            None => lesson.add.extend(wanted),
        }
    }
    lesson
}

/// What is known of the place that a message is about.
#[derive(Default)]
struct Place {
    /// The deltas near it or in the same entity, the nearest first.
    near: Vec<usize>,
    /// The deltas that define what the line there mentions.
    mentioned: Vec<usize>,
}

impl Place {
    fn of(space: &ChangeSpace, message: &Message, subset: &Subset) -> Place {
        let (Some(file), Some(line)) = (&message.file, message.line) else {
            return Place::default();
        };
        let line = line.saturating_sub(1);
        // Builds print paths from wherever they run.
        let mut path = file.as_str();
        while space.difference().change_at(path).is_none() {
            match path.split_once('/') {
                Some((_, rest)) => path = rest,
                None => return Place::default(),
            }
        }
        let text = space.line(path, line, subset).unwrap_or_default();
        let words: Vec<String> = names(text.as_bytes())
            .filter_map(|word| String::from_utf8(word.to_vec()).ok())
            .collect();
        Place {
            near: space.at(path, line, subset),
            mentioned: space.mentions(&words).defining,
        }
    }
}
