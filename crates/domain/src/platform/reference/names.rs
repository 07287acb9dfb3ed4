//! Names of vintages of kinds that keep old ones: what was calculated from a vintage is explained by its name.

use store::Tx;

use super::{Bundle, Packed, rows, vintage_checksum};
use crate::error::Error;

/// Gives a vintage a name that no other one of its kind has, and returns it with its checksum. Vintages of one day are numbered:
/// `2027-01-04`, `2027-01-04+02`, which sorts before the next day, and before any day of a year.
pub fn own_name(
    tx: &mut Tx<'_>,
    kind: &'static str,
    built_in: Bundle,
    Packed { vintage: day, mut bytes }: Packed,
) -> Result<(Packed, String), Error> {
    let in_use = rows::current_pointer(tx, kind)?.map(|pointer| pointer.vintage);
    let mut vintage = day.clone();
    for number in 2.. {
        let checksum = vintage_checksum(&bytes);
        let of_another = match rows::checksum_of_vintage(tx, kind, &vintage)? {
            Some(held) => held != checksum,
            None => vintage == built_in.vintage && bytes != built_in.bytes,
        };
        let of_another = of_another || in_use.as_ref().is_some_and(|in_use| vintage < *in_use);
        match rows::name_of(tx, kind, &checksum)? {
            // The bytes were imported before, under another name, which stays theirs: an empty line tells the two apart.
            Some(held) if held != vintage && !of_another => bytes.push(b'\n'),
            _ if of_another => vintage = format!("{day}+{number:02}"),
            _ => return Ok((Packed { vintage, bytes }, checksum)),
        }
    }
    Err(Error::internal("an import has no name"))
}
