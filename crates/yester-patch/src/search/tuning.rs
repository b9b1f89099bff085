/// The numbers of the search for changes, in one place.
///
/// "Chosen on" names the cases of `bench/changes` that a number was chosen on; all of them are marked *tune* there.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChangeTuning {
    /// Up to this many lines are tried one by one, unless `thorough` asks for every line. One by one costs a trial for
    /// each line that stays; 48 is what a user waits for with a test of a second. Chosen on markupsafe.
    pub few_lines: usize,
    /// How many pieces the hunks are cut into at first, when they have more lines than that.
    pub pieces: usize,
    /// Up to this many deltas are tried one by one. Chosen on marked and itsdangerous.
    pub few_deltas: usize,
    /// After this many runs in a row without an outcome, entities are not cut any finer. Chosen on sqlite-10k, where
    /// pieces of functions compile and crash.
    pub unresolved_runs: usize,
    /// An answer of this many lines is worth one more such run.
    pub lines_per_run: usize,
    /// How many small sets are tried although a compiler is likely to miss something in them. Chosen on unicode-width.
    pub doubtful_sets: usize,
    /// How many small sets are looked at for those that are worth a trial.
    pub looked_at: usize,
    /// A branch lighter than this share of the rest is not worth a trial of its own.
    pub lightest_branch: f64,
    /// Where more than this share hangs on a delta, the delta rather stays.
    pub heaviest_branch: f64,
    /// After this many refused branches in a row no more are tried.
    pub refused_branches: usize,
    /// Later messages of a build mostly follow from the first ones, so no more than this are read.
    pub messages: usize,
    /// How many deltas near a message are added when it names nothing that is known.
    pub nearest: usize,
    /// A name that more deltas than this have to do with says nothing.
    pub common_name: usize,
    /// How likely a file is to blame that nothing reads or only people read, or a change of comments or blanks only.
    pub unlikely: f64,
    /// From this many lines on, more lines do not make a hunk more likely.
    pub most_lines: u64,
    /// A file that comes, goes or moves is seen by everything that looks for it. Chosen on is-promise.
    pub whole_file: f64,
    /// How much likelier a change is that the first bad commit made. Chosen on marked and markupsafe.
    pub guilty_commit: f64,
}

pub(super) const TUNING: ChangeTuning = ChangeTuning {
    few_lines: 48,
    pieces: 24,
    few_deltas: 12,
    unresolved_runs: 10,
    lines_per_run: 50,
    doubtful_sets: 1,
    looked_at: 100,
    lightest_branch: 0.02,
    heaviest_branch: 0.5,
    refused_branches: 5,
    messages: 200,
    nearest: 4,
    common_name: 12,
    unlikely: 0.001,
    most_lines: 16,
    whole_file: 30.0,
    guilty_commit: 200.0,
};
