//! Numbers of earnings, benefits and taxes in external payrolls: the public API identifies them by integers.
//!
//! Standard kinds of pay have fixed numbers. The company's own earning types are numbered by their position in the order of creation,
//! because they are never deleted. The number of a benefit is derived from its identifier, and the number of a tax from its code and payer: 48 bits of
//! SHA-256, which every JSON client represents exactly and which are unique within a company.

use rules::Named;
use rules::payroll::FixedKind;
use rules::taxes::TaxId;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::digest;

/// A standard kind of pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayType {
    /// number
    pub id: i64,
    /// name as in payrolls
    pub name: &'static str,
    /// kind of pay in the rules
    pub kind: FixedKind,
    /// whether it is entered with hours
    pub hours: bool,
}

const fn by_hour(id: i64, name: &'static str) -> PayType {
    PayType { id, name, kind: FixedKind::Wages, hours: true }
}

const fn amount_pay_type(id: i64, name: &'static str, kind: FixedKind) -> PayType {
    PayType { id, name, kind, hours: false }
}

/// The standard kinds of pay. The meaning of a number never changes.
pub const PAY_TYPES: [PayType; 13] = [
    by_hour(1, "Regular Hours"),
    by_hour(2, "Overtime"),
    by_hour(3, "Double overtime"),
    amount_pay_type(4, "Salary", FixedKind::Wages),
    amount_pay_type(5, "Bonus", FixedKind::Bonus),
    amount_pay_type(6, "Commission", FixedKind::Earnings),
    amount_pay_type(7, "Paycheck Tips", FixedKind::PaycheckTips),
    amount_pay_type(8, "Cash Tips", FixedKind::CashTips),
    amount_pay_type(9, "Correction Payment", FixedKind::Earnings),
    amount_pay_type(10, "Minimum Wage Adjustment", FixedKind::Wages),
    by_hour(11, "Vacation Hours"),
    by_hour(12, "Sick Hours"),
    by_hour(13, "Holiday Hours"),
];

/// The number of salaries, whose hours need not be entered.
pub const SALARY: i64 = 4;
/// The numbers of hours that are paid above the regular rate.
pub const OVERTIME: std::ops::RangeInclusive<i64> = 2..=3;
/// The numbers of paid time off, whose hours do not count as worked.
pub const TIME_OFF: std::ops::RangeInclusive<i64> = 11..=13;

/// Finds the standard kind of pay with a number.
pub fn pay_type(id: i64) -> Option<&'static PayType> {
    PAY_TYPES.iter().find(|one| one.id == id)
}

/// Returns the number of a company's benefit.
pub fn of_benefit(id: Uuid) -> i64 {
    stable_number(&[b"benefit", id.as_bytes()])
}

/// Returns the number of a tax.
pub fn of_tax(id: &TaxId) -> i64 {
    stable_number(&[b"tax", id.code.as_bytes(), id.payer.as_str().as_bytes()])
}

fn stable_number(parts: &[&[u8]]) -> i64 {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| digest::hash_part(&mut hash, part));
    let bytes = hash.finalize();
    bytes[..6].iter().fold(0, |number, byte| (number << 8) | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rules::taxes::{TaxBook, tax_catalog};

    use super::*;

    #[test]
    fn every_tax_has_a_unique_number_that_a_double_represents_exactly() {
        let mut seen = BTreeSet::new();
        let book = TaxBook::built_in().iter().map(|entry| entry.id.clone());
        let codes: BTreeSet<_> =
            tax_catalog().iter().map(|entry| TaxId::new(&*entry.code, entry.payer)).chain(book).collect();
        for tax in codes {
            let number = of_tax(&tax);
            assert!(seen.insert(number), "{tax} shares its number");
            assert!((0..1 << 53).contains(&number));
        }
        assert!(seen.len() > 100);
    }

    #[test]
    fn a_kind_of_pay_keeps_its_number() {
        let ids: Vec<_> = PAY_TYPES.iter().map(|one| one.id).collect();
        assert_eq!(ids, (1..=13).collect::<Vec<_>>());
        assert_eq!(pay_type(5).unwrap().name, "Bonus");
        assert_eq!(pay_type(SALARY).unwrap().name, "Salary");
        assert!(PAY_TYPES.iter().all(|one| TIME_OFF.contains(&one.id) == (one.hours && one.id > 3)));
    }
}
