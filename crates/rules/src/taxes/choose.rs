//! Chooses a tax's row by date, facts and settings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::bases::{Base, BaseTable, Treatments};
use super::due::{Due, Share};
use super::local;
use super::source::{EnteredBy, Unworked, Why};
use super::table::{Accrual, Filing, Jurisdiction, Limit, Method, Payer, Span, Tax};
use crate::Named;
use crate::amount::Amount;

/// Employer and employee settings for one tax. The default is nothing set.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Setting {
    /// Whether the operator has checked the row against the authority's notice.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub confirmed: bool,
    /// Whether an exemption is on file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exempt: bool,
    /// Whether an approved private plan replaces the tax.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub private_plan: bool,
    /// Percent of the employee's share that the employer bears.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub borne: Option<Amount>,
    /// The employer's own rate: percent, or dollars per hour if the row is by the hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_rate: Option<Amount>,
    /// Class of employer, if the row has classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Base of wages, replacing the row's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    /// Filing status, if a schedule depends on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filing: Option<Filing>,
    /// Number of exemptions, if each reduces wages.
    pub exemptions: u32,
    /// Election, such as `opt_in`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub election: Option<String>,
}

/// Facts from which rows are chosen.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    /// Pay date.
    pub day: Date,
    /// Social Security wage base of the year.
    pub social_security_base: Amount,
    /// Number of employees by state or place, counted as that state or place does.
    pub sizes: BTreeMap<String, u32>,
    /// The employer's quarterly payroll by place, such as `NY-MCTD_ZONE_1`, or state.
    pub payrolls: BTreeMap<String, Amount>,
    /// Filing status for schedules that depend on one, if the tax's setting has none.
    pub filing: Option<Filing>,
    /// Settings by code of the tax.
    pub settings: BTreeMap<String, Setting>,
    /// Which benefits are excluded from which base.
    pub bases: &'a BaseTable,
}

impl<'a> Facts<'a> {
    /// Creates facts with nothing set.
    pub fn new(day: Date, social_security_base: Amount, bases: &'a BaseTable) -> Self {
        Self {
            day,
            social_security_base,
            sizes: BTreeMap::new(),
            payrolls: BTreeMap::new(),
            filing: None,
            settings: BTreeMap::new(),
            bases,
        }
    }

    /// Returns how each item counts in a base, depending on whether the tax or the base was confirmed.
    pub(super) fn treatments(&self, base: Base, confirmed: bool) -> Treatments {
        let of_base = || base.wages_key().and_then(|key| self.settings.get(&key));
        self.bases.of_programme(base, confirmed || of_base().is_some_and(|setting| setting.confirmed))
    }

    /// Returns the setting of a tax.
    pub(super) fn setting(&self, code: &str) -> Setting {
        let setting = self.settings.get(code).cloned().unwrap_or_default();
        Setting { filing: setting.filing.or(self.filing), ..setting }
    }
}

/// The result: taxes that are due, and those that could not be calculated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// Due.
    pub dues: Vec<Due>,
    /// Not calculated.
    pub unworked: Vec<Unworked>,
}

impl Found {
    /// Adds other findings.
    pub(super) fn merge_findings(&mut self, other: Self) {
        self.dues.extend(other.dues);
        self.unworked.extend(other.unworked);
    }

    /// Adds the choice among the rows of one code.
    pub(super) fn add_choice(&mut self, chosen: Result<Option<Due>, Unworked>) {
        match chosen {
            Ok(due) => self.dues.extend(due),
            Err(unworked) => self.unworked.push(unworked),
        }
    }
}

/// Returns the codes of rows, in order.
pub(super) fn distinct_codes(rows: &[Arc<Tax>]) -> BTreeSet<&str> {
    rows.iter().map(|tax| tax.code.as_str()).collect()
}

