//! Garnishments other than child support: levies, loans, creditors, other orders and plain deductions.
//!
//! Creditors may take the lesser of 25 % of disposable earnings and what exceeds 30 hours per week at the
//! federal minimum wage (15 USC 1673(a)), or less if the state of work sets a lower limit (15 USC 1677); support and earlier
//! orders count toward the limit (29 CFR 870.11). Debts to federal agencies and student loans may take 15 % of disposable pay
//! (less health insurance premiums), and together with the orders that come before at most 25 % and what exceeds the same floor
//! (31 CFR 285.11(c) and (i), 34 CFR 34.3, 34.19 and 34.20): 15 USC 1673(a) limits the aggregate that is garnished, so that several
//! loans leave it once. A federal tax levy takes what exceeds the exempt amount
//! (26 USC 6334(d)), and where the employee gave no statement, what exceeds that of married filing separately without dependents;
//! a state's levies together take what its law allows, and where no limit of it is known, what a creditor may take. Orders of courts other than
//! those of bankruptcy are limited like creditors. Plain deductions take their amount while pay remains. All limits apply per pay
//! period.

use super::law::{Exempt, Held};
use super::levy::{LevyExemption, TaxLevy, WITHOUT_STATEMENT};
use super::state_limits::{GarnishmentLimit, LimitRule};
use super::{Disposable, Line, Pay, Taken, explain, fees, requested};
use crate::amount::{Amount, Rounding};
use crate::explain::Trace;
use crate::full_time::WEEKS_PER_YEAR;
use crate::payroll::garnishment::terms::GarnishmentType;

/// Weekly hours at the federal minimum wage that are protected from creditors.
pub(super) const PROTECTED_HOURS: i64 = 30;
/// Maximum percentage of disposable earnings for creditors.
pub(super) const CREDITOR_PERCENT: Amount = Amount::from_cents(2_500);
/// Maximum percentage of disposable earnings for a debt to a federal agency or a student loan.
pub(super) const LOAN_PERCENT: Amount = Amount::from_cents(1_500);

/// The law that limits a garnishment.
pub(super) enum Law<'a> {
    /// No limit except the remaining pay.
    None,
    /// 25 % and the floor, or less under a state's law, less earlier garnishments
    Creditor(Option<StateTerms<'a>>),
    /// 15 %, and with earlier garnishments 25 % and the floor
    Loan,
    /// The limit a state's law sets on its own levies, and what its other levies took.
    StateLevy(StateTerms<'a>, Taken),
    /// Earnings above the exempt amount.
    Levy(Exempted<'a>),
}

/// A state's limit for a pay period, in cents.
pub(super) struct StateTerms<'a> {
    pub limit: &'a GarnishmentLimit,
    /// Disposable earnings, less health insurance premiums if the law says so.
    pub earnings: i64,
    /// Limit as a percentage of disposable earnings.
    pub of_disposable: Option<i64>,
    /// Limit as a percentage of gross pay.
    pub of_gross: Option<i64>,
    /// Protected earnings, and the limit as a percentage of the excess.
    pub excess: Option<Excess>,
    /// The least of these limits; zero if the law bars garnishment.
    pub most: i64,
}

/// Earnings that a state protects, and the excess over them, in cents.
pub(super) struct Excess {
    pub protected: i64,
    pub above: i64,
    pub part: i64,
}

impl<'a> StateTerms<'a> {
    /// Calculates the limit for the earnings of a pay period, in cents.
    fn for_earnings(limit: &'a GarnishmentLimit, pay: &Pay<'_>, disposable: i64, gross: i64) -> Self {
        let premiums = if limit.health_premiums { health_premiums(pay) } else { 0 };
        let earnings = (disposable - premiums).max(0);
        let part =
            |of: i64, percent: Option<Amount>| percent.map(|percent| requested::percent_of(of, percent));
        let excess = limit.percent_of_excess.map(|percent| {
            let protected = protected_earnings(limit, pay);
            let above = (earnings - protected).max(0);
            Excess { protected, above, part: requested::percent_of(above, percent) }
        });
        let (of_disposable, of_gross) =
            (part(earnings, limit.percent_of_disposable), part(gross, limit.percent_of_gross));
        let terms = [of_disposable, of_gross, excess.as_ref().map(|excess| excess.part)];
        let least = terms.into_iter().flatten().min().unwrap_or(0);
        let most = if limit.rule == LimitRule::Barred { 0 } else { least };
        Self { limit, earnings, of_disposable, of_gross, excess, most }
    }
}

/// Returns the earnings that a state protects in the pay period, in cents, rounded half up.
fn protected_earnings(limit: &GarnishmentLimit, pay: &Pay<'_>) -> i64 {
    let of_wage = limit.hours.zip(limit.minimum_wage).map(|(hours, basis)| {
        let (hours, of) = pay.periods.of_year(hours * WEEKS_PER_YEAR);
        pay.law.minimum_wages.wage_for_basis(basis).mul_ratio(hours, of, Rounding::HalfUp)
    });
    let amount = of_wage.unwrap_or_else(|| {
        let (dollars, of_year) = limit.protected_dollars(pay.periods.frequency)?;
        let (times, of) = pay.periods.of_year(of_year);
        dollars.mul_ratio(times, of, Rounding::HalfUp)
    });
    amount.unwrap_or(crate::amount::MAX_AMOUNT).cents_half_up()
}

/// Returns the health insurance premiums of the pay period in cents.
pub(super) fn health_premiums(pay: &Pay<'_>) -> i64 {
    let now: i64 = pay.health_premiums.iter().map(|(_, amount)| requested::whole_cents(*amount)).sum();
    now + requested::whole_cents(pay.earlier.health_premiums)
}

/// What is exempt from a federal levy.
pub(super) struct Exempted<'a> {
    pub levy: &'a TaxLevy,
    pub exempt: Exempt<'a>,
    /// Exempt cents for the standard deduction, for all dependents, and for all additional amounts.
    pub standard: i64,
    pub dependents: i64,
    pub additional: i64,
}

