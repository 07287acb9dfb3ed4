//! Ranges of days.

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Days from one to another, both included. As JSON it is a list of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Days {
    /// First day.
    pub first: Date,
    /// Last day; before the first if there are no days.
    pub last: Date,
}

impl Days {
    /// Whether a day is one of them.
    pub fn contains(self, day: Date) -> bool {
        (self.first..=self.last).contains(&day)
    }
}

impl Serialize for Days {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.first, self.last).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Days {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (first, last) = Deserialize::deserialize(deserializer)?;
        Ok(Self { first, last })
    }
}
