//! Figures of returns: worked examples, the year of a company by its golden table, and what holds of any company.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

mod support;

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::{Date, date};
use proptest::prelude::*;
use returns::form_940::{Form940, Line940, Sums940, Told940};
use returns::form_941::{Form941, Line941, Sums941, Told941};
use returns::form_943::{Form943, Sums943, Told943};
use returns::form_944::{Form944, Sums944, Told944};
use returns::liability::Breakdown;
use returns::payment::{Exempt, Futa, Medicare, SocialSecurity, Taxed, Uncollected};
use returns::reconcile::{self, Books, Verdict, Withheld};
use returns::w2::{MoneyBox, Person};
use returns::w2c::W3c;
use returns::{AnnualLine, Error, Form941X, Payment, Quarter, W2, W2c, W3, format_dollars};
use rules::Named as _;
use rules::deposits::Schedule;
use rules::payroll::taxes::FutaCreditReductions;
use support::{Pay, Year, quarter, taxes};

fn sums<'p>(quarter: Quarter, payments: impl IntoIterator<Item = &'p Payment>) -> Sums941 {
    let mut sums = Sums941::new(quarter);
    for payment in payments {
        sums.add_payment(payment).unwrap();
    }
    sums
}

fn annual_of<'p>(payments: impl IntoIterator<Item = &'p Payment>) -> Result<Form944, Error> {
    let mut sums = Sums944::new(2026);
    for payment in payments {
        sums.add_payment(payment).unwrap();
    }
    let told = Told944 { sick_pay: 0, research_credit: 0, deposits: 0, schedule: Schedule::Quarterly };
    Form944::new(&sums, taxes(), &told)
}

fn form(quarter: Quarter, payments: &[Payment]) -> Form941 {
    Form941::new(&sums(quarter, payments), taxes(), &Told941::default()).unwrap()
}

#[test]
fn cents_of_three_paychecks_become_line_7_and_what_is_posted() {
    let mut year = Year::default();
    for month in [1, 2, 3] {
        let pay = Pay { wages: 10_035, ..Pay::default() };
        year.pay(&month.to_string(), date(2026, month, 15), "CA", pay);
    }
    let withheld: i64 = year.payments.iter().map(Payment::employee_fica_withheld).sum();
    assert_eq!(format_dollars(withheld), "23.04");
    let form = form(quarter(1), &year.payments);
    let amounts = [
        Line941::SocialSecurityTax,
        Line941::MedicareTax,
        Line941::FractionsOfCents,
        Line941::AfterAdjustments,
        Line941::Total,
    ];
    assert_eq!(
        amounts.map(|line| format_dollars(form.amount(line))),
        ["37.33", "8.73", "0.01", "46.07", "46.07"]
    );
    assert_eq!(
        (format_dollars(form.booked), format_dollars(form.to_post)),
        ("46.08".to_owned(), "-0.01".to_owned())
    );
    assert_eq!(form.months, [1_536, 1_536, 1_535], "the cent goes to the last pay date");
    assert_eq!(form.breakdown, Breakdown::None, "less than 2,500 dollars");
    let leaves = Form941::explain_line(Line941::SocialSecurityWages, &year.payments);
    assert_eq!(leaves.len(), 3);
    assert_eq!(leaves[1].pay_date, date(2026, 2, 15));
    assert_eq!(leaves.iter().map(|leaf| leaf.cents).sum::<i64>(), 30_105);
}

#[test]
fn form_944_calculates_the_taxes_on_the_wages_of_the_year_and_breaks_them_down_by_month() {
    let mut year = Year::default();
    for month in [1, 2, 3, 7, 11] {
        let pay = Pay { wages: 10_035, ..Pay::default() };
        year.pay(&month.to_string(), date(2026, month, 15), "CA", pay);
    }
    let form = annual_of(&year.payments).unwrap();
    let amounts = [
        AnnualLine::SocialSecurityWages,
        AnnualLine::SocialSecurityTax,
        AnnualLine::MedicareTax,
        AnnualLine::SocialSecurityAndMedicare,
        AnnualLine::Adjustments,
        AnnualLine::Total,
        AnnualLine::Due,
    ];
    // 501.75 at 12.4 and 2.9 percent; 38.40 were withheld, which is 0.01 more than half of 76.77.
    let expected = ["501.75", "62.22", "14.55", "76.77", "0.02", "76.79", "76.79"];
    assert_eq!(amounts.map(|line| format_dollars(form.amount(line))), expected);
    assert_eq!(
        (format_dollars(form.booked), format_dollars(form.to_post)),
        ("76.80".to_owned(), "-0.01".to_owned())
    );
    let of_months = [1_536, 1_536, 1_536, 0, 0, 0, 1_536, 0, 0, 0, 1_535, 0];
    assert_eq!(form.months, of_months, "the cent goes to the last pay date");
    assert_eq!(form.breakdown, Breakdown::None, "less than 2,500 dollars");

    let large = Pay { wages: 10_000_000, income_tax: 3_000_000, ..Pay::default() };
    year.pay("large", date(2026, 12, 15), "CA", large);
    assert_eq!(annual_of(&year.payments).unwrap().breakdown, Breakdown::Months);
    year.pay("larger", date(2026, 12, 16), "CA", Pay { income_tax: 10_000_000, ..large });
    assert_eq!(annual_of(&year.payments).unwrap().breakdown, Breakdown::Days, "a day of 100,000 dollars");

    let mut of_another_year = year.payments[0].clone();
    of_another_year.pay_date = date(2025, 12, 31);
    let refused = Sums944::new(2026).add_payment(&of_another_year).unwrap_err();
    assert!(refused.to_string().contains("the year 2026"), "{refused}");
}