impl Exempted<'_> {
    /// Returns the exempt amounts of a year that are used; `None` if none are known.
    pub fn used_exemption(&self) -> Option<&LevyExemption> {
        match self.exempt {
            Exempt::Known(row)
            | Exempt::Earlier(row, _)
            | Exempt::Instead(row, _)
            | Exempt::Unconfirmed(row) => Some(row),
            Exempt::NotHeld(_) => None,
        }
    }

    /// Returns the exempt amount in cents; `None` if unknown.
    pub fn amount(&self) -> Option<i64> {
        self.used_exemption().map(|_| self.standard + self.dependents + self.additional)
    }

    /// Returns what the levy may take from the earnings of a pay period after `before` cents were taken. If no exempt amount is known,
    /// it takes nothing rather than all of the pay.
    pub fn room(&self, disposable: i64, before: i64) -> i64 {
        self.amount().map_or(0, |exempt| (disposable - exempt - before).max(0))
    }
}

/// The federal limits of a pay period, in cents.
pub(super) struct Limits {
    /// Gross pay.
    pub gross: i64,
    /// Protected earnings.
    pub protected: i64,
    /// Earnings above the protected amount.
    pub above_protected: i64,
    /// 25 %
    pub creditor_share: i64,
    /// Disposable pay for debts to federal agencies (less health insurance premiums), and its limits.
    pub agency: AgencyPay,
}

/// Disposable pay for debts to federal agencies, in cents.
pub(super) struct AgencyPay {
    pub disposable: i64,
    pub above_protected: i64,
    /// 25 %
    pub quarter: i64,
    /// 15 %
    pub loan_share: i64,
}

impl Limits {
    fn federal_limits(pay: &Pay<'_>, disposable: i64) -> Self {
        let (hours, of) = pay.periods.of_year(PROTECTED_HOURS * WEEKS_PER_YEAR);
        let protected = pay.law.minimum_wages.federal.mul_ratio(hours, of, Rounding::HalfUp);
        let protected = protected.unwrap_or(crate::amount::MAX_AMOUNT).cents_half_up();
        let of_agency = (disposable - health_premiums(pay)).max(0);
        Self {
            gross: pay.gross_of_period(),
            protected,
            above_protected: (disposable - protected).max(0),
            creditor_share: requested::percent_of(disposable, CREDITOR_PERCENT),
            agency: AgencyPay {
                disposable: of_agency,
                above_protected: (of_agency - protected).max(0),
                quarter: requested::percent_of(of_agency, CREDITOR_PERCENT),
                loan_share: requested::percent_of(of_agency, LOAN_PERCENT),
            },
        }
    }

