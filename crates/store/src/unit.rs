//! A unit of work on its way to a storage thread and back: the closure, its result, which is kept until COMMIT, and the
//! caller that awaits the result.

use std::any::TypeId;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::{Error, Tx};

/// Whether a unit may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// What the engine must do with a unit's effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Keep,
    Discard,
}

/// A type-erased unit, so that one queue holds all of them.
pub(crate) trait Unit: Send {
    fn access(&self) -> Access;
    /// Returns a type that distinguishes units defined in different places of the code.
    fn kind(&self) -> TypeId;
    /// Runs the closure and keeps its result. May be called again; the last result counts.
    fn run_closure(&mut self, tx: &mut Tx<'_>) -> Verdict;
    /// Replaces the result.
    fn fail(&mut self, error: Error);
    /// Sends the result to the caller. Only after COMMIT or ROLLBACK.
    fn send_reply(self: Box<Self>);
    /// Whether the caller has left.
    fn is_abandoned(&self) -> bool;
    /// Returns the runtime on which the caller waits.
    fn runtime(&self) -> &Handle;
}

/// Answers the callers of units that ended together. A task on the callers' runtime answers them: waking it once
/// replaces waking each caller from here, which would cost two context switches each.
pub(crate) fn reply_all(mut units: Vec<Box<dyn Unit>>) {
    let Some(last) = units.pop() else { return };
    if units.is_empty() {
        return last.send_reply();
    }
    let runtime = last.runtime().clone();
    units.push(last);
    runtime.spawn(async move { units.into_iter().for_each(Unit::send_reply) });
}

pub(crate) struct Work<T, E, F> {
    access: Access,
    closure: F,
    result: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
    runtime: Handle,
}

impl<T, E, F> Work<T, E, F> {
    pub(crate) fn new(access: Access, closure: F, reply: oneshot::Sender<Result<T, E>>) -> Self {
        Self { access, closure, result: None, reply, runtime: Handle::current() }
    }
}

impl<T, E, F> Unit for Work<T, E, F>
where
    F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    T: Send,
    E: From<Error> + Send,
{
    fn access(&self) -> Access {
        self.access
    }

    fn kind(&self) -> TypeId {
        TypeId::of::<F>()
    }

    fn run_closure(&mut self, tx: &mut Tx<'_>) -> Verdict {
        // Unwind safe because everything that the closure could have left half done is in the transaction, which is
        // rolled back to where the unit began.
        let result = match catch_unwind(AssertUnwindSafe(|| (self.closure)(tx))) {
            Ok(result) => result,
            Err(panic) => Err(Error::Panicked(panic_text(&*panic)).into()),
        };
        // A failed statement fails the unit, even if the closure ignored the error.
        let result = match (result, tx.first_fault()) {
            (Ok(_), Some(fault)) => Err(fault.into_error().into()),
            (result, _) => result,
        };
        let verdict = if result.is_ok() { Verdict::Keep } else { Verdict::Discard };
        self.result = Some(result);
        verdict
    }

    fn fail(&mut self, error: Error) {
        self.result = Some(Err(error.into()));
    }

    fn send_reply(self: Box<Self>) {
        let result = self.result.unwrap_or_else(|| Err(Error::Unknown.into()));
        // The caller may have left; the unit is committed nevertheless.
        self.reply.send(result).ok();
    }

    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn runtime(&self) -> &Handle {
        &self.runtime
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