/// Chooses the row of a tax for a part of the wages. `Ok(None)` if nothing is due.
///
/// # Errors
/// The tax is or may be due, but cannot be calculated.
pub(super) fn choose_row(
    rows: &[Arc<Tax>],
    code: &str,
    facts: &Facts<'_>,
    share: Share,
) -> Result<Option<Due>, Unworked> {
    let setting = facts.setting(code);
    let mut left: Vec<&Arc<Tax>> =
        rows.iter().filter(|tax| tax.code == code && tax.is_in_force(facts.day)).collect();
    let Some(first) = left.first().copied() else { return Ok(None) };
    if share.is_none() {
        return Ok(None);
    }
    if setting.exempt {
        return require_allowed(first, first.options.exempt, "an exemption").map(|()| None);
    }
    if setting.private_plan {
        return require_allowed(first, first.options.private_plan, "a private plan").map(|()| None);
    }
    by_size(&mut left, facts)?;
    by_class(&mut left, &setting)?;
    by_election(&mut left, &setting);
    by_filing(&mut left, &setting)?;
    by_payroll(&mut left, facts)?;
    let Some(mut tax) = left.into_iter().max_by_key(|tax| tax.from) else { return Ok(None) };
    if tax.method == Method::None {
        return Ok(None);
    }
    // The rate on the employer's own notice replaces a figure in doubt.
    let has_own = setting.own_rate.is_some() && tax.options.own_rate;
    if !(setting.confirmed || has_own || tax.confidence.is_enough()) {
        // A figure in doubt does not end a good one: the previous day's figure continues until the new one is confirmed.
        tax = row_before(rows, tax).ok_or_else(|| tax.as_unworked(Why::Unconfirmed(tax.confidence)))?;
    }
    match share_above_payroll(tax, facts, share) {
        Some(share) if share.is_none() => Ok(None),
        share_above => apply_settings(tax, &setting, facts, share_above.unwrap_or(share)).map(Some),
    }
}

/// Returns the row of the same kind that ended the day before `tax` begins, if its figure can be trusted.
fn row_before<'r>(rows: &'r [Arc<Tax>], tax: &Tax) -> Option<&'r Arc<Tax>> {
    fn kind(tax: &Tax) -> impl PartialEq {
        let Tax { class, filing, election, sizes, payroll, payer, .. } = tax;
        (class.clone(), *filing, election.clone(), *sizes, *payroll, *payer)
    }
    let ends =
        |row: &&Arc<Tax>| row.to.and_then(|last| last.tomorrow().ok()) == tax.from && tax.from.is_some();
    let like = |row: &&Arc<Tax>| row.code == tax.code && kind(row) == kind(tax);
    rows.iter().filter(ends).filter(like).find(|row| row.confidence.is_enough())
}

/// Returns the part of the wages above the free amount of the employer's quarterly payroll; `None` if the row has no free
/// amount, or the payroll is unknown.
fn share_above_payroll(tax: &Tax, facts: &Facts<'_>, share: Share) -> Option<Share> {
    let Method::OnReturn(Accrual::AbovePayroll { free, .. }) = tax.method else { return None };
    let payroll = facts.payrolls.get(&tax.jurisdiction.state)?;
    // Whole dollars are enough for a payroll that is stated in advance.
    let dollars = |amount: Amount| u64::try_from(amount.millionths() / 1_000_000).unwrap_or_default();
    let (payroll, free) = (dollars(*payroll), dollars(free));
    let above = match payroll.saturating_sub(free) {
        0 => Share { part: 0, of: 1 },
        above => local::reduce_share(above, payroll),
    };
    Some(local::multiply_shares(share, above))
}

/// Returns how a tax settled on the employer's return accrues, from the employer's own figure or payroll.
fn accrual_method(tax: &Tax, accrual: Accrual, own: Option<Amount>, facts: &Facts<'_>) -> Option<Method> {
    match (accrual, own) {
        (Accrual::OwnPercent, Some(rate)) => Some(Method::Rate(rate)),
        (Accrual::OwnAmountByHour, Some(rate)) => Some(Method::Amount(rate, Span::Hour)),
        (Accrual::AbovePayroll { percent, .. }, None) => {
            facts.payrolls.get(&tax.jurisdiction.state).map(|_| Method::Rate(percent))
        }
        _ => None,
    }
}

fn require_allowed(tax: &Tax, is_allowed: bool, what: &'static str) -> Result<(), Unworked> {
    if is_allowed { Ok(()) } else { Err(tax.as_unworked(Why::NotAllowed(what))) }
}

fn by_size(left: &mut Vec<&Arc<Tax>>, facts: &Facts<'_>) -> Result<(), Unworked> {
    let Some(sized) = left.iter().find(|tax| tax.sizes != (None, None)).copied() else { return Ok(()) };
    let Jurisdiction { state, place, .. } = &sized.jurisdiction;
    let size = facts.sizes.get(if place.is_empty() { state } else { place }).copied();
    let size = size.ok_or_else(|| {
        sized.as_unworked(Why::Missing("the number of employees", EnteredBy::CompanyTaxes, Vec::new()))
    })?;
    left.retain(|tax| tax.sizes.0.is_none_or(|from| from <= size) && tax.sizes.1.is_none_or(|to| size <= to));
    Ok(())
}

fn by_class(left: &mut Vec<&Arc<Tax>>, setting: &Setting) -> Result<(), Unworked> {
    let Some(first) = left.iter().find(|tax| !tax.class.is_empty()).copied() else { return Ok(()) };
    let classes: Vec<String> = left.iter().map(|tax| tax.class.clone()).collect();
    let class = setting.class.as_ref().filter(|class| classes.contains(class));
    let Some(class) = class else {
        return Err(first.as_unworked(Why::Missing(
            "the class of the employer",
            EnteredBy::CompanyTaxes,
            classes,
        )));
    };
    left.retain(|tax| tax.class == *class);
    Ok(())
}

