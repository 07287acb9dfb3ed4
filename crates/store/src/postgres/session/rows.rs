//! Rows that a unit inserts and sums that it adds, until they are sent. A row costs the server less than a statement,
//! so rows of one table are sent as few statements, and sums for one row as one. They do not affect one another, so
//! they may be sent in any order.

use std::sync::Arc;

use super::{Owed, Session};
use crate::Sql;
use crate::postgres::messages::{self, Prepared};
use crate::tx::Fault;
use crate::value::Value;

/// Numbers of rows per statement: each number needs its own prepared statement.
const ROWS_OF_A_STATEMENT: [usize; 3] = [8, 4, 2];

/// Rows and sums to be sent.
#[derive(Default)]
pub(in crate::postgres) struct Gathered {
    inserts: Vec<Inserts>,
    sums: Vec<Sum>,
    /// their approximate size
    pub bytes: usize,
}

struct Inserts {
    sql: Sql,
    prepared: Arc<Prepared>,
    /// the values of each row, in wire form
    rows: Vec<Vec<u8>>,
}

struct Sum {
    sql: Sql,
    prepared: Arc<Prepared>,
    /// the values of the row's key, in wire form
    key: Vec<u8>,
    amounts: Vec<i64>,
}

impl Gathered {
    pub fn is_empty(&self) -> bool {
        self.inserts.is_empty() && self.sums.is_empty()
    }

    fn insert_row(&mut self, sql: Sql, prepared: Arc<Prepared>, row: Vec<u8>) {
        self.bytes += row.len();
        match self.inserts.iter_mut().find(|inserts| inserts.sql == sql) {
            Some(inserts) => inserts.rows.push(row),
            None => self.inserts.push(Inserts { sql, prepared, rows: vec![row] }),
        }
    }

    fn add_sum(&mut self, sum: Sum) {
        for of in self.sums.iter_mut().filter(|of| of.sql == sum.sql && of.key == sum.key) {
            let both = of.amounts.iter().zip(&sum.amounts).map(|(so_far, more)| so_far.checked_add(*more));
            // An amount that would overflow the sum is sent separately, so that the server refuses the overflow.
            if let Some(amounts) = both.collect() {
                of.amounts = amounts;
                return;
            }
        }
        self.bytes += sum.key.len();
        self.sums.push(sum);
    }

    /// Appends what another unit has gathered.
    pub fn append_gathered(&mut self, other: Self) {
        for Inserts { sql, prepared, rows } in other.inserts {
            rows.into_iter().for_each(|row| self.insert_row(sql, Arc::clone(&prepared), row));
        }
        other.sums.into_iter().for_each(|sum| self.add_sum(sum));
    }

    /// Sorts everything into one global order: two transactions that touch the same two rows then conflict on the first,
    /// and cannot deadlock.
    pub fn sort_rows(&mut self) {
        self.inserts.iter_mut().for_each(|inserts| inserts.rows.sort_unstable());
        self.sums.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    }
}

impl Session {
    /// Adds a row, which is sent before the next statement.
    pub(super) fn gather_row(&mut self, sql: Sql, values: &[Value<'_>]) -> Result<(), Fault> {
        let prepared = self.prepare_statement(sql)?;
        let mut row = Vec::new();
        messages::put_all(&mut row, values, &prepared.parameters)?;
        self.gathered.insert_row(sql, prepared, row);
        Ok(())
    }

    /// Adds amounts, which are sent before the next statement.
    pub(super) fn gather_sum(&mut self, sql: Sql, key: &[Value<'_>], amounts: &[i64]) -> Result<(), Fault> {
        let prepared = self.prepare_statement(sql)?;
        let types = prepared.parameters.get(..key.len()).unwrap_or_default();
        let mut written = Vec::new();
        messages::put_all(&mut written, key, types)?;
        self.gathered.add_sum(Sum { sql, prepared, key: written, amounts: amounts.to_vec() });
        Ok(())
    }

    /// Queues everything that was gathered.
    pub(super) fn ask_gathered(&mut self) -> Result<(), Fault> {
        let Gathered { inserts, sums, .. } = std::mem::take(&mut self.gathered);
        for Inserts { sql, prepared, rows } in inserts {
            let mut rest = rows.as_slice();
            while !rest.is_empty() {
                let count = ROWS_OF_A_STATEMENT.into_iter().find(|count| *count <= rest.len()).unwrap_or(1);
                let (now, later) = rest.split_at(count);
                let statement = match count {
                    1 => Arc::clone(&prepared),
                    _ => self.prepare_rows(sql, count, prepared.parameters.len())?,
                };
                self.begin_unit()?;
                messages::bind_written(&mut self.out, &statement, now)?;
                messages::put_execute(&mut self.out);
                self.owe_answer(Owed::Rows(u8::try_from(count).unwrap_or(u8::MAX)));
                rest = later;
            }
        }
        for Sum { prepared, key, amounts, .. } in sums {
            let amounts: Vec<Value<'_>> = amounts.into_iter().map(Value::from).collect();
            let types = &prepared.parameters[prepared.parameters.len().saturating_sub(amounts.len())..];
            let mut written = Vec::new();
            messages::put_all(&mut written, &amounts, types)?;
            self.begin_unit()?;
            messages::bind_written(&mut self.out, &prepared, &[key, written])?;
            messages::put_execute(&mut self.out);
            self.owe_answer(Owed::Rows(1));
        }
        Ok(())
    }
}
