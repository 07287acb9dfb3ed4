//! Amounts as stored in JSON: whole millionths, which take half of the bytes of decimal text. `#[serde(with = "millionths")]`.

use std::collections::BTreeMap;

use rules::Amount;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One amount or several.
pub trait Amounts: Sized {
    /// the numbers in their place
    type Numbers: Serialize + for<'de> Deserialize<'de>;

    /// Returns the numbers to store.
    fn numbers(&self) -> Self::Numbers;

    /// Returns the amounts of stored numbers.
    fn of(numbers: Self::Numbers) -> Self;
}

impl Amounts for Amount {
    type Numbers = i64;

    fn numbers(&self) -> i64 {
        self.millionths()
    }

    fn of(number: i64) -> Self {
        Self::from_millionths(number)
    }
}

impl Amounts for Option<Amount> {
    type Numbers = Option<i64>;

    fn numbers(&self) -> Option<i64> {
        self.map(Amount::millionths)
    }

    fn of(number: Option<i64>) -> Self {
        number.map(Amount::from_millionths)
    }
}

impl Amounts for [Amount; 3] {
    type Numbers = [i64; 3];

    fn numbers(&self) -> [i64; 3] {
        self.map(Amount::millionths)
    }

    fn of(numbers: [i64; 3]) -> Self {
        numbers.map(Amount::from_millionths)
    }
}

impl<K, T> Amounts for BTreeMap<K, T>
where
    K: Clone + Ord + Serialize + for<'de> Deserialize<'de>,
    T: Amounts,
{
    type Numbers = BTreeMap<K, T::Numbers>;

    fn numbers(&self) -> Self::Numbers {
        self.iter().map(|(key, amounts)| (key.clone(), amounts.numbers())).collect()
    }

    fn of(numbers: Self::Numbers) -> Self {
        numbers.into_iter().map(|(key, number)| (key, T::of(number))).collect()
    }
}

impl Amounts for Vec<Amount> {
    type Numbers = Vec<i64>;

    fn numbers(&self) -> Vec<i64> {
        self.iter().copied().map(Amount::millionths).collect()
    }

    fn of(numbers: Vec<i64>) -> Self {
        numbers.into_iter().map(Amount::from_millionths).collect()
    }
}

pub fn serialize<T: Amounts, S: Serializer>(amounts: &T, serializer: S) -> Result<S::Ok, S::Error> {
    amounts.numbers().serialize(serializer)
}

pub fn deserialize<'de, T: Amounts, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::Numbers::deserialize(deserializer).map(T::of)
}
