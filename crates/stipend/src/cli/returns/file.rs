//! `stipend returns write`: the file with the Forms W-2 of a closed year, for the Social Security Administration or for a state, or with its last
//! Forms W-2c. Forms 1099-NEC are refused, with the reason.

use std::fs::{self, File, OpenOptions};
use std::io::BufWriter;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use domain::Error;
use domain::returns::file::{ClosedYear, Written};
use returns::efw2::{Contact, Party, Preparer, Software, Submitter};
use returns::w2::Address;
use rules::Named as _;
use serde::Deserialize;
use serde_json::json;
use store::Store;
use uuid::Uuid;

use super::super::opening::{error_line, read_file};
use super::{StoreArgs, load_settings, open_store, print_result};

#[derive(Args)]
pub(in crate::cli) struct WriteArgs {
    /// The company
    #[arg(long, value_name = "UUID")]
    company: Uuid,
    /// The forms
    #[arg(long, value_name = "FORM", default_value = "w-2")]
    form: FileOf,
    /// The closed year
    #[arg(long, value_name = "YEAR")]
    year: i16,
    /// Two letters of a state: the file with Forms W-2 that it takes, in place of the one for the Social Security Administration
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
    /// A JSON file that names who submits: ein, user_id, company, contact and preparer
    #[arg(long, value_name = "FILE")]
    submitter: Option<PathBuf>,
    /// The file; must not exist yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write a file that was written before once more; it has the same bytes
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// The forms that a file is asked for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FileOf {
    /// Forms W-2 and W-3, for the Social Security Administration
    #[value(name = "w-2")]
    W2,
    /// the last closed Forms W-2c and W-3c, for the Social Security Administration
    #[value(name = "w-2c")]
    W2C,
    /// Forms 1099-NEC, for the Internal Revenue Service: refused
    #[value(name = "1099-nec")]
    F1099,
}

/// Why there is no file with Forms 1099-NEC: from 2026 on they go through one portal, and a file with a guessed header would be turned back there.
const NO_PORTAL_HEADER: &str = "no file with Forms 1099-NEC is written: the portal of the Internal Revenue Service (IRIS) takes a CSV file only with \
                                its own header, which is published to those who sign in there and is not entered here. Enter the figures of \
                                `stipend returns list` and of each form in the portal, and record the receipt with `stipend returns filed`";

/// Who submits, as it is told.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    ein: String,
    user_id: String,
    software_vendor: Option<String>,
    resubmission: Option<String>,
    company: ToldParty,
    submitter: Option<ToldParty>,
    contact: ToldContact,
    preparer: Option<String>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct ToldParty {
    name: String,
    street_1: String,
    #[serde(default)]
    street_2: String,
    city: String,
    state: String,
    zip: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToldContact {
    name: String,
    phone: String,
    #[serde(default)]
    extension: String,
    email: String,
    #[serde(default)]
    fax: String,
}

impl From<ToldParty> for Party {
    fn from(told: ToldParty) -> Self {
        let ToldParty { name, street_1, street_2, city, state, zip } = told;
        Self { name, address: Address { location: street_2, delivery: street_1, city, state, zip } }
    }
}

impl Told {
    fn into_submitter(self) -> Result<Submitter, String> {
        let preparer = match self.preparer.as_deref() {
            None => Preparer::ServiceBureau,
            Some(name) => Preparer::parse(name)
                .ok_or_else(|| format!("preparer must be one of {}", Preparer::names().join(", ")))?,
        };
        let ToldContact { name, phone, extension, email, fax } = self.contact;
        Ok(Submitter {
            ein: self.ein,
            user_id: self.user_id,
            software: self.software_vendor.map_or(Software::InHouse, Software::Bought),
            resubmission: self.resubmission,
            submitter: self.submitter.unwrap_or_else(|| self.company.clone()).into(),
            company: self.company.into(),
            contact: Contact { name, phone, extension, email, fax },
            preparer,
        })
    }
}

/// Reads who submits.
pub(super) fn read_submitter(path: &Path) -> Result<Submitter, String> {
    let told: Told = serde_json::from_str(&read_file(path)?)
        .map_err(|error| format!("{} does not name a submitter: {error}", path.display()))?;
    told.into_submitter()
}

pub(in crate::cli) async fn write_wage_statements(args: WriteArgs, json: bool) -> Result<(), String> {
    if args.form == FileOf::F1099 {
        return Err(NO_PORTAL_HEADER.to_owned());
    }
    if args.state.is_some() && args.form != FileOf::W2 {
        return Err("--state belongs to Forms W-2 alone: a corrected form goes to each state as the state asks for it".to_owned());
    }
    let named =
        args.submitter.as_deref().ok_or("--submitter is missing: a JSON file that names who submits")?;
    let submitter = read_submitter(named)?;
    let store = open_store(&load_settings(&args.store)?)?;
    let written = write_closed_year(&store, &args, &submitter).await?;
    let digest = hex::encode(&written.digest);
    let forms = if args.form == FileOf::W2C { "Forms W-2c" } else { "Forms W-2" };
    let mut text = format!(
        "{} {forms} in {}, {} bytes\nsha256 {digest}",
        written.employees,
        args.out.display(),
        written.bytes
    );
    written.alerts.iter().for_each(|alert| text.push_str(&format!("\n{alert}")));
    let value = json!({ "file": args.out, "forms": written.employees, "bytes": written.bytes, "sha256": digest, "alerts": written.alerts });
    print_result(json, &text, &value)
}

/// A file that is written beside its place: it is never seen incomplete there, and never replaces another file.
pub(super) struct Beside {
    path: PathBuf,
    out: PathBuf,
}

impl Beside {
    /// Begins the file, for its owner alone.
    pub(super) fn create_incomplete(out: &Path) -> Result<(Self, BufWriter<File>), String> {
        if out.exists() {
            return Err(format!("{} exists already", out.display()));
        }
        let mut path = out.to_path_buf().into_os_string();
        path.push(".incomplete");
        let beside = Self { path: PathBuf::from(path), out: out.to_path_buf() };
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside.path);
        match file {
            Ok(file) => Ok((beside, BufWriter::new(file))),
            Err(error) => {
                let failed = beside.write_error(&error);
                // Another file of that name is not ours to remove.
                std::mem::forget(beside);
                Err(failed)
            }
        }
    }

    fn write_error(&self, error: &std::io::Error) -> String {
        format!("{} cannot be written: {error}", self.out.display())
    }

    /// Completes the file.
    pub(super) fn sync_file(&self, file: BufWriter<File>) -> Result<(), String> {
        let file = file.into_inner().map_err(|error| self.write_error(&error.into_error()))?;
        file.sync_all().map_err(|error| self.write_error(&error))
    }

    /// Puts it in its place. Unlike a rename, a link fails if there is a file.
    pub(super) fn move_into_place(&self) -> Result<(), String> {
        fs::hard_link(&self.path, &self.out).map_err(|error| self.write_error(&error))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        fs::remove_file(&self.path).ok();
    }
}

