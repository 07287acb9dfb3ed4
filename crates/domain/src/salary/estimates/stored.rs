//! The stored form of an estimate's basis.

use rules::Amount;
use rules::Named;
use rules::salary::{Area, AreaKind, Basis, Level, Occupation, Wage};
use serde::{Deserialize, Serialize};

/// JSON of a [`Basis`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredBasis {
    vintage: String,
    checksum: String,
    floor: u32,
    in_area: bool,
    areas: Vec<StoredArea>,
    occupations: Vec<StoredOccupation>,
}

/// Code, name and kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StoredArea(String, String, #[serde(with = "by_name")] AreaKind);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StoredOccupation {
    code: String,
    name: String,
    description: String,
    published_as: String,
    #[serde(with = "by_name")]
    level: Level,
    /// millionths
    share: i64,
    primary: bool,
    /// the five percentiles in each of the areas
    wages: Vec<Option<[Option<StoredWage>; 5]>>,
}

/// The text of a [`Wage`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct StoredWage(Wage);

impl TryFrom<String> for StoredWage {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Wage::parse(&text).map(Self).ok_or("not a wage")
    }
}

impl From<StoredWage> for String {
    fn from(wage: StoredWage) -> Self {
        wage.0.to_text()
    }
}

impl From<&Basis> for StoredBasis {
    fn from(basis: &Basis) -> Self {
        let area = |area: &Area| StoredArea(area.code.clone(), area.name.clone(), area.kind);
        Self {
            vintage: basis.vintage.clone(),
            checksum: basis.checksum.clone(),
            floor: basis.floor,
            in_area: basis.in_area,
            areas: basis.areas.iter().map(area).collect(),
            occupations: basis.occupations.iter().map(StoredOccupation::from).collect(),
        }
    }
}

impl From<StoredBasis> for Basis {
    fn from(stored: StoredBasis) -> Self {
        let area = |StoredArea(code, name, kind)| Area { code, name, kind };
        Self {
            vintage: stored.vintage,
            checksum: stored.checksum,
            floor: stored.floor,
            in_area: stored.in_area,
            areas: stored.areas.into_iter().map(area).collect(),
            occupations: stored.occupations.into_iter().map(Occupation::from).collect(),
        }
    }
}

impl From<&Occupation> for StoredOccupation {
    fn from(occupation: &Occupation) -> Self {
        Self {
            code: occupation.code.clone(),
            name: occupation.name.clone(),
            description: occupation.description.clone(),
            published_as: occupation.published_as.clone(),
            level: occupation.level,
            share: occupation.share.millionths(),
            primary: occupation.primary,
            wages: occupation.wages.iter().map(|wages| wages.map(|w| w.map(|w| w.map(StoredWage)))).collect(),
        }
    }
}

impl From<StoredOccupation> for Occupation {
    fn from(stored: StoredOccupation) -> Self {
        Self {
            code: stored.code,
            name: stored.name,
            description: stored.description,
            published_as: stored.published_as,
            level: stored.level,
            share: Amount::from_millionths(stored.share),
            primary: stored.primary,
            wages: stored.wages.into_iter().map(|wages| wages.map(|w| w.map(|w| w.map(|w| w.0)))).collect(),
        }
    }
}

/// Serializes a closed set by its names.
mod by_name {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Named;

    pub fn serialize<T: Named, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(value.as_str())
    }

    pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        let name = String::deserialize(deserializer)?;
        T::parse(&name).ok_or_else(|| D::Error::custom("not a name of this type"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORED: &str = r#"{"vintage":"2025-05","checksum":"00","floor":239200,"in_area":true,"areas":[["0041700","San Antonio","metropolitan"]],"occupations":[{"code":"15-1252","name":"Software Developers","description":"","published_as":"15-1252","level":"average","share":1000000,"primary":true,"wages":[["90000","24.51/h",null,"+",null],null]}]}"#;

    #[test]
    fn the_stored_form_of_a_basis_is_unchanged() {
        let basis = Basis::from(serde_json::from_str::<StoredBasis>(STORED).unwrap());
        assert_eq!(basis.occupations[0].level, Level::Average);
        assert_eq!(basis.occupations[0].wages[0].unwrap()[1], Some(Wage::Hourly(2_451)));
        assert_eq!(serde_json::to_string(&StoredBasis::from(&basis)).unwrap(), STORED);
    }

    #[test]
    fn values_that_cannot_be_read_are_errors() {
        for (stored, wrong) in [("average", "middling"), ("metropolitan", "county"), ("24.51/h", "much")] {
            assert!(serde_json::from_str::<StoredBasis>(&STORED.replace(stored, wrong)).is_err(), "{wrong}");
        }
    }
}
