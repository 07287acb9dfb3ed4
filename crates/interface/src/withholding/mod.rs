//! What is withheld by law or order: tax certificates and garnishments.

pub mod garnishments;
mod remittances;
pub mod taxes;
