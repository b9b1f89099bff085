//! Ctrl-Z: the terminal is left as it was found, and drawn again when yester goes on.

use std::sync::Once;
use std::thread;

use signal_hook::consts::SIGTSTP;
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use super::{SCREEN, lock};

static WATCHED: Once = Once::new();

/// From now on, a stop leaves no drawing behind.
pub fn watch() {
    WATCHED.call_once(|| {
        // A shell without job control has us ignore it.
        if yester_run::is_ignored(SIGTSTP) {
            return;
        }
        let Ok(mut signals) = Signals::new([SIGTSTP]) else {
            return;
        };
        let _ = thread::Builder::new()
            .name("suspension".to_owned())
            .spawn(move || {
                for signal in signals.forever() {
                    // Nobody draws as long as this is locked.
                    let mut screen = lock(&SCREEN);
                    if let Some(screen) = screen.as_mut() {
                        screen.erase();
                    }
                    // Returns when yester goes on.
                    let _ = low_level::emulate_default_handler(signal);
                }
            });
    });
}
