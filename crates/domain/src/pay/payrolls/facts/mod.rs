//! What an employee's paycheck is calculated from, as it was when it was calculated.
//!
//! [`Facts`] are read from the records (`snapshot`), handed to the rules, and stored beside the result: a paycheck can
//! be explained, and calculated again, after the records have changed. Amounts are millionths; what is usual is left
//! out of the JSON.

mod benefits;
mod garnishments;
mod taxes;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Amount;
use rules::Named;
use rules::compensation::{self, FlsaStatus, PayTerms, PaymentUnit};
use rules::payment::{Split, SplitBy};
use rules::payroll::garnishment::{self, Garnishment, SupportLimits, WithheldToDate};
use rules::payroll::{
    Compensation, Employee, FixedKind, FixedPay, Floor, Job, Payment, Payroll, TimeOff, Worked, YearToDate,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use benefits::BenefitFacts;
pub use garnishments::GarnishmentFacts;
pub use taxes::{StateFacts, W4Facts};

use super::entered;
use super::entered::FIXED;
use super::shapes::Warning;

/// What a paycheck is calculated from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// jobs, the primary one first
    pub jobs: Vec<JobFacts>,
    /// lines of pay that are amounts
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<entered::Fixed>,
    /// hours paid without work, of the primary job
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub time_off: Vec<entered::TimeOff>,
    /// expenses paid back
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reimbursements: Vec<i64>,
    /// the certificate for federal income tax
    pub w4: W4Facts,
    /// how income tax of the state of work is found
    pub state: StateFacts,
    /// day of birth, where a benefit depends on it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born: Option<Date>,
    /// whether the employee owns more than 2 % of an S corporation
    #[serde(default, skip_serializing_if = "is_false")]
    pub shareholder: bool,
    /// benefits in the order of enrolment
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub benefits: Vec<BenefitFacts>,
    /// company benefit, number of its type, deducted and contributed before in the year
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub benefits_taken: Vec<(Uuid, i64, i64, i64)>,
    /// garnishments
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub garnishments: Vec<GarnishmentFacts>,
    /// wages for Social Security, Medicare and unemployment tax, supplemental wages, and Social Security and Medicare
    /// taxes withheld, before in the year
    pub before: [i64; 5],
    /// how net pay is divided among bank accounts; none for a check
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment: Option<PaymentFacts>,
    /// what was noticed while reading
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "has the shape that serde asks for")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

/// A job with its pay and the hours that were entered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFacts {
    /// the job
    pub id: Uuid,
    /// first day of work
    pub hired: Date,
    /// what it pays, in the order of days
    pub pay: Vec<PayFacts>,
    /// regular, overtime and double overtime hours of the whole pay period
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<[i64; 3]>,
    /// the same of workweeks, with the first day of each
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weeks: Vec<(Date, [i64; 3])>,
}

/// What a job pays from a day on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayFacts {
    /// first day
    pub from: Date,
    /// dollars per unit
    pub rate: i64,
    /// place in [`Named::ALL`]
    pub unit: usize,
    /// place in [`Named::ALL`]
    pub flsa: usize,
    /// first day, minimum wage and tip credit
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub floors: Vec<(Date, i64, i64)>,
}

/// How net pay is divided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentFacts {
    /// `Amount` or `Percentage`
    pub by: String,
    /// the parts
    pub splits: Vec<SplitFacts>,
}

/// One account's part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitFacts {
    /// bank account
    pub account: Uuid,
    /// place in the order
    pub priority: i64,
    /// cents or percent; none for the rest
    pub amount: Option<i64>,
}

const fn amount(millionths: i64) -> Amount {
    Amount::from_millionths(millionths)
}

fn amount_of(millionths: Option<i64>) -> Option<Amount> {
    millionths.map(amount)
}

impl PayFacts {
    /// Rate, unit and status.
    pub fn terms(&self) -> PayTerms {
        PayTerms {
            rate: amount(self.rate),
            unit: PaymentUnit::ALL.get(self.unit).copied().unwrap_or(PaymentUnit::Hour),
            flsa: FlsaStatus::ALL.get(self.flsa).copied().unwrap_or(FlsaStatus::Nonexempt),
        }
    }
}

impl JobFacts {
    /// What the job pays on a day.
    pub fn on(&self, day: Date) -> Option<&PayFacts> {
        rules::effective::active(&self.pay, day, |pay| pay.from)
    }
}

