//! Garnishments: child support, levies, creditor garnishments and plain deductions, within legal limits.
//!
//! [`deduct_garnishments`] processes all garnishments of an employee together, because the law limits the total of all
//! support orders, and what creditors may withhold after them. In order of priority:
//!
//! 1. federal tax levies that are older than every support order (26 USC 6334(a)(8));
//! 2. child support: the requested amount of each order (`requested`), in total at most the legal limit
//!    ([`SupportLimits`]); if that does not cover all, current and medical support before arrears, allocated
//!    as the work state requires;
//! 3. income orders of a bankruptcy court; other federal and state levies; debts to federal agencies, student loans and
//!    creditors by the date of service (31 CFR 285.11(i)(3), 34 CFR 34.20); other orders; plain deductions: older ones
//!    first within each rank, each within its legal limit.
//!
//! | file | contents |
//! |---|---|
//! | `terms` | terms of a garnishment |
//! | `check` | validation of terms |
//! | `requested` | the amount a garnishment requests |
//! | `limits` | legal limits of support orders |
//! | `law`, `state_limits`, `levy` | legal limits of other garnishments |
//! | `fees` | fees that employers may take |
//! | `divide` | allocation to the cent |
//! | `support`, `others` | steps 2 and 3 |
//! | `explain` | explanations |
//! | `agency` | child support agencies and their identifiers |
//! | `remittance` | payment to the agency |
//!
//! Everything is calculated for the pay period, however many paychecks it has: the law limits garnishment per pay period, and
//! an order states dollars per period. A bonus paid in addition to regular pay is therefore garnished on the earnings of both,
//! less what was already withheld ([`EarlierPay`], [`WithheldToDate::period`]).
//!
//! Decisions: the dollar cap of an order applies to its own payment period and is converted to the pay
//! schedule (times 52, 26, 24 or 12, divided by the pay periods per year of the schedule); limits and
//! percentages are rounded down to the cent, conversions half up. A tax levy without the
//! employee's statement leaves what married filing separately without dependents leaves.

mod agency;
mod check;
mod divide;
mod explain;
mod fees;
mod law;
mod levy;
mod limits;
mod others;
mod remittance;
mod requested;
mod state_limits;
mod support;
mod terms;

pub use agency::{Agencies, Agency, FipsCode, Identifier, Payee, RemitWithin};
pub use check::check_terms;
pub use fees::{EmployerFee, EmployerFees, FeeKind, FreeAndClear};
pub(crate) use law::in_doubt;
pub use law::{GarnishmentLaw, NotApplied, keys_in_doubt, not_applied};
pub use levy::{LevyExemption, LevyExemptions, LevyFilingStatus, TaxLevy};
pub use limits::{Allocation, Facts, StateLimit, SupportLimits};
pub use remittance::{
    Addendum, ManualReason, MedicalSupport, Remittance, determine_payer, is_case_identifier, payment_addendum,
};
pub(crate) use requested::premiums_ordered;
pub use state_limits::{GarnishmentLimit, GarnishmentLimits, LimitKind, LimitRule, MinimumWages, WageBasis};
pub use terms::{
    ChildSupport, GarnishmentTerms, GarnishmentType, IncomeWithholdingOrder, PAYMENT_PERIODS, WithheldToDate,
};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::amount::Amount;
use crate::explain::{Operation, Step, Trace};
use crate::payroll::PeriodsPaid;
use requested::Requested;

/// A garnishment of an employee. `K` identifies it; of two equally old ones the smaller goes first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Garnishment<K> {
    /// Id.
    pub id: K,
    /// Date of receipt or creation; older ones go first.
    pub since: Date,
    /// Terms.
    pub terms: GarnishmentTerms,
    /// Amounts withheld before this pay.
    pub withheld: WithheldToDate,
}

impl<K> Garnishment<K> {
    /// Whether nothing is withheld from pay of that check date ([`GarnishmentTerms::ended`]).
    pub fn has_ended(&self, check_date: Date) -> bool {
        self.terms.reason_ended(&self.withheld, check_date).is_some()
    }
}

