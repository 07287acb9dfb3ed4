//! Invitations of employees and contractors to their own place: a link to what is theirs to read and to keep up to date.
//!
//! A member has one invitation. Inviting again supersedes it: the earlier link is revoked. The service sends no e-mail; whoever
//! invites passes the link on.

use jiff::Timestamp;
use rules::{Named, Violation};
use serde_json::json;
use store::{Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::commands::CreateFlow;
use super::rows;
use super::service::{self, Created};
use super::types::FlowEntityKind;
use crate::access::connections;
use crate::access::tokens::Caller;
use crate::contractors::records as contractors;
use crate::error::Error;
use crate::events;
use crate::patch::Patch;
use crate::people::employees;
use crate::platform::audit;

/// Who has a place of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Member {
    /// an employee
    Employee(Uuid),
    /// a contractor
    Contractor(Uuid),
}

impl Member {
    fn id(self) -> Uuid {
        match self {
            Self::Employee(id) | Self::Contractor(id) => id,
        }
    }

    /// What the place has, and the kind of record that it is for.
    fn flow_place(self) -> (&'static str, FlowEntityKind) {
        match self {
            Self::Employee(_) => {
                ("employee_self_management,pay_stubs,time_off,deductions", FlowEntityKind::Employee)
            }
            Self::Contractor(_) => ("contractor_self_management", FlowEntityKind::Contractor),
        }
    }
}

store::record! {
    /// The invitation of an employee or contractor.
    #[derive(Debug, Clone)]
    pub struct Invitation in "member_portal_invitations" {
        key {
            /// the employee or contractor
            pub member: Uuid = "member_id",
        }
        fields {
            /// the link of the last invitation
            pub link: Uuid = "link_id",
            /// when that link was opened first
            pub opened_at: Option<Timestamp>,
            /// when it was cancelled
            pub cancelled_at: Option<Timestamp>,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records Invitation;
    OPENED = "UPDATE member_portal_invitations SET opened_at = $1 WHERE company_id = $2 AND link_id = $3 AND opened_at IS NULL";
    FORGET = "DELETE FROM member_portal_invitations WHERE company_id = $1 AND member_id = $2";
}

/// How an invitation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum InvitationStatus {
    /// the link was made, and not opened
    #[strum(serialize = "sent")]
    Sent,
    /// it was opened
    #[strum(serialize = "complete")]
    Complete,
    /// it was cancelled
    #[strum(serialize = "cancelled")]
    Cancelled,
}

/// How a member's invitation stands, and whether its link can still be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// status
    pub status: InvitationStatus,
    /// whether the link has expired, or was cancelled
    pub expired: bool,
}

/// Invites somebody, and revokes the link of an earlier invitation.
///
/// # Errors
/// "Not found"; 422 for somebody who has left; a store error.
pub fn invite_member(tx: &mut Tx<'_>, caller: &Caller, member: Member) -> Result<Created, Error> {
    lock_member_links(tx, caller, member)?;
    let (id, (flow_types, kind)) = (member.id(), member.flow_place());
    let flow = CreateFlow {
        flow_type: Patch::Value(flow_types.to_owned()),
        entity_type: Patch::Value(kind.as_str().to_owned()),
        entity_uuid: Patch::Value(id.to_string()),
        ..CreateFlow::default()
    };
    let made = service::create_link(tx, caller, &flow)?;
    let held = Invitation::find(tx, caller.company, id)?;
    match held {
        Some(held) => {
            revoke_link(tx, caller, held.link)?;
            let after = Invitation { link: made.id, opened_at: None, cancelled_at: None, ..held };
            update_invitation(tx, caller, &after)?;
        }
        None => {
            let new =
                Invitation { member: id, link: made.id, opened_at: None, cancelled_at: None, version: 1 };
            new.insert(tx, caller.company)?;
        }
    }
    audit::record_audit_entry(tx, caller, "invited", (Invitation::TABLE, id), &json!({ "link": made.id }))?;
    if let Member::Employee(id) = member {
        events::emit_event(tx, caller.company, events::EMPLOYEE_INVITED_TO_PARTNER_PORTAL, id)?;
    }
    Ok(made)
}

/// Returns how a member's invitation stands.
///
/// # Errors
/// "Not found" for somebody who is unknown, or was not invited; a store error.
pub fn invitation_standing(tx: &mut Tx<'_>, caller: &Caller, member: Member) -> Result<Standing, Error> {
    let held = Invitation::find(tx, caller.company, member.id())?.ok_or(Error::NotFound)?;
    let life = rows::find_link_life(tx, caller.company, held.link)?;
    let is_open = life.is_some_and(|life| life.expired_at.is_none() && life.expiry_time() > tx.now());
    let status = match (held.cancelled_at, held.opened_at) {
        (Some(_), _) => InvitationStatus::Cancelled,
        (None, Some(_)) => InvitationStatus::Complete,
        (None, None) => InvitationStatus::Sent,
    };
    Ok(Standing { status, expired: !is_open })
}

/// Cancels a member's invitation: its link can no longer be opened, and the pages that were opened with it end.
///
/// # Errors
/// "Not found" for somebody who is unknown, or was not invited; 422 for one that was cancelled before; a store error.
pub fn cancel_invitation(tx: &mut Tx<'_>, caller: &Caller, member: Member) -> Result<(), Error> {
    lock_member_links(tx, caller, member)?;
    let held = Invitation::find(tx, caller.company, member.id())?.ok_or(Error::NotFound)?;
    if held.cancelled_at.is_some() {
        return Err(Error::from(Violation::invalid_operation("The invitation was cancelled before.")));
    }
    revoke_link(tx, caller, held.link)?;
    let after = Invitation { cancelled_at: Some(tx.now()), ..held };
    update_invitation(tx, caller, &after)?;
    audit::record_audit_entry(tx, caller, "cancelled", (Invitation::TABLE, member.id()), &json!({}))?;
    Ok(())
}

/// Notes that a link was opened, if it is that of an invitation.
pub(super) fn note_opened(tx: &mut Tx<'_>, company: Uuid, link: Uuid) -> Result<(), Error> {
    let now = tx.now();
    let _of_an_invitation = tx.change_rows(OPENED, params![now, company, link])?.rows();
    Ok(())
}

/// Deletes the invitation of an employee or contractor who is deleted. Its link leads to nobody any more.
pub fn delete_invitation(tx: &mut Tx<'_>, caller: &Caller, member: Uuid) -> Result<(), Error> {
    let _was_invited = tx.change_rows(FORGET, params![caller.company, member])?.rows();
    Ok(())
}

/// Updates an invitation that was read under the guard of links, which only [`delete_invitation`] does without.
fn update_invitation(tx: &mut Tx<'_>, caller: &Caller, after: &Invitation) -> Result<(), Error> {
    after.update(tx, caller.company)?.then_some(()).ok_or(Error::NotFound)
}

/// Takes the guard of links, which everything that opens or ends one takes.
fn lock_member_links(tx: &mut Tx<'_>, caller: &Caller, member: Member) -> Result<(), Error> {
    match member {
        Member::Employee(id) => drop(employees::service::find_employee(tx, caller, id)?),
        Member::Contractor(id) => drop(contractors::service::find_contractor(tx, caller, id)?),
    }
    connections::lock_company_access(tx, caller.company)
}

/// Revokes a link that may have been swept.
fn revoke_link(tx: &mut Tx<'_>, caller: &Caller, link: Uuid) -> Result<(), Error> {
    match service::revoke_link(tx, caller, link) {
        Err(Error::NotFound) => Ok(()),
        other => other,
    }
}
