//! Returns of employment taxes: the figures of Forms 941, 940, W-2 and W-3 from stored paychecks, and whether they agree with each other
//! and with the books.
//!
//! | module | contents |
//! |---|---|
//! | [`outside_deposits`] | deposits that this service did not make |
//! | [`payments`] | what a stored paycheck, or one of another provider, keeps for returns |
//! | [`gather`] | all of a year, in spans of employees |
//! | [`figures`] | the forms of a year, and what prevents the close of each |
//! | [`farm`] | Form 943: figures and its document |
//! | [`lines`] | what each form says |
//! | [`statements`] | Forms W-2 of employees, and drafts of them |
//! | [`wages`] | wages of a quarter by employee, for a state's unemployment insurance |
//! | [`wage_file`] | the same in the format of the state's agency |
//! | [`other_taxes`] | what each quarter comes to in taxes of states and places |
//! | [`of_states`] | returns and reports that go to states: what they come to, and when they are due |
//! | [`known_years`] | figures that were read before |
//! | [`calendar`] | the returns of a year: when each is due, and how it stands |
//! | [`closing`] | closing a quarter or a year, taking that back, and recording that it was filed |
//! | [`positions`] | positions in that file that its layout leaves open |
//! | [`occupations`] | tipped occupations of jobs, box 14b |
//! | [`readiness`] | what is missing for the close of a year, from November on |
//! | [`preparation`] | notifying the company of it |
//! | [`checklist`] | what an accountant looks at first, with figures |
//! | [`amended`] | Forms 941-X, W-2c and W-3c |
//! | [`file`] | the file with the Forms W-2 of a closed year |
//! | [`state_file`] | the files with them for states |
//! | [`corrections`] | what changes in a closed period |
//! | [`forms`] | forms as they are stored and shown; an area of its own, below those that show them |
//!
//! Figures are sums of what each paycheck keeps, and are the same as long as no payroll of the year changes. A close keeps them.

pub mod amended;
pub mod calendar;
pub mod checklist;
pub mod closing;
pub mod corrections;
mod doubt;
pub mod farm;
pub mod figures;
pub mod file;
pub mod forms;
pub mod gather;
pub mod known_years;
pub mod lines;
pub mod occupations;
pub mod of_states;
pub mod other_taxes;
pub mod outside_deposits;
pub mod payments;
pub mod positions;
pub mod preparation;
pub mod readiness;
pub mod state_file;
pub mod statements;
pub mod wage_file;
pub mod wages;
