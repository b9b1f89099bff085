/// Declares the numbers together with their values, so that a benchmark can go through them by name.
macro_rules! tuning {
    ($($(#[$line:meta])* $name:ident: $type:ty = $value:expr,)*) => {
        /// The numbers that steer the reduction engine, in one place.
        ///
        /// They were chosen on the cases of `bench/reduce` that are marked *tune*; which number on which of them was not
        /// written down. `bench/reduce --sensitivity` halves and doubles each, and `--without` leaves a source of
        /// ideas out; bench/README.md has what came of it.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct ReduceTuning {
            $($(#[$line])* pub $name: $type,)*
            /// A source of ideas that is not asked, to see what it is good for.
            pub without: Option<&'static str>,
        }

        impl Default for ReduceTuning {
            fn default() -> ReduceTuning {
                ReduceTuning { $($name: $value,)* without: None }
            }
        }

        impl ReduceTuning {
            /// The names of all numbers.
            pub const NAMES: &[&str] = &[$(stringify!($name),)*];

            /// The same numbers but for one, which is multiplied. A share stays a share.
            pub fn scaled(mut self, name: &str, factor: f64) -> ReduceTuning {
                match name {
                    $(stringify!($name) => self.$name = self.$name.scaled(factor),)*
                    _ => panic!("no number is called {name}"),
                }
                self
            }
        }
    };
}

tuning! {
    /// A list of this many ideas is a batch of its own; shorter ones share a batch, so that every job has something to
    /// do.
    long_list: usize = 8,
    /// The same for hoists of nested nodes and for replacements of nodes of one kind.
    long_chain: usize = 4,
    /// A node with more than this part of the text (one of so many) is hardly ever replaced as a whole, and its parts are
    /// a batch of their own.
    big_part: usize = 4,
    /// This many nodes of a kind say something about the kind: they are tried all at once, and what was found out about
    /// them holds for the others of a big tree.
    examples: usize = 3,
    /// In a tree with fewer nodes the parser is asked about each node, in a bigger one about each kind. It saves parsing
    /// rather than trials.
    small_tree: usize = 1000,
    /// In a text with fewer bytes combinations of changes are tried, of which there are many.
    small_text: usize = 1000,
    /// Runs of tokens are tried when there are no more tokens than this.
    many_tokens: usize = 1000,
    /// How long such a run is at most.
    longest_run: usize = 6,
    /// Over how many levels a part is hoisted at once.
    hoist_levels: usize = 4,
    /// How many of the smallest similar texts are tried in the place of a node of a small text.
    similar_texts: usize = 3,
    /// How many are tried in the place of a name whose declaration goes.
    inlined_texts: usize = 8,
    /// A name with more mentions than this is left alone where every mention has several choices.
    few_mentions: usize = 3,
    /// How many ideas there are about texts that stand in several places.
    everywhere_ideas: usize = 8,
    /// A token of so many bytes becomes a simple one of the same length.
    long_token: usize = 8,
    /// How many ideas there are about simple tokens.
    simple_ideas: usize = 6,
    /// For so many tokens of a small text there is one pair of changes.
    tokens_for_a_pair: usize = 4,
    /// A name with more mentions than this is in no pair.
    paired_mentions: usize = 8,
    /// A name with more mentions than this is needed by too much to go with all of them.
    many_mentions: usize = 200,
    /// With more names than this, no pairs of names are tried.
    many_names: usize = 32,
    /// With how many of the nearest other names a name is tried to be one.
    merged_names: usize = 6,
    /// No more ideas than this are made about binary data.
    binary_ideas: usize = 4096,
    /// A batch has no more ideas than this, unless they belong together: then it is decided anew what to try next.
    batch_ideas: usize = 32,
    /// A rejected idea is tried again with the new ones when the text has lost this share since.
    retry_shrinkage: f64 = 0.35,
    /// What seldom works is not tried again before the text has lost this share since.
    guess_shrinkage: f64 = 0.02,
    /// The share of a batch that is expected to go as long as nothing is known about its source.
    expected_share: f64 = 0.4,
    /// A batch of which no more than this share is expected to go is not begun with all ideas at once.
    hopeless_share: f64 = 0.03,
    /// When at least one of so many parts of a long list has to stay, shorter parts are looked at next.
    scattered_part: usize = 4,
    /// The same for what mostly works, such as removing comments.
    likely_share: f64 = 0.9,
    /// How much the last batch counts in what is expected of the next one.
    last_share: f64 = 0.3,
    /// How many trials an idea costs that is rejected, where a batch is begun with all ideas at once.
    rejection_cost: f64 = 1.5,
    /// How many places of the text are expected to be needed, wherever they are: what is nearly the whole text hardly ever
    /// goes.
    needed_places: f64 = 2.0,
    /// At first only nodes of more than this part of the text (one of so many) are looked at.
    coarsest: usize = 100,
    /// How much smaller the nodes are that are looked at next.
    refinement: usize = 4,
    /// As long as only big nodes are looked at, smaller ones than this are not replaced.
    replaced_bytes: usize = 64,
    /// Below so many bytes all nodes are looked at.
    finest: usize = 16,
}

trait Scaled {
    fn scaled(self, factor: f64) -> Self;
}

impl Scaled for usize {
    fn scaled(self, factor: f64) -> usize {
        ((self as f64 * factor).round() as usize).max(1)
    }
}

impl Scaled for f64 {
    fn scaled(self, factor: f64) -> f64 {
        match self {
            share if share < 1.0 => (share * factor).min(1.0),
            number => number * factor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_is_scaled_and_the_others_stay() {
        for name in ReduceTuning::NAMES {
            let doubled = ReduceTuning::default().scaled(name, 2.0);
            assert_ne!(doubled, ReduceTuning::default(), "{name}");
        }
        let halved = ReduceTuning::default().scaled("long_list", 0.5);
        assert_eq!(halved.long_list, 4);
        assert_eq!(halved.scaled("long_list", 2.0), ReduceTuning::default());
        let certain = ReduceTuning::default().scaled("likely_share", 2.0);
        assert_eq!(certain.likely_share, 1.0);
    }
}
