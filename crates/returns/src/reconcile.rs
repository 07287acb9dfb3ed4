//! Whether the four Forms 941 (or Form 944), Form W-3 and the books agree. A difference is explained, or it prevents the close.
//!
//! The IRS compares boxes 2, 3, 5 and 7 of Form W-3 with the Forms 941 (Instructions for Form 941, "Reconciling Forms 941 and Form
//! W-3"); the other comparisons follow from the forms.

use crate::annual::AnnualLine;
use crate::form_941::Line941;
use crate::w2::MoneyBox;
use crate::{Form941, Form944, W3, divide_half_up};

/// What was booked, deposited and posted for a quarter. Cents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Books {
    /// balance of what the books owe for the quarter, after the cents of the close were posted, without deposits
    pub owed: i64,
    /// deposits for the quarter
    pub deposited: i64,
}

/// A comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// key of what is compared, such as `w3_box_1`
    pub key: &'static str,
    /// what stands on the left, as shown
    pub left_name: String,
    /// its amount in cents
    pub left: i64,
    /// what stands on the right, as shown
    pub right_name: String,
    /// its amount in cents
    pub right: i64,
    /// whether they agree
    pub verdict: Verdict,
}

impl Comparison {
    /// Left less right.
    pub fn difference(&self) -> i64 {
        self.left - self.right
    }
}

/// Whether two figures agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// to the cent
    Equal,
    /// they differ as they may, for this reason
    Explained(String),
    /// they must not differ: the period can't be closed
    Blocker(String),
}

impl Verdict {
    fn compare_exactly(left: i64, right: i64, why: &str) -> Self {
        if left == right { Self::Equal } else { Self::Blocker(why.to_owned()) }
    }

    /// For taxes that were rounded on each paycheck, and once more on the sum.
    fn compare_rounded(left: i64, right: i64, payments: u64) -> Self {
        match left.abs_diff(right) {
            0 => Self::Equal,
            // Half a cent for each tax of a payment, and as much for the lines of four forms.
            cents if cents <= payments + 4 => Self::Explained(format!(
                "taxes are rounded on each of {payments} paychecks, and on the form once"
            )),
            _ => Self::Blocker(format!(
                "more than rounding on {payments} paychecks can come to: that is a mistake"
            )),
        }
    }
}

