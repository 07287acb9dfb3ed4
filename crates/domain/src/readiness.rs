//! Conditions that the operator has to look into while requests are served: each is a line of `/readyz`.

use std::fmt;

use store::{Standing as Distribution, Tx};

use crate::error::Error;
use crate::events::newest;
use crate::money::bank::settings;
use crate::money::batches::taxes;
use crate::money::files::pickup;
use crate::money::views::open_items::{self, Standing};
use crate::people::addresses::jurisdictions::{self, People};
use crate::platform::jobs::dead_letters;
use crate::platform::moments;

/// What the node knows of itself, and the store does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// the other servers of a cluster that do not answer
    pub silent_servers: Vec<String>,
    /// how far the tables are distributed over the servers of a cluster
    pub distribution: Option<Distribution>,
    /// why the replica of a database server is not read from, if it is not
    pub unfit_replica: Option<&'static str>,
    /// whether a unit met a disk without room in the last minutes
    pub store_is_full: bool,
    /// whether its own worker does what is due
    pub works: bool,
}

/// A condition to look into. `Display` gives its line, with the command that helps where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// other servers of a cluster do not answer
    ServersSilent(Vec<String>),
    /// the tables are not distributed over the servers of a cluster
    NotDistributed(Distribution),
    /// conditions of the whole store are not known, because a server does not answer
    NotCounted,
    /// reads go to the primary, and why
    ReplicaUnfit(&'static str),
    /// changes are refused
    StoreFull,
    /// another node has sealed under a master key that this one was not given; its digest
    MissingMasterKey(String),
    /// this node calculates no payrolls
    ClockBehind {
        /// behind the newest change in the store
        seconds: i64,
    },
    /// this node leaves due work to others, and none of them does it
    NoWorker {
        /// since a worker was seen
        minutes: i64,
    },
    /// jobs that failed permanently
    JobsGivenUp(i64),
    /// people live in Pennsylvania, and its register of local taxes is not imported
    NoRegister(People),
    /// no payments are made
    NoBank,
    /// batches that are held
    BatchesHeld(i64),
    /// batches that should be in a file by now
    BatchesLate(i64),
    /// files that should be in the bank's folder by now
    FilesLate(i64),
    /// files that wait for approval
    FilesToApprove(i64),
    /// deposits of taxes that are due, and not with the bank
    DepositsLate(i64),
    /// files that the operator's command has not taken
    FilesNotTaken(i64),
    /// taxes are to be deposited, and no account of the agency is confirmed
    NoTaxAgency,
    /// taxes are to be deposited, and the imported table of the agencies' accounts cannot be opened
    TaxAgenciesUnreadable,
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServersSilent(servers) => write!(
                f,
                "servers of the cluster do not answer, and their companies are not served: {}",
                servers.join(", ")
            ),
            Self::NotDistributed(standing) => write!(f, "{standing} (stipend distribute)"),
            Self::NotCounted => f.write_str(
                "what waits in the whole store is not known: a server of the cluster does not answer, or not in time",
            ),
            Self::ReplicaUnfit(why) => {
                write!(f, "the replica is not used, reads go to the primary: {why}")
            }
            Self::StoreFull => {
                f.write_str("the store is full: changes are refused until there is room on its disk")
            }
            Self::MissingMasterKey(master) => write!(
                f,
                "companies whose data keys are wrapped by the master key {master} are not served: add it to this node's key file and restart the node"
            ),
            Self::ClockBehind { seconds } => write!(
                f,
                "no payrolls are calculated: the clock of this node is {seconds} s behind the newest change in the store"
            ),
            Self::NoWorker { minutes } => write!(
                f,
                "no worker has run for {minutes} minutes: due work is not done, and no events are delivered (stipend worker)"
            ),
            Self::JobsGivenUp(count) => {
                write!(f, "{count} jobs failed permanently (stipend jobs list)")
            }
            Self::NoRegister(people) => write!(
                f,
                "PA: the register of local taxes is not imported; employees who live there: {people}; most municipalities have no rates, \
                 so their taxes are not withheld (stipend data import pennsylvania-register)"
            ),
            Self::NoBank => f.write_str(
                "no bank is set: no payments are made, and payrolls count as paid on their pay dates (stipend bank settings set)",
            ),
            Self::BatchesHeld(count) => write!(f, "{count} batches of payments are held (stipend bank held)"),
            Self::BatchesLate(count) => {
                write!(f, "{count} batches of payments should be in a file by now (stipend bank held)")
            }
            Self::FilesLate(count) => {
                write!(f, "{count} files for the bank should be in its folder by now (stipend bank files)")
            }
            Self::FilesToApprove(count) => {
                write!(f, "{count} files for the bank wait for approval (stipend bank files)")
            }
            Self::DepositsLate(count) => write!(
                f,
                "{count} deposits of taxes are due, and not with the bank (stipend bank deposits list)"
            ),
            Self::FilesNotTaken(count) => {
                write!(f, "{count} files for the bank were not taken by the command (stipend bank files)")
            }
            Self::NoTaxAgency => f.write_str(
                "taxes are to be deposited, and no account of the agency is imported and confirmed: deposits are left to employers \
                 (stipend data import tax-agency-banks)",
            ),
            Self::TaxAgenciesUnreadable => {
                f.write_str("the table of tax agencies' accounts cannot be read: see the log of this node")
            }
        }
    }
}

