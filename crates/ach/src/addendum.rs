//! Payment information of tax deposits: the TXP segment, which EFTPS and the states' tax agencies read from an addendum.

use jiff::civil::Date;

use crate::Error;
use crate::entry::ADDENDUM;

/// A tax deposit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxDeposit {
    /// the agency's identification of the taxpayer, at most 15 digits or letters
    pub taxpayer: String,
    /// code of the tax, at most 5 digits, such as 94105 for a deposit of Form 941
    pub tax: String,
    /// the tax period, by the day that the agency wants: EFTPS the first of its last month, others its last day
    pub period: Date,
    /// type and cents of up to three amounts
    pub amounts: Vec<(String, u64)>,
}

impl TaxDeposit {
    /// The segment, such as `TXP*123456789*94105*260601*1*50000\`.
    ///
    /// # Errors
    /// A value is blank or contains a character other than a letter or a digit, or there are no amounts or more than three.
    pub fn write_segment(&self) -> Result<String, Error> {
        check_element("taxpayer", &self.taxpayer, 15)?;
        check_element("tax", &self.tax, 5)?;
        if !(1..=3).contains(&self.amounts.len()) {
            return Err(Error::invalid_field("amounts", "must be one to three"));
        }
        let day = self.period;
        let mut text = format!(
            "TXP*{}*{}*{:02}{:02}{:02}",
            self.taxpayer,
            self.tax,
            day.year().rem_euclid(100),
            day.month(),
            day.day()
        );
        for (kind, cents) in &self.amounts {
            check_element("amount type", kind, 5)?;
            text.push_str(&format!("*{kind}*{cents}"));
        }
        text.push('\\');
        if text.len() > ADDENDUM {
            return Err(Error::invalid_field("addendum", format!("must have at most {ADDENDUM} characters")));
        }
        Ok(text)
    }
}

fn check_element(field: &'static str, text: &str, most: usize) -> Result<(), Error> {
    let fits = (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric());
    if fits {
        Ok(())
    } else {
        Err(Error::invalid_field(field, format!("must have 1 to {most} letters or digits")))
    }
}
