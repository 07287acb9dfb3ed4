//! People who administer companies: who they are, how they sign in, and what they may do in which company.
//!
//! A user is one e-mail address, whatever the company. [`service::give_role`] makes a user of an address that is not
//! known yet, without a password: such a user is an administrator by name and cannot sign in until
//! `stipend user create` gives a password. A company has one primary administrator at the most;
//! [`service::make_primary`] moves that role.

pub mod password;
pub mod rows;
pub mod service;

pub use rows::{Admin, admins};

/// What an administrator may do. Only the first two may authorize an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// everything; named as the primary payroll administrator. One at the most in each company
    Primary,
    /// everything
    FullAccess,
    /// parts of the product; never the connection of an application
    Limited,
}

impl Role {
    /// Every role, the strongest first.
    pub const ALL: [Self; 3] = [Self::Primary, Self::FullAccess, Self::Limited];

    /// The text in the store and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Primary => "primary_admin",
            Self::FullAccess => "full_access_admin",
            Self::Limited => "limited_admin",
        }
    }

    /// The role of a text.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }

    /// Whether the holder may authorize an application for the company (specification, Authentication 3).
    pub const fn may_authorize(self) -> bool {
        matches!(self, Self::Primary | Self::FullAccess)
    }
}
