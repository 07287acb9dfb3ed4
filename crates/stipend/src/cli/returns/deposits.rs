//! `stipend returns deposits`: deposits of federal taxes that this service did not make.

use clap::Args;
use domain::returns::closing;
use domain::returns::outside_deposits::{self, NewDeposit, OutsideDeposit};
use jiff::civil::Date;
use returns::format_dollars;
use rules::deposits::Form;
use rules::{Amount, Named as _};
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::super::opening::{read_unit, run_unit};
use super::{StoreArgs, print_result};

#[derive(Args)]
pub(in crate::cli) struct DepositsArgs {
    /// The company
    #[arg(long, value_name = "UUID")]
    company: Uuid,
    /// Tell of a deposit: dollars
    #[arg(long, value_name = "AMOUNT", requires_all = ["form", "year", "on", "receipt"], conflicts_with = "remove")]
    add: Option<String>,
    /// The return that it counts toward: 941, 944 or 940
    #[arg(long, value_name = "FORM", value_parser = form)]
    form: Option<Form>,
    /// The year of the return
    #[arg(long, value_name = "YEAR")]
    year: Option<i16>,
    /// The quarter, from 1 to 4, of Form 941
    #[arg(long, value_name = "QUARTER")]
    quarter: Option<i8>,
    /// The day on which it was paid
    #[arg(long, value_name = "DATE")]
    on: Option<Date>,
    /// The agency's receipt
    #[arg(long, value_name = "TEXT")]
    receipt: Option<String>,
    /// Take back a deposit that was told by mistake, by its id in the list
    #[arg(long, value_name = "UUID")]
    remove: Option<Uuid>,
    #[command(flatten)]
    store: StoreArgs,
}

/// Reads a return that deposits count toward.
fn form(text: &str) -> Result<Form, String> {
    Form::parse(text).ok_or_else(|| format!("must be one of {}", Form::names().join(", ")))
}

impl DepositsArgs {
    fn new_deposit(&self) -> Result<Option<NewDeposit>, String> {
        let Some(amount) = &self.add else { return Ok(None) };
        let amount =
            Amount::parse(amount).map_err(|_| "--add must be dollars, such as 1234.56".to_owned())?;
        let missing = |name: &str| format!("--{name} is missing");
        Ok(Some(NewDeposit {
            form: self.form.ok_or_else(|| missing("form"))?,
            year: self.year.ok_or_else(|| missing("year"))?,
            quarter: self.quarter,
            amount,
            paid_on: self.on.ok_or_else(|| missing("on"))?,
            receipt: self.receipt.clone().ok_or_else(|| missing("receipt"))?,
        }))
    }
}

pub(super) async fn manage_outside_deposits(args: DepositsArgs, json: bool) -> Result<(), String> {
    let (new, company, remove) = (args.new_deposit()?, args.company, args.remove);
    let list = move |tx: &mut Tx<'_>| outside_deposits::of_company(tx, company);
    let found = if new.is_none() && remove.is_none() {
        read_unit(&args.store, list).await?
    } else {
        let unit = move |tx: &mut Tx<'_>| {
            let caller = closing::operator_for_company(tx, company)?;
            if let Some(new) = &new {
                outside_deposits::add_outside_deposit(tx, &caller, new)?;
            }
            if let Some(id) = remove {
                outside_deposits::remove_outside_deposit(tx, &caller, id)?;
            }
            outside_deposits::of_company(tx, company)
        };
        run_unit(&args.store, unit).await?
    };
    let text = match found.as_slice() {
        [] => "no deposits that others made are told".to_owned(),
        found => found.iter().map(deposit_line).collect::<Vec<_>>().join("\n"),
    };
    let shown: Vec<Value> = found.iter().map(deposit_json).collect();
    print_result(json, &text, &json!({ "company_uuid": company, "deposits": shown }))
}

fn deposit_line(one: &OutsideDeposit) -> String {
    let (form, amount) = (one.form.as_str(), format_dollars(one.cents));
    format!(
        "Form {form}, period to {}: {amount}, paid {}, {}, {}",
        one.period_end, one.paid_on, one.receipt, one.id
    )
}

fn deposit_json(one: &OutsideDeposit) -> Value {
    json!({ "uuid": one.id, "form": one.form.as_str(), "period_end": one.period_end, "amount": format_dollars(one.cents), "paid_on": one.paid_on,
            "receipt": one.receipt })
}