#[test]
fn form_943_has_the_lines_of_the_year_of_farmworkers_and_refuses_tips() {
    let mut year = Year::default();
    for month in 1..=6 {
        let pay = Pay { wages: 351_017, income_tax: 31_250, ..Pay::default() };
        year.pay(&format!("p-{month}"), date(2026, month, 15), "CA", pay);
    }
    let told = Told943 { employees: 1, research_credit: 0, deposits: 400_000, schedule: Schedule::Monthly };
    let mut sums = Sums943::new(2026);
    year.payments.iter().for_each(|payment| sums.add_payment(payment).unwrap());
    let form = Form943::new(&sums, taxes(), &told).unwrap();
    // 6 x 3,510.17 = 21,061.02; 12.4 and 2.9 percent of it.
    assert_eq!(form.amount(AnnualLine::SocialSecurityWages), 2_106_102);
    assert_eq!(form.amount(AnnualLine::SocialSecurityTax), 261_157);
    assert_eq!(form.amount(AnnualLine::MedicareTax), 61_077);
    assert_eq!(form.amount(AnnualLine::IncomeTax), 187_500);
    assert_eq!(form.amount(AnnualLine::BeforeAdjustments), 261_157 + 61_077 + 187_500);
    assert_eq!(form.booked + form.to_post, form.amount(AnnualLine::Total));
    assert_eq!(form.months.iter().sum::<i64>(), form.amount(AnnualLine::Total));
    assert_eq!(form.amount(AnnualLine::Due), form.amount(AnnualLine::Total) - 400_000);
    assert_eq!((form.employees, form.payments, form.lines().len()), (1, 6, 15));
    for line in [AnnualLine::SocialSecurityWages, AnnualLine::MedicareWages, AnnualLine::IncomeTax] {
        let leaves = Form943::explain_line(line, &year.payments);
        assert_eq!(leaves.iter().map(|leaf| leaf.cents).sum::<i64>(), form.amount(line), "{line:?}");
    }
    // The same year as Form 944, whose lines have other numbers.
    let annual = annual_of(&year.payments).unwrap();
    assert_eq!(annual.amount(AnnualLine::Total), form.amount(AnnualLine::Total));

    year.pay("p-7", date(2026, 7, 15), "CA", Pay { wages: 100_000, tips: 5_000, ..Pay::default() });
    sums.add_payment(&year.payments[6]).unwrap();
    let refused = Form943::new(&sums, taxes(), &told).unwrap_err().to_string();
    assert!(refused.contains("no line for tips, and 50.00"), "{refused}");
}

#[test]
fn a_payment_of_another_quarter_is_refused_with_its_date() {
    let payment = Payment { paycheck: "p-1".to_owned(), pay_date: date(2027, 1, 1), ..Payment::default() };
    let refused = Sums941::new(quarter(4)).add_payment(&payment).unwrap_err().to_string();
    assert_eq!(refused, "pay date 2027-01-01 of paycheck p-1 does not lie in the quarter 2026-Q4");
}

#[test]
fn a_tax_that_is_wrong_by_more_than_rounding_is_refused() {
    let mut year = Year::default();
    year.pay("p", date(2026, 3, 6), "CA", Pay { wages: 500_000, ..Pay::default() }).medicare.employee += 40;
    let refused = Form941::new(&sums(quarter(1), &year.payments), taxes(), &Told941::default());
    assert!(matches!(refused, Err(Error::NotRounding { cents: 40, payments: 1, .. })), "{refused:?}");
    year.payments[0].medicare.employee -= 40;
    year.payments[0].medicare.employer += 40;
    let refused = Form941::new(&sums(quarter(1), &year.payments), taxes(), &Told941::default());
    assert!(matches!(refused, Err(Error::NotRounding { cents: -40, .. })), "{refused:?}");
}

