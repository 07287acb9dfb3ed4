//! Administrators of companies: who they are, how they sign in, and their roles in companies.
//!
//! A user is one e-mail address, across companies. [`service::give_role`] creates a user for an unknown address,
//! without a password: such a user is an administrator in name only and cannot sign in until `stipend user create` sets
//! a password. A company has at most one primary administrator; [`service::make_primary`] transfers that role.

use strum::{EnumString, IntoStaticStr, VariantArray};

pub mod attempts;
pub mod browsers;
pub mod password;
pub mod rows;
pub mod service;

pub use rows::{Admin, list_admins};

/// The roles of administrators. Only the first two may authorize an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Role {
    /// everything; named as the primary payroll administrator. At most one per company
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
    /// Whether the role may authorize an application for the company (specification, Authentication 3).
    pub const fn may_authorize(self) -> bool {
        matches!(self, Self::Primary | Self::FullAccess)
    }
}