    /// Returns the federal limit on creditors, before other garnishments.
    pub fn creditors(&self) -> i64 {
        self.creditor_share.min(self.above_protected)
    }

    /// Returns what is left for a creditor: the smaller of what remains of the federal and of the state limit after the amounts
    /// already taken. If the state's limit disregards support, support does not reduce it.
    pub fn creditor_room(&self, state: Option<&StateTerms<'_>>, before: Taken) -> i64 {
        let of_country = self.creditors() - before.total_taken();
        let room = state.map_or(of_country, |state| {
            let counted = before.total_taken() - if state.limit.support_apart { before.support } else { 0 };
            of_country.min(state.most - counted)
        });
        room.max(0)
    }

    /// Returns the maximum after the amounts already taken, including `own` for the garnishment itself earlier in the pay period.
    fn maximum_left(&self, law: &Law<'_>, disposable: Disposable, before: Taken, own: i64) -> i64 {
        let agency = &self.agency;
        let room = match law {
            Law::None => i64::MAX,
            Law::Creditor(state) => self.creditor_room(state.as_ref(), before),
            Law::Loan => {
                let together = agency.quarter.min(agency.above_protected) - before.total_taken();
                (agency.loan_share - own).min(together)
            }
            Law::StateLevy(terms, others) => terms.most - others.total_taken() - own,
            Law::Levy(exempted) => exempted.room(disposable.period, before.total_taken()),
        };
        room.max(0)
    }
}

/// Returns what the other levies of a state took, if the garnishment at a place is a state's levy.
fn levied_by_others<K>(pay: &Pay<'_>, all: &[Line<'_, K>], at: usize) -> Taken {
    let state_of = |line: &Line<'_, K>| {
        let terms = &line.garnishment.terms;
        let levies = terms.garnishment_type == Some(GarnishmentType::StateTaxLien);
        levies.then(|| pay.law.levying_state(terms.tax_levy.as_ref()).to_owned())
    };
    let Some(state) = state_of(&all[at]) else { return Taken::default() };
    let others = all.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, line)| line);
    let of_state = others.filter(|line| state_of(line).as_ref() == Some(&state));
    of_state.fold(Taken::default(), |sum, line| {
        sum.plus(Taken { now: line.taken, earlier: line.withheld_earlier(), support: 0 })
    })
}

/// Returns the law on a garnishment. `levied` is what the other levies took, if it is a state's.
fn law_of<'a, K>(
    pay: &'a Pay<'_>,
    limits: &Limits,
    disposable: i64,
    levied: Taken,
    line: &Line<'a, K>,
) -> Law<'a> {
    let terms = &line.garnishment.terms;
    let state = |held: Held<'a>| match held {
        Held::Counts(limit) => Some(StateTerms::for_earnings(limit, pay, disposable, limits.gross)),
        Held::Unconfirmed(_) | Held::None => None,
    };
    match (terms.garnishment_type, &terms.tax_levy) {
        (Some(GarnishmentType::CreditorGarnishment), _) => {
            Law::Creditor(state(pay.law.creditors(limits.gross, pay.periods)))
        }
        (Some(GarnishmentType::StudentLoan | GarnishmentType::FederalLoan), _) => Law::Loan,
        (Some(GarnishmentType::StateTaxLien), levy) => {
            let code = pay.law.levying_state(levy.as_ref());
            let limit = state(pay.law.state_levy(code, limits.gross, pay.periods));
            limit.map_or(Law::Creditor(None), |limit| Law::StateLevy(limit, levied))
        }
        (Some(GarnishmentType::FederalTaxLien), levy) => {
            let levy = levy.as_ref().unwrap_or(&WITHOUT_STATEMENT);
            let exempt = pay.law.exempt_amounts(levy, line.garnishment.since);
            let mut exempted = Exempted { levy, exempt, standard: 0, dependents: 0, additional: 0 };
            if let Some(row) = exempted.used_exemption() {
                let [standard, dependent, additional] = row.of_periods(pay.periods, levy.additional);
                let dependents = dependent.saturating_mul(levy.dependents);
                exempted = Exempted { standard, dependents, additional, ..exempted };
            }
            Law::Levy(exempted)
        }
        // An order of a court for payment of a debt is a garnishment (15 USC 1672(c)); those of bankruptcy courts are excepted. What a
        // state forbids to creditors it may allow to others, such as restitution, so that the federal limit alone applies.
        (Some(GarnishmentType::OtherGarnishment), _) if terms.bankruptcy_chapter.is_none() => {
            Law::Creditor(None)
        }
        (None, _) if terms.court_ordered => Law::Creditor(None),
        _ => Law::None,
    }
}

