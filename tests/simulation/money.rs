//! Money is conserved: what must hold of every paycheck, of every payroll, and of the sums that the next one rests on.
//!
//! Each rule is a function that says in words what it holds, and looks at what was answered, not at how it was worked out.
//! Amounts are millionths of a dollar. The same rules are shown to notice a cent that is missing (the tests below).

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use rules::Amount;
use serde_json::Value;
use store::params;
use uuid::Uuid;

use crate::base::DEFERRAL;
use crate::wire::{Ask, text};
use crate::world::World;

store::statements! {
    PROCESSED = "SELECT id, run_id, check_date FROM payrolls WHERE company_id = $1 AND run_number IS NOT NULL ORDER BY run_number";
    STORED = "SELECT employee_id, year_to_date FROM payroll_results WHERE company_id = $1 AND run_id = $2";
    WITHHELD = "SELECT payroll_id, garnishment_id, amount FROM garnishment_withholdings WHERE company_id = $1";
    ITEMS = "SELECT payroll_id, employee_id, employee_deduction, company_contribution FROM benefit_payroll_items WHERE company_id = $1";
}

/// What a rule found wrong.
type Held = Result<(), String>;

/// Social Security of a year at most: 6.2 % of the wage base of 2026 (data/payroll_taxes.csv).
const SOCIAL_SECURITY_MOST: i64 = 11_439_000_000;
/// What somebody under fifty may defer in 2026 (26 USC 402(g); data/benefit_limits.csv).
const DEFERRED_MOST: i64 = 24_500_000_000;
/// Parts of disposable earnings in percent: what creditors may take (15 USC 1673(a)), and support (1673(b)).
const CREDITORS_MOST: i64 = 25;
const SUPPORT_MOST: i64 = 65;

/// A paycheck, as it was told.
#[derive(Debug, Clone, Default)]
pub struct Paycheck {
    pub employee: String,
    gross: i64,
    net: i64,
    check_amount: i64,
    cash_tips: i64,
    reimbursements: i64,
    employee_taxes: BTreeMap<String, i64>,
    employer_taxes: i64,
    /// by garnishment, and whether it is support
    garnishments: BTreeMap<String, (i64, bool)>,
    /// what benefits take and give, and how much of that is deferred
    deducted: i64,
    contributed: i64,
    deferred: i64,
    splits: Option<i64>,
}