#[test]
fn taxes_on_tips_that_were_not_collected_come_off_on_line_9_and_not_on_line_7() {
    let mut year = Year::default();
    let one = year.pay("p", date(2026, 3, 6), "OR", Pay { wages: 1_000, tips: 100_000, ..Pay::default() });
    one.social_security.employee -= 6_000;
    one.uncollected = Uncollected { social_security: 6_000, medicare: 0 };
    let form = form(quarter(1), &year.payments);
    assert_eq!(form.amount(Line941::Uncollected), -6_000);
    assert!(form.amount(Line941::FractionsOfCents).abs() <= 1);
    assert_eq!(form.amount(Line941::Total), form.booked + form.to_post);
}

#[test]
fn a_day_of_a_hundred_thousand_dollars_makes_a_schedule_b_of_any_depositor() {
    let mut year = Year::default();
    let pay = Pay { wages: 20_000_000, income_tax: 7_500_000, ..Pay::default() };
    year.pay("p", date(2026, 3, 6), "WA", pay);
    let told = Told941 { schedule: rules::deposits::Schedule::Monthly, ..Told941::default() };
    let breakdown =
        |payments: &[Payment]| Form941::new(&sums(quarter(1), payments), taxes(), &told).unwrap().breakdown;
    assert_eq!(breakdown(&year.payments), Breakdown::Days);
    year.payments[0].federal_income.tax = 1_000_000;
    assert_eq!(breakdown(&year.payments), Breakdown::Months);
}

/// The golden table: amounts in cents by form, period or person, and line.
struct Golden(BTreeMap<(String, String, String), i64>);

impl Golden {
    fn read() -> Self {
        let text = include_str!("golden/juniper_2026.csv");
        let rows = text.lines().skip(1).map(|line| {
            let [form, of, line, amount] = line.split(',').collect::<Vec<_>>().try_into().unwrap();
            // Two of the checks are given to a tenth of a cent.
            let millionths = rules::Amount::parse(amount).unwrap().millionths();
            ((form.to_owned(), of.to_owned(), line.to_owned()), millionths / 10_000)
        });
        Self(rows.collect())
    }

    fn get(&self, form: &str, of: &str, line: &str) -> Option<i64> {
        self.0.get(&(form.to_owned(), of.to_owned(), line.to_owned())).copied()
    }

    fn cents(&self, form: &str, of: &str, line: &str) -> i64 {
        self.get(form, of, line).unwrap_or_else(|| panic!("{form} {of} {line}"))
    }

    /// Form 941 of a quarter from the sums of its paychecks, with the taxes of each month in the payment of that month.
    fn form_941(&self, number: i8, withheld: i64) -> Form941 {
        let of = format!("2026 Q{number}");
        let cents = |line: &str| self.cents("941", &of, line);
        let first = number * 3 - 2;
        let mut pools = [cents("3"), withheld, cents("booked tax") - cents("3") - withheld];
        let mut sums = Sums941::new(quarter(number));
        for month in first..first + 3 {
            let mut owed = cents(&format!("16 month {month:02}"));
            if month == first + 2 {
                owed -= cents("posted at close");
            }
            let [income, employee, employer] = [0, 1, 2].map(|pool: usize| {
                let taken = owed.min(pools[pool]);
                owed -= taken;
                pools[pool] -= taken;
                taken
            });
            let is_first = i64::from(month == first);
            let pay_date = date(2026, month, 15);
            sums.add_payment(&Payment {
                pay_date,
                federal_income: Taxed { wages: is_first * cents("2"), tax: income },
                social_security: SocialSecurity {
                    wages: is_first * cents("5a col 1"),
                    tips: is_first * cents("5b col 1"),
                    employee,
                    employer,
                },
                medicare: Medicare { wages: is_first * cents("5c col 1"), ..Medicare::default() },
                ..Payment::default()
            })
            .unwrap();
            for _ in 1..cents("1") / 100 {
                sums.add_payment(&Payment { pay_date, ..Payment::default() }).unwrap();
            }
        }
        assert_eq!(pools, [0; 3]);
        let employees = u32::try_from(cents("1") / 100).unwrap();
        let told = Told941 { employees, deposits: cents("12"), ..Told941::default() };
        Form941::new(&sums, taxes(), &told).unwrap()
    }

    fn forms_941(&self) -> Vec<Form941> {
        // Withheld from employees in each quarter: Social Security and Medicare. Together boxes 4 and 6 of Form W-3.
        let withheld = [650_755, 765_865, 653_366, 764_032];
        (1..).zip(withheld).map(|(number, withheld)| self.form_941(number, withheld)).collect()
    }

    fn people(&self) -> Vec<String> {
        let mut people: Vec<String> =
            self.0.keys().filter(|(form, ..)| form == "W-2").map(|(_, person, _)| person.clone()).collect();
        people.dedup();
        people
    }

