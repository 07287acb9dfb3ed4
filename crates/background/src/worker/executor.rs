//! Runs each kind of job, under a lease if it takes many units of work, and handles failures.

use std::time::Duration;

use domain::access::tokens::Caller;
use domain::company::companies;
use domain::contractors;
use domain::error::Error;
use domain::money::files::Taker;
use domain::money::{batches, files, returns};
use domain::pay::{external_payrolls, low_wages, payrolls, reports, time_off, time_sheets};
use domain::people::{employment, flows, onboarding};
use domain::platform::audit;
use domain::platform::jobs::{self, Due, Kind, Leased};
use domain::returns::preparation;
use jiff::ToSpan;
use rules::Named;
use store::Store;
use tokio::task::{JoinError, JoinSet};
use uuid::Uuid;

use super::Terms;
use crate::{pickup, retention};

/// Interval of lease renewals: a few may fail before the lease expires.
const RENEWAL: Duration = Duration::from_secs(15);

/// Runs jobs; clones share the store.
#[derive(Clone)]
pub(super) struct Executor {
    pub(super) store: Store,
    pub(super) terms: Terms,
    /// the holder of leases
    pub(super) node: Uuid,
}

impl Executor {
    /// Runs a company's jobs one after the other; returns how many were handled.
    pub(super) async fn work_off(self, pieces: Vec<Due>) -> Result<usize, Error> {
        for piece in &pieces {
            if piece.kind.is_long() {
                self.attempt_leased(*piece).await?;
            } else {
                self.attempt(*piece).await?;
            }
        }
        Ok(pieces.len())
    }

    /// Runs a job under a lease that is renewed in the meantime; no-op if another node holds it.
    async fn attempt_leased(&self, piece: Due) -> Result<(), Error> {
        let node = self.node;
        match self.store.write(move |tx| jobs::lease(tx, &piece, node)).await? {
            Leased::No => return Ok(()),
            Leased::GivenUp => {
                self.given_up(piece).await;
                return Ok(());
            }
            Leased::Held => {}
        }
        tokio::select! {
            done = self.attempt(piece) => done?,
            () = self.hold(piece) => {
                tracing::warn!(kind = piece.kind.as_str(), company = %piece.company, "the lease was lost; another node continues the job");
            }
        }
        // A finished or rescheduled job is no longer leased; one that was scheduled again in the meantime is another attempt.
        self.store.write(move |tx| jobs::release(tx, &piece, node)).await
    }

