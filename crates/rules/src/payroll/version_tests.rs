//! The version of the rules identifies their figures.

use super::sample::{Chance, every_garnishment};
use super::*;
use crate::explain::NoTrace;
use crate::taxes::Situation;

/// The version of the rules, and a digest of the figures that they produce.
const FIGURES: (u32, u64) = (14, 1_016_299_337_120_349_198);

/// FNV-1a: the same on every machine and by every compiler.
fn digest(text: &str, before: u64) -> u64 {
    text.bytes().fold(before, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn a_change_of_figures_raises_the_version_of_the_rules() {
    let (terms, mut chance, mut figures) = (every_garnishment(), Chance(1789), 0xcbf2_9ce4_8422_2325);
    for _ in 0..5_000 {
        let payroll = chance.payroll();
        let paycheck = calculate_paycheck(&mut NoTrace, &payroll, &chance.employee(&terms)).unwrap();
        let Paycheck { gross, net, check_amount, .. } = paycheck;
        let benefits =
            paycheck.benefits.iter().map(|line| (line.employee_deduction, line.company_contribution));
        let taken = paycheck.garnishments.iter().map(|line| line.amount);
        let lines: Vec<_> = paycheck
            .tax_lines(&Situation::default())
            .into_iter()
            .map(|tax| tax.amount)
            .chain(taken)
            .collect();
        let all = (gross, net, check_amount, benefits.collect::<Vec<_>>(), lines);
        figures = digest(&format!("{all:?}"), figures);
    }
    assert_eq!(
        (crate::VERSION, figures),
        FIGURES,
        "the figures of paychecks have changed: raise rules::VERSION by one, say in CHANGELOG.md what is other, and put \
         both here. A sample that draws others for tests alone needs no new version"
    );
}