/// Withholds for federal levies that are older than every support order that has not ended; returns the amounts withheld.
pub(super) fn take_older_levies<K: Copy + Ord + std::fmt::Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    support: &[Line<'_, K>],
    rest: &mut [Line<'_, K>],
) -> Taken {
    let age = |line: &Line<'_, K>| (line.garnishment.since, line.garnishment.id);
    let Some(oldest) = support.iter().filter(|line| line.requested.ended.is_none()).map(age).min() else {
        return Taken::default();
    };
    let is_older = |line: &&mut Line<'_, K>| {
        line.garnishment.terms.garnishment_type == Some(GarnishmentType::FederalTaxLien) && age(line) < oldest
    };
    let limits = Limits::federal_limits(pay, disposable.period);
    let mut taken = Taken::default();
    for line in rest.iter_mut().filter(is_older) {
        taken.earlier += line.withheld_earlier();
        take_one(trace, pay, disposable, &limits, (taken, Taken::default()), line, &mut 0);
        taken.now += line.taken;
    }
    taken
}

/// Withholds for the other garnishments in order, after support and older levies; `fees` is the total of fees already taken.
pub(super) fn withhold_in_order<K: Copy + Ord + std::fmt::Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    before: Taken,
    rest: &mut [Line<'_, K>],
    fees: &mut i64,
) {
    if rest.iter().all(|line| line.done) {
        return;
    }
    let limits = Limits::federal_limits(pay, disposable.period);
    let mut before = before;
    // What later ones took in earlier paychecks of the pay period has left the earnings, too; what the employee agreed to does not count.
    let counts = |line: &&Line<'_, K>| {
        let terms = &line.garnishment.terms;
        !line.done && (terms.garnishment_type.is_some() || terms.court_ordered)
    };
    before.earlier += rest.iter().filter(counts).map(Line::withheld_earlier).sum::<i64>();
    for at in 0..rest.len() {
        if rest[at].done {
            continue;
        }
        let levied = levied_by_others(pay, rest, at);
        let line = &mut rest[at];
        take_one(trace, pay, disposable, &limits, (before, levied), line, fees);
        before.now += line.taken + line.fee;
    }
}

/// Withholds for one garnishment. `before` includes what was withheld for it earlier in the pay period, and `levied` is what the other levies
/// of its state took.
fn take_one<K: Copy + Ord + std::fmt::Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    limits: &Limits,
    (before, levied): (Taken, Taken),
    line: &mut Line<'_, K>,
    fees: &mut i64,
) {
    let law = law_of(pay, limits, disposable.period, levied, line);
    let most = limits.maximum_left(&law, disposable, before, line.withheld_earlier());
    line.taken = line.requested.amount.min(most).min((disposable.now - before.now).max(0));
    line.done = true;
    explain::explain_other(trace, pay, disposable, (limits, &law), before, line);
    if let (Law::Creditor(state), Some(_)) = (&law, fees::FeeKind::of_garnishment(&line.garnishment.terms)) {
        let left = [
            ("creditor_room", limits.creditor_room(state.as_ref(), before)),
            ("taken_for_the_creditor", line.taken),
        ];
        fees::take_fee(trace, pay, line, &left, fees);
    }
}
