//! A thread that touches no disk, and notices when the others wait for one that does not answer.
//!
//! A call to a hung disk cannot be interrupted, so nothing frees the thread that is in it. But the units behind it need
//! not wait: they are refused, and nothing was written for them.

use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::spawn_thread;
use crate::Error;
use crate::pulse::{Pulse, TOO_LONG};
use crate::queue::{Pace, Waiting};
use crate::unit::Unit;

const LOOK: Duration = Duration::from_millis(100);

/// A queue, and the threads that take units from it.
pub(super) struct Behind {
    /// gone when those threads are
    units: Weak<Receiver<Box<dyn Unit>>>,
    pace: Arc<Pace>,
    pulses: Vec<Pulse>,
}

impl Behind {
    pub(super) fn new(waiting: &Waiting, pulses: Vec<Pulse>) -> Self {
        Self { units: Arc::downgrade(&waiting.units), pace: Arc::clone(&waiting.pace), pulses }
    }

    /// Refuses the units that wait behind a hung disk.
    fn refuse_waiting(&self) {
        let stuck = self.pulses.iter().all(|pulse| pulse.silent_time() >= TOO_LONG);
        self.pace.set_stuck(stuck);
        let Some(units) = self.units.upgrade().filter(|_| stuck) else { return };
        for mut unit in units.try_iter() {
            unit.fail(Error::Busy);
            unit.send_reply();
        }
    }
}

/// Starts the thread, which ends with the sender of `until`.
pub(super) fn begin_watchdog(queues: [Behind; 2], until: Receiver<()>) -> Result<JoinHandle<()>, Error> {
    spawn_thread("store-watchdog", move || {
        while until.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            queues.iter().for_each(Behind::refuse_waiting);
        }
    })
}
