//! What one unit of work of the coordinating task stores, numbers and claims.

use std::collections::HashSet;
use std::sync::Arc;

use domain::error::Error;
use domain::events::delivery::rows::Lane;
use domain::events::webhooks::outbox;
use jiff::Timestamp;
use store::Tx;
use uuid::Uuid;

use super::tries;
use super::tries::Outcome;

/// The result of one round.
pub(super) struct Done {
    /// subscriptions that have become unreachable, with their applications
    pub unreachable: Vec<(Uuid, Uuid)>,
    /// lanes with new deliveries
    pub lanes: Vec<Lane>,
    /// how many events were numbered
    pub numbered: usize,
    /// what was claimed of each lane
    pub taken: Vec<(Lane, tries::Taken)>,
}

/// What a round stores, and what it claims.
#[derive(Clone)]
pub(super) struct Round {
    /// outcomes of finished attempts
    pub outcomes: Arc<[Outcome]>,
    /// whether new events are numbered
    pub number: bool,
    /// lanes, each with the number of deliveries that may be claimed
    pub wanted: Vec<(Lane, i64)>,
    /// when it began
    pub now: Timestamp,
}

/// Stores outcomes, numbers events and claims what is due.
pub(super) fn one_round(tx: &mut Tx<'_>, round: &Round) -> Result<Done, Error> {
    let Round { outcomes, number, wanted, now } = round;
    let numbered = if *number { outbox::number_some(tx)? } else { outbox::Numbered::default() };
    let unreachable = tries::store_outcomes(tx, outcomes)?;
    let mut taken = Vec::with_capacity(wanted.len());
    let mut asked: HashSet<Lane> = HashSet::with_capacity(wanted.len());
    for (lane, room) in wanted {
        asked.insert(*lane);
        match tries::claim_due_deliveries(tx, *lane, *now, *room) {
            Ok(some) => taken.push((*lane, some)),
            // A secret that cannot be opened must not stop all other deliveries.
            Err(Error::Store(why @ (store::Error::Sealed(_) | store::Error::MissingKey(_)))) => {
                tracing::error!(subscription = %lane.subscription, %why, "a subscription's secret cannot be opened");
                taken.push((*lane, tries::Taken::default()));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Done { unreachable, lanes: numbered.lanes, numbered: numbered.events, taken })
}
