//! Pay that the company's retirement plans exclude, by lines of a paycheck.

use std::collections::HashMap;

use jiff::civil::Date;
use rules::payroll::benefits::Exclusions;
use store::Tx;
use uuid::Uuid;

use crate::benefits::rows::company;
use crate::benefits::service::exclusions::kinds_of;
use crate::error::Error;
use crate::pay::earning_types::service::standard_id;
use crate::pay::payrolls::facts::member::MemberFacts;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;

/// The earning types that the company's benefits exclude, by benefit.
pub(in crate::pay::payrolls) struct Excluded(HashMap<Uuid, Vec<Uuid>>);

impl Excluded {
    /// Reads the excluded earning types.
    pub(in crate::pay::payrolls) fn read_excluded_earnings(
        tx: &mut Tx<'_>,
        company: Uuid,
    ) -> Result<Self, Error> {
        let found = company::benefits_with_exclusions(tx, company)?.into_iter();
        Ok(Self(found.map(|one| (one.id, one.excluded_earnings.unwrap_or_default())).collect()))
    }

    /// Sets the pay that each benefit of a paycheck excludes. The lines are those of jobs that have begun by the end of the pay period,
    /// in the order in which the inputs hold them.
    pub(in crate::pay::payrolls) fn add_excluded_pay(
        &self,
        inputs: &mut PaycheckInputs,
        member: &MemberFacts<'_>,
        end: Date,
    ) {
        if self.0.is_empty() {
            return;
        }
        let begun = |id: Uuid| member.pay.jobs.iter().any(|job| job.id == id && job.hire_date <= end);
        let fixed = member.entered.fixed.iter().filter(|line| begun(line.job));
        let fixed = fixed.map(|line| standard_id(line.kind.as_str()));
        let custom =
            member.entered.custom.iter().filter(|line| begun(line.job)).map(|line| line.earning_type);
        let lines: Vec<Uuid> = fixed.chain(custom).collect();
        for benefit in &mut inputs.benefits {
            let Some(excluded) = self.0.get(&benefit.company_benefit) else { continue };
            let places = lines.iter().enumerate().filter(|(_, line)| excluded.contains(line));
            benefit.excluded =
                Exclusions { kinds: kinds_of(excluded), lines: places.map(|(place, _)| place).collect() };
        }
    }
}
