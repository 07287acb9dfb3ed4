//! Returns of employment taxes: the figures of Forms 941, 940, W-2 and W-3 from stored paychecks, and whether they agree with each other
//! and with the books.
//!
//! | module | contents |
//! |---|---|
//! | [`payments`] | what a stored paycheck, or one of another provider, keeps for returns |
//! | [`gather`] | all of a year, in stretches of employees |
//! | [`figures`] | the forms of a year, and what prevents its close |
//!
//! Nothing is stored here: figures are sums of what each paycheck keeps, and are the same as long as no payroll of the year changes.

pub mod figures;
pub mod gather;
pub mod payments;
