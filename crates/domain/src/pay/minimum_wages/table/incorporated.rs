//! The cities of counties whose minimum wage applies to unincorporated areas only.

use std::sync::LazyLock;

use rules::city;
use rules::withholding::csv_rows;
use serde::Deserialize;

/// A row of `incorporated_cities.csv`.
#[derive(Deserialize)]
struct City {
    county_fips: String,
    city: String,
}

static CITIES: LazyLock<Vec<City>> = LazyLock::new(|| {
    csv_rows(include_str!("../../../../../../data/incorporated_cities.csv"))
        .unwrap_or_else(|error| panic!("incorporated_cities.csv is not a table: {error}"))
});

/// Whether a county has a city of the name.
pub(super) fn is_city(county: &str, name: &str) -> bool {
    CITIES.iter().any(|row| row.county_fips == county && city::is_same(&row.city, name))
}

#[cfg(test)]
mod tests {
    use super::super::Table;
    use super::*;

    #[test]
    fn every_county_with_a_wage_for_its_unincorporated_areas_has_its_cities() {
        for row in Table::built_in().rows.iter().filter(|row| row.region == "unincorporated") {
            assert!(CITIES.iter().any(|city| city.county_fips == row.county), "{}", row.county);
        }
        assert!(is_city("06037", "BEVERLY HILLS") && is_city("06037", "La Ca\u{f1}ada Flintridge"));
        assert!(!is_city("06037", "Altadena") && !is_city("06081", "Beverly Hills"));
    }
}