/// Totals of earlier paychecks of the same pay period; zero if there were none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierPay {
    /// Gross pay without cash tips.
    pub gross: Amount,
    /// Gross pay less taxes required by law.
    pub disposable_earnings: Amount,
    /// Health insurance premiums.
    pub health_premiums: Amount,
    /// Fees the employer kept for handling garnishments.
    pub fees: Amount,
}

/// The pay to garnish.
#[derive(Debug, Clone)]
pub struct Pay<'a> {
    /// Gross pay less taxes required by law ([`disposable_earnings`]).
    pub disposable_earnings: Amount,
    /// Pay periods paid.
    pub periods: PeriodsPaid,
    /// Support limits of the work state ([`SupportLimits::from_pay`]).
    pub limits: &'a StateLimit,
    /// Gross pay without cash tips, the base of some states' limits.
    pub gross: Amount,
    /// Health insurance premiums by name, which reduce disposable pay for some debts; empty if there are none.
    pub health_premiums: Vec<(String, Amount)>,
    /// The law on garnishments other than support.
    pub law: &'a GarnishmentLaw<'a>,
    /// The pay that an employer fee must leave; `None` if no hours are known or no fee is requested.
    pub free_and_clear: Option<FreeAndClear>,
    /// Totals of earlier paychecks of the same pay period.
    pub earlier: EarlierPay,
}

impl Pay<'_> {
    /// Returns the gross pay of the pay period in cents.
    fn gross_of_period(&self) -> i64 {
        requested::whole_cents(self.gross) + requested::whole_cents(self.earlier.gross)
    }
}

/// Disposable earnings in cents.
#[derive(Debug, Clone, Copy)]
struct Disposable {
    /// Of this paycheck.
    now: i64,
    /// Of the pay period, including earlier paychecks.
    period: i64,
}

impl Disposable {
    fn from_pay(pay: &Pay<'_>) -> Self {
        let now = requested::whole_cents(pay.disposable_earnings).max(0);
        Self { now, period: now + requested::whole_cents(pay.earlier.disposable_earnings).max(0) }
    }

    /// Returns the part of earlier paychecks.
    fn earlier_paychecks(self) -> i64 {
        self.period - self.now
    }
}

/// What was already withheld in the pay period when a garnishment's turn comes, in cents.
#[derive(Debug, Clone, Copy, Default)]
struct Taken {
    /// Of this paycheck.
    now: i64,
    /// Of earlier paychecks.
    earlier: i64,
    /// The part of both that was support.
    support: i64,
}

impl Taken {
    /// Returns the total over all paychecks of the pay period.
    fn total_taken(self) -> i64 {
        self.now + self.earlier
    }

    fn plus(self, other: Self) -> Self {
        Self {
            now: self.now + other.now,
            earlier: self.earlier + other.earlier,
            support: self.support + other.support,
        }
    }
}

/// The amount withheld for a garnishment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deduction<K> {
    /// Id of the garnishment.
    pub id: K,
    /// Dollars in whole cents; never negative.
    pub amount: Amount,
    /// Requested amount, before legal limits and other garnishments.
    pub requested: Amount,
    /// Current and medical support within `amount`; zero unless child support.
    pub current_support: Amount,
    /// Arrears within `amount`.
    pub arrears: Amount,
    /// Fee the employer keeps, in addition to `amount`.
    pub fee: Amount,
}

/// Returns gross pay less the taxes required by law (15 USC 1672(b)), at least zero.
///
/// `gross` excludes reimbursements and cash tips. Benefits, retirement plans and other voluntary deductions
/// are not subtracted. Tax names appear in the explanation.
pub fn disposable_earnings<T: Trace>(
    trace: &mut T,
    gross: Amount,
    taxes: &[(impl AsRef<str>, Amount)],
) -> Amount {
    disposable_of(trace, ("gross_pay", gross), taxes)
}

