//! Payments of contractors.
//!
//! Payments are made in groups, all on one check date; a single payment is a group of one. A group is final as soon as it is created: it is posted
//! in the books, payment by payment, and the service pays it with the file of its cut-off, until which it can be cancelled. Payments by check are
//! made by the employer, and historical payments were made before: they are recorded alone.
//!
//! | module | contents |
//! |---|---|
//! | `rows` | groups and payments |
//! | `commands` | what callers can request |
//! | `entered` | what a request comes to: checks, backup withholding |
//! | `blockers` | what prevents a group from being created |
//! | `token` | the token that binds a group to its preview |
//! | `service` | use cases |
//! | `posting` | payments in the books |
//! | `disbursements` | payments that the partner makes |
//! | `summary` | lists of payments with their totals |
//! | `stub` | the document of a payment |

pub mod blockers;
pub mod commands;
pub mod disbursements;
mod entered;
mod posting;
pub mod rows;
pub mod service;
pub mod stub;
pub mod summary;
mod token;

pub use entered::Planned;