/// Dollars, as text or as a number.
fn amount(value: &Value) -> i64 {
    let told = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Amount::parse(&told).unwrap_or_else(|_| panic!("{value} is no amount")).millionths()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn sum(lines: &Value, field: &str) -> i64 {
    items(lines).iter().map(|line| amount(&line[field])).sum()
}

impl Paycheck {
    /// Those of a payroll that was calculated.
    pub fn all(payroll: &Value) -> Vec<Self> {
        let paid = items(&payroll["employee_compensations"]).iter().filter(|one| !one["gross_pay"].is_null());
        paid.map(Self::read).collect()
    }

    fn read(told: &Value) -> Self {
        let mut read = Self {
            employee: text(told, "employee_uuid"),
            gross: amount(&told["gross_pay"]),
            net: amount(&told["net_pay"]),
            check_amount: amount(&told["check_amount"]),
            reimbursements: sum(&told["reimbursements"], "amount"),
            deducted: sum(&told["benefits"], "employee_deduction"),
            contributed: sum(&told["benefits"], "company_contribution"),
            splits: told["payment_splits"].as_array().map(|_| sum(&told["payment_splits"], "amount")),
            ..Self::default()
        };
        for line in items(&told["fixed_compensations"]) {
            if line["name"] == "Cash Tips" {
                read.cash_tips += amount(&line["amount"]);
            }
        }
        for tax in items(&told["taxes"]) {
            if tax["employer"] == true {
                read.employer_taxes += amount(&tax["amount"]);
            } else {
                *read.employee_taxes.entry(text(tax, "code")).or_default() += amount(&tax["amount"]);
            }
        }
        for benefit in items(&told["benefits"]).iter().filter(|benefit| benefit["name"] == DEFERRAL) {
            read.deferred += amount(&benefit["employee_deduction"]);
        }
        for taken in items(&told["deductions"]) {
            let support = taken.get("remittance").is_some();
            read.garnishments.insert(text(taken, "uuid"), (amount(&taken["amount"]), support));
        }
        read
    }

    fn taxes(&self) -> i64 {
        self.employee_taxes.values().sum()
    }

    fn garnished(&self) -> i64 {
        self.garnishments.values().map(|(taken, _)| taken).sum()
    }

    /// What is earned and not lost: every dollar of gross pay is paid, withheld, deducted, or was a tip in cash.
    fn every_dollar_goes_somewhere(&self) -> Held {
        let gone = self.net + self.taxes() + self.garnished() + self.deducted + self.cash_tips;
        same("gross pay, and what became of it", self.gross, gone)
    }

    /// What is paid out is net pay with the expenses that are paid back, and nothing else.
    fn what_is_paid_out_is_net_pay_and_expenses(&self) -> Held {
        same("what is paid out, and net pay with expenses", self.check_amount, self.net + self.reimbursements)
    }

    /// Accounts get together what is paid out, to the cent.
    fn accounts_get_what_is_paid_out(&self) -> Held {
        self.splits.map_or(Ok(()), |parts| {
            same("the parts of the accounts, and the whole", parts, self.check_amount)
        })
    }

    /// Nobody owes anything after payday.
    fn nothing_is_below_nothing(&self) -> Held {
        let least = [self.net, self.check_amount, self.deducted, self.contributed, self.employer_taxes];
        let taken = self.garnishments.values().map(|(taken, _)| *taken);
        let least = least.into_iter().chain(self.employee_taxes.values().copied()).chain(taken).min();
        if least < Some(0) { Err(format!("{} has an amount below nothing", self.employee)) } else { Ok(()) }
    }
}

fn same(what: &str, one: i64, other: i64) -> Held {
    if one == other { Ok(()) } else { Err(format!("{what}: {one} and {other}")) }
}

fn at_most(what: &str, amount: i64, most: i64) -> Held {
    if amount <= most { Ok(()) } else { Err(format!("{what}: {amount} is more than {most}")) }
}

/// The sums of a payroll are those of its paychecks, and the company's account is debited with what leaves it.
fn totals_are_the_sums_of_paychecks(payroll: &Value, paychecks: &[Paycheck]) -> Held {
    let totals = &payroll["totals"];
    let of = |field: fn(&Paycheck) -> i64| paychecks.iter().map(field).sum::<i64>();
    for (name, sum) in [
        ("gross_pay", of(|one| one.gross)),
        ("net_pay", of(|one| one.net)),
        ("reimbursements", of(|one| one.reimbursements)),
        ("employee_taxes", of(Paycheck::taxes)),
        ("employer_taxes", of(|one| one.employer_taxes)),
        ("tax_debit", of(|one| one.taxes() + one.employer_taxes)),
        ("employee_cash_tips", of(|one| one.cash_tips)),
        ("employee_benefits_deductions", of(|one| one.deducted)),
        ("benefits", of(|one| one.contributed)),
        ("other_deductions", of(Paycheck::garnished)),
    ] {
        same(name, amount(&totals[name]), sum)?;
    }
    let total = |name: &str| amount(&totals[name]);
    let paid = total("net_pay_debit") + total("reimbursement_debit") + total("check_amount");
    same("checks and transfers, and what is paid out", paid, of(|one| one.check_amount))?;
    let debits = ["net_pay_debit", "reimbursement_debit", "tax_debit", "child_support_debit"].map(total);
    same("company_debit", total("company_debit"), debits.iter().sum())
}

/// Everything that holds of one payroll by itself.
pub fn payroll(told: &Value) -> Held {
    let paychecks = Paycheck::all(told);
    for one in &paychecks {
        one.every_dollar_goes_somewhere()
            .and_then(|()| one.what_is_paid_out_is_net_pay_and_expenses())
            .and_then(|()| one.accounts_get_what_is_paid_out())
            .and_then(|()| one.nothing_is_below_nothing())
            .map_err(|why| format!("{why}: {one:?}"))?;
    }
    if paychecks.is_empty() { Ok(()) } else { totals_are_the_sums_of_paychecks(told, &paychecks) }
}

/// The sums of an employee in a year, added up from paychecks.
#[derive(Debug, Clone, Default)]
pub struct Year {
    gross: i64,
    net: i64,
    disposable: i64,
    supports: bool,
    taxes: BTreeMap<String, i64>,
    garnishments: BTreeMap<String, i64>,
    deducted: i64,
    contributed: i64,
    deferred: i64,
}

impl Year {
    fn add(&mut self, one: &Paycheck) {
        self.gross += one.gross;
        self.net += one.net;
        self.disposable += one.gross - one.cash_tips - one.taxes();
        self.supports |= one.garnishments.values().any(|(taken, support)| *support && *taken > 0);
        self.deducted += one.deducted;
        self.contributed += one.contributed;
        self.deferred += one.deferred;
        for (name, withheld) in &one.employee_taxes {
            *self.taxes.entry(name.clone()).or_default() += withheld;
        }
        for (id, (taken, _)) in &one.garnishments {
            *self.garnishments.entry(id.clone()).or_default() += taken;
        }
    }

    /// What a payroll leaves for the next is what the one before it left, and its own amounts.
    fn is_carried(&self, stored: &Value) -> Held {
        let number = |value: &Value| value.as_i64().unwrap_or(0);
        same("gross pay of the year", number(&stored["gross"]), self.gross)?;
        same("net pay of the year", number(&stored["net"]), self.net)?;
        let carried = |map: &Value| -> BTreeMap<String, i64> {
            let fields = map.as_object().into_iter().flatten();
            fields.map(|(name, value)| (name.clone(), number(value))).filter(|(_, sum)| *sum != 0).collect()
        };
        let added = |map: &BTreeMap<String, i64>| -> BTreeMap<String, i64> {
            map.iter().filter(|(_, sum)| **sum != 0).map(|(name, sum)| (name.clone(), *sum)).collect()
        };
        // Of each tax a list of subject wages, taxable wages and the tax, or none where all are zero; those of the employer are other
        // keys.
        let taxes = stored["taxes"].as_object().into_iter().flatten();
        let withheld = taxes.filter(|(id, _)| !id.ends_with("/employer"));
        let withheld = withheld.map(|(id, held)| (id.clone(), held["year"].get(2).map_or(0, amount)));
        let withheld: BTreeMap<String, i64> = withheld.filter(|(_, sum)| *sum != 0).collect();
        for (what, carried, own) in [
            ("taxes", withheld, &self.taxes),
            ("garnishments", carried(&stored["garnishments"]), &self.garnishments),
        ] {
            let added = added(own);
            if carried != added {
                return Err(format!("{what} of the year: {carried:?} and {added:?}"));
            }
        }
        let benefits = || stored["benefits"].as_object().into_iter().flatten().map(|(_, sums)| sums);
        same("deductions of the year", benefits().map(|sums| number(&sums[1])).sum(), self.deducted)?;
        same("contributions of the year", benefits().map(|sums| number(&sums[2])).sum(), self.contributed)
    }

    fn met_a_cap(&self) -> bool {
        self.taxes.get("US_SS") == Some(&SOCIAL_SECURITY_MOST) || self.deferred == DEFERRED_MOST
    }

    /// Those who have orders leave the part of disposable earnings that the law leaves (15 USC 1673). It is that of a pay period,
    /// of which a payroll may be a part, so that it holds of all payrolls of the year together, after each of them.
    fn orders_leave_what_the_law_leaves(&self) -> Held {
        let most = if self.supports { SUPPORT_MOST } else { CREDITORS_MOST };
        let garnished: i64 = self.garnishments.values().sum();
        at_most("orders take of disposable earnings", garnished * 100, self.disposable * most)
    }

    /// Taxes with a wage base and deferrals with a limit end there.
    fn ends_at_its_caps(&self) -> Held {
        let social_security = self.taxes.get("US_SS").copied().unwrap_or(0);
        at_most("Social Security of the year", social_security, SOCIAL_SECURITY_MOST)?;
        at_most("deferrals of the year", self.deferred, DEFERRED_MOST)
    }
}

/// A processed payroll as the store has it: its id, its run and its pay date.
type Processed = (Uuid, Uuid, Date);

/// The books of every company: each processed payroll holds by itself, its sums are those before with its own amounts, caps
/// hold, and what was noted with benefits and garnishments is what processed payrolls took, so that nothing of one that
/// was cancelled is left. Asked where no work is due.
pub async fn books(world: &mut World) {
    for place in 0..world.base.tenants.len() {
        let company = world.base.tenants[place].id;
        let processed: Vec<Processed> = world
            .read(move |tx| {
                Ok(tx.query_rows(PROCESSED, params![company], |row| (row.get(0), row.get(1), row.get(2)))?)
            })
            .await;
        let mut years: BTreeMap<(String, i16), Year> = BTreeMap::new();
        let (mut garnished, mut items) = (BTreeSet::new(), BTreeMap::new());
        for (id, run, day) in processed {
            let path = format!(
                "/v1/companies/{company}/payrolls/{id}?include=taxes,benefits,deductions,totals&per=100"
            );
            let told = world.peek(Ask::get(path, &world.base.tenants[place].token)).await.json();
            payroll(&told).unwrap_or_else(|why| panic!("payroll {id}: {why}"));
            let stored = stored_sums(world, company, run).await;
            for one in Paycheck::all(&told) {
                let year = years.entry((one.employee.clone(), day.year())).or_default();
                year.add(&one);
                let carried = &stored[&one.employee]["years"][day.year().to_string()];
                let holds = year
                    .is_carried(carried)
                    .and_then(|()| year.ends_at_its_caps())
                    .and_then(|()| year.orders_leave_what_the_law_leaves());
                holds.unwrap_or_else(|why| panic!("{} after payroll {id}: {why}", one.employee));
                let taken = one.garnishments.iter().filter(|(_, (taken, _))| *taken > 0);
                garnished.extend(taken.map(|(order, (taken, _))| (id.to_string(), order.clone(), *taken)));
                if one.deducted + one.contributed > 0 {
                    items.insert((id.to_string(), one.employee.clone()), (one.deducted, one.contributed));
                }
            }
            world.counts.books += 1;
        }
        world.counts.capped += years.values().filter(|year| year.met_a_cap()).count() as u64;
        nothing_is_noted_but_what_was_taken(world, company, &garnished, &items).await;
    }
}

/// The sums that a run has stored, by employee: the one place here that knows how they are stored.
async fn stored_sums(world: &World, company: Uuid, run: Uuid) -> BTreeMap<String, Value> {
    let rows = world.read(move |tx| {
        let read = |row: &store::Row<'_>| (row.get::<Uuid>(0).to_string(), row.json(1).map(str::to_owned));
        Ok(tx.query_rows(STORED, params![company, run], read)?)
    });
    let read = |text: Option<String>| serde_json::from_str(&text.unwrap()).unwrap();
    rows.await.into_iter().map(|(employee, sums)| (employee, read(sums))).collect()
}

async fn nothing_is_noted_but_what_was_taken(
    world: &World,
    company: Uuid,
    garnished: &BTreeSet<(String, String, i64)>,
    items: &BTreeMap<(String, String), (i64, i64)>,
) {
    let noted = world.read(move |tx| {
        let withheld = tx.query_rows(WITHHELD, params![company], |row| {
            (row.get::<Uuid>(0).to_string(), row.get::<Uuid>(1).to_string(), row.get::<i64>(2))
        })?;
        let items = tx.query_rows(ITEMS, params![company], |row| {
            let of = (row.get::<Uuid>(0).to_string(), row.get::<Uuid>(1).to_string());
            (of, row.get::<i64>(2), row.get::<i64>(3))
        })?;
        Ok((withheld, items))
    });
    let (withheld, lines) = noted.await;
    let withheld: BTreeSet<_> = withheld.into_iter().filter(|(_, _, amount)| *amount > 0).collect();
    assert_eq!(&withheld, garnished, "what is noted with garnishments, and what payrolls took");
    let mut noted: BTreeMap<(String, String), (i64, i64)> = BTreeMap::new();
    for (of, deducted, contributed) in lines {
        let sums = noted.entry(of).or_default();
        *sums = (sums.0 + deducted, sums.1 + contributed);
    }
    noted.retain(|_, (deducted, contributed)| *deducted + *contributed > 0);
    assert_eq!(&noted, items, "what is noted with benefits, and what payrolls took and gave");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A payroll with one paycheck in which everything is right.
    fn right() -> Value {
        json!({
            "employee_compensations": [{
                "employee_uuid": "ana", "gross_pay": "1000.00", "net_pay": "597.50", "check_amount": "610.00",
                "fixed_compensations": [{ "name": "Cash Tips", "amount": "40.00" }],
                "reimbursements": [{ "amount": "12.50" }],
                "taxes": [{ "code": "US_SS", "employer": false, "amount": "62.00" },
                          { "code": "US_MEDICARE", "employer": false, "amount": "14.50" },
                          { "code": "US_SS", "employer": true, "amount": "62.00" }],
                "benefits": [{ "name": DEFERRAL, "employee_deduction": "100.00", "company_contribution": "20.00" }],
                "deductions": [{ "uuid": "order", "amount": "186.00" }],
                "payment_splits": [{ "amount": "600.00" }, { "amount": "10.00" }],
            }],
            "totals": {
                "gross_pay": "1000.00", "net_pay": "597.50", "reimbursements": "12.50", "employee_taxes": "76.50",
                "employer_taxes": "62.00", "tax_debit": "138.50", "employee_cash_tips": "40.00",
                "employee_benefits_deductions": "100.00", "benefits": "20.00", "other_deductions": "186.00",
                "net_pay_debit": "597.50", "reimbursement_debit": "12.50", "check_amount": "0.00",
                "child_support_debit": "0.00", "company_debit": "748.50",
            }
        })
    }

    #[test]
    fn a_cent_that_is_missing_is_noticed_wherever_it_is() {
        payroll(&right()).unwrap();
        let one = "/employee_compensations/0";
        let mut places: Vec<String> =
            ["gross_pay", "net_pay", "check_amount", "taxes/0/amount", "taxes/2/amount"]
                .iter()
                .chain(&[
                    "benefits/0/employee_deduction",
                    "benefits/0/company_contribution",
                    "deductions/0/amount",
                ])
                .chain(&[
                    "fixed_compensations/0/amount",
                    "reimbursements/0/amount",
                    "payment_splits/1/amount",
                ])
                .map(|place| format!("{one}/{place}"))
                .collect();
        let right = right();
        places.extend(right["totals"].as_object().unwrap().keys().map(|name| format!("/totals/{name}")));
        for place in places {
            let mut wrong = right.clone();
            let told = wrong.pointer_mut(&place).unwrap();
            let cents = amount(told) + 10_000;
            *told = Amount::from_millionths(cents).to_text(2).into();
            payroll(&wrong).expect_err(&place);
        }
    }

    #[test]
    fn orders_that_take_too_much_and_amounts_below_nothing_are_noticed() {
        let year = |taken: [i64; 2], support: bool| {
            let mut year = Year::default();
            for taken in taken {
                year.add(&Paycheck {
                    gross: 1_000_000_000,
                    garnishments: BTreeMap::from([("order".to_owned(), (taken, support))]),
                    ..Paycheck::default()
                });
            }
            year.orders_leave_what_the_law_leaves()
        };
        year([200_000_000, 300_000_000], false).unwrap();
        year([200_000_000, 300_010_000], false).unwrap_err();
        year([650_000_000, 650_000_000], true).unwrap();
        year([650_000_000, 650_010_000], true).unwrap_err();
        Paycheck { net: -10_000, ..Paycheck::default() }.nothing_is_below_nothing().unwrap_err();
    }

    #[test]
    fn sums_that_lose_a_paycheck_and_caps_that_do_not_hold_are_noticed() {
        let mut year = Year::default();
        let paychecks = Paycheck::all(&right());
        year.add(&paychecks[0]);
        year.add(&paychecks[0]);
        let stored = json!({ "gross": 2_000_000_000_i64, "net": 1_195_000_000,
                             "taxes": { "US_SS": { "year": ["2000", "2000", "124"] },
                                        "US_MEDICARE": { "year": ["2000", "2000", "29"] },
                                        "US_SS/employer": { "year": ["2000", "2000", "124"] } },
                             "garnishments": { "order": 372_000_000 },
                             "benefits": { "401k": [5, 200_000_000, 40_000_000] } });
        year.is_carried(&stored).unwrap();
        for place in [
            "/gross",
            "/net",
            "/taxes/US_MEDICARE/year/2",
            "/garnishments/order",
            "/benefits/401k/1",
            "/benefits/401k/2",
        ] {
            let mut wrong = stored.clone();
            let told = wrong.pointer_mut(place).unwrap();
            *told = match told.as_i64() {
                Some(number) => (number / 2).into(),
                None => "1".into(),
            };
            year.is_carried(&wrong).expect_err(place);
        }
        year.ends_at_its_caps().unwrap();
        year.deferred = DEFERRED_MOST + 1;
        year.ends_at_its_caps().unwrap_err();
        year.deferred = 0;
        year.taxes.insert("US_SS".to_owned(), SOCIAL_SECURITY_MOST + 1);
        year.ends_at_its_caps().unwrap_err();
    }
}
