//! The flags of `yester runs`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::flag::STATE;

/// List the runs kept here, newest first; show, resume and delete them
///
/// A RUN is named by its directory, or by any part of the directory's name that no other run has.
#[derive(Debug, Args)]
pub struct RunsArguments {
    #[command(subcommand)]
    pub command: Option<RunsCommand>,

    /// Look for runs in this directory
    #[arg(long, value_name = "DIR", default_value = STATE, global = true)]
    pub state_dir: PathBuf,

    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum RunsCommand {
    /// Show everything about a run
    Show {
        /// The run [default: the newest]
        run: Option<String>,
    },
    /// Call the command of a run again, with all its flags but --fresh, --max-trials and --max-time
    Resume {
        /// The run [default: the newest]
        run: Option<String>,
    },
    /// Delete runs
    Delete {
        /// The runs
        #[arg(required = true)]
        runs: Vec<String>,
    },
    Prune(PruneArguments),
}

/// Delete runs whose search never began, such as those whose baseline did not hold, and old ones
#[derive(Debug, Args)]
pub struct PruneArguments {
    /// How many of the newest other runs to keep
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub keep: usize,
}
