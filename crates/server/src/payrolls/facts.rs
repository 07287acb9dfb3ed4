//! What an employee's paycheck is calculated from, as it was when it was calculated.
//!
//! [`Facts`] are read from the records (`snapshot`), handed to the rules, and stored beside the result: a paycheck can
//! be explained, and calculated again, after the records have changed. Amounts are millionths; what is usual is left
//! out of the JSON.

use jiff::civil::Date;
use rules::Amount;
use rules::compensation::{self, FlsaStatus, PaymentUnit, Terms};
use rules::payment::{Split, SplitBy};
use rules::payroll::benefits::{self, Benefit, BenefitType, Contribution, LimitOption, Taken, Tier};
use rules::payroll::garnishment::{
    self, ChildSupport, Garnishment, GarnishmentType, IncomeWithholdingOrder, SoFar, SupportLimits,
};
use rules::payroll::{
    Compensation, Employee, FixedKind, FixedPay, Floor, Job, Payment, Payroll, StateTax, TimeOff, Worked,
    YearToDate,
};
use rules::window::Window;
use rules::withholding::federal::{FilingStatus, PayFrequency, W4};
use rules::withholding::state::formula::Formulas;
use rules::withholding::state::{StateTables, check_answer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::entered::{self, FIXED};
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
    /// regular, overtime and double overtime hours
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<[i64; 3]>,
}

/// What a job pays from a day on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayFacts {
    /// first day
    pub from: Date,
    /// dollars per unit
    pub rate: i64,
    /// place in [`PaymentUnit::ALL`]
    pub unit: usize,
    /// place in [`FlsaStatus::ALL`]
    pub flsa: usize,
    /// first day, minimum wage and tip credit
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub floors: Vec<(Date, i64, i64)>,
}

/// The certificate for federal income tax: filing status, whether it is the form of before 2020, and its figures in
/// the order of the form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct W4Facts {
    /// filing status
    pub status: String,
    /// whether it is the older form
    #[serde(default, skip_serializing_if = "is_false")]
    pub older: bool,
    /// step 2(c)
    #[serde(default, skip_serializing_if = "is_false")]
    pub two_jobs: bool,
    /// steps 3, 4(a), 4(b) and 4(c); of the older form allowances and additional withholding
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<i64>,
}

/// What income tax of the state of work is found from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateFacts {
    /// two letters; empty for an employee without a work address
    pub state: String,
    /// answers to the questions of the state's certificate, by key
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub answers: Map<String, Value>,
    /// the amount that the partner supplied
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supplied: Option<i64>,
}

impl StateFacts {
    fn tax(&self, payroll: &Payroll<'_>) -> StateTax<'static> {
        let certificates = StateTables::built_in();
        let questions = certificates.get(&self.state).map_or(&[] as &[_], |found| found.questions.as_slice());
        let answer = |key: &str| {
            let question = questions.iter().find(|question| question.key == key)?;
            check_answer(question, self.answers.get(key)?).ok()
        };
        let supplied = self.supplied.map(amount);
        if self.state.is_empty() {
            let reason = "the employee has no work address".to_owned();
            return match supplied {
                Some(amount) => StateTax::Supplied { state: String::new(), amount },
                None => StateTax::Missing { state: String::new(), reason },
            };
        }
        StateTax::find((Formulas::built_in(), certificates), payroll, &self.state, answer, supplied)
    }
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

/// A record of a benefit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenefitFacts {
    /// the company's benefit
    pub benefit: Uuid,
    /// the employee's record
    pub record: Uuid,
    /// what the company calls it
    pub name: String,
    /// number of its type
    pub code: i64,
    /// first and last day
    pub window: (Date, Option<Date>),
    /// deduction, and whether it is percent
    pub deduction: (i64, bool),
    /// dollars of a year at the most, of the employee and of the company
    #[serde(default)]
    pub maxima: (Option<i64>, Option<i64>),
    /// what the company gives
    pub contribution: ContributionFacts,
    /// whether the company gives at most what the employee does
    #[serde(default, skip_serializing_if = "is_false")]
    pub elective: bool,
    /// which legal limit counts
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_option: Option<String>,
    /// whether more is deferred because of age
    #[serde(default, skip_serializing_if = "is_false")]
    pub catch_up: bool,
    /// dollars that are insured, and how many yearly salaries
    #[serde(default)]
    pub coverage: (Option<i64>, i64),
    /// whether the deduction lowers taxable income, where the record says so
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduces: Option<bool>,
}

/// What the company gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContributionFacts {
    /// dollars
    Amount(i64),
    /// percent of gross pay
    Percentage(i64),
    /// by what the employee gives: matched percent up to a percent of pay
    Tiered(Vec<(i64, i64)>),
}