    fn w2(&self, person: &str) -> W2 {
        let cents = |line: &str| self.get("W-2", person, line).unwrap_or_default();
        let codes = ["D", "DD"].map(|code| (code.to_owned(), cents(&format!("12 {code}"))));
        let payment = Payment {
            paycheck: "year".to_owned(),
            pay_date: date(2026, 12, 31),
            federal_income: Taxed { wages: cents("1"), tax: cents("2") },
            social_security: SocialSecurity {
                wages: cents("3"),
                tips: cents("7"),
                employee: cents("4"),
                employer: 0,
            },
            medicare: Medicare { wages: cents("5"), employee: cents("6"), employer: 0 },
            tips: cents("12 TP"),
            box_12: codes.into(),
            ..Payment::default()
        };
        let occupations = [("102".to_owned())].into();
        let one = Person { id: person.to_owned(), tipped_occupations: occupations, ..Person::default() };
        W2::new(2026, one, &[payment]).unwrap()
    }
}

#[test]
fn the_four_quarters_of_a_company_are_those_of_its_golden_table() {
    let golden = Golden::read();
    let columns = |line: &str| match line {
        "5a1" | "5b1" | "5c1" | "5d1" | "5a2" | "5b2" | "5c2" | "5d2" => {
            format!("{} col {}", &line[..2], &line[2..])
        }
        line => line.to_owned(),
    };
    for (number, form) in (1..).zip(golden.forms_941()) {
        let of = format!("2026 Q{number}");
        let mut compared = 0;
        for line in form.lines() {
            if let Some(expected) = golden.get("941", &of, &columns(line.number)) {
                assert_eq!(format_dollars(line.cents), format_dollars(expected), "{of} line {}", line.number);
                compared += 1;
            }
        }
        assert_eq!(compared, 14, "lines of the table");
        assert_eq!(form.to_post, golden.cents("941", &of, "posted at close"), "{of}");
        assert_eq!(form.booked, golden.cents("941", &of, "booked tax"), "{of}");
        let first = number * 3 - 2;
        let months =
            [0, 1, 2].map(|after| golden.cents("941", &of, &format!("16 month {:02}", first + after)));
        assert_eq!(form.months, months, "{of}");
        assert_eq!(form.amount(Line941::Due), 0);
        assert_eq!(form.breakdown, Breakdown::Days);
        let total = form.amount(Line941::Total);
        let books = Books { owed: form.booked + form.to_post, deposited: total };
        assert!(reconcile::compare_quarter(&form, &books).iter().all(|one| one.verdict == Verdict::Equal));
    }
}

#[test]
fn form_w_3_of_that_company_is_the_sum_of_its_forms_941() {
    let golden = Golden::read();
    let mut w3 = W3::new(2026);
    for person in golden.people() {
        w3.add_form(&golden.w2(&person)).unwrap();
    }
    assert_eq!(w3.forms, 5);
    for money in [
        MoneyBox::Wages,
        MoneyBox::IncomeTax,
        MoneyBox::SocialSecurityWages,
        MoneyBox::SocialSecurityTax,
        MoneyBox::MedicareWages,
        MoneyBox::MedicareTax,
        MoneyBox::SocialSecurityTips,
    ] {
        let of = money.as_str().trim_start_matches("box_");
        assert_eq!(w3.amount(money), golden.cents("W-3", "2026", of), "box {of}");
    }
    assert_eq!(w3.deferred_compensation(), 850_800, "the deferrals under code D");
    let forms = golden.forms_941();
    let found = reconcile::reconcile_w3(&w3, Withheld::Quarters(&forms));
    for one in &found[..5] {
        assert_eq!((one.verdict.clone(), one.difference()), (Verdict::Equal, 0), "{}", one.key);
    }
    let differences: Vec<(&str, i64)> = found[5..].iter().map(|one| (one.key, one.difference())).collect();
    // Half a cent of the first one is rounded.
    assert_eq!(differences, [("w3_box_4", 3), ("w3_box_6", 8)]);
    assert!(found[5..].iter().all(|one| matches!(one.verdict, Verdict::Explained(_))));

    let mut forms = forms;
    forms.pop();
    let found = reconcile::reconcile_w3(&w3, Withheld::Quarters(&forms));
    assert!(matches!(found[0].verdict, Verdict::Blocker(_)), "a quarter is missing");
}

