//! The minimum wage adjustment of a compensation: whether it is wanted, whether it may be, and by which minimum wages.
//!
//! It goes with hourly pay only, and not in a state that lets tips cover no part of the minimum wage. The minimum wages
//! are chosen among those of the place where the employee works. What is stored is the rule with the figure that it had
//! when it was chosen; payrolls follow the rule.

use jiff::civil::Date;
use rules::Named;
use rules::compensation::PaymentUnit;
use rules::{Checks, Violation};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::field::{Field, as_is};
use crate::pay::compensations::shapes::{ChosenMinimumWage, ChosenWage};
use crate::pay::minimum_wages;
use crate::pay::minimum_wages::table;
use crate::records::id_of;

const FLAG: &str = "adjust_for_minimum_wage";
const CHOSEN: &str = "minimum_wages";
/// Minimum wages that can be chosen for one compensation.
const MOST: usize = 20;

/// What a request says about the adjustment.
#[derive(Debug, Default)]
pub struct Wanted {
    flag: Option<bool>,
    chosen: Option<Vec<Uuid>>,
    /// whether what was sent could not be read, which has been told already
    unreadable: bool,
}

/// What it comes to, together with what was stored before.
#[derive(Debug, PartialEq, Eq)]
pub struct Wish {
    flag: bool,
    chosen: Vec<Uuid>,
    /// whether minimum wages were named although the adjustment is not wanted
    contradictory: bool,
}

impl Wanted {
    /// Reads both fields of a request.
    pub fn read(flag: &Field<bool>, chosen: &Field<Vec<ChosenMinimumWage>>, checks: &mut Checks) -> Self {
        let flag = flag.optional(FLAG, checks, as_is);
        let ids = |_: &str, chosen: &Vec<ChosenMinimumWage>| {
            if chosen.len() > MOST {
                return Err(Violation::invalid(CHOSEN, format!("{CHOSEN} must have at most {MOST} items")));
            }
            let mut ids: Vec<Uuid> = chosen.iter().map(|one| id_of(&one.uuid)).collect();
            ids.sort_unstable();
            ids.dedup();
            Ok(ids)
        };
        let read = match chosen {
            Field::Null => Some(Vec::new()),
            chosen => chosen.optional(CHOSEN, checks, ids),
        };
        let unreadable = read.is_none() && !matches!(chosen, Field::Absent);
        Self { flag, chosen: read, unreadable }
    }

    /// Whether the request names either field.
    pub fn says_something(&self) -> bool {
        self.flag.is_some() || self.chosen.is_some()
    }

    /// The wish, with what was stored before where the request is silent. Without the adjustment nothing is chosen.
    pub fn onto(&self, flag: bool, stored: &str) -> Wish {
        let flag = self.flag.unwrap_or(flag) && !self.unreadable;
        let contradictory = !flag && self.chosen.as_ref().is_some_and(|chosen| !chosen.is_empty());
        let chosen = match &self.chosen {
            _ if !flag => Vec::new(),
            Some(chosen) => chosen.clone(),
            None => rules_of(stored),
        };
        Wish { flag, chosen, contradictory }
    }
}

/// What is to be stored for a wish: the minimum wages with their figures, as JSON. `of` is the employee, the payment
/// unit and the day from which the compensation counts.
///
/// # Errors
/// A store error; what stands in the way of the wish goes into `checks`.
pub fn settle(
    tx: &mut Tx<'_>,
    caller: &Caller,
    wish: &Wish,
    (employee, unit, from): (Uuid, PaymentUnit, Date),
    checks: &mut Checks,
) -> Result<String, Error> {
    let nothing = "[]".to_owned();
    checks.require(!wish.contradictory, || {
        Violation::invalid(CHOSEN, format!("{CHOSEN} can be chosen only with {FLAG} true"))
    });
    if !wish.flag {
        return Ok(nothing);
    }
    checks.require(unit == PaymentUnit::Hour, || {
        let unit = unit.as_str();
        Violation::invalid(FLAG, format!("{FLAG} goes only with payment_unit Hour; it is {unit}"))
    });
    checks.require(!wish.chosen.is_empty(), || {
        Violation::invalid(
            CHOSEN,
            format!("{CHOSEN} can't be blank with {FLAG} true: choose among those of the work location"),
        )
    });
    let day = from.max(caller.today(tx));
    let Some(place) = minimum_wages::service::place_of_employee(tx, caller, employee, day)? else {
        checks.push(Violation::invalid(FLAG, format!("{FLAG} needs a work address; the employee has none")));
        return Ok(nothing);
    };
    if !table::allows_tip_credit(&place.state) {
        let state = &place.state;
        let message = format!(
            "the minimum wage adjustment does not apply to {state}: tips cannot cover any part of its minimum wage"
        );
        checks.push(Violation::invalid(FLAG, message));
        return Ok(nothing);
    }
    let table = minimum_wages::service::table(tx)?;
    let allowed = table.at(&place, day);
    let mut found = Vec::with_capacity(wish.chosen.len());
    for id in &wish.chosen {
        match allowed.iter().find(|row| row.rule == *id) {
            Some(row) => found.push(ChosenWage {
                uuid: row.rule,
                wage: row.wage.to_text(2),
                effective_date: row.effective_date.to_string(),
            }),
            None => {
                let ids: Vec<_> = allowed.iter().map(|row| row.rule.to_string()).collect();
                let message = format!(
                    "{CHOSEN} must be minimum wages of the work location, which are: {}",
                    ids.join(", ")
                );
                checks.push(Violation::invalid(CHOSEN, message));
                return Ok(nothing);
            }
        }
    }
    Ok(serde_json::to_string(&found).unwrap_or(nothing))
}

/// The stored choice.
pub fn chosen(stored: &str) -> Vec<ChosenWage> {
    // Most compensations have none, and lists of employees pass here.
    if stored == "[]" { Vec::new() } else { serde_json::from_str(stored).unwrap_or_default() }
}

/// The rules of the stored choice.
pub fn rules_of(stored: &str) -> Vec<Uuid> {
    chosen(stored).into_iter().map(|one| one.uuid).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(body: &str, before: (bool, &str)) -> Wish {
        let input: crate::pay::compensations::shapes::UpdateCompensation =
            serde_json::from_str(body).unwrap();
        let mut checks = Checks::new();
        let wanted = Wanted::read(&input.adjust_for_minimum_wage, &input.minimum_wages, &mut checks);
        assert!(checks.is_empty());
        wanted.onto(before.0, before.1)
    }

    const ONE: &str = "0197a1b2-0000-7000-8000-000000000001";

    fn stored() -> String {
        format!(r#"[{{"uuid":"{ONE}","wage":"7.25","effective_date":"2009-07-24"}}]"#)
    }

    #[test]
    fn what_is_not_said_stays_and_without_the_adjustment_nothing_is_chosen() {
        let one = vec![id_of(ONE)];
        let kept = Wish { flag: true, chosen: one.clone(), contradictory: false };
        assert_eq!(wish("{}", (true, &stored())), kept);
        let choice = format!(r#"{{"minimum_wages":[{{"uuid":"{ONE}"}},{{"uuid":"{ONE}"}}]}}"#);
        assert_eq!(wish(&choice, (true, "[]")), kept);
        let none = Wish { flag: false, chosen: Vec::new(), contradictory: false };
        assert_eq!(wish(r#"{"adjust_for_minimum_wage":false}"#, (true, &stored())), none);
        assert_eq!(wish(r#"{"adjust_for_minimum_wage":false,"minimum_wages":[]}"#, (true, &stored())), none);
        assert!(wish(&choice, (false, "[]")).contradictory);
    }
}
