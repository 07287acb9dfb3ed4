//! A payroll and employees for tests: fixed samples, and random ones from a seed.

use jiff::ToSpan;
use jiff::civil::{Date, date};

use super::*;
use crate::Named;
use crate::amount::Amount;
use crate::compensation::{FlsaStatus, PayTerms, PaymentUnit};
use crate::days::Days;
use crate::payment::{Split, SplitBy};
use crate::payroll::benefits::{Benefit, BenefitType, Contribution, Limits};
use crate::payroll::garnishment::{
    ChildSupport, EarlierPay, Garnishment, GarnishmentLaw, GarnishmentType, IncomeWithholdingOrder,
    MinimumWages, SupportLimits, WithheldToDate,
};
use crate::payroll::taxes::PayrollTaxes;
use crate::window::{BASELINE, Window};
use crate::withholding::federal::{FederalTables, FilingStatus, PayFrequency, W4};
use crate::withholding::state::StateTables;
use crate::withholding::state::formula::Formulas;

pub const START: Date = date(2026, 6, 1);
pub const END: Date = date(2026, 6, 14);

/// Frequencies for which every state in the sample publishes a formula.
const EVERYWHERE: [PayFrequency; 5] = [
    PayFrequency::EveryWeek,
    PayFrequency::EveryOtherWeek,
    PayFrequency::TwicePerMonth,
    PayFrequency::Monthly,
    PayFrequency::Annually,
];

pub fn parse_amount(text: &str) -> Amount {
    Amount::parse(text).unwrap()
}

/// Returns a biweekly payroll of 14 days.
pub fn biweekly_payroll() -> Payroll<'static> {
    Payroll {
        start: START,
        end: END,
        check_date: date(2026, 6, 19),
        frequency: PayFrequency::EveryOtherWeek,
        withholding_period: PayFrequency::EveryOtherWeek,
        fixed_withholding_rate: false,
        skip_regular_deductions: false,
        pays_salaries: true,
        proration: Proration::Whole,
        federal: FederalTables::built_in(2026).unwrap(),
        taxes: PayrollTaxes::built_in(2026).unwrap(),
        benefit_limits: Limits::built_in(),
    }
}

pub fn single_w4() -> W4 {
    W4::with_filing_status(FilingStatus::Single)
}

/// Returns an employee with this hourly rate and these hours, in a state without a tax on wages.
pub fn by_the_hour(rate: &str, hours: &str) -> Employee<'static, u32> {
    let terms = PayTerms { rate: parse_amount(rate), unit: PaymentUnit::Hour, flsa: FlsaStatus::Nonexempt };
    let worked = Worked {
        from: START,
        until: END,
        regular: parse_amount(hours),
        overtime: Amount::ZERO,
        double_overtime: Amount::ZERO,
    };
    let job = Job {
        hired: date(2020, 1, 1),
        left: None,
        away: None,
        away_again: Vec::new(),
        compensations: vec![Compensation { effective: date(2020, 1, 1), terms, floors: Vec::new() }],
        worked: vec![worked],
        by_week: Vec::new(),
        paid_before: Vec::new(),
        later: Vec::new(),
        agreed_overtime_rate: false,
        fluctuating_workweek: false,
        time_off: Vec::new(),
    };
    Employee {
        jobs: vec![job],
        fixed: Vec::new(),
        reimbursements: Vec::new(),
        w4: single_w4(),
        nonresident_alien: false,
        fica_exemption: None,
        charitable_employer: false,
        after_death: None,
        states: vec![StateIncomeTax::of_one(StateTax::NoTax { state: "TX".to_owned() })],
        benefits: Vec::new(),
        benefits_to_date: Vec::new(),
        birth_date: Some(date(1980, 2, 3)),
        annual_salary: None,
        two_percent_shareholder: false,
        roth_catch_up: false,
        garnishments: Vec::new(),
        support_limits: SupportLimits::built_in().limits_of_state("TX", jiff::civil::date(2026, 6, 1)),
        garnishment_law: GarnishmentLaw::built_in(
            "CA",
            date(2026, 6, 1),
            MinimumWages {
                state: Some(parse_amount("16.90")),
                ..MinimumWages::of_country(parse_amount("7.25"))
            },
        ),
        earlier: EarlierPay::default(),
        other_taxes: OtherTaxes::default(),
        year_to_date: YearToDate::default(),
        payment: None,
        overtime: Overtime::federal_law(),
    }
}

