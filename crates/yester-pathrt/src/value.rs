//! Records values. Programs that were built for it call this for each assignment, so it is short.

use core::sync::atomic::{Ordering, compiler_fence};

use crate::file::Used;
use crate::format::{ValueRecord, head};
use crate::recording::{LOCK, RECORDING};
use crate::stream::{self, EventStream};
use crate::system;
use crate::thread::{Thread, ThreadState, current};

/// So many bytes of values a thread may record.
const MOST_BYTES: usize = 1 << 26;
/// So many bytes get their pages at once.
const STEP_BYTES: usize = 1 << 18;
/// A straight piece of code has hardly more values.
const MOST_SEARCHED: u64 = 256;

/// Where the values of a thread go.
pub struct ValueStream {
    records: *mut ValueRecord,
    /// How many there are: a word of `head`.
    count: *mut u64,
    /// So many may be written without asking.
    room: u64,
    capacity: u64,
    /// No more values are recorded.
    is_over: bool,
    /// How many there were before `vfork`.
    mark: u64,
}

/// Records a value of a site.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_value(function: u32, site: u32, value: u64) {
    let thread = current();
    // SAFETY: the block and the stream belong to this thread. There is room for as many records as the stream says.
    unsafe {
        if (*thread).state != ThreadState::Recorded {
            stream::open_if_recording();
            if (*thread).state != ThreadState::Recorded {
                return;
            }
        }
        let values = &raw mut (*(*thread).stream).values;
        if (*values).count.is_null() || *(*values).count >= (*values).room {
            more(thread);
            if (*values).count.is_null() || *(*values).count >= (*values).room {
                return;
            }
        }
        // A signal handler may record values too. The place is taken first, so that it finds another one.
        let index = *(*values).count;
        (*values).count.write_volatile(index + 1);
        compiler_fence(Ordering::SeqCst);
        let record = (*values).records.add(index as usize);
        let event = (*(*thread).stream).position((*thread).cursor);
        (*record).moment = ValueRecord::moment(event, function);
        (*record).value = value;
        // Whoever finds a site finds everything.
        compiler_fence(Ordering::SeqCst);
        let site_and_node = u64::from(site + 1);
        (&raw mut (*record).site)
            .cast::<u64>()
            .write_volatile(site_and_node);
    }
}

/// Adds its node to the last record of a site. The hooks of a piece of code run after it, and before anything else is called.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_value_node(function: u32, site: u32, node: u32) {
    let thread = current();
    // SAFETY: as above.
    unsafe {
        if node == 0 || (*thread).state != ThreadState::Recorded {
            return;
        }
        let values = &(*(*thread).stream).values;
        if values.count.is_null() || values.is_over {
            return;
        }
        let count = *values.count;
        for index in (count.saturating_sub(MOST_SEARCHED)..count).rev() {
            let record = values.records.add(index as usize);
            // A signal handler may have recorded values in between.
            let (_, of) = ValueRecord::event_and_function((*record).moment);
            if (*record).site == site + 1 && of == function {
                (*record).node = node;
                return;
            }
        }
    }
}

/// Makes room for more records, if the limit allows it.
#[cold]
unsafe fn more(thread: *mut Thread) {
    // SAFETY: the block and the stream belong to this thread, and `head` is mapped.
    unsafe {
        let stream = &mut *(*thread).stream;
        if stream.values.is_over || (*thread).busy != 0 {
            return;
        }
        (*thread).busy = 1;
        if stream.values.count.is_null() {
            open(stream);
        }
        let values = &mut stream.values;
        let step = (STEP_BYTES / ValueRecord::BYTES) as u64;
        let room = (values.room + step).min(values.capacity);
        let place = values.records.wrapping_add(values.room as usize).cast();
        let bytes = (room - values.room) as usize * ValueRecord::BYTES;
        if bytes > 0 && system::populate(place, bytes) {
            values.room = room;
        } else {
            values.is_over = true;
            *(*RECORDING.get()).head.add(head::VALUES_CUT) = 1;
        }
        (*thread).busy = 0;
    }
}

/// Makes the file of a thread.
fn open(stream: &mut EventStream) {
    let word = head::VALUES + stream.number as usize;
    let unit = ValueRecord::BYTES;
    // SAFETY: under the lock, and `head` is mapped.
    LOCK.hold(|| unsafe {
        let recording = &mut *RECORDING.get();
        let used = Used::Counted { word, unit };
        let made = recording.add_open(
            b"values-",
            Some(stream.number),
            MOST_BYTES,
            STEP_BYTES,
            used,
        );
        if let Some((file, descriptor)) = made {
            system::close(descriptor);
            stream.values.records = file.place.cast();
            stream.values.capacity = (file.capacity / unit) as u64;
            stream.values.count = recording.head.add(word);
        }
    });
}

impl ValueStream {
    /// How many records there are.
    fn recorded(&self) -> u64 {
        if self.count.is_null() {
            return 0;
        }
        // SAFETY: the word is one of `head`, which is mapped.
        unsafe { *self.count }
    }

    /// The thread is not recorded any more.
    ///
    /// # Safety
    /// `head` is mapped.
    pub unsafe fn end(&mut self) {
        self.is_over = true;
        if !self.count.is_null() {
            // SAFETY: `head` is mapped.
            unsafe { *(*RECORDING.get()).head.add(head::VALUES_CUT) = 1 };
        }
    }

    /// Before `vfork`.
    pub fn mark(&mut self) {
        self.mark = self.recorded();
    }

    /// After `vfork`, in the parent: forgets what the child recorded.
    pub fn back(&mut self) {
        if self.recorded() > self.mark {
            // SAFETY: as above; there are records, so that the word is known.
            unsafe { *self.count = self.mark };
        }
    }

    /// In the child of a fork: the copy of the file has pages only for what is used.
    pub fn forked(&mut self) {
        self.room = self.recorded();
    }
}
