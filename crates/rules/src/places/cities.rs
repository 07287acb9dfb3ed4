//! How much of a ZIP code lies in the taxing city that its postal addresses name: `data/places/city_zips.csv`.
//!
//! A postal city is the name of a post office. Its ZIP codes extend far beyond the limits of the city of that name.

use std::sync::LazyLock;

use super::Share;
use super::lines::Lines;

static ZIPS: LazyLock<Lines> =
    LazyLock::new(|| Lines::new(include_str!("../../../../data/places/city_zips.csv")));

/// The least and the most of a ZIP code's land that can lie in a city.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Least share.
    pub least: Share,
    /// Most share.
    pub most: Share,
    limits: Limits,
}

/// Where the addresses of a ZIP code lie that name a city.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limits {
    /// In the city.
    Inside,
    /// Outside.
    Outside,
    /// Some in the city, and some outside, or not known.
    Mixed,
}

impl Bounds {
    /// Returns the bounds of a city in a ZIP code, if they are known.
    pub fn bounds_in_zip(zip: &str, place: &str) -> Option<Self> {
        ZIPS.rest_of_lines(zip.get(..5)?).find_map(|line| {
            let columns: Vec<&str> = line.split(',').collect();
            let [known, least, most, class] = columns.as_slice() else { return None };
            let limits = match *class {
                "inside" => Limits::Inside,
                "outside" => Limits::Outside,
                _ => Limits::Mixed,
            };
            let bounds = Self { least: Share::parse(least)?, most: Share::parse(most)?, limits };
            (*known == place).then_some(bounds)
        })
    }

    /// Returns where its addresses lie. Borders are measured to about one percent of the land; a village of less land in a large ZIP code
    /// is still in it.
    pub fn limits(self) -> Limits {
        self.limits
    }

    /// Whether the address more likely lies in the city than not: the middle of the bounds.
    pub fn is_likely(self) -> bool {
        self.least.0 + self.most.0 >= Share::ALL.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(zip: &str, place: &str) -> Option<Limits> {
        Bounds::bounds_in_zip(zip, place).map(Bounds::limits)
    }

    #[test]
    fn every_line_is_of_a_place_that_taxes_and_its_bounds_are_in_order() {
        let mut counts = [0, 0, 0];
        for line in ZIPS.all_lines() {
            let (zip, rest) = line.split_once(',').unwrap();
            let place = rest.split(',').next().unwrap();
            assert!(!crate::taxes::TaxTable::built_in_local().of_place(place).is_empty(), "{line}");
            let bounds = Bounds::bounds_in_zip(zip, place).unwrap();
            assert!(bounds.least <= bounds.most && bounds.most <= Share::ALL, "{line}");
            counts[bounds.limits() as usize] += 1;
        }
        assert_eq!(counts, [41, 35, 1_080], "inside, outside, mixed, as the table's makers counted them");
    }

    #[test]
    fn a_postal_city_is_not_the_city() {
        for (zip, place) in [
            ("45458", "OH-21000"),
            ("44124", "OH-16000"),
            ("45242", "OH-15000"),
            ("48242", "MI-DETROIT"),
            ("48603", "MI-SAGINAW"),
            ("35216", "AL-BIRMINGHAM"),
            ("98188", "WA-SEATTLE"),
        ] {
            assert_eq!(limits(zip, place), Some(Limits::Outside), "{zip}");
        }
        assert_eq!(limits("07102-1234", "NJ-NEWARK"), Some(Limits::Inside));
        assert_eq!(limits("43215", "OH-18000"), Some(Limits::Mixed));
        assert_eq!(limits("43215", "OH-21000"), None);
    }
}
