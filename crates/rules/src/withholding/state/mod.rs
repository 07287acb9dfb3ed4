//! What the states ask: the questions of their withholding certificates, and the new hire report.
//!
//! Questions are data ([`StateTables`]), because every state has its own certificate and changes it when it
//! likes. [`questions`] picks those of an employee's states, [`check_answer`] reads one answer, and
//! [`complete`] says whether the employee's part is done.
//!
//! - The states that matter are those where the employee works and the one where the employee lives. A state
//!   without a tax on wages asks the employee nothing.
//! - Every state of work asks the employer one thing, whether or not it taxes wages: whether a new hire report
//!   ([`NEW_HIRE_REPORT`]) is to be filed, which federal law demands everywhere (42 USC 653a).
//! - A default is what is shown before there is an answer. It is not one: the employee, whose signature
//!   the answers need, has to save them.

mod answer;
pub mod formula;
mod question;
mod relevant;
mod tables;

pub use answer::{Answer, check_answer};
pub use question::{Choice, ChoiceValue, Kind, NumberOf, Question};
pub use relevant::{StateQuestions, complete, new_hire_report_is_answered, questions};
pub use tables::{IfNoCertificate, NEW_HIRE_REPORT, StateCertificate, StateTables};
