//! Amounts as stored in JSON: whole millionths, which take half of the bytes of decimal text. `#[serde(with = "millionths")]`.

use std::collections::BTreeMap;

use rules::Amount;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One amount or several.
pub trait Amounts: Sized {
    /// the numbers as read
    type Numbers: for<'de> Deserialize<'de>;

    /// Writes the numbers to store.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Returns the amounts of stored numbers.
    fn of(numbers: Self::Numbers) -> Self;
}

/// Amounts within others.
struct Written<'a, T>(&'a T);

impl<T: Amounts> Serialize for Written<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

impl Amounts for Amount {
    type Numbers = i64;

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.millionths())
    }

    fn of(number: i64) -> Self {
        Self::from_millionths(number)
    }
}

impl Amounts for Option<Amount> {
    type Numbers = Option<i64>;

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.map(Amount::millionths).serialize(serializer)
    }

    fn of(number: Option<i64>) -> Self {
        number.map(Amount::from_millionths)
    }
}

impl Amounts for [Amount; 3] {
    type Numbers = [i64; 3];

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.map(Amount::millionths).serialize(serializer)
    }

    fn of(numbers: [i64; 3]) -> Self {
        numbers.map(Amount::from_millionths)
    }
}

impl<K, T> Amounts for BTreeMap<K, T>
where
    K: Ord + Serialize + for<'de> Deserialize<'de>,
    T: Amounts,
{
    type Numbers = BTreeMap<K, T::Numbers>;

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(key, amounts)| (key, Written(amounts))))
    }

    fn of(numbers: Self::Numbers) -> Self {
        numbers.into_iter().map(|(key, number)| (key, T::of(number))).collect()
    }
}

impl Amounts for Vec<Amount> {
    type Numbers = Vec<i64>;

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|amount| amount.millionths()))
    }

    fn of(numbers: Vec<i64>) -> Self {
        numbers.into_iter().map(Amount::from_millionths).collect()
    }
}

pub fn serialize<T: Amounts, S: Serializer>(amounts: &T, serializer: S) -> Result<S::Ok, S::Error> {
    amounts.write(serializer)
}

pub fn deserialize<'de, T: Amounts, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::Numbers::deserialize(deserializer).map(T::of)
}
