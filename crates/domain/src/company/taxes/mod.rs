//! What a company tells about its taxes: to the federal government, and to each state in which people work.
//!
//! The employer identification number is sealed. Legal name and legal form stand in the company's own record; what is
//! asked by a state comes from `rules::company::state`, and the answers are kept one by one.

pub mod federal;
pub mod rows;
pub mod shapes;
pub mod state;
