//! All sealed columns and the digests that they are found by: what the rotation of data keys renews.
//!
//! A sealed column that is missing here would become unreadable with its old key; a test compares the list with the migrations.

use store::{DigestColumn, SEALED_AT_ONCE, Sealed, SealedColumn, Sql};

use crate::contractors::records::rows as contractors;
use crate::people::employees::rows::SSN_DIGEST;

store::sealed_columns! {
    /// Sealed columns of tables in which the row itself identifies its company and record.
    BY_ROW = "employees": "company_id", "id", "ssn";
        "employees": "company_id", "id", "date_of_birth";
        "employee_bank_accounts": "company_id", "id", "routing_number";
        "employee_bank_accounts": "company_id", "id", "account_number";
        "contractors": "company_id", "id", "ssn";
        "contractors": "company_id", "id", "ein";
        "contractor_bank_accounts": "company_id", "id", "routing_number";
        "contractor_bank_accounts": "company_id", "id", "account_number";
        "contractor_document_signatures": "company_id", "id", "content";
        "contractor_document_signatures": "company_id", "id", "signature_text";
        "employee_form_signatures": "company_id", "id", "content";
        "employee_form_signatures": "company_id", "id", "signature_text";
        "employee_form_signatures": "company_id", "id", "preparers";
        "employee_i9": "company_id", "id", "content";
        "employee_i9_reviews": "company_id", "id", "documents";
        "employee_i9_reviews": "company_id", "id", "signature";
        "signatories": "company_id", "id", "birthday";
        "signatories": "company_id", "id", "ssn";
        "company_federal_taxes": "company_id", "company_id", "ein";
        "company_bank_accounts": "company_id", "id", "routing_number";
        "company_bank_accounts": "company_id", "id", "account_number";
        "company_bank_accounts": "company_id", "id", "deposits";
        "bank_settings": "company_id", "id", "offset_account";
        "account_corrections": "company_id", "id", "routing_number";
        "account_corrections": "company_id", "id", "account_number";
        "payment_entries": "company_id", "id", "routing_number";
        "payment_entries": "company_id", "id", "account_number";
        "payment_entries": "company_id", "id", "addendum";
        "company_form_signatures": "company_id", "id", "content";
        "company_form_signatures": "company_id", "id", "signature_text";
        "report_requests": "company_id", "id", "content";
        "tax_forms": "company_id", "id", "content";
        "webhook_subscriptions": "application_id", "id", "secret";
        "webhook_subscriptions": "application_id", "id", "previous_secret"
}

store::statements! {
    STALE_DRAFTS = "SELECT employee_id, screen, entries FROM flow_drafts WHERE company_id = $1 \
                    AND substr(entries, 1, 8) <> $2 LIMIT $3";
    UPDATE_DRAFT = "UPDATE flow_drafts SET entries = $1 WHERE company_id = $2 AND employee_id = $3 AND entries = $4";
    STALE_SUCCESSORS = "SELECT p.id, 'successor', p.successor FROM tokens t JOIN token_pairs p ON p.refresh_hash = t.hash \
                        WHERE t.company_id = $1 AND p.successor IS NOT NULL AND substr(p.successor, 1, 8) <> $2 LIMIT $3";
    UPDATE_SUCCESSOR = "UPDATE token_pairs SET successor = $1 WHERE refresh_hash IN (SELECT p.refresh_hash FROM tokens t \
                        JOIN token_pairs p ON p.refresh_hash = t.hash WHERE t.company_id = $2 AND p.id = $3) AND successor = $4";
    STALE_SSN_DIGESTS = "SELECT id, 'ssn', ssn, ssn_digest FROM employees WHERE company_id = $1 AND ssn IS NOT NULL \
                         AND substr(ssn_digest, 1, 8) <> $2 LIMIT $3";
    STALE_CONTRACTOR_SSN_DIGESTS = "SELECT id, 'ssn', ssn, ssn_digest FROM contractors WHERE company_id = $1 AND ssn IS NOT NULL \
                                    AND substr(ssn_digest, 1, 8) <> $2 LIMIT $3";
    UPDATE_CONTRACTOR_SSN_DIGEST = "UPDATE contractors SET ssn_digest = $1 WHERE company_id = $2 AND id = $3 AND ssn_digest = $4";
    STALE_CONTRACTOR_EIN_DIGESTS = "SELECT id, 'ein', ein, ein_digest FROM contractors WHERE company_id = $1 AND ein IS NOT NULL \
                                    AND substr(ein_digest, 1, 8) <> $2 LIMIT $3";
    UPDATE_CONTRACTOR_EIN_DIGEST = "UPDATE contractors SET ein_digest = $1 WHERE company_id = $2 AND id = $3 AND ein_digest = $4";
    UPDATE_SSN_DIGEST = "UPDATE employees SET ssn_digest = $1 WHERE company_id = $2 AND id = $3 AND ssn_digest = $4";
}

