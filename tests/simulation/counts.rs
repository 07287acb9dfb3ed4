//! What a simulation counts.

use std::fmt;

/// What was counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub steps: u64,
    pub good: u64,
    pub refused: u64,
    pub unavailable: u64,
    pub lost: u64,
    pub mishaps: u64,
    pub crashes: u64,
    pub groups: u64,
    pub received: u64,
    pub tries: u64,
    pub unreachable: u64,
    pub paychecks: u64,
    pub books: u64,
    pub capped: u64,
    pub taken_back: u64,
}

impl Counts {
    pub fn add(&mut self, other: Self) {
        self.steps += other.steps;
        self.good += other.good;
        self.refused += other.refused;
        self.unavailable += other.unavailable;
        self.lost += other.lost;
        self.mishaps += other.mishaps;
        self.crashes += other.crashes;
        self.groups += other.groups;
        self.received += other.received;
        self.tries += other.tries;
        self.unreachable += other.unreachable;
        self.paychecks += other.paychecks;
        self.books += other.books;
        self.capped += other.capped;
        self.taken_back += other.taken_back;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, good, refused, unavailable, lost, .. } = self;
        let Self { mishaps, crashes, groups, received, tries, unreachable, .. } = self;
        let Self { paychecks, books, capped, taken_back, .. } = self;
        write!(
            f,
            "{steps} steps; {good} requests answered well, {refused} refused, {unavailable} put off, {lost} lost; "
        )?;
        write!(f, "{groups} groups of requests at once; {mishaps} faults of the disk, {crashes} deaths; ")?;
        write!(f, "{received} webhooks received in {tries} tries, {unreachable} receivers given up; ")?;
        write!(
            f,
            "{paychecks} paychecks looked at, {taken_back} payrolls taken back, {books} in the books at the end, "
        )?;
        write!(f, "{capped} years of somebody ended at a cap")
    }
}
