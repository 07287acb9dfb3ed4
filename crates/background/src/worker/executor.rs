//! Runs each kind of job, under a lease if it takes many units of work, and handles failures.

use std::time::Duration;

use domain::access::tokens::Caller;
use domain::company::companies;
use domain::contractors;
use domain::error::Error;
use domain::money::files::Taker;
use domain::money::{batches, files, returns};
use domain::pay::payrolls::closing::processing::credit_reductions;
use domain::pay::payrolls::closing::{automatic_runs, processing};
use domain::pay::payrolls::run::calculation;
use domain::pay::{external_payrolls, low_wages, payrolls, reports, time_off, time_sheets};
use domain::people::{employment, flows, onboarding};
use domain::platform::audit;
use domain::platform::jobs::{self, Due, JobKind, Leased};
use domain::returns::preparation;
use jiff::ToSpan;
use rules::Named;
use store::{Store, Tx};
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
                self.run_job(*piece).await?;
            }
        }
        Ok(pieces.len())
    }

    /// Runs a job under a lease that is renewed in the meantime; no-op if another node holds it.
    async fn attempt_leased(&self, piece: Due) -> Result<(), Error> {
        let node = self.node;
        match self.store.write(move |tx| jobs::lease_job(tx, &piece, node)).await? {
            Leased::No => return Ok(()),
            Leased::GivenUp => {
                self.given_up(piece).await;
                return Ok(());
            }
            Leased::Held => {}
        }
        tokio::select! {
            done = self.run_job(piece) => done?,
            () = self.renew_lease(piece) => {
                tracing::warn!(kind = piece.kind.as_str(), company = %piece.company, "the lease was lost; another node continues the job");
            }
        }
        // A finished or rescheduled job is no longer leased; one that was scheduled again in the meantime is another attempt.
        self.store.write(move |tx| jobs::release_job(tx, &piece, node)).await
    }

    /// Renews the lease until it is lost.
    async fn renew_lease(&self, piece: Due) {
        let node = self.node;
        loop {
            tokio::time::sleep(RENEWAL).await;
            match self.store.write(move |tx| jobs::renew_lease(tx, &piece, node)).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => tracing::warn!(?error, "a lease could not be renewed"),
            }
        }
    }

    /// Runs a job, or reschedules it after a failure. If not even that can be stored, the job is still due: an error, so that the worker
    /// pauses before the next poll.
    pub(super) async fn run_job(&self, piece: Due) -> Result<(), Error> {
        // In its own task, so that a panic ends nothing else; it is cancelled with this one.
        let mut task = JoinSet::new();
        let executor = self.clone();
        task.spawn(async move { executor.carry_out(piece).await });
        match task.join_next().await {
            None | Some(Ok(Ok(()))) => Ok(()),
            Some(Ok(Err(Error::Store(store::Error::Panicked(_))))) => self.put_off(piece, PANICKED).await,
            // The job is not at fault, and its tries are for failures of its own.
            Some(Ok(Err(Error::Store(store::Error::Away(server))))) => self.defer_job(piece, &server).await,
            Some(Ok(Err(error))) => self.put_off(piece, &format!("{error:?}")).await,
            Some(Err(ended)) => {
                metrics::counter!("worker_panics_total", "worker" => "jobs").increment(1);
                self.put_off(piece, end_of(&ended)).await
            }
        }
    }

    async fn carry_out(&self, piece: Due) -> Result<(), Error> {
        let Due { company, entity, .. } = piece;
        let store = &self.store;
        // Jobs of many units of work run first; closing the job is the last unit.
        match piece.kind {
            JobKind::MinimumWages => low_wages::review_rates(store, company, entity).await?,
            JobKind::YearPreparation => preparation::review_year(store, company, entity).await?,
            JobKind::Retention => {
                retention::delete_expired(store, piece.due, self.terms.delivery_days).await?
            }
            JobKind::PayrollCalculate => calculation::calculate_payroll(store, company, entity).await?,
            JobKind::PayrollAuto => automatic_runs::run_payroll(store, company, entity).await?,
            JobKind::PayrollProcess => processing::process_payroll(store, company, entity).await?,
            JobKind::PayrollForget => processing::reverse_recorded_amounts(store, company, entity).await?,
            JobKind::PayrollCredits => {
                batches::payroll::prepare_payroll_payments(store, company, entity).await?
            }
            JobKind::ContractorCredits => {
                batches::contractors::prepare_group_payments(store, company, entity).await?
            }
            JobKind::ReducedCredit => {
                credit_reductions::accrue_credit_reductions(store, company, entity).await?
            }
            JobKind::BankFile => files::bring_files(store, self.bank_file_taker()).await?,
            JobKind::BankPickup => pickup::run_pickup_command(store, entity, &self.terms.bank_pickup).await?,
            JobKind::ReportMade => reports::make::make_report(store, company, entity).await?,
            JobKind::PayrollSync => time_sheets::run::run_sync(store, company, entity).await?,
            JobKind::ExternalPayrollsFinish => {
                external_payrolls::finish::finish_external_payrolls(store, company).await?
            }
            JobKind::AuditSeal => audit::seals::seal_all(store, piece.due).await?,
            JobKind::EmployeeOverdue
            | JobKind::TerminationEffective
            | JobKind::RehireEffective
            | JobKind::ContractorLeft
            | JobKind::ContractorReturned
            | JobKind::TimeOffYear
            | JobKind::FlowLinkExpired
            | JobKind::PayrollBegins
            | JobKind::PayrollMissed
            | JobKind::TaxDeposit
            | JobKind::RedebitSettled
            | JobKind::ContractorPaid
            | JobKind::PayrollPaid => {}
        }
        self.finish_job(piece).await
    }

    fn bank_file_taker(&self) -> Taker {
        if self.terms.bank_pickup.is_empty() { Taker::Tool } else { Taker::Command }
    }

    /// Takes the job, runs it and closes it, in one unit of work.
    async fn finish_job(&self, piece: Due) -> Result<(), Error> {
        let grace = self.terms.overdue_after_days;
        self.store
            .write(move |tx| {
                if !jobs::take_job(tx, &piece)? {
                    return Ok(()); // another node took it, or it was rescheduled
                }
                close_job(tx, &piece, grace)
            })
            .await
    }

    /// Reschedules a job for which a server of a cluster was missing.
    async fn defer_job(&self, piece: Due, server: &str) -> Result<(), Error> {
        let kind = piece.kind.as_str();
        tracing::warn!(kind, company = %piece.company, job = %piece.id, server, "a job waits for a server that does not answer");
        self.store.write(move |tx| jobs::defer_job(tx, &piece)).await.map(drop)
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
            JobKind::PayrollCalculate | JobKind::PayrollAuto | JobKind::PayrollProcess => {
                |tx, company, entity| {
                    payrolls::closing::recovery::fail_if_abandoned(tx, company, entity).map(drop)
                }
            }
            JobKind::ReportMade => reports::make::fail_if_abandoned,
            JobKind::PayrollSync => time_sheets::run::fail_if_abandoned,
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

/// The last unit of a job, or its only one. `grace` is in days, after which an invitation is overdue.
fn close_job(tx: &mut Tx<'_>, piece: &Due, grace: i32) -> Result<(), Error> {
    let (company, entity) = (piece.company, piece.entity);
    match piece.kind {
        JobKind::EmployeeOverdue => {
            let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
            onboarding::service::became_overdue(tx, &caller, entity, grace)
        }
        JobKind::TerminationEffective => employment::service::took_effect(tx, company, entity),
        JobKind::RehireEffective => employment::rehires::took_effect(tx, company, entity),
        JobKind::ContractorLeft => contractors::employment::left_effective(tx, company, entity),
        JobKind::ContractorReturned => contractors::employment::returned_effective(tx, company, entity),
        JobKind::TimeOffYear => time_off::turns::fell_due(tx, company, entity),
        JobKind::FlowLinkExpired => flows::service::expire_or_reschedule_link(tx, company, entity),
        JobKind::MinimumWages
        | JobKind::YearPreparation
        | JobKind::PayrollCalculate
        | JobKind::PayrollAuto
        | JobKind::PayrollProcess
        | JobKind::PayrollForget
        | JobKind::PayrollCredits
        | JobKind::ContractorCredits
        | JobKind::BankFile
        | JobKind::BankPickup
        | JobKind::ReportMade
        | JobKind::PayrollSync
        | JobKind::ExternalPayrollsFinish => Ok(()),
        JobKind::PayrollMissed => payrolls::calendar::missed::fell_due(tx, company, entity),
        JobKind::TaxDeposit => batches::taxes::stage_deposit_payment(tx, company, entity),
        JobKind::ReducedCredit => credit_reductions::look_again(tx, company, entity),
        JobKind::RedebitSettled => returns::recovery::recover_settled_case(tx, company, entity),
        JobKind::PayrollPaid => processing::mark_payroll_paid(tx, company, entity),
        JobKind::ContractorPaid => batches::contractors::settle_group(tx, company, entity),
        JobKind::PayrollBegins => payrolls::calendar::regular::fell_due(tx, company, entity),
        // Counted from when it was due, so that moving the test clock in one step or two is the same.
        JobKind::Retention => jobs::schedule_job(tx, company, piece.kind, entity, piece.due + 24.hours()),
        JobKind::AuditSeal => {
            jobs::schedule_job(tx, company, piece.kind, entity, piece.due + audit::seals::EVERY_HOURS.hours())
        }
    }
}

/// A panic message may contain personal data, so it appears only in the log.
const PANICKED: &str = "it panicked; see the panic message in the log";

/// Why a task ended.
pub(crate) fn end_of(ended: &JoinError) -> &'static str {
    if ended.is_cancelled() { "it was interrupted" } else { PANICKED }
}
