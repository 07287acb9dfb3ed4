//! State withholding certificates and new hire reporting.
//!
//! Questions are data ([`StateTables`]), because each state has its own certificate. [`questions`] returns
//! those of an employee's states, [`check_answer`] validates an answer, and [`complete`] returns whether the
//! employee has answered.
//!
//! - The work states and the home state are relevant. A state that does not tax wages asks the employee
//!   nothing.
//! - Every work state asks the employer whether to file a new hire report ([`NEW_HIRE_REPORT`]), which
//!   federal law requires everywhere (42 USC 653a).
//! - A default is only displayed. The employee, whose signature covers the answers, has to save it.

mod answer;
pub mod formula;
mod question;
mod relevant;
mod tables;

pub use answer::{Answer, check_answer, parse_answer};
pub use question::{Choice, ChoiceValue, Kind, Must, NumberOf, Question};
pub use relevant::{
    NONRESIDENT_CERTIFICATE, StateQuestions, is_complete, new_hire_report_is_answered,
    nonresident_certificate, relevant_questions,
};
pub use tables::{IfNoCertificate, NEW_HIRE_REPORT, StateCertificate, StateCertificates, StateTables};
