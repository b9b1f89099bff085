//! The addresses of programs that are started from here.

use std::io;

/// Programs that this process starts from now on get the same addresses in every run. What they do may depend on addresses, by
/// hash tables for example, and two runs could not be compared.
///
/// # Errors
/// If the system does not allow it.
pub fn fix_addresses() -> io::Result<()> {
    // SAFETY: this changes a flag of the process and touches no memory; the first call only asks.
    let answer = unsafe {
        let current = libc::personality(0xFFFF_FFFF);
        match current {
            ..0 => current,
            _ => libc::personality((current | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong),
        }
    };
    match answer {
        ..0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