/// A garnishment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GarnishmentFacts {
    /// the garnishment
    pub id: Uuid,
    /// its description
    pub name: String,
    /// when it was received or made
    pub since: Date,
    /// whether a court or an agency ordered it
    pub court_ordered: bool,
    /// what was ordered
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// dollars or percent
    pub amount: i64,
    /// whether `amount` is percent
    pub percent: bool,
    /// dollars at the most: of a pay period, of a year, in all
    pub maxima: [Option<i64>; 3],
    /// on how many pays
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<i64>,
    /// whether on every pay
    pub recurring: bool,
    /// what an order of child support says
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<SupportFacts>,
    /// on how many pays it was taken before, dollars in the year and in all
    pub so_far: (i64, i64, i64),
}

/// What an order of child support says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupportFacts {
    /// the period of the dollar cap
    pub period: String,
    /// current support, arrears, medical support
    pub parts: [Option<i64>; 3],
    /// whether arrears are over twelve weeks old, and whether another family is supported
    pub said: [Option<bool>; 2],
    /// when the employer received the order
    pub received: Option<Date>,
    /// whether the agency takes no electronic payments
    pub manual: bool,
}

impl GarnishmentFacts {
    /// The record as it is stored here; `manual` says whether its agency takes no electronic payments.
    pub fn of(record: &crate::garnishments::rows::Garnishment, manual: bool) -> Self {
        let terms = &record.terms;
        let millionths = |amount: Option<Amount>| amount.map(Amount::millionths);
        Self {
            id: record.id,
            name: record.description.clone(),
            since: record.since(),
            court_ordered: terms.court_ordered,
            kind: terms.garnishment_type.map(|kind| kind.as_str().to_owned()),
            amount: terms.amount.millionths(),
            percent: terms.deduct_as_percentage,
            maxima: [terms.pay_period_maximum, terms.annual_maximum, terms.total_amount].map(millionths),
            times: terms.times,
            recurring: terms.recurring,
            support: terms.child_support.as_ref().map(|support| SupportFacts {
                period: support.payment_period.as_str().to_owned(),
                parts: [support.order.current_support, support.order.arrears, support.order.medical_support]
                    .map(millionths),
                said: [support.order.arrears_over_12_weeks, support.order.supports_other_family],
                received: support.order.received_on,
                manual,
            }),
            so_far: (0, 0, 0),
        }
    }

    /// Whether it is an order for child support.
    pub fn is_child_support(&self) -> bool {
        self.kind.as_deref() == Some(GarnishmentType::ChildSupport.as_str())
    }

    /// Why the employer has to pay the agency, if so.
    pub fn manual(&self, off_cycle: bool) -> Option<String> {
        let support = self.support.as_ref()?;
        let paid = garnishment::remittance(support.manual, off_cycle);
        paid.reason().map(|reason| reason.as_str().to_owned())
    }

    /// What the rules take.
    pub fn terms(&self) -> garnishment::Terms {
        let [pay_period_maximum, annual_maximum, total_amount] = self.maxima.map(amount_of);
        garnishment::Terms {
            active: true,
            court_ordered: self.court_ordered,
            garnishment_type: self.kind.as_deref().and_then(GarnishmentType::parse),
            amount: amount(self.amount),
            deduct_as_percentage: self.percent,
            pay_period_maximum,
            annual_maximum,
            total_amount,
            times: self.times,
            recurring: self.recurring,
            child_support: self.support.as_ref().map(|support| {
                let [current_support, arrears, medical_support] = support.parts.map(amount_of);
                let [arrears_over_12_weeks, supports_other_family] = support.said;
                ChildSupport {
                    payment_period: PayFrequency::parse(&support.period).unwrap_or(PayFrequency::Monthly),
                    order: IncomeWithholdingOrder {
                        current_support,
                        arrears,
                        medical_support,
                        arrears_over_12_weeks,
                        supports_other_family,
                        received_on: support.received,
                    },
                }
            }),
        }
    }
}

const fn amount(millionths: i64) -> Amount {
    Amount::from_millionths(millionths)
}

fn amount_of(millionths: Option<i64>) -> Option<Amount> {
    millionths.map(amount)
}

impl W4Facts {
    /// The certificate as it is stored here.
    pub fn of(w4: &W4) -> Self {
        let millionths = |amounts: &[Amount]| amounts.iter().map(|amount| amount.millionths()).collect();
        match w4 {
            W4::Rev2020 {
                filing_status,
                two_jobs,
                dependents_amount,
                other_income,
                deductions,
                extra_withholding,
            } => {
                let all = [*dependents_amount, *other_income, *deductions, *extra_withholding];
                let none = all.iter().all(|amount| *amount == Amount::ZERO);
                Self {
                    status: filing_status.as_str().to_owned(),
                    older: false,
                    two_jobs: *two_jobs,
                    figures: if none { Vec::new() } else { millionths(&all) },
                }
            }
            W4::Pre2020 { filing_status, allowances, additional_withholding } => Self {
                status: filing_status.as_str().to_owned(),
                older: true,
                two_jobs: false,
                figures: vec![*allowances, additional_withholding.millionths()],
            },
        }
    }

