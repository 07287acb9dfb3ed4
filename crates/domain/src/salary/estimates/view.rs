//! How an estimate is told.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rules::Named;
use rules::salary::Occupation;

use super::rows::Estimate;
use crate::salary::estimates::shapes::{EstimateOccupation, SalaryEstimate};

/// The estimate as answers show it, with moments in the company's time zone.
pub fn estimate(estimate: &Estimate, zone: &TimeZone) -> SalaryEstimate {
    SalaryEstimate {
        uuid: estimate.id,
        employee_uuid: estimate.employee,
        employee_job_uuid: estimate.job,
        annual_net_revenue: estimate.revenue.map(|revenue| revenue.to_text(2)),
        zip_code: estimate.zip_code.clone(),
        result: estimate.result.cents_half_up(),
        accepted_at: estimate.accepted_at.map(|at| moment(at, zone)),
        created_at: moment(estimate.created_at, zone),
        updated_at: moment(estimate.updated_at, zone),
        occupations: estimate.basis.occupations.iter().map(occupation).collect(),
    }
}

fn occupation(occupation: &Occupation) -> EstimateOccupation {
    EstimateOccupation {
        code: occupation.code.clone(),
        name: occupation.name.clone(),
        description: occupation.description.clone(),
        experience_level: occupation.level.as_str(),
        time_percentage: occupation.share.to_text(1),
        primary: occupation.primary,
    }
}

/// A moment with its offset, to the millisecond.
pub fn moment(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned(zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
}