store::sealed_columns! {
    LARGE_BY_ROW = "company_attachment_contents": "company_id", "id", "content"
}

/// Columns that contain whole files: few of them fit in a unit of work.
const LARGE: &[SealedColumn] = &[SealedColumn { at_once: 2, ..LARGE_BY_ROW[0] }];

/// Entries of hosted pages are sealed for their screen, and token pairs belong to no company.
const OTHERS: &[SealedColumn] = &[
    SealedColumn {
        table: "flow_drafts",
        column: "entries",
        stale: STALE_DRAFTS,
        update: UPDATE_DRAFT,
        at_once: SEALED_AT_ONCE,
    },
    SealedColumn {
        table: "token_pairs",
        column: "successor",
        stale: STALE_SUCCESSORS,
        update: UPDATE_SUCCESSOR,
        at_once: SEALED_AT_ONCE,
    },
];

/// Everything that is kept under data keys and renewed with them.
pub const SEALED: Sealed = Sealed {
    columns: &[BY_ROW, OTHERS, LARGE],
    digests: &[
        DigestColumn {
            table: "employees",
            context: SSN_DIGEST,
            stale: STALE_SSN_DIGESTS,
            update: UPDATE_SSN_DIGEST,
        },
        DigestColumn {
            table: "contractors",
            context: contractors::SSN_DIGEST,
            stale: STALE_CONTRACTOR_SSN_DIGESTS,
            update: UPDATE_CONTRACTOR_SSN_DIGEST,
        },
        DigestColumn {
            table: "contractors",
            context: contractors::EIN_DIGEST,
            stale: STALE_CONTRACTOR_EIN_DIGESTS,
            update: UPDATE_CONTRACTOR_EIN_DIGEST,
        },
    ],
};

/// Every statement of this module.
pub fn sealed_statements() -> Vec<Sql> {
    let fields = SEALED.columns.concat().into_iter().map(|column| (column.stale, column.update));
    let digests = SEALED.digests.iter().map(|column| (column.stale, column.update));
    fields.chain(digests).flat_map(|(stale, update)| [stale, update]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Binary columns that are not sealed: digests, and content that is not secret. Stored responses are kept for a day, and are deleted
    /// before the keys that they are sealed with.
    const OPEN: &[&str] = &[
        "idempotency.answer",
        "data_keys.wrapped",
        "master_keys.sealed",
        "reference_data.content",
        "audit_seals.seal",
        "application_themes.logo",
        "sign_in_attempts.subject",
        "token_pairs.replaces",
    ];

    #[test]
    fn every_binary_column_is_listed_as_sealed_or_as_not_sealed() {
        let mut columns = BTreeSet::new();
        for migration in crate::MIGRATIONS {
            let mut table = "";
            for line in migration.text.lines().map(str::trim) {
                if let Some(name) = line.strip_prefix("CREATE TABLE IF NOT EXISTS ") {
                    table = name.split([' ', '(']).next().unwrap_or_default();
                }
                let altered =
                    line.strip_prefix("ALTER TABLE ").and_then(|rest| rest.split_once(" ADD COLUMN "));
                let (table, line) = altered.unwrap_or((table, line));
                if let Some((column, "bytes")) = line
                    .split_once(' ')
                    .map(|(name, kind)| (name, kind.trim().split([' ', ',', ';']).next().unwrap_or("")))
                {
                    columns.insert(format!("{table}.{column}"));
                }
            }
        }
        assert!(columns.len() > 40, "the migrations were read: {columns:?}");
        let sealed: BTreeSet<_> =
            SEALED.columns.concat().iter().map(|one| format!("{}.{}", one.table, one.column)).collect();
        assert_eq!(sealed.len(), SEALED.columns.concat().len());
        assert!(sealed.is_subset(&columns), "{:?}", sealed.difference(&columns));
        let digest = |name: &str| ["hash", "fingerprint", "digest"].iter().any(|end| name.ends_with(end));
        let left: Vec<_> = columns
            .difference(&sealed)
            .filter(|name| !digest(name) && !OPEN.contains(&name.as_str()))
            .collect();
        assert!(left.is_empty(), "sealed, or not? {left:?}");
    }
}
