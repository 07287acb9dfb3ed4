//! Lines of the returns that are filed once a year, Forms 943 and 944: those of Form 941 under other numbers, calculated on the wages of the
//! whole year. Each form says which of them it has, and under which number.

use std::collections::BTreeMap;

use strum::VariantArray;

use crate::form_941::Line941;
use crate::line::Line;
use crate::table::LineRow;

/// A line with an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray)]
pub enum AnnualLine {
    /// wages, tips and other compensation
    Wages,
    /// federal income tax withheld
    IncomeTax,
    /// taxable Social Security wages
    SocialSecurityWages,
    /// tax on them
    SocialSecurityTax,
    /// taxable Social Security tips
    SocialSecurityTips,
    /// tax on them
    TipsTax,
    /// taxable Medicare wages and tips
    MedicareWages,
    /// tax on them
    MedicareTax,
    /// wages and tips subject to Additional Medicare tax
    AdditionalWages,
    /// Additional Medicare tax
    AdditionalTax,
    /// total Social Security and Medicare taxes
    SocialSecurityAndMedicare,
    /// total before adjustments
    BeforeAdjustments,
    /// adjustments: fractions of cents, sick pay, tips and group-term life insurance
    Adjustments,
    /// total after adjustments
    AfterAdjustments,
    /// credit for research
    ResearchCredit,
    /// total taxes
    Total,
    /// deposits
    Deposits,
    /// balance due
    Due,
    /// overpayment
    Overpaid,
}

impl AnnualLine {
    /// The lines of Form 941 of which it is the sum.
    pub fn of_941(self) -> &'static [Line941] {
        match self {
            Self::Wages => &[Line941::Wages],
            Self::IncomeTax => &[Line941::IncomeTax],
            Self::SocialSecurityWages => &[Line941::SocialSecurityWages],
            Self::SocialSecurityTax => &[Line941::SocialSecurityTax],
            Self::SocialSecurityTips => &[Line941::SocialSecurityTips],
            Self::TipsTax => &[Line941::TipsTax],
            Self::MedicareWages => &[Line941::MedicareWages],
            Self::MedicareTax => &[Line941::MedicareTax],
            Self::AdditionalWages => &[Line941::AdditionalWages],
            Self::AdditionalTax => &[Line941::AdditionalTax],
            Self::SocialSecurityAndMedicare => &[Line941::SocialSecurityAndMedicare],
            Self::BeforeAdjustments => &[Line941::BeforeAdjustments],
            Self::Adjustments => &[Line941::FractionsOfCents, Line941::SickPay, Line941::Uncollected],
            Self::AfterAdjustments => &[Line941::AfterAdjustments],
            Self::ResearchCredit => &[Line941::ResearchCredit],
            Self::Total => &[Line941::Total],
            Self::Deposits => &[Line941::Deposits],
            Self::Due => &[Line941::Due],
            Self::Overpaid => &[Line941::Overpaid],
        }
    }

    /// Returns the lines from which the line is calculated; empty for sums over payments, and for what is told.
    pub fn made_of(self) -> &'static [Self] {
        match self {
            Self::SocialSecurityTax => &[Self::SocialSecurityWages],
            Self::TipsTax => &[Self::SocialSecurityTips],
            Self::MedicareTax => &[Self::MedicareWages],
            Self::AdditionalTax => &[Self::AdditionalWages],
            Self::SocialSecurityAndMedicare => {
                &[Self::SocialSecurityTax, Self::TipsTax, Self::MedicareTax, Self::AdditionalTax]
            }
            Self::BeforeAdjustments => &[Self::IncomeTax, Self::SocialSecurityAndMedicare],
            Self::AfterAdjustments => &[Self::BeforeAdjustments, Self::Adjustments],
            Self::Total => &[Self::AfterAdjustments, Self::ResearchCredit],
            Self::Due | Self::Overpaid => &[Self::Total, Self::Deposits],
            _ => &[],
        }
    }
}

/// A line as a form has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbered {
    pub line: AnnualLine,
    /// number on the form; a column follows it: `4a1`
    pub number: &'static str,
}

/// Declares a line as a form has it.
pub(crate) const fn numbered_line(number: &'static str, line: AnnualLine) -> Numbered {
    Numbered { line, number }
}

/// Returns the amount of a line; zero if the form does not have it.
pub(crate) fn line_amount(of_form: &[Numbered], lines: &BTreeMap<Line941, i64>, line: AnnualLine) -> i64 {
    if of_form.iter().all(|one| one.line != line) {
        return 0;
    }
    line.of_941().iter().filter_map(|line| lines.get(line)).sum()
}

/// Returns the lines of a form with amounts and titles.
pub(crate) fn form_lines(
    of_form: &'static [Numbered],
    titles: &[LineRow],
    amounts: &BTreeMap<Line941, i64>,
) -> Vec<Line> {
    let line = |one: &Numbered| {
        let made_of = made_of(of_form, one.line);
        Line::with_title(titles, one.number, line_amount(of_form, amounts, one.line), made_of)
    };
    of_form.iter().map(line).collect()
}

/// Returns the numbers of the lines from which a line is calculated. A line that the form does not have is replaced by what it is made of.
fn made_of(of_form: &'static [Numbered], line: AnnualLine) -> Vec<&'static str> {
    let number_of = |line: AnnualLine| of_form.iter().find(|one| one.line == line).map(|one| one.number);
    let parts = line.made_of().iter().flat_map(|part| match number_of(*part) {
        Some(number) => vec![number],
        None => made_of(of_form, *part),
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_form_941_but_that_of_unreported_tips_is_in_one_line() {
        for of_941 in Line941::VARIANTS {
            let count = AnnualLine::VARIANTS.iter().filter(|line| line.of_941().contains(of_941)).count();
            assert_eq!(count, usize::from(*of_941 != Line941::UnreportedTips), "{of_941:?}");
        }
    }
}
