//! Paychecks for the tests of returns, with taxes as they are calculated on each.

#![allow(dead_code, reason = "each test file uses a part")]

pub mod files;

use jiff::civil::Date;
use returns::payment::{Exempt, Futa, Imputed, Medicare, SocialSecurity, StateTaxed, Taxed};
use returns::{Payment, Quarter};
use rules::Amount;
use rules::payroll::taxes::PayrollTaxes;

pub fn taxes() -> &'static PayrollTaxes {
    PayrollTaxes::built_in(2026).unwrap()
}

pub fn quarter(number: i8) -> Quarter {
    Quarter::new(2026, number).unwrap()
}

/// So many percent of cents, rounded half up.
pub fn percent(cents: i64, percent: Amount) -> i64 {
    let millionths = i128::from(cents) * i128::from(percent.millionths());
    i64::try_from((millionths + 50_000_000).div_euclid(100_000_000)).unwrap()
}

/// What a person is paid.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pay {
    pub wages: i64,
    pub tips: i64,
    pub deferral: i64,
    pub income_tax: i64,
    /// Roth contributions, which stay in every wage
    pub roth: i64,
    /// contributions to a health savings account of a cafeteria plan, which lower every wage
    pub hsa: i64,
    /// taxable group-term life insurance
    pub life: i64,
    /// health insurance of a more-than-2 % shareholder, which is income alone
    pub health: i64,
    /// wages after the death of the employee in the same year, which are no income of the employee
    pub after_death: bool,
}

/// A person's year so far.
#[derive(Debug, Clone, Default)]
pub struct Year {
    pub payments: Vec<Payment>,
}

impl Year {
    fn sum(&self, of: fn(&Payment) -> i64) -> i64 {
        self.payments.iter().map(of).sum()
    }

    /// Pays, as a paycheck calculates it: wages fill the wage base before tips.
    pub fn pay(&mut self, paycheck: &str, pay_date: Date, state: &str, pay: Pay) -> &mut Payment {
        let taxes = taxes();
        let wages_subject = pay.wages - pay.hsa + pay.life;
        let all = wages_subject + pay.tips;
        let taxed = self.sum(|one| one.social_security.wages + one.social_security.tips);
        let room = (taxes.social_security_base.cents_half_up() - taxed).max(0);
        let wages = wages_subject.min(room);
        let tips = pay.tips.min(room - wages);
        let of_social_security = percent(wages + tips, taxes.social_security);
        let of_medicare = percent(all, taxes.medicare);
        let before = self.sum(|one| one.medicare.wages);
        let threshold = taxes.additional_medicare_threshold.cents_half_up();
        let above = (before + all - threshold).max(0) - (before - threshold).max(0);
        let futa_before = self.sum(Payment::futa_wages);
        let futa = all.min((taxes.futa_base.cents_half_up() - futa_before).max(0));
        let (income, income_tax) = match pay.after_death {
            true => (0, 0),
            false => (all - pay.deferral + pay.health, pay.income_tax),
        };
        self.payments.push(Payment {
            paycheck: paycheck.to_owned(),
            pay_date,
            federal_income: Taxed { wages: income, tax: income_tax },
            social_security: SocialSecurity {
                wages,
                tips,
                employee: of_social_security,
                employer: of_social_security,
            },
            medicare: Medicare { wages: all, employee: of_medicare, employer: of_medicare },
            additional_medicare: Taxed { wages: above, tax: percent(above, taxes.additional_medicare) },
            futa: Futa {
                subject: all,
                exempt: [
                    (Exempt::Retirement, pay.deferral / 2),
                    (Exempt::FringeBenefits, pay.hsa + pay.health),
                    (Exempt::GroupTermLife, pay.life),
                ]
                .into(),
                by_state: [(state.to_owned(), futa)].into(),
                without_state: 0,
                tax: percent(futa, taxes.futa),
            },
            states: vec![StateTaxed {
                state: state.to_owned(),
                taxed: Taxed { wages: income, tax: income_tax / 2 },
            }],
            tips: pay.tips,
            box_12: [("D", pay.deferral), ("AA", pay.roth), ("W", pay.hsa)]
                .into_iter()
                .filter(|(_, cents)| *cents != 0)
                .map(|(code, cents)| (code.to_owned(), cents))
                .collect(),
            imputed: [(Imputed::GroupTermLife, pay.life), (Imputed::ShareholderHealth, pay.health)]
                .into_iter()
                .filter(|(_, cents)| *cents != 0)
                .collect(),
            ..Payment::default()
        });
        self.payments.last_mut().unwrap()
    }

    /// Reverses the last payment.
    pub fn reverse_last(&mut self, pay_date: Date) {
        let reversal = self.payments.last().map(|last| last.reversal_on("reversal", pay_date));
        self.payments.extend(reversal);
    }
}
