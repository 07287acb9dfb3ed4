//! Payments of a contractor, for calls to name.

use std::collections::BTreeMap;

use domain::Error;
use domain::contractors::payments::rows::{Group, Method, Payment};
use rules::Amount;
use rules::contractor::WageType;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::{Company, id_of, text};

/// A payment of 400.00 to an account, in a group.
fn payment(tx: &mut Tx<'_>, group: &Group, contractor: Uuid, funded: bool) -> Payment {
    Payment {
        id: tx.new_id(),
        group: group.id,
        contractor,
        check_date: group.check_date,
        method: Method::DirectDeposit,
        wage_type: WageType::Fixed,
        hourly_rate: Amount::ZERO,
        hours: Amount::ZERO,
        wage: Amount::from_cents(40_000),
        bonus: Amount::ZERO,
        reimbursement: Amount::ZERO,
        wage_total: Amount::from_cents(40_000),
        withheld: Amount::ZERO,
        withheld_for: None,
        memo: None,
        invoice_number: None,
        paid_at: funded.then(|| tx.now()),
        disbursed: None,
        voided_at: None,
        cancelled_at: None,
        created_at: tx.now(),
        version: 1,
    }
}

/// Groups of payments of a contractor to an account: one to look at, one to cancel, one that is funded, one that the partner pays, and one to
/// fund; what was paid before, with its form; and the token of a preview.
pub async fn contractor_payments(company: &Company, contractor: &str) -> BTreeMap<&'static str, String> {
    let (of, who) = (company.id, contractor.parse().unwrap());
    let made = company.world.app.store.write(move |tx| {
        let mut ids = Vec::new();
        for (token, partner_pays, funded) in [
            ("look", false, false),
            ("cancel", false, false),
            ("funded", false, true),
            ("partner", true, false),
            ("to fund", false, false),
        ] {
            let group = Group {
                id: tx.new_id(),
                check_date: jiff::civil::date(2026, 6, 18),
                creation_token: Some(token.to_owned()),
                partner_pays,
                by_bank: false,
                cancelled_at: None,
                created_at: tx.now(),
                version: 1,
            };
            group.insert(tx, of)?;
            let payment = payment(tx, &group, who, funded);
            payment.insert(tx, of)?;
            ids.push((group.id.to_string(), payment.id.to_string()));
        }
        Ok(ids)
    });
    let made = made.await.unwrap_or_else(|error: Error| panic!("{error:?}"));
    let line = json!({ "contractor_uuid": contractor, "payment_method": "Historical Payment", "reimbursement": "120.00" });
    let preview = json!({ "check_date": "2026-05-29", "contractor_payments": [line] });
    let preview =
        company.post("/v1/companies/{company}/contractor_payment_groups/preview", preview).await.ok();
    let mut before = line;
    before["date"] = json!("2026-05-29");
    let unwanted = company.post("/v1/companies/{company}/contractor_payments", before).await.ok();
    let form = json!({ "contractor_id": contractor, "year": 2026 });
    let form = company.post("/v1/sandbox/generate_1099", form).await.created();
    BTreeMap::from([
        ("contractor_payment_id", made[0].1.clone()),
        ("contractor_payment_uuid", made[0].1.clone()),
        ("contractor_payment_group_uuid", made[0].0.clone()),
        ("unwanted_group", made[1].0.clone()),
        ("funded_payment", made[2].1.clone()),
        ("id", made[3].0.clone()),
        ("group_to_fund", made[4].0.clone()),
        ("disbursed_contractor_payment", made[3].1.clone()),
        ("unwanted_payment", id_of(&unwanted)),
        ("creation_token", text(&preview, "creation_token")),
        ("contractor_form", id_of(&form)),
    ])
}
