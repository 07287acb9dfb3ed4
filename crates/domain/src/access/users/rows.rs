//! Rows of users and of their roles in companies.

use jiff::Timestamp;
use rules::Named;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use super::Role;
use crate::error::Error;

store::record! {
    /// A user's role in a company, with the name and phone as this company entered them: giving a role to a known address reveals nothing
    /// about its user.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Membership in "company_admins" {
        key {
            /// the user
            pub user: Uuid = "user_id",
        }
        fields {
            /// what the user may do
            pub role: Role as text,
        }
        fixed {
            /// first name; `None` for roles from before names were stored here, which use the user's
            pub first_name: Option<String>,
            /// last name
            pub last_name: Option<String>,
            /// ten digits
            pub phone: Option<String>,
        }
        times { created_at }
    }
}

store::statements! {
    records Membership;
    INSERT = "INSERT INTO users (id, email, first_name, last_name, phone, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
    INSERT_EMAIL = "INSERT INTO user_emails (email_lower, user_id) VALUES ($1, $2)";
    FIND_BY_EMAIL = "SELECT u.id, u.first_name, u.last_name, u.email, u.phone, u.password_hash, u.disabled_at FROM user_emails e \
                     JOIN users u ON u.id = e.user_id WHERE e.email_lower = $1";
    FIND = "SELECT id, first_name, last_name, email, phone, password_hash, disabled_at FROM users WHERE id = $1";
    AFTER = "SELECT id, first_name, last_name, email, phone, password_hash, disabled_at FROM users \
             WHERE id > $1 ORDER BY id LIMIT $2";
    DISABLE = "UPDATE users SET disabled_at = $1 WHERE id = $2 AND disabled_at IS NULL";
    ENABLE = "UPDATE users SET disabled_at = NULL WHERE id = $1 AND disabled_at IS NOT NULL";
    DELETE = "DELETE FROM users WHERE id = $1 AND disabled_at IS NOT NULL";
    DELETE_EMAIL = "DELETE FROM user_emails WHERE email_lower = $1 AND user_id = $2";
    END_SESSIONS = "DELETE FROM user_sessions WHERE user_id = $1";
    SET_PASSWORD = "UPDATE users SET password_hash = $1 WHERE id = $2";
    ADMINS = "SELECT u.id, coalesce(a.first_name, u.first_name), coalesce(a.last_name, u.last_name), u.email, \
              CASE WHEN a.first_name IS NULL THEN u.phone ELSE a.phone END, a.role FROM company_admins a \
              JOIN users u ON u.id = a.user_id WHERE a.company_id = $1 ORDER BY a.created_at, u.id";
    DEMOTE = "UPDATE company_admins SET role = $1 WHERE company_id = $2 AND role = $3";
    COMPANIES = "SELECT c.company_id, c.name, a.role, c.company_status FROM company_admins a JOIN companies c ON c.company_id = a.company_id \
                 WHERE a.user_id = $1 ORDER BY c.name, c.company_id LIMIT $2";
}

/// Maximum companies of one user that are read.
const MOST_COMPANIES: i64 = 1_000;

/// A user with an e-mail address.
#[derive(Clone)]
pub struct User {
    /// identifier
    pub id: Uuid,
    /// first name
    pub first_name: String,
    /// last name
    pub last_name: String,
    /// as entered; compared case-insensitively
    pub email: String,
    /// ten digits
    pub phone: Option<String>,
    /// Argon2id hash in the usual text form; `None` for a user who cannot sign in
    pub password_hash: Option<String>,
    /// when the operator disabled the user
    pub disabled_at: Option<Timestamp>,
}

store::hidden!(User);

/// An administrator of a company.
#[derive(Debug, Clone)]
pub struct Admin {
    /// the user
    pub user: Uuid,
    /// first name, as the company entered it
    pub first_name: String,
    /// last name, as the company entered it
    pub last_name: String,
    /// sign-in name
    pub email: String,
    /// ten digits
    pub phone: Option<String>,
    /// the role here
    pub role: Role,
}

/// A company that a user administers.
#[derive(Debug, Clone)]
pub struct Administered {
    /// the company
    pub company: Uuid,
    /// its legal name
    pub name: String,
    /// the role there
    pub role: Role,
    /// such as `Approved`
    pub status: String,
}

fn read_user(row: &Row<'_>) -> Result<User, store::Error> {
    let mut next = Cursor::new(row, "users", 0);
    Ok(User {
        id: next.read_plain("id")?,
        first_name: next.read_plain("first_name")?,
        last_name: next.read_plain("last_name")?,
        email: next.read_plain("email")?,
        phone: next.read_plain("phone")?,
        password_hash: next.read_plain("password_hash")?,
        disabled_at: next.read_plain("disabled_at")?,
    })
}

/// Stores a new user without a password. If two units store the same e-mail address at once, one is repeated and then finds the other's
/// user.
pub fn insert_user(tx: &mut Tx<'_>, new: &User) -> Result<(), Error> {
    let now = tx.now();
    let User { id, first_name, last_name, email, phone, .. } = new;
    tx.insert_row(INSERT_EMAIL, params![&email.to_lowercase(), id])?;
    Ok(tx.insert_row(INSERT, params![id, email, first_name, last_name, phone, now])?)
}