/// Returns a benefit of a type with this deduction, in dollars or percent.
pub fn sample_benefit(record: u32, code: i64, deduction: &str, as_percentage: bool) -> Benefit<u32> {
    Benefit {
        company_benefit: record,
        record,
        name: format!("Benefit {code}"),
        kind: BenefitType::find_by_code(code).unwrap(),
        window: Window { effective: BASELINE, expiration: None },
        terms: benefits::BenefitElection {
            deduction: parse_amount(deduction),
            deduct_as_percentage: as_percentage,
            contribution: Contribution::Amount(parse_amount("10")),
            ..benefits::BenefitElection::default()
        },
        active: true,
        company_active: true,
        excluded: benefits::Exclusions::default(),
        missed: None,
        recovers: false,
    }
}

/// Returns a support order for half of disposable earnings, at most this many dollars every other week.
pub fn support_order(most: &str) -> garnishment::GarnishmentTerms {
    garnishment::GarnishmentTerms {
        active: true,
        court_ordered: true,
        garnishment_type: Some(GarnishmentType::ChildSupport),
        amount: parse_amount("50"),
        deduct_as_percentage: true,
        pay_period_maximum: Some(parse_amount(most)),
        annual_maximum: None,
        total_amount: None,
        times: None,
        recurring: true,
        child_support: Some(ChildSupport {
            payment_period: PayFrequency::EveryOtherWeek,
            order: IncomeWithholdingOrder::default(),
        }),
        served_on: None,
        ends_on: None,
        tax_levy: None,
        bankruptcy_chapter: None,
        employer_fee: false,
    }
}

pub fn other_terms(kind: Option<GarnishmentType>, dollars: &str) -> garnishment::GarnishmentTerms {
    garnishment::GarnishmentTerms {
        garnishment_type: kind,
        court_ordered: kind.is_some(),
        amount: parse_amount(dollars),
        deduct_as_percentage: false,
        pay_period_maximum: None,
        child_support: None,
        ..support_order("0")
    }
}

pub fn ordered_garnishment(id: u32, terms: &garnishment::GarnishmentTerms) -> Garnishment<u32> {
    Garnishment { id, since: date(2024, 1, 1), terms: terms.clone(), withheld: WithheldToDate::default() }
}

