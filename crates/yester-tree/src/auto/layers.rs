//! Declarations and uses that can become simpler only together.

use super::batch::{Batch, Idea, Source, View};
use super::key::Key;
use super::names::occurrences;
use super::parts::pooled;
use super::replacements::{could_replace, shell};

/// A name with more mentions is left alone.
const FEW: usize = 3;
/// How far around a mention is looked.
const LEVELS: usize = 4;
/// A text with more bytes is left to other ideas.
const SMALL: usize = 1000;

/// At every mention of a name a layer around it goes: `int **f` becomes `int *f` while `f[0]` becomes `f`.
pub(super) fn layers(view: &mut View<'_>) -> Vec<Batch> {
    let mut ideas = Vec::new();
    if view.detail > 0 || view.document.text.len() > SMALL {
        return Vec::new();
    }
    for (_, leaves) in occurrences(view) {
        if leaves.len() < 2 || leaves.len() > FEW {
            continue;
        }
        // All choices of one layer for each mention.
        let mut choices: Vec<Vec<Idea>> = vec![Vec::new()];
        for leaf in leaves {
            let layers = layers_around(view, leaf);
            choices = choices
                .iter()
                .flat_map(|chosen| {
                    let with = |layer: &Idea| [&chosen[..], std::slice::from_ref(layer)].concat();
                    layers.iter().map(with).collect::<Vec<_>>()
                })
                .collect();
        }
        ideas.extend(choices.into_iter().map(|chosen| {
            let keys: Vec<String> = chosen
                .iter()
                .map(|idea| format!("{:?}", idea.key))
                .collect();
            let words: Vec<&[u8]> = keys.iter().map(String::as_bytes).collect();
            Idea {
                key: Key::words(&words),
                gain: chosen.iter().map(|idea| idea.gain).sum(),
                changes: chosen.into_iter().flat_map(|idea| idea.changes).collect(),
            }
        }));
    }
    let mut batches = Vec::new();
    pooled(ideas, Source::Layers, false, &mut batches);
    batches
}

/// What is around a mention of a name and can go.
fn layers_around(view: &View<'_>, leaf: usize) -> Vec<Idea> {
    let tree = view.document.tree();
    let mut layers = Vec::new();
    let mut part = leaf;
    for _ in 0..LEVELS {
        let Some(outer) = tree.parent(part) else {
            break;
        };
        if could_replace(view, outer, part) {
            layers.push(shell(view, outer, part));
        }
        part = outer;
    }
    layers
}
