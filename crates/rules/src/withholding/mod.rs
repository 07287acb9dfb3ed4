//! Income tax that an employer holds back from pay.
//!
//! What is withheld follows from a certificate that the employee fills in, from the year's tables and from the
//! wages of one pay period. The tables are data of the project's `data` folder with their sources; every
//! function takes them as a parameter, and [`federal::FederalTables::built_in`] and
//! [`state::StateTables::built_in`] hand out the ones that come with the crate, so that a deployer may bring
//! others.
//!
//! | module | question it answers |
//! |---|---|
//! | [`federal`] | which answers may stand on Form W-4, and what is withheld by them? |
//! | [`state`] | what do the states of work and home ask the employee and the employer, and is it answered? |

pub mod federal;
mod money;
pub mod state;
mod table;

pub use table::TableError;