#[test]
fn form_940_of_that_company_is_that_of_its_golden_table_and_not_closed_without_credit_reductions() {
    let golden = Golden::read();
    let mut sums = Sums940::new(2026);
    let contributions =
        [("Elena Marchetti", 100_000), ("Hannah Lindgren", 239_288), ("Marcus Boyd", 250_000)];
    for (person, state) in golden.people().iter().zip(["CA", "OR", "CO", "WA", "CA"]) {
        let cafeteria = golden.get("W-2", person, "12 DD").unwrap_or_default();
        let retirement = contributions.iter().find(|(name, _)| name == person).map_or(0, |(_, cents)| *cents);
        let exempt = [(Exempt::FringeBenefits, cafeteria), (Exempt::Retirement, retirement)];
        let payment = Payment {
            paycheck: person.clone(),
            pay_date: date(2026, 3, 20),
            futa: Futa {
                subject: golden.cents("W-2", person, "5"),
                exempt: exempt.into(),
                by_state: [(state.to_owned(), 700_000)].into(),
                without_state: 0,
                tax: 4_200,
            },
            ..Payment::default()
        };
        sums.add_payments(person, &[payment], taxes()).unwrap();
    }
    let reductions = FutaCreditReductions::built_in();
    let form = Form940::new(&sums, taxes(), reductions, &Told940::default()).unwrap();
    for (line, name) in [
        (Line940::Payments, "3"),
        (Line940::Exempt, "4"),
        (Line940::AboveBase, "5"),
        (Line940::Subtotal, "6"),
        (Line940::Taxable, "7"),
        (Line940::BeforeAdjustments, "8"),
        (Line940::Total, "12 without credit reduction"),
        (Line940::First, "16 Q1"),
        (Line940::Fourth, "16 Q4"),
    ] {
        assert_eq!(form.amount(line), golden.cents("940", "2026", name), "line {name}");
    }
    assert!(!form.is_closed, "the credit reductions of 2026 are not in the table");
    assert!(form.uneven.is_empty() && !form.reports_quarters());
    assert_eq!(form.states_of_unemployment().into_iter().collect::<Vec<_>>(), ["CA", "CO", "OR", "WA"]);

    let text = "state,year,percent,source,confidence\nCA,2026,1.5,announced,primary\n";
    let announced = FutaCreditReductions::parse(text).unwrap();
    let form = Form940::new(&sums, taxes(), &announced, &Told940::default()).unwrap();
    assert!(form.is_closed);
    assert_eq!(form.amount(Line940::CreditReduction), 21_000, "1.5 percent of 14,000 dollars in California");
    assert_eq!(form.amount(Line940::Fourth), 21_000, "the reduction is owed for the fourth quarter");
    assert_eq!(form.amount(Line940::Liability), form.amount(Line940::Total));
}

#[test]
fn wages_that_are_not_the_first_of_the_year_are_named() {
    let mut year = Year::default();
    year.pay("p", date(2026, 2, 6), "CA", Pay { wages: 800_000, ..Pay::default() });
    year.payments[0].futa.by_state = [("CA".to_owned(), 600_000)].into();
    year.payments[0].futa.tax = 3_600;
    let mut sums = Sums940::new(2026);
    sums.add_payments("Ana Ruiz", &year.payments, taxes()).unwrap();
    let form = Form940::new(&sums, taxes(), FutaCreditReductions::built_in(), &Told940::default()).unwrap();
    assert_eq!(form.uneven.len(), 1);
    assert_eq!((form.uneven[0].taxable, form.uneven[0].expected), (600_000, 700_000));
}

#[test]
fn a_person_with_three_states_and_five_codes_gets_two_papers_with_federal_boxes_once() {
    let mut year = Year::default();
    for (month, state) in (1..).zip(["CA", "OR", "WA"]) {
        year.pay(state, date(2026, month, 9), state, Pay { wages: 100_000, ..Pay::default() });
    }
    let codes = ["D", "DD", "W", "AA", "BB"].map(|code| (code.to_owned(), 100));
    year.payments[0].box_12 = codes.into();
    let form = W2::new(2026, Person::default(), &year.payments).unwrap();
    let papers = form.paper_forms();
    assert_eq!(papers.len(), 2);
    assert_eq!([papers[0].has_federal_boxes, papers[1].has_federal_boxes], [true, false]);
    assert_eq!([papers[0].states.len(), papers[1].states.len()], [2, 1]);
    assert_eq!([papers[0].box_12.len(), papers[1].box_12.len()], [4, 1]);
    assert_eq!(W2::explain_box(MoneyBox::Wages, &year.payments).len(), 3);
}

#[test]
fn tips_need_an_occupation_and_stay_in_the_wages() {
    let mut year = Year::default();
    year.pay("p", date(2026, 5, 8), "OR", Pay { wages: 4_706, tips: 54_000, ..Pay::default() });
    let person = Person { tipped_occupations: ["102".to_owned()].into(), ..Person::default() };
    let form = W2::new(2026, person, &year.payments).unwrap();
    assert_eq!(form.code("TP"), 54_000);
    assert_eq!(form.occupations, ["102"]);
    let boxes = [MoneyBox::SocialSecurityWages, MoneyBox::SocialSecurityTips, MoneyBox::Wages];
    assert_eq!(boxes.map(|one| form.amount(one)), [4_706, 54_000, 58_706]);
}

