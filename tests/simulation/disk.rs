//! The disk of a simulated world: it has no room for a while, is held by somebody else, or is the last that a dying
//! process sees; and it can keep the writer waiting until several requests have come, so that they share one group.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use store::disk::{Disk, Step, Trouble};

/// What waits for one of the next steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mishap {
    /// no room, until there is room again
    Full { ended: bool },
    /// held by somebody else, once
    Busy,
    /// the end of the process
    Death,
}

#[derive(Debug, Default)]
struct State {
    /// steps until the mishap
    armed: Option<(usize, Mishap)>,
    /// whether there is no room at the moment, and how a statement notices
    full: Option<bool>,
    gone: bool,
    held: bool,
    /// whether the writer waits for being let go
    waits: bool,
    /// mishaps that have happened
    happened: u64,
}

/// The disk of one world.
#[derive(Debug, Default)]
pub struct Faulty {
    state: Mutex<State>,
    changed: Condvar,
}

impl Faulty {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has something happen at the `steps`-th writing step from now.
    pub fn arm(&self, steps: usize, mishap: Mishap) {
        self.state().armed = Some((steps, mishap));
    }

    /// There is room again, and nothing is about to happen.
    pub fn mend(&self) {
        let mut state = self.state();
        (state.armed, state.full) = (None, None);
    }

    /// The process that it belongs to from now on lives.
    pub fn revive(&self) {
        *self.state() = State { happened: self.happened(), ..State::default() };
    }

    /// Whether the process is no more.
    pub fn gone(&self) -> bool {
        self.state().gone
    }

    /// Whether there is no room, or something has happened since so much had.
    pub fn troubled(&self, since: u64) -> bool {
        let state = self.state();
        state.full.is_some() || state.happened > since
    }

    /// How much has happened so far.
    pub fn happened(&self) -> u64 {
        self.state().happened
    }

    /// Keeps the writer waiting at the beginning of its next group.
    pub fn hold(&self) {
        self.state().held = true;
    }

    /// Whether the writer waits.
    pub fn waits(&self) -> bool {
        self.state().waits
    }

    /// Lets the writer go on.
    pub fn let_go(&self) {
        self.state().held = false;
        self.changed.notify_all();
    }
}

impl Disk for Faulty {
    fn meet_step(&self, step: Step) -> Result<(), Trouble> {
        let mut state = self.state();
        if step == Step::Begin {
            state.waits = state.held;
            while state.held {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.waits = false;
        }
        if state.gone {
            return Err(Trouble::Gone);
        }
        // Reading takes no room; and what has been committed needs none any more.
        let counts = step != Step::Read;
        match &mut state.armed {
            Some((left, _)) if counts && *left > 0 => *left -= 1,
            Some((_, mishap)) if counts => {
                let mishap = *mishap;
                state.armed = None;
                state.happened += 1;
                match mishap {
                    Mishap::Full { ended } => state.full = Some(ended),
                    // Only the beginning of a group waits for others.
                    Mishap::Busy if step == Step::Begin => return Err(Trouble::Busy),
                    Mishap::Busy => state.armed = Some((0, Mishap::Busy)),
                    Mishap::Death => {
                        state.gone = true;
                        return Err(Trouble::Gone);
                    }
                }
            }
            _ => {}
        }
        match state.full {
            Some(ended) if matches!(step, Step::Change | Step::Commit) => {
                Err(Trouble::Full { ended: ended && step == Step::Change })
            }
            _ => Ok(()),
        }
    }
}