/// Pseudorandom numbers, the same for the same seed (SplitMix64).
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn cents(&mut self, limit: u64) -> Amount {
        Amount::from_cents(i64::try_from(self.below(limit)).unwrap())
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }

    fn day(&mut self, from: Date, days: u64) -> Date {
        from.saturating_add(i64::try_from(self.below(days)).unwrap().days())
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }

    pub fn payroll(&mut self) -> Payroll<'static> {
        Payroll {
            withholding_period: self.pick(&EVERYWHERE),
            fixed_withholding_rate: self.one_in(8),
            skip_regular_deductions: self.one_in(10),
            pays_salaries: !self.one_in(10),
            proration: self.pick(&[
                Proration::Whole,
                Proration::Whole,
                Proration::PartOf(30),
                Proration::LeadingUp,
            ]),
            ..biweekly_payroll()
        }
    }

    fn w4(&mut self) -> W4 {
        let extra = if self.one_in(5) { self.cents(30_000) } else { Amount::ZERO };
        if self.one_in(4) {
            let filing_status = self.pick(FilingStatus::ALL);
            let allowances = i64::try_from(self.below(5)).unwrap();
            return W4::Pre2020 { filing_status, allowances, additional_withholding: extra };
        }
        W4::Rev2020 {
            filing_status: self.pick(&FilingStatus::REV_2020),
            two_jobs: self.one_in(3),
            dependents_amount: if self.one_in(2) { self.cents(500_000) } else { Amount::ZERO },
            other_income: if self.one_in(6) { self.cents(3_000_000) } else { Amount::ZERO },
            deductions: if self.one_in(6) { self.cents(3_000_000) } else { Amount::ZERO },
            extra_withholding: extra,
        }
    }

    fn compensation(&mut self, effective: Date) -> Compensation {
        let unit = self.pick(&[
            PaymentUnit::Hour,
            PaymentUnit::Hour,
            PaymentUnit::Hour,
            PaymentUnit::Year,
            PaymentUnit::Week,
            PaymentUnit::Month,
            PaymentUnit::Paycheck,
        ]);
        let rate = match unit {
            PaymentUnit::Hour => self.cents(15_000),
            PaymentUnit::Year => self.cents(60_000_000),
            _ => self.cents(2_000_000),
        };
        let mut floors = Vec::new();
        if unit == PaymentUnit::Hour && self.one_in(2) {
            let (minimum_wage, tip_credit) = (parse_amount("7.25"), parse_amount("5.12"));
            floors.push(Floor { from: date(2009, 7, 24), minimum_wage, tip_credit, tips_from: Amount::ZERO });
            if self.one_in(3) {
                let from = self.day(START, 14);
                floors.push(Floor {
                    from,
                    minimum_wage: parse_amount("12.30"),
                    tip_credit: parse_amount("3.02"),
                    tips_from: Amount::ZERO,
                });
            }
        }
        Compensation { effective, terms: PayTerms { rate, unit, flsa: FlsaStatus::Nonexempt }, floors }
    }

    fn job(&mut self) -> Job {
        let mut compensations = vec![self.compensation(date(2020, 1, 1))];
        if self.one_in(4) {
            let day = self.day(START, 14);
            compensations.push(self.compensation(day));
        }
        let mut worked = |from, until, hours: u64| Worked {
            from,
            until,
            regular: self.cents(hours * 100),
            overtime: if self.one_in(3) { self.cents(2_000) } else { Amount::ZERO },
            double_overtime: if self.one_in(8) { self.cents(800) } else { Amount::ZERO },
        };
        let worked = if compensations.len() == 1 {
            vec![worked(START, END, 90)]
        } else {
            vec![worked(START, date(2026, 6, 7), 45), worked(date(2026, 6, 8), END, 45)]
        };
        let hired = if self.one_in(20) { self.day(START, 20) } else { date(2020, 1, 1) };
        let left = self.one_in(20).then(|| self.day(hired.max(START), 14));
        let off = TimeOff::new(self.cents(1_600), Amount::ZERO);
        let time_off = if self.one_in(3) { vec![off] } else { Vec::new() };
        Job {
            hired,
            left,
            away: None,
            away_again: Vec::new(),
            compensations,
            worked,
            by_week: Vec::new(),
            paid_before: Vec::new(),
            later: Vec::new(),
            agreed_overtime_rate: false,
            fluctuating_workweek: false,
            time_off,
        }
    }

    fn fixed(&mut self, jobs: u64) -> Vec<FixedPay> {
        use FixedKind::{Bonus, CashTips, Earnings, MinimumWageAdjustment, PaycheckTips};
        let count = self.below(4);
        let mut line = || {
            let kind = self.pick(&[PaycheckTips, CashTips, Earnings, Bonus, MinimumWageAdjustment]);
            let job = usize::try_from(self.below(jobs)).unwrap();
            FixedPay::new(kind, job, self.cents(80_000))
        };
        (0..count).map(|_| line()).collect()
    }

    fn benefits(&mut self) -> Vec<Benefit<u32>> {
        let codes = [1, 5, 6, 7, 8, 14, 100, 105, 107, 108, 113, 993, 996, 1000];
        (0..u32::try_from(self.below(4)).unwrap())
            .map(|record| {
                let as_percentage = self.one_in(3);
                let most = if as_percentage { 3_000 } else { 60_000 };
                let deduction = self.cents(most).to_text(2);
                sample_benefit(record, self.pick(&codes), &deduction, as_percentage)
            })
            .collect()
    }

    /// Returns a random state for the sample payroll, without a certificate.
    fn state_by_formula(&mut self) -> StateTax<'static> {
        let code = self.pick(&["AL", "AR", "AZ", "CA", "CT", "GA", "IA", "MA", "NY", "OR", "PA", "RI", "WI"]);
        let day = biweekly_payroll().check_date;
        let formula = Formulas::built_in()
            .find_formula(code, day, Days { first: day, last: day }, PayFrequency::EveryOtherWeek)
            .unwrap();
        let certificate = StateTables::built_in().get(code).unwrap();
        let claims = formula.resolve_claims(certificate, |_| None, None).unwrap();
        StateTax::Formula { formula, claims, of_bonuses: None }
    }

    /// Returns a random employee within the limits of the interface's validation.
    pub fn employee(&mut self, garnishments: &[garnishment::GarnishmentTerms]) -> Employee<'static, u32> {
        let jobs: Vec<Job> = (0..=self.below(3).saturating_sub(1)).map(|_| self.job()).collect();
        let fixed = self.fixed(jobs.len() as u64);
        let earlier = if self.one_in(5) { self.cents(30_000_000) } else { self.cents(3_000_000) };
        let taxes = PayrollTaxes::built_in(2026).unwrap();
        let year_to_date = YearToDate {
            social_security_wages: earlier.min(taxes.social_security_base),
            medicare_wages: earlier,
            futa_wages: earlier.min(taxes.futa_base),
            supplemental_wages: if self.one_in(20) { self.cents(150_000_000) } else { Amount::ZERO },
            ..YearToDate::default()
        };
        let mut orders = Vec::new();
        for (id, terms) in (0..).zip(garnishments) {
            if self.one_in(6) {
                orders.push(ordered_garnishment(id, terms));
            }
        }
        let state = match self.below(4) {
            0 if self.one_in(2) => StateTax::Supplied { state: "CA".to_owned(), amount: self.cents(20_000) },
            1 => StateTax::Missing { state: "SC".to_owned(), reason: "a test says so".to_owned() },
            2 => StateTax::NoTax { state: "TX".to_owned() },
            _ => self.state_by_formula(),
        };
        let splits = vec![
            Split { account: 0, priority: 1, amount: Some(i64::try_from(self.below(101)).unwrap()) },
            Split { account: 1, priority: 2, amount: None },
        ];
        Employee {
            jobs,
            fixed,
            reimbursements: if self.one_in(5) { vec![self.cents(30_000)] } else { Vec::new() },
            w4: self.w4(),
            states: vec![StateIncomeTax::of_one(state)],
            benefits: self.benefits(),
            nonresident_alien: self.one_in(30),
            fica_exemption: self.one_in(30).then(|| self.pick(FicaExemption::ALL)),
            charitable_employer: false,
            two_percent_shareholder: self.one_in(10),
            roth_catch_up: false,
            annual_salary: Some(parse_amount("52000")),
            garnishments: orders,
            year_to_date,
            payment: self.one_in(2).then_some(Payment { by: SplitBy::Amount, splits }),
            ..by_the_hour("1", "0")
        }
    }
}

/// Returns one garnishment of each kind.
pub fn every_garnishment() -> Vec<garnishment::GarnishmentTerms> {
    let kinds = GarnishmentType::ALL.iter().copied().filter(|kind| *kind != GarnishmentType::ChildSupport);
    let others = kinds.map(|kind| other_terms(Some(kind), "123.45"));
    [support_order("400"), support_order("250.55"), other_terms(None, "35")]
        .into_iter()
        .chain(others)
        .collect()
}
