//! Something to tell about earlier pay, and pay that is owed.

use std::fmt::Display;

use jiff::Timestamp;
use rules::Amount;
use rules::payroll::owed::Debt;
use uuid::Uuid;

use crate::pay::payrolls::record::texts::Text;
use crate::pay::payrolls::record::warning::Warning;

/// Something to tell about earlier pay.
pub(in crate::pay::payrolls) enum Finding {
    /// it is told as it is
    Told(Warning),
    /// it is told with what is left of it, and not any more when nothing is
    Owed(Owed),
}

/// Pay that is owed.
pub(in crate::pay::payrolls) struct Owed {
    /// what is owed
    pub(super) debt: Debt<Uuid>,
    /// when the days were first paid, or should have been: payments count from then on
    pub(super) from: Timestamp,
    /// the text, whose value `amount` is what is left
    pub(super) text: Text,
    /// its other values
    pub(super) values: Vec<(&'static str, String)>,
}

impl Owed {
    pub(super) fn to_warning(&self, left: Amount) -> Warning {
        let amount = left.to_text(2);
        let mut values: Vec<(&str, &dyn Display)> = vec![("amount", &amount)];
        values.extend(self.values.iter().map(|(name, value)| (*name, value as &dyn Display)));
        self.text.to_warning(&values)
    }
}