/// The conditions that the node knows of itself.
pub fn of_this_node(node: &Node) -> Vec<Condition> {
    let mut found = Vec::new();
    if !node.silent_servers.is_empty() {
        found.push(Condition::ServersSilent(node.silent_servers.clone()));
    }
    let open = node.distribution.filter(|standing| standing.placed < standing.of);
    found.extend(open.map(Condition::NotDistributed));
    found.extend(node.unfit_replica.map(Condition::ReplicaUnfit));
    found.extend(node.store_is_full.then_some(Condition::StoreFull));
    found
}

/// The conditions of a node and its store, in the order in which they are told; those of payments come last.
pub fn node_conditions(tx: &mut Tx<'_>, node: &Node) -> Result<Vec<Condition>, Error> {
    let mut found = of_this_node(node);
    if !node.silent_servers.is_empty() {
        // The rest is about all companies. The server of this node has to answer nevertheless.
        tx.server_time()?;
        found.push(Condition::NotCounted);
        return Ok(found);
    }
    found.extend(tx.missing_master_key()?.map(Condition::MissingMasterKey));
    let behind = newest::too_far_behind(tx)?;
    found.extend(behind.map(|micros| Condition::ClockBehind { seconds: micros / 1_000_000 }));
    let unseen = moments::unseen_for(tx)?.filter(|_| !node.works);
    found.extend(unseen.map(|unseen| Condition::NoWorker { minutes: unseen.as_mins() }));
    found.extend(condition_if_any(dead_letters::count_failed_jobs(tx)?, Condition::JobsGivenUp));
    found.extend(jurisdictions::without_register(tx)?.map(Condition::NoRegister));
    of_bank(tx, &mut found)?;
    Ok(found)
}

/// Conditions of payments, deposits and files for the bank.
fn of_bank(tx: &mut Tx<'_>, found: &mut Vec<Condition>) -> Result<(), Error> {
    if !settings::is_set(tx)? {
        found.push(Condition::NoBank);
        return Ok(());
    }
    let Standing { held, waiting, files, to_approve, deposits } = open_items::of_all(tx)?;
    found.extend(condition_if_any(held, Condition::BatchesHeld));
    found.extend(condition_if_any(waiting, Condition::BatchesLate));
    found.extend(condition_if_any(files, Condition::FilesLate));
    found.extend(condition_if_any(to_approve, Condition::FilesToApprove));
    found.extend(condition_if_any(deposits, Condition::DepositsLate));
    found.extend(condition_if_any(pickup::count_failed_pickups(tx)?, Condition::FilesNotTaken));
    match taxes::lacks_agency(tx) {
        Ok(false) => {}
        Ok(true) => found.push(Condition::NoTaxAgency),
        Err(Error::Store(error)) => return Err(Error::Store(error)),
        // No reason to serve nobody: deposits alone need the table.
        Err(error) => {
            tracing::error!(why = error.to_line(), "the table of tax agencies' accounts cannot be read");
            found.push(Condition::TaxAgenciesUnreadable);
        }
    }
    Ok(())
}

fn condition_if_any(count: i64, condition: fn(i64) -> Condition) -> Option<Condition> {
    (count > 0).then(|| condition(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_for_operators_lists_every_condition_in_the_words_of_its_line() {
        let guide = include_str!("../../../docs/operations.md");
        let half = Distribution { placed: 77, of: 77, of_one_server: true };
        let all = [
            Condition::ServersSilent(vec!["SERVER".to_owned()]),
            Condition::NotDistributed(half),
            Condition::NotCounted,
            Condition::ReplicaUnfit("WHY"),
            Condition::StoreFull,
            Condition::MissingMasterKey("KEY".to_owned()),
            Condition::ClockBehind { seconds: 77 },
            Condition::NoWorker { minutes: 77 },
            Condition::JobsGivenUp(77),
            Condition::NoRegister(People(77)),
            Condition::NoBank,
            Condition::BatchesHeld(77),
            Condition::BatchesLate(77),
            Condition::FilesLate(77),
            Condition::FilesToApprove(77),
            Condition::DepositsLate(77),
            Condition::FilesNotTaken(77),
            Condition::NoTaxAgency,
            Condition::TaxAgenciesUnreadable,
        ];
        for condition in all {
            let line = condition.to_string().replace("77", "N");
            assert!(guide.contains(&format!("| `{line}` |")), "docs/operations.md does not list: {line}");
        }
    }

    #[test]
    fn a_node_tells_which_servers_of_its_cluster_are_missing_and_how_far_its_tables_are_distributed() {
        let of_one_server = Node {
            silent_servers: Vec::new(),
            distribution: None,
            unfit_replica: None,
            store_is_full: false,
            works: true,
        };
        assert_eq!(of_this_node(&of_one_server), []);
        let whole = Distribution { placed: 131, of: 131, of_one_server: false };
        let healthy = Node { distribution: Some(whole), ..of_one_server };
        assert_eq!(of_this_node(&healthy), []);
        let missing = vec!["10.0.0.7:5432".to_owned(), "10.0.0.8:5432".to_owned()];
        let undistributed = Distribution { placed: 0, of: 131, of_one_server: true };
        let node = Node { silent_servers: missing, distribution: Some(undistributed), ..healthy };
        let told: Vec<_> = of_this_node(&node).iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "servers of the cluster do not answer, and their companies are not served: 10.0.0.7:5432, 10.0.0.8:5432",
                "0 of 131 tables are distributed over the servers of the cluster (stipend distribute)"
            ]
        );
    }
}
