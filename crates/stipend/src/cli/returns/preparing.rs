//! `stipend returns positions|occupations`: what a file with Forms W-2 needs and no payroll tells.

use clap::Args;
use domain::Error;
use domain::people::employees::Employee;
use domain::returns::closing;
use domain::returns::figures;
use domain::returns::occupations::{self, JobOccupation};
use domain::returns::positions::{self, OpenAmount};
use returns::format_dollars;
use returns::occupations::TippedOccupations;
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::super::opening::{read_unit, run_unit};
use super::{StoreArgs, print_result};

#[derive(Args)]
pub(in crate::cli) struct PositionsArgs {
    /// The tax year
    #[arg(long, value_name = "YEAR")]
    year: i16,
    /// Confirm where an amount is written: in RW and RT, or in RO and RU; can be given several times
    #[arg(long, value_name = "AMOUNT=RECORD:FROM-TO,…")]
    set: Vec<String>,
    /// Withdraw the position of an amount; can be given several times
    #[arg(long, value_name = "AMOUNT")]
    withdraw: Vec<String>,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub(in crate::cli) struct OccupationsArgs {
    /// The company
    #[arg(long, value_name = "UUID", required_unless_present = "codes")]
    company: Option<Uuid>,
    /// The year of the pay dates, of which people with tips are listed
    #[arg(long, value_name = "YEAR", required_unless_present_any = ["codes", "set", "remove"])]
    year: Option<i16>,
    /// Set the occupation of a job; can be given several times
    #[arg(long, value_name = "JOB=CODE")]
    set: Vec<String>,
    /// Remove the occupation of a job; can be given several times
    #[arg(long, value_name = "JOB")]
    remove: Vec<Uuid>,
    /// List the codes instead
    #[arg(long, exclusive = true)]
    codes: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) async fn manage_positions(args: PositionsArgs, json: bool) -> Result<(), String> {
    let PositionsArgs { year, set, withdraw, store } = args;
    if set.is_empty() && withdraw.is_empty() {
        return print_positions(
            &read_unit(&store, move |tx| positions::open_amounts(tx, year)).await?,
            year,
            json,
        );
    }
    let unit = move |tx: &mut Tx<'_>| {
        positions::confirm_positions(tx, year, &set, &withdraw)?;
        positions::open_amounts(tx, year)
    };
    print_positions(&run_unit(&store, unit).await?, year, json)
}

fn print_positions(open: &[OpenAmount], year: i16, json: bool) -> Result<(), String> {
    let line = |one: &OpenAmount| match &one.confirmed {
        Some(held) => format!("{}, confirmed {}", held.position, held.at),
        None => format!("{}: {}", one.amount, one.why),
    };
    let mut text: Vec<String> = open.iter().map(line).collect();
    if text.is_empty() {
        text.push(format!("the layout of {year} has the position of every amount"));
    }
    let shown = open.iter().map(|one| {
        let held = one.confirmed.as_ref();
        json!({ "amount": one.amount, "why": one.why, "position": held.map(|held| &held.position),
                "confirmed_at": held.map(|held| held.at.to_string()) })
    });
    print_result(json, &text.join("\n"), &json!({ "year": year, "amounts": shown.collect::<Vec<_>>() }))
}

pub(super) async fn manage_occupations(args: OccupationsArgs, json: bool) -> Result<(), String> {
    let OccupationsArgs { company, year, set, remove, codes, store } = args;
    if codes {
        return all_codes(json);
    }
    let company = company.ok_or("--company is missing")?;
    let mut told =
        set.iter().map(|text| parse_occupation(text)).collect::<Result<Vec<JobOccupation>, String>>()?;
    told.extend(remove.into_iter().map(|job| JobOccupation { job, code: None }));
    if !told.is_empty() {
        let count = told.len();
        let unit = move |tx: &mut Tx<'_>| {
            let caller = closing::operator_for_company(tx, company)?;
            occupations::set_occupations(tx, &caller, &told)
        };
        run_unit(&store, unit).await?;
        if year.is_none() {
            return print_result(json, &format!("{count} jobs"), &json!({ "jobs": count }));
        }
    }
    let year = year.ok_or("--year is missing")?;
    let found = read_unit(&store, move |tx| tipped_employees(tx, company, year)).await?;
    let text: Vec<&str> = found.iter().filter_map(|one| one["text"].as_str()).collect();
    print_result(json, &text.join("\n"), &json!({ "company_uuid": company, "year": year, "people": found }))
}

fn parse_occupation(text: &str) -> Result<JobOccupation, String> {
    let wrong = || format!("--set names a job and a code, such as {}=102: {text:?}", Uuid::nil());
    let (job, code) = text.split_once('=').ok_or_else(wrong)?;
    Ok(JobOccupation { job: job.parse().map_err(|_| wrong())?, code: Some(code.to_owned()) })
}

fn all_codes(json: bool) -> Result<(), String> {
    let all = TippedOccupations::built_in();
    let text: Vec<String> =
        all.iter().map(|one| format!("{} {} ({})", one.code, one.title, one.category)).collect();
    let shown: Vec<Value> = all
        .iter()
        .map(|one| json!({ "code": one.code, "title": one.title, "category": one.category, "soc": one.soc }))
        .collect();
    print_result(json, &text.join("\n"), &json!(shown))
}

/// The people with tips, with their jobs and the occupations of these.
fn tipped_employees(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Vec<Value>, Error> {
    let figures = figures::of_year(tx, company, year)?;
    let mut found = Vec::new();
    for person in figures.people.iter().filter(|person| person.tips != 0) {
        let Some(employee) = Employee::find(tx, company, person.employee)? else { continue };
        let name = format!("{} {}", employee.first_name, employee.last_name);
        for job in occupations::employee_jobs(tx, company, person.employee)? {
            let title = job.title.clone().unwrap_or_default();
            let code = job.tipped_occupation.as_deref();
            let text = format!("{name}, {title}, {}: {}", job.id, code.unwrap_or("no code"));
            found.push(json!({ "employee_uuid": person.employee, "job_uuid": job.id, "title": job.title,
                               "tips": format_dollars(person.tips), "code": code, "text": text }));
        }
    }
    Ok(found)
}