/// What a return says in all of the taxes of its period, in cents.
struct Totals {
    /// keys of the comparisons
    keys: [&'static str; 4],
    /// name of the return
    form: &'static str,
    /// numbers of the lines of total taxes and of deposits
    lines: [&'static str; 2],
    total: i64,
    deposits: i64,
    /// liability of the pay dates
    liability: i64,
}

/// Compares Form 941 of a quarter with the books.
pub fn compare_quarter(form: &Form941, books: &Books) -> Vec<Comparison> {
    let totals = Totals {
        keys: ["line_12_liability", "line_12_books", "line_12_deposits", "line_13_deposits"],
        form: "Form 941",
        lines: ["12", "13"],
        total: form.amount(Line941::Total),
        deposits: form.amount(Line941::Deposits),
        liability: form.days.iter().map(|one| one.cents).sum(),
    };
    with_books(&totals, books)
}

/// Compares Form 944 of a year with the books.
pub fn compare_year(form: &Form944, books: &Books) -> Vec<Comparison> {
    let totals = Totals {
        keys: ["line_9_liability", "line_9_books", "line_9_deposits", "line_10_deposits"],
        form: "Form 944",
        lines: ["9", "10"],
        total: form.amount(AnnualLine::Total),
        deposits: form.amount(AnnualLine::Deposits),
        liability: form.days.iter().map(|one| one.cents).sum(),
    };
    with_books(&totals, books)
}

fn with_books(of: &Totals, books: &Books) -> Vec<Comparison> {
    let Totals { keys, form, lines: [total_line, deposits_line], total, deposits, liability } = *of;
    let compare = |key, (left_name, left): (String, i64), (right_name, right): (&str, i64), verdict| {
        Comparison { key, left_name, left, right_name: right_name.to_owned(), right, verdict }
    };
    let due = match total - books.deposited {
        0 => Verdict::Equal,
        due if due > 0 => Verdict::Explained("the balance due is not deposited yet".to_owned()),
        _ => Verdict::Explained("the overpayment is applied to the next return or refunded".to_owned()),
    };
    let total_of_form = || (format!("{form}, line {total_line}"), total);
    vec![
        compare(
            keys[0],
            total_of_form(),
            ("liability of the pay dates", liability),
            Verdict::compare_exactly(
                total,
                liability,
                "the liability of the pay dates must be the total of the return",
            ),
        ),
        compare(
            keys[1],
            total_of_form(),
            ("owed by the books", books.owed),
            Verdict::compare_exactly(total, books.owed, "the books must owe what the form reports"),
        ),
        compare(keys[2], total_of_form(), ("deposits", books.deposited), due),
        compare(
            keys[3],
            (format!("{form}, line {deposits_line}"), deposits),
            ("deposits", books.deposited),
            Verdict::compare_exactly(
                deposits,
                books.deposited,
                "the line must be what was deposited for the period of the return",
            ),
        ),
    ]
}

/// The returns of withheld taxes of a year.
#[derive(Debug, Clone, Copy)]
pub enum Withheld<'f> {
    /// Forms 941 of its quarters
    Quarters(&'f [Form941]),
    /// Form 944
    Year(&'f Form944),
}

impl Withheld<'_> {
    fn sum(self, line: AnnualLine) -> i64 {
        match self {
            Self::Quarters(forms) => {
                let of = |form: &Form941| line.of_941().iter().map(|line| form.amount(*line)).sum::<i64>();
                forms.iter().map(of).sum()
            }
            Self::Year(form) => form.amount(line),
        }
    }

    fn payments(self) -> u64 {
        match self {
            Self::Quarters(forms) => forms.iter().map(|form| form.payments).sum(),
            Self::Year(form) => form.payments,
        }
    }

    /// The name of some lines, as shown: by their numbers on Form 941 and on Form 944.
    fn name(self, of_941: &str, of_944: &str) -> String {
        match self {
            Self::Quarters(_) => format!("Forms 941, {of_941}"),
            Self::Year(_) => format!("Form 944, {of_944}"),
        }
    }
}

/// Compares Form W-3 with the returns of withheld taxes of its year.
pub fn reconcile_w3(w3: &W3, withheld: Withheld<'_>) -> Vec<Comparison> {
    let sum = |line| withheld.sum(line);
    let exact = [
        ("w3_box_1", "1", MoneyBox::Wages, ["line 2", "line 1"], AnnualLine::Wages),
        ("w3_box_2", "2", MoneyBox::IncomeTax, ["line 3", "line 2"], AnnualLine::IncomeTax),
        (
            "w3_box_3",
            "3",
            MoneyBox::SocialSecurityWages,
            ["line 5a, column 1", "line 4a, column 1"],
            AnnualLine::SocialSecurityWages,
        ),
        (
            "w3_box_5",
            "5",
            MoneyBox::MedicareWages,
            ["line 5c, column 1", "line 4c, column 1"],
            AnnualLine::MedicareWages,
        ),
        (
            "w3_box_7",
            "7",
            MoneyBox::SocialSecurityTips,
            ["line 5b, column 1", "line 4b, column 1"],
            AnnualLine::SocialSecurityTips,
        ),
    ];
    let must = match withheld {
        Withheld::Quarters(_) => "Form W-3 must be the sum of the four Forms 941",
        Withheld::Year(_) => "Form W-3 must agree with Form 944",
    };
    let mut found: Vec<Comparison> = exact
        .into_iter()
        .map(|(key, of, money, [of_941, of_944], line)| Comparison {
            key,
            left_name: format!("Form W-3, box {of}"),
            left: w3.amount(money),
            right_name: withheld.name(of_941, of_944),
            right: sum(line),
            verdict: Verdict::compare_exactly(w3.amount(money), sum(line), must),
        })
        .collect();
    let payments = withheld.payments();
    let half =
        |lines: &[AnnualLine]| divide_half_up(lines.iter().map(|line| i128::from(sum(*line))).sum(), 2);
    let rounded = |key, left_name: &str, left, right_name, right| Comparison {
        key,
        left_name: left_name.to_owned(),
        left,
        right_name,
        right,
        verdict: Verdict::compare_rounded(left, right, payments),
    };
    found.push(rounded(
        "w3_box_4",
        "Form W-3, box 4 and code A",
        w3.amount(MoneyBox::SocialSecurityTax) + w3.code("A"),
        withheld.name("half of lines 5a and 5b, column 2", "half of lines 4a and 4b, column 2"),
        half(&[AnnualLine::SocialSecurityTax, AnnualLine::TipsTax]),
    ));
    found.push(rounded(
        "w3_box_6",
        "Form W-3, box 6 and code B",
        w3.amount(MoneyBox::MedicareTax) + w3.code("B"),
        withheld.name("half of line 5c and line 5d, column 2", "half of line 4c and line 4d, column 2"),
        half(&[AnnualLine::MedicareTax]) + sum(AnnualLine::AdditionalTax),
    ));
    found
}