    fn w4(&self) -> W4 {
        let filing_status = FilingStatus::parse(&self.status)
            .unwrap_or_else(|| panic!("{} is no filing status", self.status));
        let figure = |place: usize| self.figures.get(place).copied().unwrap_or(0);
        if self.older {
            return W4::Pre2020 {
                filing_status,
                allowances: figure(0),
                additional_withholding: amount(figure(1)),
            };
        }
        W4::Rev2020 {
            filing_status,
            two_jobs: self.two_jobs,
            dependents_amount: amount(figure(0)),
            other_income: amount(figure(1)),
            deductions: amount(figure(2)),
            extra_withholding: amount(figure(3)),
        }
    }
}

impl BenefitFacts {
    /// The record as it is stored here.
    pub fn of(benefit: &Benefit<Uuid>) -> Self {
        let terms = &benefit.terms;
        let millionths = |amount: Option<Amount>| amount.map(Amount::millionths);
        Self {
            benefit: benefit.company_benefit,
            record: benefit.record,
            name: benefit.name.clone(),
            code: benefit.kind.code,
            window: (benefit.window.effective, benefit.window.expiration),
            deduction: (terms.deduction.millionths(), terms.deduct_as_percentage),
            maxima: (
                millionths(terms.deduction_annual_maximum),
                millionths(terms.contribution_annual_maximum),
            ),
            contribution: match &terms.contribution {
                Contribution::Amount(dollars) => ContributionFacts::Amount(dollars.millionths()),
                Contribution::Percentage(percent) => ContributionFacts::Percentage(percent.millionths()),
                Contribution::Tiered(tiers) => ContributionFacts::Tiered(
                    tiers.iter().map(|tier| (tier.rate.millionths(), tier.threshold.millionths())).collect(),
                ),
            },
            elective: terms.elective,
            limit_option: terms.limit_option.map(|option| option.as_str().to_owned()),
            catch_up: terms.catch_up,
            coverage: (millionths(terms.coverage_amount), terms.coverage_salary_multiplier.millionths()),
            reduces: terms.reduces_taxable_income,
        }
    }

    fn benefit(&self) -> Option<Benefit<Uuid>> {
        let kind = BenefitType::find(self.code)?;
        Some(Benefit {
            company_benefit: self.benefit,
            record: self.record,
            name: self.name.clone(),
            kind,
            window: Window { effective: self.window.0, expiration: self.window.1 },
            terms: benefits::Terms {
                deduction: amount(self.deduction.0),
                deduct_as_percentage: self.deduction.1,
                deduction_annual_maximum: amount_of(self.maxima.0),
                contribution: match &self.contribution {
                    ContributionFacts::Amount(dollars) => Contribution::Amount(amount(*dollars)),
                    ContributionFacts::Percentage(percent) => Contribution::Percentage(amount(*percent)),
                    ContributionFacts::Tiered(tiers) => Contribution::Tiered(
                        tiers
                            .iter()
                            .map(|(rate, most)| Tier { rate: amount(*rate), threshold: amount(*most) })
                            .collect(),
                    ),
                },
                elective: self.elective,
                contribution_annual_maximum: amount_of(self.maxima.1),
                limit_option: self.limit_option.as_deref().and_then(LimitOption::parse),
                catch_up: self.catch_up,
                coverage_amount: amount_of(self.coverage.0),
                coverage_salary_multiplier: amount(self.coverage.1),
                reduces_taxable_income: self.reduces,
            },
            active: true,
            company_active: true,
        })
    }
}

impl PayFacts {
    /// Rate, unit and status.
    pub fn terms(&self) -> Terms {
        Terms {
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
    pub fn garnishment_terms(&self) -> Vec<garnishment::Terms> {
        self.garnishments.iter().map(GarnishmentFacts::terms).collect()
    }

    /// What the rules take, in a payroll.
    pub fn employee<'a>(&self, payroll: &Payroll<'_>, terms: &'a [garnishment::Terms]) -> Employee<'a, Uuid> {
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
            terms,
            so_far: SoFar { times: one.so_far.0, year: amount(one.so_far.1), total: amount(one.so_far.2) },
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
            benefits_taken: self.benefits_taken.iter().map(taken).collect(),
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
        let worked = job.hours.map(|hours| {
            let [regular, overtime, double_overtime] = hours.map(amount);
            Worked { from: start, until: end, regular, overtime, double_overtime }
        });
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
            worked: worked.into_iter().collect(),
            time_off: time_off
                .iter()
                .map(|line| TimeOff { hours: amount(line.hours), paid_out: amount(line.paid_out) })
                .collect(),
        }
    }
}

fn taken((benefit, code, deduction, contribution): &(Uuid, i64, i64, i64)) -> Taken<Uuid> {
    Taken {
        company_benefit: *benefit,
        code: *code,
        deduction: amount(*deduction),
        contribution: amount(*contribution),
    }
}
