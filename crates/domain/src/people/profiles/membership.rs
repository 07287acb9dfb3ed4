//! The condition that an employee is a member of a payroll, for lists of employees. Payrolls supply its parameters, and use the same
//! condition to find their own members.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::days::Days;
use store::Value;
use uuid::Uuid;

/// The condition that employee `e` is a member of a payroll: $1 company, $2 payroll, $3 whether its members were chosen, $4 and $5 first
/// and last day of the pay period, $6 whether it pays regular wages, which excludes those with a termination payroll, $7 its calculation
/// once it is submitted, $8 its pay schedule, $9 and $10 first and last day on which members must follow it, $11 the next day, $12 whether
/// they leave the schedule on that day. Without $8, and in a company that never had several schedules, the schedule excludes no one.
///
/// An employee's rows are counted rather than tested with EXISTS, which a server evaluates by reading all results, or all jobs of the
/// company, before the first employee of a page. Counting looks them up per employee, in order, up to the end of the page.
pub const ARE_MEMBERS: &str = "e.onboarded_at IS NOT NULL \
     AND ($3 = false OR (SELECT count(*) FROM payroll_inputs i WHERE i.company_id = $1 AND i.payroll_id = $2 AND i.employee_id = e.id) > 0) \
     AND (SELECT min(j.hire_date) FROM employee_jobs j WHERE j.company_id = $1 AND j.employee_id = e.id AND j.is_primary = true) <= $5 \
     AND ($3 = true OR (SELECT count(*) FROM payroll_results o WHERE o.company_id = $1 AND o.run_id = $7 AND o.employee_id = e.id) > 0 \
     OR (SELECT count(*) FROM terminations t WHERE t.company_id = $1 AND t.employee_id = e.id \
     AND (t.effective_date < $4 OR ($6 = true AND t.run_termination_payroll = true AND t.effective_date <= $5)) \
     AND (SELECT count(*) FROM rehires b WHERE b.company_id = $1 AND b.employee_id = e.id \
     AND b.effective_date > t.effective_date AND b.effective_date <= $5) = 0) = 0) \
     AND (NOT EXISTS (SELECT 1 FROM pay_schedule_stretches c WHERE c.company_id = $1 AND c.subject_id = $1) \
     OR (SELECT count(*) FROM payroll_results k WHERE k.company_id = $1 AND k.run_id = $7 AND k.employee_id = e.id) > 0 \
     OR ((SELECT count(*) FROM pay_schedule_stretches n WHERE n.company_id = $1 AND n.subject_id = e.id \
     AND n.first_day > $9 AND n.first_day <= $10 AND n.pay_schedule_id <> $8) = 0 \
     AND coalesce((SELECT f.pay_schedule_id FROM pay_schedule_stretches f WHERE f.company_id = $1 AND f.subject_id = e.id \
     AND f.first_day <= $9 ORDER BY f.first_day DESC LIMIT 1), \
     CASE WHEN EXISTS (SELECT 1 FROM pay_schedule_stretches n WHERE n.company_id = $1 AND n.subject_id = $1 \
     AND n.first_day > $9 AND n.first_day <= $10 AND n.pay_schedule_id <> $8) THEN $1 END, \
     (SELECT f.pay_schedule_id FROM pay_schedule_stretches f WHERE f.company_id = $1 AND f.subject_id = $1 \
     AND f.first_day <= $9 ORDER BY f.first_day DESC LIMIT 1), $8) = $8 \
     AND ($12 = false OR (SELECT count(*) FROM pay_schedule_stretches x WHERE x.company_id = $1 AND x.subject_id = e.id \
     AND x.first_day = $11 AND x.pay_schedule_id <> $8) > 0 \
     OR ((SELECT count(*) FROM pay_schedule_stretches x WHERE x.company_id = $1 AND x.subject_id = e.id AND x.first_day <= $11) = 0 \
     AND EXISTS (SELECT 1 FROM pay_schedule_stretches x WHERE x.company_id = $1 AND x.subject_id = $1 \
     AND x.first_day = $11 AND x.pay_schedule_id <> $8)))) \
     OR $8 IS NULL)";

/// Number of parameters of [`ARE_MEMBERS`].
pub const CONDITIONS: usize = 12;

/// What determines the members of a payroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Membership {
    /// the payroll
    pub payroll: Uuid,
    /// whether its members were chosen
    pub chosen: bool,
    /// first and last day of its pay period
    pub period: Days,
    /// whether it pays regular wages, which excludes those with a termination payroll
    pub regular: bool,
    /// its calculation, once it is submitted
    pub run: Option<Uuid>,
    /// the pay schedule that members must follow; `None` if it excludes no one
    pub schedule: Option<Uuid>,
    /// first and last day on which members must follow it
    pub followed: Days,
    /// whether they leave it on the next day
    pub leave: bool,
}

impl Membership {
    /// For a payroll that does not exist in the company: members were chosen, but there are none.
    pub const NOBODY: Self = Self {
        payroll: Uuid::nil(),
        chosen: true,
        period: Days { first: Date::ZERO, last: Date::ZERO },
        regular: false,
        run: None,
        schedule: None,
        followed: Days { first: Date::ZERO, last: Date::ZERO },
        leave: false,
    };

    /// Returns the parameters of [`ARE_MEMBERS`].
    pub fn query_parameters<'a>(&self, company: Uuid) -> [Value<'a>; CONDITIONS] {
        let (Days { first: start, last: end }, Days { first: from, last: until }) =
            (self.period, self.followed);
        [
            company.into(),
            self.payroll.into(),
            self.chosen.into(),
            start.into(),
            end.into(),
            self.regular.into(),
            self.run.into(),
            self.schedule.into(),
            from.into(),
            until.into(),
            until.saturating_add(1.day()).into(),
            self.leave.into(),
        ]
    }
}
