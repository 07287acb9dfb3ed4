//! What is withheld by law or order: tax certificates and garnishments, and what they would take from a given pay.

pub mod garnishments;
pub mod previews;
pub mod taxes;
