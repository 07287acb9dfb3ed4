//! Sorting of lists: the parameter `sort_by`, parsed in the same way by every list.

use domain::paging::SortBy;
use rules::{Checks, Named};
use utoipa::openapi::Schema;
use utoipa::openapi::schema::{ObjectBuilder, Type};

use crate::names;
use crate::query::{Parameter, Query, parameter_violation};

/// Names separated by commas, the most significant first, each with or without `:asc` or `:desc`. `T` are the names.
#[derive(Debug, Clone)]
pub struct Sort<T>(Vec<(T, Option<Direction>)>);

names! {
    /// The direction of an order.
    Direction { Ascending = "asc", Descending = "desc" }
}

impl<T> Sort<T> {
    /// The order, ascending for names without a direction.
    pub fn ascending_order(self) -> Vec<SortBy<T>> {
        self.with_default_direction(Direction::Ascending)
    }

    /// The order, with the given direction for names without one.
    pub fn with_default_direction(self, otherwise: Direction) -> Vec<SortBy<T>> {
        let by = |(key, direction): (T, Option<Direction>)| SortBy {
            key,
            descending: direction.unwrap_or(otherwise) == Direction::Descending,
        };
        self.0.into_iter().map(by).collect()
    }
}

impl<T: Named> Parameter for Sort<T> {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let given = query.list_values(key).flat_map(|text| text.split(',')).map(str::trim);
        let mut sorts = Vec::new();
        for word in given.filter(|word| !word.is_empty()) {
            match read_sort_key(word) {
                Some(sort) => sorts.push(sort),
                None => {
                    let names = T::names().join(", ");
                    checks.push(parameter_violation(
                        key,
                        &format!("may name only {names}, each with :asc or :desc or without"),
                    ));
                }
            }
        }
        Self(sorts)
    }

    fn schema() -> Schema {
        let one = format!("({})(:(asc|desc))?", T::names().join("|"));
        ObjectBuilder::new().schema_type(Type::String).pattern(Some(format!("^{one}(,{one})*$"))).into()
    }
}

fn read_sort_key<T: Named>(word: &str) -> Option<(T, Option<Direction>)> {
    match word.split_once(':') {
        None => Some((T::parse(word)?, None)),
        Some((name, direction)) => Some((T::parse(name)?, Some(Direction::parse(direction)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    names! {
        /// The sort keys of the sample.
        Key { Name = "name", Created = "created_at" }
    }

    fn sorted(text: &str) -> Result<Vec<(Key, bool)>, usize> {
        let mut checks = Checks::new();
        let Ok(query) = Query::parse(text) else { panic!("{text} is a query") };
        let sorts = Sort::<Key>::read_parameter(&query, "sort_by", &mut checks).ascending_order();
        match checks.finish() {
            Ok(()) => Ok(sorts.into_iter().map(|one| (one.key, one.descending)).collect()),
            Err(violations) => Err(violations.len()),
        }
    }

    #[test]
    fn several_names_count_in_their_order_each_with_its_direction() {
        assert_eq!(sorted("sort_by=name"), Ok(vec![(Key::Name, false)]));
        assert_eq!(sorted("sort_by=name%3Adesc"), Ok(vec![(Key::Name, true)]));
        let both = Ok(vec![(Key::Created, true), (Key::Name, false)]);
        assert_eq!(sorted("sort_by=created_at:desc,name:asc"), both);
        assert_eq!(sorted("sort_by[]=created_at:desc&sort_by[]=name"), both);
        assert_eq!(sorted(""), Ok(Vec::new()));
    }

    #[test]
    fn another_parameter_decides_for_names_without_a_direction() {
        let Ok(query) = Query::parse("sort_by=name,created_at:asc") else { panic!("it is a query") };
        let sort = Sort::<Key>::read_parameter(&query, "sort_by", &mut Checks::new());
        let descending: Vec<bool> =
            sort.with_default_direction(Direction::Descending).iter().map(|one| one.descending).collect();
        assert_eq!(descending, [true, false]);
    }

    #[test]
    fn what_is_no_name_or_no_direction_is_refused() {
        for wrong in ["age", "name:up", "name:asc:desc", ":desc", "name desc"] {
            assert_eq!(sorted(&format!("sort_by={wrong}")), Err(1), "{wrong}");
        }
        assert_eq!(sorted("sort_by=age,name:up,name"), Err(2));
    }
}
