//! The columns of the payroll journal, and their values for a paycheck.
//!
//! Amounts are as paid. The employee's name, home address, work location and department are as of the time the report is made. Columns for
//! which the service has no data are empty.

use std::collections::HashMap;

use rules::Amount;
use rules::Named as _;
use rules::compensation::{FlsaStatus, PaymentUnit};
use rules::taxes::book::{
    ADDITIONAL_MEDICARE, FEDERAL_INCOME, FUTA, MEDICARE, SOCIAL_SECURITY, state_of_income_tax,
};
use uuid::Uuid;

use super::table::Cell;
use crate::pay::compensations::rows::Pay;
use crate::pay::payrolls::record::kinds::{FixedKind, HourlyKind, TimeOffKind};
use crate::pay::payrolls::record::lines::{Earning, EarningLine};
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results::Outcome;
use crate::people::addresses::rows::{HomeAddress, Workplace};
use crate::people::departments::rows::Department;
use crate::people::employees::Employee;
use crate::people::employment::Employment;

/// The names of all columns.
pub const COLUMNS: [&str; 87] = [
    "additional_earnings",
    "bank_account",
    "bank_account_account_number",
    "bank_account_routing_number",
    "bank_account_type",
    "bonus",
    "cash_tips",
    "check_amount",
    "check_date",
    "commission",
    "date_of_birth",
    "double_overtime_earnings",
    "double_overtime_hours",
    "double_overtime_rate",
    "employee_additional_taxes",
    "employee_benefit_contributions",
    "employee_compensation",
    "employee_compensation_time_period",
    "employee_deductions",
    "employee_department",
    "employee_donations",
    "employee_email",
    "employee_federal_income_tax",
    "employee_first_name",
    "employee_last_name",
    "employee_medicare_additional_tax",
    "employee_medicare_tax",
    "employee_middle_initial",
    "employee_phone_number",
    "employee_social_security_tax",
    "employee_state_income_tax",
    "employee_taxes",
    "employee_uuid",
    "employee_work_email",
    "employer_additional_taxes",
    "employer_benefit_contributions",
    "employer_cost",
    "employer_futa_tax",
    "employer_medicare_tax",
    "employer_social_security_tax",
    "employer_suta_tax",
    "employer_taxes",
    "employment",
    "employment_type",
    "end_date",
    "garnishments",
    "gross_earnings",
    "holiday_earnings",
    "holiday_hours",
    "home_address",
    "home_address_city",
    "home_address_state",
    "home_address_street",
    "home_address_zip",
    "job_title",
    "net_pay",
    "one_time_reimbursements",
    "overtime_earnings",
    "overtime_hours",
    "overtime_rate",
    "paid_time_off_earnings",
    "paid_time_off_hours",
    "paid_time_off_rate",
    "pay_period_end",
    "pay_period_start",
    "paycheck_tips",
    "payment_method",
    "payroll_type",
    "payroll_uuid",
    "preferred_first_name",
    "recurring_reimbursements",
    "regular_earnings",
    "regular_hours",
    "regular_rate",
    "reimbursements",
    "risk_class_code",
    "sick_rate",
    "sick_time_off_earnings",
    "sick_time_off_hours",
    "start_date",
    "total_employer_benefit_contributions",
    "total_time_off_earnings",
    "total_time_off_hours",
    "work_address_city",
    "work_address_state",
    "work_address_street",
    "work_address_zip",
];

/// The parts of a bank account that may be shown.
pub(super) struct ShownAccount {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) routing: String,
    /// account number with all but the last digits hidden
    pub(super) hidden: String,
}

/// An employee, as on record when the report is made.
pub(super) struct ReportedEmployee {
    pub(super) employee: Employee,
    pub(super) birth: Option<String>,
    pub(super) pay: Pay,
    pub(super) department: Option<Department>,
    pub(super) home: Option<HomeAddress>,
    pub(super) work: Option<Workplace>,
    pub(super) employment: Employment,
    pub(super) accounts: HashMap<Uuid, ShownAccount>,
    pub(super) today: jiff::civil::Date,
}

/// A paycheck and its employee.
pub(super) struct Facts<'f> {
    pub(super) payroll: &'f Payroll,
    pub(super) outcome: &'f Outcome,
    pub(super) paid: &'f Paid,
    /// part paid by check, in cents
    pub(super) check_cents: i64,
    /// inputs of the calculation; `None` if they can no longer be read
    pub(super) inputs: Option<&'f PaycheckInputs>,
    pub(super) earnings: Vec<EarningLine<'f>>,
    pub(super) person: &'f ReportedEmployee,
}

