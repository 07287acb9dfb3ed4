//! Commands on companies that a partner manages, and on their administrators.

use crate::patch::Patch;

/// Creates a company with its primary administrator.
#[derive(Debug, Clone, Default)]
pub struct CreatePartnerCompany {
    /// the primary administrator
    pub user: Patch<CreateAdmin>,
    /// the company
    pub company: Patch<CreateCompany>,
}

/// Creates a company.
#[derive(Debug, Clone, Default)]
pub struct CreateCompany {
    /// legal name
    pub name: Patch<String>,
    /// name under which it trades
    pub trade_name: Patch<String>,
    /// employer identification number, nine digits
    pub ein: Patch<String>,
    /// whether it pays contractors only
    pub contractor_only: Patch<bool>,
}

/// Makes a user an administrator, and creates the user if the e-mail address is new.
#[derive(Debug, Clone, Default)]
pub struct CreateAdmin {
    /// first name
    pub first_name: Patch<String>,
    /// last name
    pub last_name: Patch<String>,
    /// e-mail address, which is the sign-in name
    pub email: Patch<String>,
    /// ten digits
    pub phone: Patch<String>,
}

/// Gives a user full access to a company, or makes the user its primary administrator.
#[derive(Debug, Clone, Default)]
pub struct AddAdmin {
    /// first name
    pub first_name: Patch<String>,
    /// last name
    pub last_name: Patch<String>,
    /// e-mail address, which is the sign-in name
    pub email: Patch<String>,
    /// ten digits
    pub phone: Patch<String>,
    /// whether the user becomes the primary administrator
    pub primary: Patch<bool>,
}

/// Asks whether a user has accepted the terms of service.
#[derive(Debug, Clone, Default)]
pub struct RetrieveTerms {
    /// e-mail address of a user with a role in the company
    pub email: Patch<String>,
}

/// Accepts the terms of service.
#[derive(Debug, Clone, Default)]
pub struct AcceptTerms {
    /// e-mail address of a user with a role in the company
    pub email: Patch<String>,
    /// the IP address from which the terms were accepted
    pub ip_address: Patch<String>,
    /// the partner's id of the user
    pub external_user_id: Patch<String>,
}

/// Migrates a company to the partner.
#[derive(Debug, Clone, Default)]
pub struct Migrate {
    /// the signatory's e-mail address, required before version 2026-02-01
    pub email: Patch<String>,
    /// the IP address from which the migration was requested
    pub ip_address: Patch<String>,
    /// the partner's id of the user
    pub external_user_id: Patch<String>,
}