#[test]
fn tips_fill_the_wage_base_in_the_order_of_payment() {
    let mut year = Year::default();
    let base = taxes().social_security_base.cents_half_up();
    year.pay("1", date(2026, 1, 9), "NV", Pay { wages: 100_000, tips: 9_000_000, ..Pay::default() });
    year.pay("2", date(2026, 6, 5), "NV", Pay { wages: 10_000_000, tips: 50_000, ..Pay::default() });
    let form = W2::new(2026, Person::default(), &year.payments).unwrap();
    let [wages, tips] =
        [MoneyBox::SocialSecurityWages, MoneyBox::SocialSecurityTips].map(|one| form.amount(one));
    assert_eq!(wages + tips, base);
    assert_eq!(tips, 9_000_000, "tips that were reported first stay tips");
}

/// A payment of a random company.
#[derive(Debug, Clone)]
struct Paid {
    days: i16,
    pay: Pay,
    state: &'static str,
    is_reversed: bool,
}

/// What a random employee has beside wages: shares of them, in percent, for a retirement plan, a Roth plan and a health savings account;
/// group-term life insurance and health insurance of a shareholder; the day of death, if there is one.
fn employee() -> impl Strategy<Value = Vec<Paid>> {
    let has = |most: i64| prop_oneof![2 => Just(0), 1 => 0..most];
    let shares = (has(8), has(8), has(5_000), has(60_000));
    let death = prop_oneof![4 => Just(i16::MAX), 1 => 30..330_i16];
    // A gap of some months is a rehire: one form, one wage base.
    let gap = prop_oneof![3 => Just(0..0_i16), 1 => (60..120_i16).prop_map(|from| from..from + 90)];
    let payments = prop::collection::vec(paid(), 0..12);
    (payments, shares, death, gap).prop_map(|(mut payments, (roth, hsa, life, health), death, gap)| {
        payments.retain(|one| !gap.contains(&one.days));
        for one in &mut payments {
            one.pay.roth = one.pay.wages * roth / 100;
            one.pay.hsa = one.pay.wages * hsa / 100;
            (one.pay.life, one.pay.health) = (life, health);
            one.pay.after_death = one.days > death;
        }
        payments
    })
}

fn paid() -> impl Strategy<Value = Paid> {
    let wages = prop_oneof![3 => 0..1_000_000_i64, 1 => 0..15_000_000_i64];
    let amounts = (wages, prop_oneof![2 => Just(0), 1 => 0..300_000_i64], 0..40_i64, 0..30_i64);
    let state = prop_oneof![Just("CA"), Just("OR"), Just("WA")];
    (0..360_i16, amounts, state, prop::bool::weighted(0.1)).prop_map(|(days, amounts, state, is_reversed)| {
        let (wages, tips, deferred, withheld) = amounts;
        let (deferral, income_tax) = (wages * deferred / 100, (wages + tips) * withheld / 100);
        Paid { days, pay: Pay { wages, tips, deferral, income_tax, ..Pay::default() }, state, is_reversed }
    })
}

fn year_of(mut paid: Vec<Paid>) -> Year {
    paid.sort_by_key(|one| one.days);
    let mut year = Year::default();
    for (number, one) in (1..).zip(&paid) {
        let day: Date = date(2026, 1, 1).saturating_add(i64::from(one.days).days());
        year.pay(&format!("p-{number}"), day, one.state, one.pay);
        if one.is_reversed {
            year.reverse_last(day.saturating_add(5.days()).min(date(2026, 12, 31)));
        }
    }
    year.payments.sort_by_key(|payment| payment.pay_date);
    year
}

