//! People who administer companies: who they are, how they sign in, and what they may do in which company.
//!
//! A user is one e-mail address, whatever the company. [`service::give_role`] makes a user of an address that is not
//! known yet, without a password: such a user is an administrator by name and cannot sign in until
//! `stipend user create` gives a password. A company has one primary administrator at most;
//! [`service::make_primary`] moves that role.

use strum::{EnumString, IntoStaticStr, VariantArray};

pub mod attempts;
pub mod password;
pub mod rows;
pub mod service;

pub use rows::{Admin, admins};

/// What an administrator may do. Only the first two may authorize an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Role {
    /// everything; named as the primary payroll administrator. One at most in each company
    #[strum(serialize = "primary_admin")]
    Primary,
    /// everything
    #[strum(serialize = "full_access_admin")]
    FullAccess,
    /// parts of the product; never the connection of an application
    #[strum(serialize = "limited_admin")]
    Limited,
}

impl Role {
    /// Whether the holder may authorize an application for the company (specification, Authentication 3).
    pub const fn may_authorize(self) -> bool {
        matches!(self, Self::Primary | Self::FullAccess)
    }
}
