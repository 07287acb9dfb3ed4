//! What is withheld by law or order: tax certificates and garnishments.

pub mod garnishments;
pub mod taxes;
