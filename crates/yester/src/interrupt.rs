//! Ctrl-C and its relatives: the search ends in order, and nothing is lost.

use std::io;
use std::os::fd::OwnedFd;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// A file descriptor that becomes readable when the user wants to stop.
pub fn descriptor() -> io::Result<OwnedFd> {
    let (reader, writer) = io::pipe()?;
    // What nohup or a shell has told us to ignore stays ignored.
    for signal in [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter(|signal| !yester_run::is_ignored(*signal))
    {
        signal_hook::low_level::pipe::register(signal, OwnedFd::from(writer.try_clone()?))?;
    }
    Ok(reader.into())
}
