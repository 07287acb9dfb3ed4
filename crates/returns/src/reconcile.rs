//! Whether the four Forms 941, Form W-3 and the books agree. A difference is explained, or it prevents the close.
//!
//! The IRS compares boxes 2, 3, 5 and 7 of Form W-3 with the Forms 941 (Instructions for Form 941, "Reconciling Forms 941 and Form
//! W-3"); the other comparisons follow from the forms.

use crate::form_941::Line941;
use crate::w2::MoneyBox;
use crate::{Form941, W3, divided};

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
    fn exactly(left: i64, right: i64, why: &str) -> Self {
        if left == right { Self::Equal } else { Self::Blocker(why.to_owned()) }
    }

    /// For taxes that were rounded on each paycheck, and once more on the sum.
    fn rounded(left: i64, right: i64, payments: u64) -> Self {
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

/// Compares a closed quarter with the books.
pub fn quarter(form: &Form941, books: &Books) -> Vec<Comparison> {
    let (total, days) = (form.amount(Line941::Total), form.days.iter().map(|one| one.cents).sum());
    let compare =
        |key, (left_name, left): (&str, i64), (right_name, right): (&str, i64), verdict| Comparison {
            key,
            left_name: left_name.to_owned(),
            left,
            right_name: right_name.to_owned(),
            right,
            verdict,
        };
    let deposits = match total - books.deposited {
        0 => Verdict::Equal,
        due if due > 0 => Verdict::Explained("the balance due is not deposited yet".to_owned()),
        _ => Verdict::Explained("the overpayment is applied to the next quarter or refunded".to_owned()),
    };
    let total_of_form = ("Form 941, line 12", total);
    vec![
        compare(
            "line_12_liability",
            total_of_form,
            ("liability of the pay dates", days),
            Verdict::exactly(total, days, "the liability of the pay dates must be line 12"),
        ),
        compare(
            "line_12_books",
            total_of_form,
            ("owed by the books", books.owed),
            Verdict::exactly(total, books.owed, "the books must owe what the form reports"),
        ),
        compare("line_12_deposits", total_of_form, ("deposits", books.deposited), deposits),
        compare(
            "line_13_deposits",
            ("Form 941, line 13", form.amount(Line941::Deposits)),
            ("deposits", books.deposited),
            Verdict::exactly(
                form.amount(Line941::Deposits),
                books.deposited,
                "line 13 must be what was deposited for the quarter",
            ),
        ),
    ]
}

/// Compares Form W-3 with the Forms 941 of its year.
pub fn reconcile(w3: &W3, forms: &[Form941]) -> Vec<Comparison> {
    let sum = |line| forms.iter().map(|form| form.amount(line)).sum::<i64>();
    let exact = [
        ("w3_box_1", "1", MoneyBox::Wages, "2", Line941::Wages),
        ("w3_box_2", "2", MoneyBox::IncomeTax, "3", Line941::IncomeTax),
        ("w3_box_3", "3", MoneyBox::SocialSecurityWages, "5a, column 1", Line941::SocialSecurityWages),
        ("w3_box_5", "5", MoneyBox::MedicareWages, "5c, column 1", Line941::MedicareWages),
        ("w3_box_7", "7", MoneyBox::SocialSecurityTips, "5b, column 1", Line941::SocialSecurityTips),
    ];
    let mut found: Vec<Comparison> = exact
        .into_iter()
        .map(|(key, of, money, number, line)| Comparison {
            key,
            left_name: format!("Form W-3, box {of}"),
            left: w3.amount(money),
            right_name: format!("Forms 941, line {number}"),
            right: sum(line),
            verdict: Verdict::exactly(
                w3.amount(money),
                sum(line),
                "Form W-3 must be the sum of the four Forms 941",
            ),
        })
        .collect();
    let payments = forms.iter().map(|form| form.payments).sum();
    let half = |lines: &[Line941]| divided(lines.iter().map(|line| i128::from(sum(*line))).sum(), 2);
    let rounded = |key, left_name: &str, left, right_name: &str, right| Comparison {
        key,
        left_name: left_name.to_owned(),
        left,
        right_name: right_name.to_owned(),
        right,
        verdict: Verdict::rounded(left, right, payments),
    };
    found.push(rounded(
        "w3_box_4",
        "Form W-3, box 4 and code A",
        w3.amount(MoneyBox::SocialSecurityTax) + w3.code("A"),
        "Forms 941, half of lines 5a and 5b, column 2",
        half(&[Line941::SocialSecurityTax, Line941::TipsTax]),
    ));
    found.push(rounded(
        "w3_box_6",
        "Form W-3, box 6 and code B",
        w3.amount(MoneyBox::MedicareTax) + w3.code("B"),
        "Forms 941, half of line 5c and line 5d, column 2",
        half(&[Line941::MedicareTax]) + sum(Line941::AdditionalTax),
    ));
    found
}
