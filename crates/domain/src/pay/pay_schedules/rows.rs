//! Rows of pay schedules, in the order of creation.

use jiff::civil::Date;
use rules::Named;
use rules::payroll::schedule::{PaySchedule, PayScheduleTerms};
use rules::wage_hour::FirstDay;
use rules::withholding::federal::PayFrequency;
use store::{Row, Stored, Tx, Unread, Value, params};
use uuid::Uuid;

use crate::error::Error;

store::record! {
    /// A pay schedule: how often a company pays, and for which periods.
    #[derive(Debug, Clone)]
    pub struct Schedule in "pay_schedules" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// how often
            pub frequency: PayFrequency as text,
            /// the first pay date
            pub anchor_pay_date: Date,
            /// the last day of the pay period that is paid then
            pub anchor_end_of_pay_period: Date,
            /// a pay day of the month
            pub day_1: Option<i8> as DayOfMonth,
            /// the other pay day of the month
            pub day_2: Option<i8> as DayOfMonth,
            /// the company's name for it
            pub custom_name: Option<String>,
            /// whether payrolls are calculated and submitted automatically
            pub auto_payroll: bool,
            /// the day on which workweeks begin, with pay periods of one or two weeks; `None` for that of the company
            pub workweek_start_day: Option<FirstDay> as text,
            /// whether it is in use
            pub active: bool,
        }
        times { created_at, updated_at }
        version
    }
}

/// A day of the month, stored as a number.
struct DayOfMonth;

impl Stored<i8> for DayOfMonth {
    fn value(day: &i8) -> Value<'_> {
        Value::Int(i64::from(*day))
    }

    fn read_column(row: &Row<'_>, column: usize) -> Result<Option<i8>, Unread> {
        let Some(day) = row.try_get::<Option<i64>>(column)? else { return Ok(None) };
        i8::try_from(day).map(Some).map_err(|_| Unread::new("holds a number that is not a day of the month"))
    }
}

store::statements! {
    records Schedule;
    OF_COMPANY = store::text!(Schedule::SELECT, " ORDER BY id");
    DEFAULT = store::text!(
        Schedule::SELECT,
        " ORDER BY CASE WHEN id = (SELECT a.pay_schedule_id FROM pay_schedule_assignments a WHERE a.company_id = $1) THEN 0 ELSE 1 END, \
         id LIMIT 1"
    );
}

impl Schedule {
    /// Frequency, anchors and days.
    pub fn schedule_terms(&self) -> PayScheduleTerms {
        PayScheduleTerms {
            frequency: self.frequency,
            anchor_pay_date: self.anchor_pay_date,
            anchor_end_of_pay_period: self.anchor_end_of_pay_period,
            day_1: self.day_1,
            day_2: self.day_2,
        }
    }

    /// Its pay periods.
    ///
    /// # Errors
    /// A store error that names the record if the stored terms are invalid, although they were checked before they were stored.
    pub fn pay_periods(&self) -> Result<PaySchedule, store::Error> {
        PaySchedule::new(&self.schedule_terms()).map_err(|wrong| {
            let fields: Vec<_> = wrong.iter().map(|violation| &*violation.key).collect();
            let why = format!("has invalid schedule terms in record {} ({})", self.id, fields.join(", "));
            Unread::new(why).into_error(Self::TABLE, "frequency")
        })
    }
}

/// Every schedule of the company, oldest first.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Schedule>, Error> {
    Ok(tx.try_query(OF_COMPANY, params![company], Schedule::read)?)
}

/// The schedule of everybody without another one, if there is one: the assigned one, or else the first. See
/// [`spans`](super::spans) for the schedule of an employee on a day.
pub fn default_of(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Schedule>, Error> {
    Ok(tx.try_find(DEFAULT, params![company], Schedule::read)?)
}