/// Hours and pay of some earnings, in millionths.
#[derive(Default)]
struct EarnedSum {
    hours: Amount,
    amount: Amount,
}

/// Returns the value of a column for a paycheck.
pub(super) fn column_cell(column: &str, facts: &Facts<'_>) -> Cell {
    facts
        .employee_cell(column)
        .or_else(|| facts.address_cell(column))
        .or_else(|| facts.terms_cell(column))
        .or_else(|| facts.hours_cell(column))
        .or_else(|| facts.earnings_cell(column))
        .or_else(|| facts.taxes_cell(column))
        .or_else(|| facts.other_cell(column))
        // Donations are not stored anywhere.
        .unwrap_or(Cell::Empty)
}

impl Facts<'_> {
    fn employee_cell(&self, column: &str) -> Option<Cell> {
        let ReportedEmployee { employee, department, .. } = self.person;
        Some(match column {
            "employee_uuid" => Cell::from_text(employee.id.to_string()),
            "employee_first_name" => Cell::from_text(&*employee.first_name),
            "employee_middle_initial" => Cell::from_optional_text(employee.middle_initial.as_deref()),
            "employee_last_name" => Cell::from_text(&*employee.last_name),
            "preferred_first_name" => Cell::from_optional_text(employee.preferred_first_name.as_deref()),
            "employee_email" => Cell::from_optional_text(employee.email.as_deref()),
            "employee_work_email" => Cell::from_optional_text(employee.work_email.as_deref()),
            "employee_phone_number" => Cell::from_optional_text(employee.phone.as_deref()),
            "date_of_birth" => Cell::from_optional_text(self.person.birth.as_deref()),
            "employee_department" => {
                Cell::from_optional_text(department.as_ref().map(|one| one.title.as_str()))
            }
            "payroll_uuid" => Cell::from_text(self.payroll.id.to_string()),
            "check_date" => Cell::from_text(self.payroll.check_date.to_string()),
            "pay_period_start" => Cell::from_text(self.payroll.start.to_string()),
            "pay_period_end" => Cell::from_text(self.payroll.end.to_string()),
            "payroll_type" => Cell::from_text(match &self.payroll.off_cycle_reason {
                Some(reason) if self.payroll.off_cycle => reason.as_str(),
                _ if self.payroll.off_cycle => "Off-cycle",
                _ => "Regular",
            }),
            _ => return None,
        })
    }

    fn address_cell(&self, column: &str) -> Option<Cell> {
        let home =
            |part: fn(&HomeAddress) -> &str| Cell::from_optional_text(self.person.home.as_ref().map(part));
        let work =
            |part: fn(&Workplace) -> &str| Cell::from_optional_text(self.person.work.as_ref().map(part));
        let street = |first: &str, second: Option<&str>| match second {
            Some(second) => format!("{first}, {second}"),
            None => first.to_owned(),
        };
        Some(match column {
            "home_address" => Cell::from_optional_text(self.person.home.as_ref().map(|home| {
                let street = street(&home.street_1, home.street_2.as_deref());
                format!("{street}, {}, {} {}", home.city, home.state, home.zip)
            })),
            "home_address_street" => {
                let home = self.person.home.as_ref();
                Cell::from_optional_text(home.map(|home| street(&home.street_1, home.street_2.as_deref())))
            }
            "home_address_city" => home(|home| &home.city),
            "home_address_state" => home(|home| &home.state),
            "home_address_zip" => home(|home| &home.zip),
            "work_address_street" => {
                let work = self.person.work.as_ref();
                Cell::from_optional_text(work.map(|work| street(&work.street_1, work.street_2.as_deref())))
            }
            "work_address_city" => work(|work| &work.city),
            "work_address_state" => work(|work| &work.state),
            "work_address_zip" => work(|work| &work.zip),
            _ => return None,
        })
    }

    /// Returns the terms of employment; pay terms are those of the primary job in the paycheck.
    fn terms_cell(&self, column: &str) -> Option<Cell> {
        let person = self.person;
        let terms = self.inputs.and_then(|inputs| {
            let job = inputs.jobs.first()?;
            rules::effective::active_record(&job.compensations, self.payroll.end, |one| one.effective)
                .map(|one| one.terms)
        });
        let primary = person.pay.primary_job();
        // Hourly pay only: a salary has no hourly rate.
        let hourly = terms.filter(|terms| terms.unit == PaymentUnit::Hour);
        let rate = |tenths: i64| {
            let rate = hourly.and_then(|terms| terms.rate.mul_ratio(tenths, 10, rules::Rounding::HalfUp));
            Cell::from_optional_text(rate.map(|rate| rate.to_text(2)))
        };
        let termination = person.employment.current_termination(person.today);
        Some(match column {
            "job_title" => Cell::from_optional_text(primary.and_then(|job| job.title.as_deref())),
            "risk_class_code" => {
                Cell::from_optional_text(primary.and_then(|job| job.state_wc_class_code.as_deref()))
            }
            "start_date" => Cell::from_optional_text(primary.map(|job| job.hire_date.to_string())),
            "end_date" => Cell::from_optional_text(termination.map(|last| last.effective_date.to_string())),
            "employment" => Cell::from_text(match person.employment.working_time(person.today) {
                _ if person.employment.is_terminated(person.today) => "dismissed",
                Some(time) => time,
                None => "active",
            }),
            "employment_type" => Cell::from_optional_text(terms.map(|terms| FlsaStatus::as_str(terms.flsa))),
            "employee_compensation" => Cell::from_optional_text(terms.map(|terms| terms.rate.to_text(2))),
            "employee_compensation_time_period" => {
                Cell::from_optional_text(terms.map(|terms| PaymentUnit::as_str(terms.unit)))
            }
            "regular_rate" | "sick_rate" | "paid_time_off_rate" => rate(10),
            "overtime_rate" => rate(HourlyKind::Overtime.multiplier_tenths()),
            "double_overtime_rate" => rate(HourlyKind::DoubleOvertime.multiplier_tenths()),
            _ => return None,
        })
    }

    fn hours_cell(&self, column: &str) -> Option<Cell> {
        let worked = |kind: HourlyKind| self.sum_earnings(|earning| earning == Earning::Hourly(kind));
        Some(Cell::Amount(match column {
            "regular_hours" => worked(HourlyKind::Regular).hours,
            "overtime_hours" => worked(HourlyKind::Overtime).hours,
            "double_overtime_hours" => worked(HourlyKind::DoubleOvertime).hours,
            "holiday_hours" => self.sum_time_off(TimeOffKind::Holiday).hours,
            "sick_time_off_hours" => self.sum_time_off(TimeOffKind::Sick).hours,
            "paid_time_off_hours" => self.sum_time_off(TimeOffKind::Vacation).hours,
            "total_time_off_hours" => self.all_paid_off().hours,
            _ => return None,
        }))
    }

    /// Sums the earnings of some kinds.
    fn sum_earnings(&self, counts: impl Fn(Earning) -> bool) -> EarnedSum {
        let mut sum = EarnedSum::default();
        for line in self.earnings.iter().filter(|line| counts(line.of.earning)) {
            sum.hours += line.of.hours.unwrap_or(Amount::ZERO);
            sum.amount += line.amount;
        }
        sum
    }

    fn sum_time_off(&self, kind: TimeOffKind) -> EarnedSum {
        self.sum_earnings(|earning| earning == Earning::TimeOff(Some(kind)))
    }

    fn all_paid_off(&self) -> EarnedSum {
        self.sum_earnings(
            |earning| matches!(earning, Earning::TimeOff(Some(kind)) if kind != TimeOffKind::Unpaid),
        )
    }

    fn earnings_cell(&self, column: &str) -> Option<Cell> {
        let of = |counted: &[Earning]| self.sum_earnings(|earning| counted.contains(&earning)).amount;
        let hourly = Earning::Hourly;
        let fixed = |kind: FixedKind| of(&[Earning::Fixed(kind)]);
        let recurring = || self.paid.recurring.iter().map(|one| one.amount).sum::<Amount>();
        Some(Cell::Amount(match column {
            "regular_earnings" => of(&[Earning::Salary, hourly(HourlyKind::Regular)]),
            "overtime_earnings" => of(&[hourly(HourlyKind::Overtime), Earning::RecalculatedPremium]),
            "double_overtime_earnings" => of(&[hourly(HourlyKind::DoubleOvertime)]),
            "holiday_earnings" => self.sum_time_off(TimeOffKind::Holiday).amount,
            "sick_time_off_earnings" => self.sum_time_off(TimeOffKind::Sick).amount,
            "paid_time_off_earnings" => self.sum_time_off(TimeOffKind::Vacation).amount,
            "total_time_off_earnings" => self.all_paid_off().amount,
            "bonus" => fixed(FixedKind::Bonus),
            "commission" => fixed(FixedKind::Commission),
            "cash_tips" => fixed(FixedKind::CashTips),
            "paycheck_tips" => fixed(FixedKind::PaycheckTips),
            "additional_earnings" => {
                let custom = self.sum_earnings(|earning| matches!(earning, Earning::Custom(_))).amount;
                custom + fixed(FixedKind::Correction) + fixed(FixedKind::MinimumWageAdjustment)
            }
            "gross_earnings" => self.outcome.gross,
            "reimbursements" => self.paid.reimbursements,
            "recurring_reimbursements" => recurring(),
            "one_time_reimbursements" => self.paid.reimbursements - recurring(),
            _ => return None,
        }))
    }

    fn taxes_cell(&self, column: &str) -> Option<Cell> {
        const FEDERAL: [&str; 5] = [FEDERAL_INCOME, SOCIAL_SECURITY, MEDICARE, ADDITIONAL_MEDICARE, FUTA];
        let sum = |employer: bool, wanted: &dyn Fn(&str) -> bool| -> Amount {
            let lines = self.paid.taxes.iter().filter(|tax| tax.is_of_employer() == employer);
            lines.filter(|tax| wanted(&tax.id.code)).map(|tax| tax.amount).sum()
        };
        let of = |employer: bool, wanted: &str| sum(employer, &|code| code == wanted);
        let is_state = |code: &str| state_of_income_tax(code).is_some();
        let insurance = |code: &str| code.ends_with("_SUI");
        Some(Cell::Amount(match column {
            "employee_federal_income_tax" => of(false, FEDERAL_INCOME),
            "employee_social_security_tax" => of(false, SOCIAL_SECURITY),
            "employee_medicare_tax" => of(false, MEDICARE),
            "employee_medicare_additional_tax" => of(false, ADDITIONAL_MEDICARE),
            "employee_state_income_tax" => sum(false, &is_state),
            "employee_additional_taxes" => sum(false, &|code| !FEDERAL.contains(&code) && !is_state(code)),
            "employee_taxes" => sum(false, &|_| true),
            "employer_social_security_tax" => of(true, SOCIAL_SECURITY),
            "employer_medicare_tax" => of(true, MEDICARE),
            "employer_futa_tax" => of(true, FUTA),
            "employer_suta_tax" => sum(true, &insurance),
            "employer_additional_taxes" => sum(true, &|code| !FEDERAL.contains(&code) && !insurance(code)),
            "employer_taxes" => sum(true, &|_| true),
            _ => return None,
        }))
    }

    fn other_cell(&self, column: &str) -> Option<Cell> {
        let paid = self.paid;
        let deducted = || paid.benefits.iter().map(|one| one.deduction).sum::<Amount>();
        let contributed = || paid.benefits.iter().map(|one| one.contribution).sum::<Amount>();
        let garnished = || paid.deductions.iter().map(|one| one.amount).sum::<Amount>();
        let taxes = || paid.taxes_of_employer().map(|tax| tax.amount).sum::<Amount>();
        let by_check = paid.splits.is_empty();
        let accounts = |part: fn(&ShownAccount) -> &str| {
            let held = paid.splits.iter().filter_map(|(id, _)| self.person.accounts.get(id));
            Cell::from_text(held.map(part).collect::<Vec<_>>().join("; "))
        };
        Some(match column {
            "employee_benefit_contributions" => Cell::Amount(deducted()),
            "employer_benefit_contributions" | "total_employer_benefit_contributions" => {
                Cell::Amount(contributed())
            }
            "employee_deductions" => {
                let fees = paid.deductions.iter().map(|one| one.fee).sum::<Amount>();
                Cell::Amount(deducted() + garnished() + fees)
            }
            "garnishments" => Cell::Amount(garnished()),
            "net_pay" => Cell::Amount(self.outcome.net),
            "check_amount" => Cell::Amount(Amount::from_cents(self.check_cents)),
            // Cash tips are wages, but the employer does not pay them.
            "employer_cost" => Cell::Amount(
                self.outcome.gross - paid.cash_tips + taxes() + contributed() + paid.reimbursements,
            ),
            "payment_method" => Cell::from_text(if by_check { "Check" } else { "Direct Deposit" }),
            "bank_account" => accounts(|one| &one.name),
            "bank_account_type" => accounts(|one| one.kind),
            "bank_account_routing_number" => accounts(|one| &one.routing),
            "bank_account_account_number" => accounts(|one| &one.hidden),
            _ => return None,
        })
    }
}