/// Writes the file, notes its digest, and puts it in its place.
async fn write_closed_year(
    store: &Store,
    args: &WriteArgs,
    submitter: &Submitter,
) -> Result<Written, String> {
    let WriteArgs { company, year, out, again, .. } = args;
    let refused = |error: Error| match error {
        Error::Violations(wrong) => wrong.into_iter().map(|one| one.message).collect::<Vec<_>>().join("\n"),
        other => error_line(other, "there is no such company"),
    };
    if out.exists() {
        return Err(format!("{} exists already", out.display()));
    }
    let closed = match args.form {
        FileOf::W2C => ClosedYear::find_corrections(store, *company, *year).await,
        FileOf::W2 | FileOf::F1099 => ClosedYear::find_closed_year(store, *company, *year).await,
    };
    let closed = closed.map_err(refused)?;
    if let Some(state) = &args.state {
        return for_state(store, &closed, (state, out), submitter).await.map_err(|why| match why {
            Failed::Domain(error) => refused(error),
            Failed::File(why) => why,
        });
    }
    closed.refuse_second(*again).map_err(refused)?;
    let (beside, file) = Beside::create_incomplete(out)?;
    let written = match args.form {
        FileOf::W2C => closed.write_corrections(store, submitter, file).await,
        FileOf::W2 | FileOf::F1099 => closed.write_file(store, submitter, file).await,
    };
    let (file, written) = written.map_err(refused)?;
    beside.sync_file(file)?;
    closed.record_file_written(store, &written, *again).await.map_err(refused)?;
    beside.move_into_place()?;
    Ok(written)
}

/// Why a file is not written.
enum Failed {
    Domain(Error),
    File(String),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Domain(error)
    }
}

impl From<String> for Failed {
    fn from(why: String) -> Self {
        Self::File(why)
    }
}

/// Writes the file for a state, notes its digest, and puts it in its place. It can be written as often as a state asks for it.
async fn for_state(
    store: &Store,
    closed: &ClosedYear,
    (state, out): (&str, &Path),
    submitter: &Submitter,
) -> Result<Written, Failed> {
    let (beside, file) = Beside::create_incomplete(out)?;
    let (file, written) = closed.write_for_state(store, state, submitter, file).await?;
    beside.sync_file(file)?;
    closed.note_for_state(store, state, &written).await?;
    beside.move_into_place()?;
    Ok(written)
}