proptest! {
    #[test]
    fn the_forms_of_any_company_agree(people in prop::collection::vec(employee(), 1..6)) {
        let years: Vec<Year> = people.into_iter().map(year_of).collect();
        let mut w3 = W3::new(2026);
        let mut annual = Sums940::new(2026);
        for (number, year) in (1..).zip(&years) {
            let form = W2::new(2026, Person::default(), &year.payments).unwrap();
            let capped = form.amount(MoneyBox::SocialSecurityWages) + form.amount(MoneyBox::SocialSecurityTips);
            prop_assert!(capped <= taxes().social_security_base.cents_half_up());
            prop_assert!(form.amount(MoneyBox::MedicareWages) >= capped);
            w3.add_form(&form).unwrap();
            annual.add_payments(&format!("person {number}"), &year.payments, taxes()).unwrap();
        }
        let mut forms = Vec::new();
        for quarter in Quarter::of_year(2026) {
            let all: Vec<&Payment> = years.iter().flat_map(|year| &year.payments)
                .filter(|payment| Quarter::containing_day(payment.pay_date) == quarter).collect();
            let form = match Form941::new(&sums(quarter, all.iter().copied()), taxes(), &Told941::default()) {
                Ok(form) => form,
                // A reversal of a payment of the quarter before can leave a quarter below zero.
                Err(Error::Negative { cents, .. }) => {
                    let booked: i64 = all.iter().map(|payment| payment.tax_liability()).sum();
                    prop_assert!(cents < 0 && booked < 10, "{cents} {booked}");
                    return Ok(());
                }
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            };
            let of_days: i64 = form.days.iter().map(|one| one.cents).sum();
            prop_assert_eq!(of_days, form.amount(Line941::Total));
            prop_assert_eq!(form.months.iter().sum::<i64>(), form.amount(Line941::Total));
            prop_assert_eq!(form.booked + form.to_post, form.amount(Line941::Total));
            prop_assert!(form.days.iter().all(|one| one.cents > 0));
            for line in Line941::SUMS {
                let leaves = Form941::explain_line(line, all.iter().copied());
                prop_assert_eq!(leaves.iter().map(|leaf| leaf.cents).sum::<i64>(), form.amount(line));
            }
            forms.push(form);
        }
        for one in reconcile::reconcile_w3(&w3, Withheld::Quarters(&forms)) {
            prop_assert!(!matches!(one.verdict, Verdict::Blocker(_)), "{:?}", one);
        }
        let payments = years.iter().flat_map(|year| &year.payments);
        let of_year = annual_of(payments).unwrap();
        for line in [AnnualLine::Wages, AnnualLine::IncomeTax, AnnualLine::SocialSecurityWages, AnnualLine::MedicareWages] {
            let of_quarters: i64 = forms.iter().map(|form| form.amount(line.of_941()[0])).sum();
            prop_assert_eq!(of_year.amount(line), of_quarters);
        }
        prop_assert_eq!(of_year.booked + of_year.to_post, of_year.amount(AnnualLine::Total));
        prop_assert_eq!(of_year.months.iter().sum::<i64>(), of_year.amount(AnnualLine::Total));
        let books = Books { owed: of_year.amount(AnnualLine::Total), deposited: 0 };
        let found = reconcile::reconcile_w3(&w3, Withheld::Year(&of_year)).into_iter();
        for one in found.chain(reconcile::compare_year(&of_year, &books)) {
            prop_assert!(!matches!(one.verdict, Verdict::Blocker(_)), "{:?}", one);
        }
        let annual = Form940::new(&annual, taxes(), FutaCreditReductions::built_in(), &Told940::default()).unwrap();
        let [payments, subtotal, taxable] =
            [Line940::Payments, Line940::Subtotal, Line940::Taxable].map(|line| annual.amount(line));
        prop_assert_eq!(payments - subtotal, taxable);
        prop_assert_eq!(annual.amount(Line940::Liability), annual.amount(Line940::Total));
        let of_states: i64 = annual.states.iter().map(|one| one.wages).sum();
        prop_assert_eq!(of_states, taxable);
    }

    #[test]
    fn a_correction_in_a_closed_quarter_leads_from_what_was_filed_to_what_is_right(
        people in prop::collection::vec(employee(), 1..4), which in any::<prop::sample::Index>()
    ) {
        let years: Vec<Year> = people.into_iter().map(year_of).collect();
        let all: Vec<(usize, usize)> = years.iter().enumerate()
            .flat_map(|(person, year)| (0..year.payments.len()).map(move |place| (person, place))).collect();
        prop_assume!(!all.is_empty());
        let (person, place) = all[which.index(all.len())];
        let wrong = years[person].payments[place].clone();
        let mut right = years.clone();
        right[person].payments.push(wrong.reversal_on("correction", wrong.pay_date));
        let closed = Quarter::containing_day(wrong.pay_date);
        let of_quarter = |years: &[Year]| {
            let payments = years.iter().flat_map(|year| &year.payments);
            let within: Vec<&Payment> = payments.filter(|one| Quarter::containing_day(one.pay_date) == closed).collect();
            Form941::new(&sums(closed, within), taxes(), &Told941::default())
        };
        // A quarter below zero can't be reported.
        let (Ok(filed), Ok(today)) = (of_quarter(&years), of_quarter(&right)) else { return Ok(()) };
        let amended = Form941X::new(|line| filed.amount(line), &today, taxes());
        let difference = today.amount(Line941::Total) - filed.amount(Line941::Total);
        prop_assert!(amended.total_due().abs_diff(difference) <= 3, "{} {difference}", amended.total_due());
        // Forms W-2c and 941-X correct the same: Form W-3c less Form W-3 is column 3.
        let statement = |year: &Year| W2::new(2026, Person::default(), &year.payments).unwrap();
        let form = W2c { reported: statement(&years[person]), corrected: statement(&right[person]) };
        for (of, line) in [
            (MoneyBox::Wages, "6"), (MoneyBox::IncomeTax, "7"), (MoneyBox::SocialSecurityWages, "8"),
            (MoneyBox::SocialSecurityTips, "11"), (MoneyBox::MedicareWages, "12"),
        ] {
            let of_941x = amended.lines.iter().find(|one| one.line == line).unwrap().difference();
            prop_assert_eq!(form.corrected.amount(of) - form.reported.amount(of), of_941x, "line {}", line);
        }
        let mut sums = W3c::default();
        sums.add_form(&form).unwrap();
        for change in form.changes().iter().filter(|one| one.number == "1") {
            prop_assert!(sums.boxes().any(|one| one == ("1", change.reported, change.corrected)));
        }
    }

    #[test]
    fn a_year_that_is_reversed_payment_by_payment_reports_nothing(paid in prop::collection::vec(paid(), 1..8)) {
        let mut payments = year_of(paid).payments;
        let reversals: Vec<Payment> =
            payments.iter().map(|payment| payment.reversal_on("reversal", payment.pay_date)).collect();
        payments.extend(reversals);
        let form = W2::new(2026, Person::default(), &payments).unwrap();
        prop_assert!(!form.is_needed());
        for quarter in Quarter::of_year(2026) {
            let all = payments.iter().filter(|payment| Quarter::containing_day(payment.pay_date) == quarter);
            let form = Form941::new(&sums(quarter, all), taxes(), &Told941::default()).unwrap();
            prop_assert!(form.lines().iter().all(|line| line.cents == 0) && form.days.is_empty());
        }
    }
}

