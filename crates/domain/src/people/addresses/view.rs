//! How addresses are told: all of an employee at once, because which one counts today depends on the others.

use jiff::civil::Date;
use rules::effective;

use super::rows::{HomeAddress, Workplace};
use super::service;
use crate::people::addresses::shapes;
use crate::records::version_text;

/// An employee's home addresses, in the order of creation.
pub fn homes(rows: Vec<HomeAddress>, today: Date) -> Vec<shapes::HomeAddress> {
    let active = effective::active(&rows, today, |row| row.effective_date).map(|row| row.id);
    let told = rows.into_iter().map(|row| shapes::HomeAddress {
        uuid: row.id,
        employee_uuid: row.employee,
        effective_date: row.effective_date.to_string(),
        courtesy_withholding: row.courtesy_withholding,
        street_1: row.street_1,
        street_2: row.street_2,
        city: row.city,
        state: row.state,
        zip: row.zip,
        country: row.country,
        active: active == Some(row.id),
        version: version_text(service::HOME, row.id, row.version),
    });
    told.collect()
}

/// An employee's work addresses, in the order of creation.
pub fn works(rows: Vec<Workplace>, today: Date) -> Vec<shapes::WorkAddress> {
    let active = effective::active(&rows, today, |row| row.address.effective_date).map(|row| row.address.id);
    let told = rows.into_iter().map(|row| shapes::WorkAddress {
        uuid: row.address.id,
        employee_uuid: row.address.employee,
        location_uuid: row.address.location,
        effective_date: row.address.effective_date.to_string(),
        active: active == Some(row.address.id),
        version: version_text(service::WORK, row.address.id, row.address.version),
        street_1: row.street_1,
        street_2: row.street_2,
        city: row.city,
        state: row.state,
        zip: row.zip,
        country: row.country,
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use uuid::Uuid;

    fn home(id: u128, effective_date: Date) -> HomeAddress {
        HomeAddress {
            id: Uuid::from_u128(id),
            employee: Uuid::from_u128(7),
            effective_date,
            street_1: "1 Main St".to_owned(),
            street_2: None,
            city: "Oakland".to_owned(),
            state: "CA".to_owned(),
            zip: "94607".to_owned(),
            country: "USA".to_owned(),
            courtesy_withholding: false,
            version: 1,
        }
    }

    #[test]
    fn the_active_home_changes_with_the_day_and_there_is_only_one() {
        let rows = vec![home(1, date(2026, 1, 1)), home(2, date(2026, 3, 1)), home(3, date(2026, 3, 1))];
        for (today, expected) in [
            (date(2025, 6, 1), [true, false, false]),
            (date(2026, 2, 28), [true, false, false]),
            (date(2026, 3, 1), [false, false, true]),
        ] {
            let told = homes(rows.clone(), today);
            assert_eq!(told.iter().map(|home| home.active).collect::<Vec<_>>(), expected, "{today}");
        }
    }
}
