//! Positions in the file with Forms W-2 that its layout leaves open, as the operator has read them in the agency's publication.
//!
//! An amount without a position is refused with the names of its employees; once its position is confirmed, it is written there.

use jiff::Timestamp;
use returns::efw2::{Layout, Layouts, Position};
use rules::Violation;
use serde_json::json;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::platform::{audit, law};

store::statements! {
    OF_YEAR = "SELECT amount, positions, confirmed_at FROM file_positions WHERE year = $1 ORDER BY amount";
    PUT = "INSERT INTO file_positions (year, amount, positions, confirmed_at) VALUES ($1, $2, $3, $4) \
           ON CONFLICT (year, amount) DO UPDATE SET positions = excluded.positions, confirmed_at = excluded.confirmed_at";
    DELETE = "DELETE FROM file_positions WHERE year = $1 AND amount = $2";
}

/// An amount whose position the layout of a year leaves open.
#[derive(Debug, Clone)]
pub struct OpenAmount {
    /// its key, such as `code_TP`
    pub amount: String,
    /// why its position is not known
    pub why: String,
    /// the position that the operator has confirmed, as it was told
    pub confirmed: Option<Confirmed>,
}

/// A confirmed position.
#[derive(Debug, Clone)]
pub struct Confirmed {
    /// as it was told, such as `code_TP=RW:490-500,RT:415-429`
    pub position: String,
    /// when
    pub at: Timestamp,
}

/// Returns the amounts that the layout of a year leaves open.
///
/// # Errors
/// 422 for a year whose layout is not in the tables; a store error.
pub fn open_amounts(tx: &mut Tx<'_>, year: i16) -> Result<Vec<OpenAmount>, Error> {
    let layout = in_force(tx, year)?;
    let held = confirmed_positions(tx, year)?;
    let open = layout.open_amounts().map(|(amount, why)| OpenAmount {
        amount: amount.to_owned(),
        why: why.to_owned(),
        confirmed: held.iter().find(|(key, _)| key == amount).map(|(_, one)| one.clone()),
    });
    Ok(open.collect())
}

/// Returns the layout of a year with the positions that the operator has confirmed.
///
/// # Errors
/// 422 for a year whose layout is not in the tables, and for a position that its layout has no room for any more; a store error.
pub fn confirmed_layout(tx: &mut Tx<'_>, year: i16) -> Result<Layout, Error> {
    let layout = in_force(tx, year)?;
    let positions = open_amounts(tx, year)?.into_iter().filter_map(|one| one.confirmed);
    let positions = positions.map(|one| Position::parse(&one.position)).collect::<Result<Vec<_>, _>>();
    let made = positions.and_then(|positions| layout.with_positions(&positions));
    made.map_err(|why| {
        Error::from(Violation::invalid_operation(format!("A confirmed position cannot be used: {why}.")))
    })
}

/// Confirms positions of a year, each told like `code_TP=RW:490-500,RT:415-429`, and withdraws those of other amounts. All of them or none.
///
/// # Errors
/// 422 for a year whose layout is not in the tables, and for positions that it has no room for; a store error.
pub fn confirm_positions(
    tx: &mut Tx<'_>,
    year: i16,
    told: &[String],
    withdrawn: &[String],
) -> Result<(), Error> {
    let layout = in_force(tx, year)?;
    let refused =
        |why: returns::efw2::positions::Refused| Error::from(Violation::invalid("set", why.to_string()));
    let positions = told.iter().map(|text| Position::parse(text)).collect::<Result<Vec<_>, _>>();
    let positions = positions.map_err(refused)?;
    if let Some(unknown) = withdrawn.iter().find(|amount| layout.reason_unknown(amount).is_none()) {
        let why = format!("{unknown} has no position that could be withdrawn");
        return Err(Error::from(Violation::invalid("withdraw", why)));
    }
    // What remains must fit together.
    let replaced =
        |amount: &String| withdrawn.contains(amount) || positions.iter().any(|one| one.amount == *amount);
    let kept = open_amounts(tx, year)?
        .into_iter()
        .filter(|one| !replaced(&one.amount))
        .filter_map(|one| one.confirmed);
    let kept =
        kept.map(|one| Position::parse(&one.position)).collect::<Result<Vec<_>, _>>().map_err(refused)?;
    layout
        .with_positions(&kept.into_iter().chain(positions.iter().cloned()).collect::<Vec<_>>())
        .map_err(refused)?;
    let now = tx.now();
    for one in &positions {
        let position = one.to_string();
        tx.insert_row(PUT, params![i64::from(year), &one.amount, &position, now])?;
    }
    for amount in withdrawn {
        let _whether_there_was_one = tx.change_rows(DELETE, params![i64::from(year), amount])?.is_one();
    }
    let told = json!({ "year": year, "positions": told, "withdrawn": withdrawn });
    audit::by_operator(tx, "confirmed", ("file_positions", Uuid::nil()), &told)
}

/// Returns the layout of a year, by the table in force.
fn in_force(tx: &mut Tx<'_>, year: i16) -> Result<Layout, Error> {
    let table = law::in_force::<Layouts>(tx)?;
    table
        .layout_of_year(year)
        .cloned()
        .map_err(|why| Error::from(Violation::invalid("year", why.to_string())))
}

fn confirmed_positions(tx: &mut Tx<'_>, year: i16) -> Result<Vec<(String, Confirmed)>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "file_positions", 0);
        let amount = next.read_plain::<String>("amount")?;
        let position = next.read_plain::<String>("positions")?;
        Ok::<_, store::Error>((
            amount,
            Confirmed { position, at: next.read_plain::<Timestamp>("confirmed_at")? },
        ))
    };
    Ok(tx.try_query(OF_YEAR, params![i64::from(year)], read)?)
}
