//! What is withheld by law or order: tax certificates and garnishments, previews for a given pay, and notices to agencies.

pub mod garnishments;
pub mod notices;
pub mod previews;
pub mod taxes;
