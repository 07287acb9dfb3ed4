//! The file in which the Forms W-2 of a closed year go to a state. A person uploads it.
//!
//! It is written like the one for the Social Security Administration (`file`): of the forms as they were closed, checked first, in spans of
//! employees.

use std::io::Write;

use returns::efw2::states::{self, StateW2Return, StateWriter};
use returns::efw2::{Submitter, check};
use rules::Violation;
use serde_json::json;
use store::{Store, Tx};
use uuid::Uuid;

use super::doubt::Doubt;
use super::file::{ClosedYear, Hashed, Written, check_findings};
use super::forms::service::TABLE;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::platform::audit;

/// Returns the Forms W-2 for a state that has a file which may be written.
///
/// # Errors
/// 422 for a state that takes no Forms W-2, for one whose file needs what is not known or not kept, and for a row in doubt that is not
/// confirmed; a store error.
pub fn find_writable_return(tx: &mut Tx<'_>, state: &str) -> Result<&'static StateW2Return, Error> {
    let of = states::return_of_state(state).ok_or_else(|| {
        let known: Vec<&str> = states::all_returns().iter().map(|one| one.state.as_str()).collect();
        let message = format!("state must be one that takes Forms W-2: {}", known.join(", "));
        Error::from(Violation::invalid("state", message))
    })?;
    let doubt = Doubt {
        what: format!("file with Forms W-2 for {state}"),
        without_file: &of.without_file,
        figures: "Its figures are in `stipend returns list`.",
        key: of.key(),
        source: &of.source,
        tables: "data/returns/state_w2_returns.csv and state_w2_fields.csv",
    };
    doubt.refuse(tx)?;
    Ok(of)
}

impl ClosedYear {
    /// Checks the file for a state, and writes it if nothing would be turned back.
    ///
    /// # Errors
    /// As [`find_writable_return`]; 422 with every reason why the file would be turned back, and if nobody has wages of the state; an output that can't be
    /// written; a store error.
    pub async fn write_for_state<W: Write>(
        &self,
        store: &Store,
        state: &str,
        submitter: &Submitter,
        out: W,
    ) -> Result<(W, Written), Error> {
        let wanted = state.to_owned();
        let of = store.read(move |tx| find_writable_return(tx, &wanted)).await?;
        let tables = (&self.layout, &self.taxes);
        let mut findings = check::submitter_findings(&self.layout, submitter);
        findings.extend(check::employer_findings(&self.layout, &self.employer));
        let (mut after, mut forms) = (Uuid::nil(), 0_u64);
        while let Some((some, last)) = self.next(store, after).await? {
            for form in &some {
                forms += u64::from(of.line(form).is_some());
                findings.extend(states::check_form(of, tables, &self.employer, form));
            }
            after = last;
        }
        if forms == 0 {
            let message = format!("Nobody has wages of {state} on a Form W-2 of {}.", self.layout.year);
            return Err(Error::from(Violation::invalid_operation(message)));
        }
        let alerts = check_findings(findings)?;
        let failed = |why: returns::efw2::Error| Error::internal(why.to_string());
        let hashed = Hashed::new(out);
        let mut writer = StateWriter::new(of, tables, (submitter, &self.employer), hashed).map_err(failed)?;
        let mut after = Uuid::nil();
        while let Some((some, last)) = self.next(store, after).await? {
            some.iter().try_for_each(|form| writer.write_employee(form)).map_err(failed)?;
            after = last;
        }
        let (hashed, written) = writer.finish_file().map_err(failed)?;
        let (out, digest) = hashed.finish();
        Ok((out, Written { employees: written.employees, bytes: written.bytes, digest, alerts }))
    }

    /// Records that the file for a state was written.
    pub async fn note_for_state(&self, store: &Store, state: &str, written: &Written) -> Result<(), Error> {
        let (company, id) = (self.company, self.form.id);
        let told =
            json!({ "state": state, "sha256": hex::encode(&written.digest), "forms": written.employees });
        store
            .write(move |tx| {
                let caller = Caller::for_operator(company, companies::time_zone(tx, company)?);
                audit::record_audit_entry(tx, &caller, "written", (TABLE, id), &told)
            })
            .await
    }
}
