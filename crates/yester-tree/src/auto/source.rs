//! The table of all sources of ideas.

use super::batch::{Batch, View};
use super::{
    call, cosmetic, declaration, everywhere, hoist, indentation, inline, length, literal, name,
    pair, part, phrase, replacement, return_value, simple, tag, type_bound, type_wrapper,
};

use Languages::{Any, Known, Unknown};
use Nature::{Chain, Guess, List, Mixed, Uniform};
use Tier::{Cosmetics, Details, Removals, Replacements};

/// All sources. Those of a tier are asked in this order.
#[rustfmt::skip]
pub(super) const SOURCES: &[Source] = &[
    source("comments", Removals, Known, Mixed, part::comments, "removing comments"),
    source("declarations", Removals, Known, Mixed, declaration::declarations, "removing declarations with their uses"),
    source("kinds", Removals, Known, Mixed, part::kinds, "removing all parts of a kind"),
    source("parts", Removals, Any, List, part::parts, "removing parts"),
    source("stubs", Removals, Known, Uniform, replacement::stubs, "emptying functions"),
    source("shortest", Removals, Known, Mixed, replacement::shortest, "replacing parts by the shortest text"),
    // Where there is no language, white space is as good as anything else.
    source("whitespace", Removals, Unknown, Uniform, cosmetic::whitespace, "removing white space"),

    source("hoists", Replacements, Any, Chain, hoist::hoists, "hoisting parts"),
    source("preferred", Replacements, Known, Mixed, replacement::preferred, "replacing parts by the shortest text"),
    source("mentions", Replacements, Known, Mixed, name::mentions, "removing names with all mentions"),

    source("literals", Cosmetics, Any, Mixed, literal::literals, "shortening literals"),
    source("names", Cosmetics, Known, Uniform, cosmetic::names, "shortening names"),
    source("whitespace", Cosmetics, Known, Uniform, cosmetic::whitespace, "removing white space"),
    source("indentation", Cosmetics, Known, Mixed, indentation::indentation, "removing white space"),
    source("empty-tags", Cosmetics, Known, Mixed, tag::empty_tags, "joining tags without content"),

    source("other-hoists", Details, Known, Mixed, hoist::other_hoists, "hoisting parts"),
    source("other-shortest", Details, Known, Mixed, replacement::other_shortest, "replacing parts by the shortest text"),
    source("shorter", Details, Known, Mixed, replacement::shorter, "replacing parts by shorter text"),
    source("similar", Details, Known, Guess, replacement::similar, "replacing parts by smaller similar ones"),
    source("parameters", Details, Known, Mixed, name::parameters, "removing parameters with their arguments"),
    source("name-merges", Details, Known, Guess, name::name_merges, "merging names"),
    source("inlines", Details, Known, Guess, inline::inlines, "inlining names"),
    source("calls", Details, Known, Guess, call::calls, "inlining calls"),
    source("everywhere", Details, Known, Guess, everywhere::everywhere, "replacing all places of a text"),
    source("type-bounds", Details, Known, Guess, type_bound::type_bounds, "moving bounds of types"),
    source("type-wrappers", Details, Known, Guess, type_wrapper::type_wrappers, "unwrapping types"),
    source("hoists-at-mentions", Details, Known, Guess, hoist::hoists_at_mentions, "hoisting at all mentions of a name"),
    source("lengths", Details, Unknown, Mixed, length::lengths, "shortening blocks with their lengths"),
    source("return-values", Details, Known, Mixed, return_value::return_values, "removing return values"),
    source("tokens", Details, Known, Mixed, part::tokens, "removing tokens"),
    source("lines", Details, Any, Mixed, part::lines, "removing lines"),
    source("characters", Details, Unknown, Mixed, part::characters, "removing characters"),
    source("phrases", Details, Known, Mixed, phrase::phrases, "making expressions statements"),
    source("simple-tokens", Details, Known, Guess, simple::simple_tokens, "simplifying tokens"),
    source("pairs", Details, Known, Guess, pair::pairs, "making two changes at once"),
];

/// Where ideas come from.
#[derive(Debug)]
pub(super) struct Source {
    /// What benchmarks call it. Sources of the same name are one.
    pub name: &'static str,
    tier: Tier,
    languages: Languages,
    pub nature: Nature,
    pub propose: fn(&mut View<'_>) -> Vec<Batch>,
    /// What a person reads while it is tried.
    pub what: &'static str,
}

/// When a source is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    /// From the beginning: it removes much.
    Removals,
    /// When nothing can be removed any more at the present detail.
    Replacements,
    /// When nothing big works any more: it changes little, and much of that is rejected.
    Details,
    /// Before the details: it leaves the structure alone, and later ideas have less to read.
    Cosmetics,
}

/// Which texts a source is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Languages {
    /// Any text.
    Any,
    /// Those whose grammar is known.
    Known,
    /// Those in no language.
    Unknown,
}

/// How the ideas of a source belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// Some work and some do not.
    Mixed,
    /// They are parts of lists. A long list stays one batch.
    List,
    /// They change the same place more and more. All of them stay one batch.
    Chain,
    /// Mostly all work or none, so that a batch may have any number of them.
    Uniform,
    /// They seldom work, and hardly ever on a text that differs little from one on which they did not.
    Guess,
}

/// The names of all sources, in the order of the table.
pub fn source_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for source in SOURCES {
        if !names.contains(&source.name) {
            names.push(source.name);
        }
    }
    names
}

/// The sources of a tier for texts in a known language or for others.
pub(super) fn sources(tier: Tier, has_language: bool) -> impl Iterator<Item = &'static Source> {
    SOURCES.iter().filter(move |source| {
        let is_for_it = match source.languages {
            Any => true,
            Known => has_language,
            Unknown => !has_language,
        };
        source.tier == tier && is_for_it
    })
}

const fn source(
    name: &'static str,
    tier: Tier,
    languages: Languages,
    nature: Nature,
    propose: fn(&mut View<'_>) -> Vec<Batch>,
    what: &'static str,
) -> Source {
    Source {
        name,
        tier,
        languages,
        nature,
        propose,
        what,
    }
}