/// The user with an e-mail address, case-insensitively.
pub fn find_by_email(tx: &mut Tx<'_>, email: &str) -> Result<Option<User>, Error> {
    Ok(tx.try_find(FIND_BY_EMAIL, params![&email.to_lowercase()], read_user)?)
}

/// The user, if there is one.
pub fn find_user(tx: &mut Tx<'_>, id: Uuid) -> Result<Option<User>, Error> {
    Ok(tx.try_find(FIND, params![id], read_user)?)
}

/// Sets the password hash from [`super::password::hash`], and ends every session that began with another password.
///
/// # Errors
/// A store error, or "not found".
pub fn set_password(tx: &mut Tx<'_>, id: Uuid, password_hash: &str) -> Result<(), Error> {
    if !tx.change_rows(SET_PASSWORD, params![password_hash, id])?.is_one() {
        return Err(Error::NotFound);
    }
    end_sessions(tx, id)?;
    Ok(())
}

/// Ends every session of a user; returns how many.
pub fn end_sessions(tx: &mut Tx<'_>, id: Uuid) -> Result<u64, Error> {
    Ok(tx.change_rows(END_SESSIONS, params![id])?.rows())
}

/// Users by id, after a cursor.
pub fn users_after(tx: &mut Tx<'_>, id: Uuid, most: i64) -> Result<Vec<User>, Error> {
    Ok(tx.try_query(AFTER, params![id, most], read_user)?)
}

/// Disables or enables a user; returns whether that changed anything.
pub fn set_disabled(tx: &mut Tx<'_>, id: Uuid, disabled: bool) -> Result<bool, Error> {
    let now = tx.now();
    let changed = if disabled {
        tx.change_rows(DISABLE, params![now, id])?
    } else {
        tx.change_rows(ENABLE, params![id])?
    };
    Ok(changed.is_one())
}

/// Deletes a disabled user, and frees the e-mail address; returns whether there was one.
pub fn delete_user(tx: &mut Tx<'_>, user: &User) -> Result<bool, Error> {
    let deleted = tx.change_rows(DELETE, params![user.id])?.is_one();
    if deleted {
        let _freed = tx.change_rows(DELETE_EMAIL, params![&user.email.to_lowercase(), user.id])?.rows();
    }
    Ok(deleted)
}

/// The company's administrators, oldest first.
pub fn list_admins(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Admin>, Error> {
    Ok(tx.try_query(ADMINS, params![company], |row| {
        let mut next = Cursor::new(row, Membership::TABLE, 0);
        Ok::<_, store::Error>(Admin {
            user: next.read_plain("user_id")?,
            first_name: next.read_plain("first_name")?,
            last_name: next.read_plain("last_name")?,
            email: next.read_plain("email")?,
            phone: next.read_plain("phone")?,
            role: next.read_text("role", Role::parse)?,
        })
    })?)
}

/// A user's membership of a company, if there is one.
pub fn find_membership(tx: &mut Tx<'_>, company: Uuid, user: Uuid) -> Result<Option<Membership>, Error> {
    Ok(Membership::find(tx, company, user)?)
}

/// The role of a user in a company, if there is one.
pub fn role_in(tx: &mut Tx<'_>, company: Uuid, user: Uuid) -> Result<Option<Role>, Error> {
    Ok(find_membership(tx, company, user)?.map(|membership| membership.role))
}

/// The companies that a user administers, by name.
pub fn companies_of(tx: &mut Tx<'_>, user: Uuid) -> Result<Vec<Administered>, Error> {
    Ok(tx.try_query(COMPANIES, params![user, MOST_COMPANIES], |row| {
        let mut next = Cursor::new(row, Membership::TABLE, 0);
        Ok::<_, store::Error>(Administered {
            company: next.read_plain("company_id")?,
            name: next.read_plain("name")?,
            role: next.read_text("role", Role::parse)?,
            status: next.read_plain("company_status")?,
        })
    })?)
}

/// Makes a user an administrator of a company.
pub fn insert_admin(tx: &mut Tx<'_>, company: Uuid, admin: &Membership) -> Result<(), Error> {
    Ok(admin.insert(tx, company)?)
}

/// Changes what an administrator may do.
///
/// # Errors
/// A store error, or "not found" when the user does not administer the company.
pub fn set_role(tx: &mut Tx<'_>, company: Uuid, user: Uuid, role: Role) -> Result<(), Error> {
    // An update keeps the names.
    let admin = Membership { user, role, first_name: None, last_name: None, phone: None };
    if admin.update(tx, company)? { Ok(()) } else { Err(Error::NotFound) }
}

/// Removes the role of a user in a company; no-op if there is none.
pub fn remove_admin(tx: &mut Tx<'_>, company: Uuid, admin: &Membership) -> Result<(), Error> {
    let _there = admin.delete(tx, company)?;
    Ok(())
}

/// Changes the primary administrator's role to full access.
pub fn demote_primary(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    let (less, primary) = (Role::FullAccess.as_str(), Role::Primary.as_str());
    let _there_may_be_none = tx.change_rows(DEMOTE, params![less, company, primary])?.rows();
    Ok(())
}