    /// Renews the lease until it is lost.
    async fn hold(&self, piece: Due) {
        let node = self.node;
        loop {
            tokio::time::sleep(RENEWAL).await;
            match self.store.write(move |tx| jobs::renew(tx, &piece, node)).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => tracing::warn!(?error, "a lease could not be renewed"),
            }
        }
    }

    /// Runs a job, or reschedules it after a failure. If not even that can be stored, the job is still due: an error, so that the worker
    /// pauses before the next poll.
    pub(super) async fn attempt(&self, piece: Due) -> Result<(), Error> {
        // In its own task, so that a panic ends nothing else; it is cancelled with this one.
        let mut task = JoinSet::new();
        let executor = self.clone();
        task.spawn(async move { executor.carry_out(piece).await });
        match task.join_next().await {
            None | Some(Ok(Ok(()))) => Ok(()),
            Some(Ok(Err(Error::Store(store::Error::Panicked(_))))) => self.put_off(piece, PANICKED).await,
            // The job is not at fault, and its tries are for failures of its own.
            Some(Ok(Err(Error::Store(store::Error::Away(server))))) => self.defer(piece, &server).await,
            Some(Ok(Err(error))) => self.put_off(piece, &format!("{error:?}")).await,
            Some(Err(ended)) => {
                metrics::counter!("worker_panics_total", "worker" => "jobs").increment(1);
                self.put_off(piece, end_of(&ended)).await
            }
        }
    }

    async fn carry_out(&self, piece: Due) -> Result<(), Error> {
        let Due { company, entity, .. } = piece;
        // Jobs of many units of work run first; closing the job is the last unit.
        match piece.kind {
            Kind::MinimumWages => low_wages::review(&self.store, company, entity).await?,
            Kind::YearPreparation => preparation::review(&self.store, company, entity).await?,
            Kind::Retention => retention::sweep(&self.store, piece.due, self.terms.delivery_days).await?,
            Kind::PayrollCalculate => {
                payrolls::run::calculation::calculate(&self.store, company, entity).await?
            }
            Kind::PayrollAuto => payrolls::closing::automatic_runs::run(&self.store, company, entity).await?,
            Kind::PayrollProcess => {
                payrolls::closing::processing::process(&self.store, company, entity).await?
            }
            Kind::PayrollForget => {
                payrolls::closing::processing::forget(&self.store, company, entity).await?
            }
            Kind::PayrollCredits => batches::payroll::prepare(&self.store, company, entity).await?,
            Kind::ContractorCredits => batches::contractors::prepare(&self.store, company, entity).await?,
            Kind::ReducedCredit => {
                payrolls::closing::processing::credit_reductions::accrue(&self.store, company, entity).await?
            }
            Kind::BankFile => files::run(&self.store, self.taker()).await?,
            Kind::BankPickup => pickup::run(&self.store, entity, &self.terms.bank_pickup).await?,
            Kind::ReportMade => reports::make::make(&self.store, company, entity).await?,
            Kind::PayrollSync => time_sheets::run::run(&self.store, company, entity).await?,
            Kind::ExternalPayrollsFinish => external_payrolls::finish::run(&self.store, company).await?,
            Kind::AuditSeal => audit::seals::seal_all(&self.store, piece.due).await?,
            Kind::EmployeeOverdue
            | Kind::TerminationEffective
            | Kind::RehireEffective
            | Kind::ContractorLeft
            | Kind::ContractorReturned
            | Kind::TimeOffYear
            | Kind::FlowLinkExpired
            | Kind::PayrollBegins
            | Kind::PayrollMissed
            | Kind::TaxDeposit
            | Kind::RedebitSettled
            | Kind::ContractorPaid
            | Kind::PayrollPaid => {}
        }
        self.finish(piece).await
    }

    fn taker(&self) -> Taker {
        if self.terms.bank_pickup.is_empty() { Taker::Tool } else { Taker::Command }
    }

    /// Takes the job, runs it and closes it, in one unit of work.
    async fn finish(&self, piece: Due) -> Result<(), Error> {
        let grace = self.terms.overdue_after_days;
        self.store
            .write(move |tx| {
                if !jobs::take(tx, &piece)? {
                    return Ok(()); // another node took it, or it was rescheduled
                }
                match piece.kind {
                    Kind::EmployeeOverdue => {
                        let caller = Caller::service(piece.company, companies::time_zone(tx, piece.company)?);
                        onboarding::service::became_overdue(tx, &caller, piece.entity, grace)
                    }
                    Kind::TerminationEffective => {
                        employment::service::took_effect(tx, piece.company, piece.entity)
                    }
                    Kind::RehireEffective => {
                        employment::rehires::took_effect(tx, piece.company, piece.entity)
                    }
                    Kind::ContractorLeft => {
                        contractors::employment::left_effective(tx, piece.company, piece.entity)
                    }
                    Kind::ContractorReturned => {
                        contractors::employment::returned_effective(tx, piece.company, piece.entity)
                    }
                    Kind::TimeOffYear => time_off::turns::fell_due(tx, piece.company, piece.entity),
                    Kind::FlowLinkExpired => flows::service::expire(tx, piece.company, piece.entity),
                    Kind::MinimumWages
                    | Kind::YearPreparation
                    | Kind::PayrollCalculate
                    | Kind::PayrollAuto
                    | Kind::PayrollProcess
                    | Kind::PayrollForget
                    | Kind::PayrollCredits
                    | Kind::ContractorCredits
                    | Kind::BankFile
                    | Kind::BankPickup
                    | Kind::ReportMade
                    | Kind::PayrollSync
                    | Kind::ExternalPayrollsFinish => Ok(()),
                    Kind::PayrollMissed => {
                        payrolls::calendar::missed::fell_due(tx, piece.company, piece.entity)
                    }
                    Kind::TaxDeposit => batches::taxes::stage(tx, piece.company, piece.entity),
                    Kind::ReducedCredit => payrolls::closing::processing::credit_reductions::look_again(
                        tx,
                        piece.company,
                        piece.entity,
                    ),
                    Kind::RedebitSettled => returns::recovery::settled(tx, piece.company, piece.entity),
                    Kind::PayrollPaid => payrolls::closing::processing::paid(tx, piece.company, piece.entity),
                    Kind::ContractorPaid => batches::contractors::settle(tx, piece.company, piece.entity),
                    Kind::PayrollBegins => {
                        payrolls::calendar::regular::fell_due(tx, piece.company, piece.entity)
                    }
                    // Counted from when it was due, so that moving the test clock in one step or two is the same.
                    Kind::Retention => {
                        jobs::schedule(tx, piece.company, piece.kind, piece.entity, piece.due + 24.hours())
                    }
                    Kind::AuditSeal => jobs::schedule(
                        tx,
                        piece.company,
                        piece.kind,
                        piece.entity,
                        piece.due + audit::seals::EVERY_HOURS.hours(),
                    ),
                }
            })
            .await
    }

    /// Reschedules a job for which a server of a cluster was missing.
    async fn defer(&self, piece: Due, server: &str) -> Result<(), Error> {
        let kind = piece.kind.as_str();
        tracing::warn!(kind, company = %piece.company, job = %piece.id, server, "a job waits for a server that does not answer");
        self.store.write(move |tx| jobs::defer(tx, &piece)).await.map(drop)
    }

    async fn put_off(&self, piece: Due, reason: &str) -> Result<(), Error> {
        let Due { company, entity, .. } = piece;
        let kind = piece.kind.as_str();
        tracing::error!(kind, %company, %entity, job = %piece.id, reason, "a job failed");
        metrics::counter!("jobs_failed_total", "kind" => kind).increment(1);
        let reason = reason.to_owned();
        let put_off = self.store.write(move |tx| jobs::put_off(tx, &piece, &reason)).await;
        let given_up = put_off.inspect_err(|error| {
            tracing::error!(?error, "a failed job could not be rescheduled; it is still due");
        })?;
        if given_up {
            self.given_up(piece).await;
        }
        Ok(())
    }

    /// Reports that a job failed permanently, and marks the record that waited for it as failed.
    async fn given_up(&self, piece: Due) {
        let Due { company, entity, .. } = piece;
        let kind = piece.kind.as_str();
        tracing::error!(kind, %company, %entity, job = %piece.id, "a job failed permanently; `stipend jobs retry` retries it");
        metrics::counter!("jobs_given_up_total", "kind" => kind).increment(1);
        let fail: fn(&mut store::Tx<'_>, Uuid, Uuid) -> Result<(), Error> = match piece.kind {
            Kind::PayrollCalculate | Kind::PayrollAuto | Kind::PayrollProcess => |tx, company, entity| {
                payrolls::closing::recovery::fail_if_abandoned(tx, company, entity).map(drop)
            },
            Kind::ReportMade => reports::make::fail_if_abandoned,
            Kind::PayrollSync => time_sheets::run::fail_if_abandoned,
            _ => return,
        };
        if let Err(error) = self.store.write(move |tx| fail(tx, company, entity)).await {
            tracing::error!(
                kind,
                ?error,
                "the record of a permanently failed job could not be marked as failed"
            );
        }
    }
}

/// A panic message may contain personal data, so it appears only in the log.
const PANICKED: &str = "it panicked; see the panic message in the log";

/// Why a task ended.
pub(crate) fn end_of(ended: &JoinError) -> &'static str {
    if ended.is_cancelled() { "it was interrupted" } else { PANICKED }
}