impl Facts {
    /// Whether the employee owns the company and is paid by the paycheck.
    pub fn is_owner(&self) -> bool {
        self.jobs
            .first()
            .and_then(|job| job.pay.last())
            .is_some_and(|pay| pay.terms().flsa == FlsaStatus::Owner)
    }

    /// The terms of the garnishments, which the rules borrow.
    pub fn garnishment_terms(&self) -> Vec<garnishment::GarnishmentTerms> {
        self.garnishments.iter().map(GarnishmentFacts::terms).collect()
    }

    /// What the rules take, in a payroll.
    pub fn employee<'a>(
        &self,
        payroll: &Payroll<'_>,
        terms: &'a [garnishment::GarnishmentTerms],
    ) -> Employee<'a, Uuid> {
        let (start, end, periods_per_year) =
            (payroll.start, payroll.end, payroll.frequency.periods_per_year());
        let place = |job: Uuid| self.jobs.iter().position(|held| held.id == job);
        let fixed = self.fixed.iter().filter_map(|line| {
            let kind = FixedKind::of_name(FIXED.get(line.kind)?);
            Some(FixedPay { kind, job: place(line.job)?, amount: amount(line.amount) })
        });
        let primary = self.jobs.first().and_then(|job| job.on(end));
        let annual = primary.and_then(|pay| compensation::annualised(&pay.terms(), Some(periods_per_year)));
        let garnishments = self.garnishments.iter().zip(terms).map(|(one, terms)| Garnishment {
            id: one.id,
            since: one.since,
            terms: terms.clone(),
            withheld: WithheldToDate {
                times: one.so_far.0,
                year: amount(one.so_far.1),
                total: amount(one.so_far.2),
            },
        });
        let [social_security_wages, medicare_wages, futa_wages, supplemental_wages, fica_withheld] =
            self.before.map(amount);
        Employee {
            jobs: self
                .jobs
                .iter()
                .enumerate()
                .map(|(place, job)| self.job(place, job, (start, end)))
                .collect(),
            fixed: fixed.collect(),
            reimbursements: self.reimbursements.iter().copied().map(amount).collect(),
            w4: self.w4.w4(),
            state: self.state.tax(payroll),
            benefits: self.benefits.iter().filter_map(BenefitFacts::benefit).collect(),
            benefits_to_date: self.benefits_taken.iter().map(benefits::taken).collect(),
            birth_date: self.born,
            annual_salary: annual,
            two_percent_shareholder: self.shareholder,
            garnishments: garnishments.collect(),
            support_limits: SupportLimits::built_in().of(&self.state.state),
            year_to_date: YearToDate {
                social_security_wages,
                medicare_wages,
                futa_wages,
                supplemental_wages,
                fica_withheld,
            },
            payment: self.payment.as_ref().map(|payment| Payment {
                by: SplitBy::parse(&payment.by).unwrap_or(SplitBy::Percentage),
                splits: payment
                    .splits
                    .iter()
                    .enumerate()
                    .map(|(place, split)| Split {
                        account: place,
                        priority: split.priority,
                        amount: split.amount,
                    })
                    .collect(),
            }),
        }
    }

    fn job(&self, place: usize, job: &JobFacts, (start, end): (Date, Date)) -> Job {
        let worked = |from: Date, until: Date, hours: [i64; 3]| {
            let [regular, overtime, double_overtime] = hours.map(amount);
            Worked { from: from.max(start), until: until.min(end), regular, overtime, double_overtime }
        };
        let whole = job.hours.map(|hours| worked(start, end, hours));
        let weeks =
            job.weeks.iter().map(|(week, hours)| worked(*week, week.saturating_add(6.days()), *hours));
        let time_off = if place == 0 { self.time_off.as_slice() } else { &[] };
        Job {
            hired: job.hired,
            left: None,
            compensations: job
                .pay
                .iter()
                .map(|pay| Compensation {
                    effective: pay.from,
                    terms: pay.terms(),
                    floors: pay
                        .floors
                        .iter()
                        .map(|(from, wage, credit)| Floor {
                            from: *from,
                            minimum_wage: amount(*wage),
                            tip_credit: amount(*credit),
                        })
                        .collect(),
                })
                .collect(),
            worked: whole.into_iter().chain(weeks).collect(),
            time_off: time_off
                .iter()
                .map(|line| TimeOff { hours: amount(line.hours), paid_out: amount(line.paid_out) })
                .collect(),
        }
    }
}