#[test]
fn form_941_x_has_the_tax_on_each_difference_and_the_next_one_begins_where_it_ended() {
    let mut year = Year::default();
    for day in [9, 16, 23] {
        let pay = Pay { wages: 10_035, tips: 1_000, income_tax: 500, ..Pay::default() };
        year.pay(&format!("p-{day}"), date(2026, 1, day), "OR", pay);
    }
    let filed = form(quarter(1), &year.payments);
    year.reverse_last(date(2026, 1, 23));
    let today = form(quarter(1), &year.payments);
    let amended = Form941X::new(|line| filed.amount(line), &today, taxes());
    let of = |number: &str| amended.lines.iter().find(|one| one.line == number).unwrap();
    assert_eq!((of("6").difference(), of("6").tax), (-11_035, None));
    assert_eq!((of("7").difference(), of("7").tax), (-500, Some(-500)));
    // 12.4 percent of 100.35 and of 10.00, and 2.9 percent of 110.35.
    assert_eq!((of("8").difference(), of("8").tax), (-10_035, Some(-1_244)));
    assert_eq!((of("11").difference(), of("11").tax), (-1_000, Some(-124)));
    assert_eq!((of("12").difference(), of("12").tax), (-11_035, Some(-320)));
    let total = today.amount(Line941::Total) - filed.amount(Line941::Total);
    assert!(amended.total_due().abs_diff(total) <= 3, "{} {total}", amended.total_due());
    assert!(amended.changed_lines().all(|one| one.corrected != one.reported));
    let next =
        Form941X::new(|line| amended.corrected_amount(line).unwrap_or(filed.amount(line)), &today, taxes());
    assert_eq!((next.changed_lines().count(), next.total_due()), (0, 0));
}

#[test]
fn form_w_2c_names_the_boxes_that_differ_and_form_w_3c_adds_up_both_columns() {
    let mut year = Year::default();
    let pay = Pay { wages: 200_000, deferral: 10_000, income_tax: 9_000, ..Pay::default() };
    year.pay("p-1", date(2026, 3, 6), "OR", pay);
    year.pay("p-2", date(2026, 3, 20), "OR", pay);
    let person = Person {
        first_name: "Ana".to_owned(),
        last_name: "Silva".to_owned(),
        ssn: Some("412345679".to_owned()),
        ..Person::default()
    };
    let reported = W2::new(2026, person.clone(), &year.payments).unwrap();
    let same = W2c { reported: reported.clone(), corrected: reported.clone() };
    assert!(!same.is_needed());
    year.reverse_last(date(2026, 3, 20));
    let corrected = W2::new(2026, person.clone(), &year.payments).unwrap();
    let form = W2c { reported: reported.clone(), corrected };
    let changes = form.changes();
    let told: Vec<_> = changes.iter().map(|one| (one.number.as_str(), one.reported, one.corrected)).collect();
    assert_eq!(told[0], ("1", 380_000, 190_000));
    assert!(
        told.contains(&("12 D", 20_000, 10_000)) && told.contains(&("16 OR", 380_000, 190_000)),
        "{told:?}"
    );
    assert!(!told.iter().any(|(number, ..)| *number == "7"), "a box without a change is left out: {told:?}");
    let mut sums = W3c::default();
    sums.add_form(&form).unwrap();
    sums.add_form(&form).unwrap();
    assert_eq!(sums.forms, 2);
    assert!(sums.boxes().any(|one| one == ("1", 760_000, 380_000)));
    // A name alone, and an address alone.
    let mut renamed = reported.clone();
    renamed.person.last_name = "Silva-Lund".to_owned();
    let form = W2c { reported: reported.clone(), corrected: renamed };
    assert!(form.is_needed() && form.corrects_identity() && form.changes().is_empty());
    let mut moved = reported.clone();
    moved.person.address.city = "Salem".to_owned();
    assert!(!W2c { reported, corrected: moved }.is_needed());
}
