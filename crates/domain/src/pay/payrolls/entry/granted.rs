//! Hours off that payrolls pay without an entry: holidays under the company's policy, and approved requests.

use std::collections::{BTreeSet, HashMap};

use jiff::civil::Date;
use rules::days::Days;
use rules::holiday_pay::{HOURS, paid_between};
use rules::payroll::DayOff;
use rules::time_off::PolicyType;
use store::Tx;
use uuid::Uuid;

use crate::error::Error;
use crate::pay::compensations::rows::Pay;
use crate::pay::holiday_pay::rows as holiday_pay;
use crate::pay::payrolls::calendar::employed_days;
use crate::pay::payrolls::calendar::submitted::Submitted;
use crate::pay::payrolls::record::kinds::TimeOffKind;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::time_off::Granted;
use crate::pay::time_off;
use crate::pay::time_off::enrolled::Enrolled;
use crate::pay::time_off::requests::rows::ApprovedDay;
use crate::people::employment::{self, Employment};
use crate::records::IdRange;

/// Hours off granted to some employees of a payroll.
#[derive(Debug)]
pub struct Grants {
    payroll: Payroll,
    /// first and last day whose approved requests are paid; `None` if the payroll pays none
    period: Option<Days>,
    /// the days of earlier processed payrolls, searched for approved requests that none of them has paid
    settled: Vec<Days>,
    holidays: Vec<Date>,
    paid_for_holidays: BTreeSet<Uuid>,
    approved: HashMap<Uuid, Vec<ApprovedDay>>,
    /// approved requests for settled days
    left: HashMap<Uuid, Vec<ApprovedDay>>,
    /// the types of each employee's active policies
    policies: HashMap<Uuid, Vec<PolicyType>>,
    employments: HashMap<Uuid, Employment>,
}

impl Grants {
    /// Returns the grants of a payroll, before employees are read: empty unless it pays the wages of its days, as regular payrolls,
    /// transitions and payrolls of final wages do.
    pub fn of_payroll(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<Self, Error> {
        let wages = payroll.pays_wages_of_its_days();
        let mut found = Self {
            payroll: payroll.clone(),
            period: wages.then_some(payroll.days()),
            settled: Vec::new(),
            holidays: Vec::new(),
            paid_for_holidays: BTreeSet::new(),
            approved: HashMap::new(),
            left: HashMap::new(),
            policies: HashMap::new(),
            employments: HashMap::new(),
        };
        if wages && let Some(policy) = holiday_pay::find_policy(tx, company)? {
            let paid = paid_between(&policy.holidays, (payroll.start, payroll.end));
            found.holidays = paid.into_iter().map(|(_, day)| day).collect();
        }
        Ok(found)
    }

    /// Adds the days of earlier processed payrolls, which may have left approved requests unpaid.
    #[must_use]
    pub(in crate::pay::payrolls) fn with_earlier_payrolls(self, before: &[Submitted]) -> Self {
        let processed = before.iter().filter(|one| one.processed);
        Self { settled: processed.map(|one| one.days).collect(), ..self }
    }

    /// Returns the approved requests for days of those payrolls, by employee.
    pub(in crate::pay::payrolls) fn days_left_unpaid(&self) -> &HashMap<Uuid, Vec<ApprovedDay>> {
        &self.left
    }

    /// Reads the grants of the employees between two (both included).
    pub fn read_employees(&mut self, tx: &mut Tx<'_>, company: Uuid, bounds: IdRange) -> Result<(), Error> {
        if !self.holidays.is_empty() {
            self.paid_for_holidays = holiday_pay::employees_between(tx, company, bounds)?;
        }
        self.approved.clear();
        self.left.clear();
        if let Some(Days { first: start, last: end }) = self.period {
            let from = self.settled.iter().map(|days| days.first).fold(start, Date::min);
            for day in time_off::requests::rows::approved_unpaid_days(
                tx,
                company,
                bounds,
                Days { first: from, last: end },
            )? {
                if day.day >= start {
                    self.approved.entry(day.employee).or_default().push(day);
                } else if self.settled.iter().any(|Days { first, last }| (*first..=*last).contains(&day.day))
                {
                    self.left.entry(day.employee).or_default().push(day);
                }
            }
        }
        if !self.approved.is_empty() && self.period.is_some() {
            let enrolled = time_off::enrolled::active_policies(tx, company, bounds)?;
            let types = |of: Vec<Enrolled>| of.into_iter().map(|one| one.policy.policy_type).collect();
            self.policies = enrolled.into_iter().map(|(employee, of)| (employee, types(of))).collect();
        }
        if !self.paid_for_holidays.is_empty() || !self.approved.is_empty() {
            self.employments = employment::rows::employments_of_employees(tx, company, bounds)?;
        }
        Ok(())
    }

    /// Returns the grants of one of these employees, on the days of employment that the payroll pays: a payroll of final wages does not
    /// cover days after a rehire in the same pay period.
    pub fn grants_of(&self, employee: Uuid, pay: &Pay) -> Granted {
        let Some(job) = pay.primary_job() else { return Granted::default() };
        let held =
            employed_days::days_held(&self.payroll, job.employment_dates(), self.employments.get(&employee));
        let pays = |day: Date| !held.days(Days { first: day, last: day }).is_empty();
        let mut granted = Granted::default();
        if self.paid_for_holidays.contains(&employee) {
            for day in self.holidays.iter().copied().filter(|day| pays(*day)) {
                granted.holiday_hours += HOURS;
                granted.days.push((TimeOffKind::Holiday, DayOff { day, hours: HOURS }));
            }
        }
        let types = self.policies.get(&employee).map_or(&[] as &[_], Vec::as_slice);
        for day in self.approved.get(&employee).into_iter().flatten() {
            if pays(day.day) && types.contains(&day.policy_type) {
                granted.add_approved_day(day);
            }
        }
        granted
    }
}
