//! A lock that spins: what it protects is short and rare.

use core::sync::atomic::{AtomicBool, Ordering};

/// Free at first.
#[derive(Default)]
pub struct Lock(AtomicBool);

impl Lock {
    /// A free lock.
    #[must_use]
    pub const fn new() -> Self {
        Lock(AtomicBool::new(false))
    }

    /// Does something that no other thread does meanwhile.
    pub fn hold<T>(&self, what: impl FnOnce() -> T) -> T {
        self.acquire();
        let result = what();
        self.release();
        result
    }

    /// Waits until it is free and takes it.
    pub fn acquire(&self) {
        while self.0.swap(true, Ordering::Acquire) {
            core::hint::spin_loop();
        }
    }

    /// Sets it free.
    pub fn release(&self) {
        self.0.store(false, Ordering::Release);
    }
}