/// Like [`disposable_earnings`], of a pay that another figure explains.
pub(super) fn disposable_of<T: Trace>(
    trace: &mut T,
    (figure, gross): (&'static str, Amount),
    taxes: &[(impl AsRef<str>, Amount)],
) -> Amount {
    let left = taxes.iter().try_fold(gross, |left, (_, tax)| left.checked_sub(*tax));
    let left = left.unwrap_or(Amount::ZERO).max(Amount::ZERO);
    trace.add_leaf(|| {
        let step = Step::new("disposable_earnings", Operation::Remaining, left).input(figure, gross);
        let step = taxes.iter().fold(step, |step, (name, tax)| step.input(name.as_ref().to_owned(), *tax));
        step.source("15 USC 1672(b); 29 CFR 870.10")
    });
    left
}

/// A garnishment being calculated.
struct Line<'a, K> {
    garnishment: &'a Garnishment<K>,
    /// Index in the input.
    place: usize,
    requested: Requested,
    current: divide::Share,
    arrears: divide::Share,
    /// Cents withheld.
    taken: i64,
    /// Employer fee in cents, in addition to `taken`.
    fee: i64,
    /// Whether the amount withheld is decided.
    done: bool,
}

impl<K> Line<'_, K> {
    /// Returns the cents withheld in earlier paychecks of the pay period.
    fn withheld_earlier(&self) -> i64 {
        requested::whole_cents(self.garnishment.withheld.period)
    }
}

/// Returns the amount withheld for each garnishment, in the order of the input.
///
/// The order of the input does not affect amounts. The explanation has a figure named `deduction` and id for
/// each garnishment, and one named `employer_fee` and id if the employer takes a fee.
pub fn deduct_garnishments<K: Copy + Ord + std::fmt::Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    garnishments: &[Garnishment<K>],
) -> Vec<Deduction<K>> {
    let disposable = Disposable::from_pay(pay);
    let mut lines: Vec<_> = garnishments
        .iter()
        .enumerate()
        .map(|(place, garnishment)| Line {
            requested: Requested::for_terms(&garnishment.terms, &garnishment.withheld, disposable.now, pay),
            current: divide::Share::default(),
            arrears: divide::Share::default(),
            taken: 0,
            fee: 0,
            done: false,
            garnishment,
            place,
        })
        .collect();
    // Support, then the others by rank; older ones first.
    lines.sort_unstable_by_key(|line| {
        let terms = &line.garnishment.terms;
        (terms.rank(), line.garnishment.since, terms.rank_of_a_day(), line.garnishment.id)
    });
    let orders = lines.iter().take_while(|line| line.garnishment.terms.is_child_support()).count();
    let (support, rest) = lines.split_at_mut(orders);

    let mut fees = 0;
    let levies = others::take_older_levies(trace, pay, disposable, support, rest);
    let taken = support::withhold_orders(trace, pay, disposable, levies, support, &mut fees);
    others::withhold_in_order(trace, pay, disposable, levies.plus(taken), rest, &mut fees);

    let nothing = |garnishment: &Garnishment<K>| Deduction {
        id: garnishment.id,
        amount: Amount::ZERO,
        requested: Amount::ZERO,
        current_support: Amount::ZERO,
        arrears: Amount::ZERO,
        fee: Amount::ZERO,
    };
    let mut deductions: Vec<_> = garnishments.iter().map(nothing).collect();
    for line in &lines {
        deductions[line.place] = Deduction {
            id: line.garnishment.id,
            amount: Amount::from_cents(line.taken),
            requested: Amount::from_cents(line.requested.amount),
            current_support: Amount::from_cents(line.current.part),
            arrears: Amount::from_cents(line.arrears.part),
            fee: Amount::from_cents(line.fee),
        };
    }
    deductions
}

#[cfg(test)]
mod docs_tests;
#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod law_tests;
#[cfg(test)]
mod period_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests_support;