fn by_election(left: &mut Vec<&Arc<Tax>>, setting: &Setting) {
    let election = setting.election.as_deref().unwrap_or_default();
    let known = left.iter().any(|tax| tax.election == election);
    let election = if known { election } else { "" };
    left.retain(|tax| tax.election == election);
}

fn by_filing(left: &mut Vec<&Arc<Tax>>, setting: &Setting) -> Result<(), Unworked> {
    let Some(first) = left.iter().find(|tax| tax.filing.is_some()).copied() else { return Ok(()) };
    if setting.filing.is_none() {
        let statuses = Filing::names().into_iter().map(str::to_owned).collect();
        return Err(first.as_unworked(Why::Missing("the filing status", EnteredBy::Certificate, statuses)));
    }
    left.retain(|tax| tax.filing.is_none() || tax.filing == setting.filing);
    Ok(())
}

fn by_payroll(left: &mut Vec<&Arc<Tax>>, facts: &Facts<'_>) -> Result<(), Unworked> {
    let Some(first) = left.iter().find(|tax| tax.payroll != (None, None)).copied() else { return Ok(()) };
    let payroll = facts.payrolls.get(&first.jurisdiction.place).copied();
    let missing = || {
        first.as_unworked(Why::Missing(
            "the employer's payroll of the quarter in the place",
            EnteredBy::CompanyTaxes,
            Vec::new(),
        ))
    };
    let payroll = payroll.ok_or_else(missing)?;
    left.retain(|tax| {
        tax.payroll.0.is_none_or(|above| above < payroll) && tax.payroll.1.is_none_or(|to| payroll <= to)
    });
    Ok(())
}

/// Applies the settings.
fn apply_settings(
    tax: &Arc<Tax>,
    setting: &Setting,
    facts: &Facts<'_>,
    share: Share,
) -> Result<Due, Unworked> {
    let own = setting.own_rate;
    let not_known = |what| tax.as_unworked(Why::Missing(what, EnteredBy::CompanyTaxes, Vec::new()));
    let method = match (&tax.method, own) {
        (Method::OnReturn(accrual), own) => match accrual_method(tax, *accrual, own, facts) {
            Some(method) => method,
            None => return Err(tax.as_unworked(Why::SettledOnReturn)),
        },
        (Method::Gap, None) => return Err(tax.as_unworked(Why::Gap)),
        (Method::Gap, Some(rate)) => Method::Rate(rate),
        (Method::OwnRate, None) => return Err(not_known("the employer's rate per hour")),
        (Method::OwnRate, Some(rate)) => Method::Amount(rate, Span::Hour),
        (Method::Ceiling(_), None) => {
            return Err(not_known("the employee's part of the plan's cost, in percent of wages"));
        }
        (Method::Ceiling(most), Some(rate)) => Method::Rate(rate.min(*most)),
        (Method::Rate(_), Some(rate)) if tax.options.own_rate => Method::Rate(rate),
        (Method::Amount(_, span), Some(rate)) if tax.options.own_rate => Method::Amount(rate, *span),
        (_, Some(_)) => return Err(tax.as_unworked(Why::NotAllowed("an own rate"))),
        (method, None) => method.clone(),
    };
    if setting.borne.is_some() {
        require_allowed(tax, tax.options.bear, "bearing the employee's share")?;
    }
    let base = setting.base.unwrap_or(tax.base);
    let exemptions = i64::from(setting.exemptions);
    let too_large = || tax.as_unworked(Why::TooLarge);
    let off = tax.allowance.mul_ratio(exemptions, 1, crate::Rounding::Down).ok_or_else(too_large)?;
    Ok(Due {
        code: tax.code.clone(),
        payer: tax.payer,
        method,
        share,
        wage_base: tax.wage_base.map(|(limit, span)| match limit {
            Limit::Dollars(dollars) => (dollars, span),
            Limit::SocialSecurity => (facts.social_security_base, span),
        }),
        off: off.checked_add(tax.deduction).ok_or_else(too_large)?,
        exemptions,
        credits: Vec::new(),
        borne: setting.borne.filter(|percent| *percent > Amount::ZERO),
        base,
        treatments: facts.treatments(base, setting.confirmed),
        tax: Arc::clone(tax),
    })
}

/// Returns the employer's line for the part of the employee's share that it bears.
pub(super) fn borne_line(due: &Due) -> Option<Due> {
    due.borne?;
    Some(Due { code: format!("{}_BORNE", due.code), payer: Payer::Employer, ..due.clone() })
}
