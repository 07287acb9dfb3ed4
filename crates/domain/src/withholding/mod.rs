//! What is withheld by law or order: tax certificates and garnishments, what they would take from a given pay, and what agencies are told.

pub mod garnishments;
pub mod notices;
pub mod previews;
pub mod taxes;
