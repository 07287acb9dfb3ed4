//! The ceiling: the same stack with nothing behind it. A fixed record, a list that is written anew each time, and a
//! body that is read and written back.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio::net::TcpListener;
use tower::Service;

use crate::{Outcome, process};

/// A record with the fields of an employee.
#[derive(Debug, Clone, Serialize)]
struct Record {
    uuid: String,
    first_name: String,
    middle_initial: Option<String>,
    last_name: String,
    preferred_first_name: Option<String>,
    email: Option<String>,
    work_email: Option<String>,
    phone: Option<String>,
    company_uuid: String,
    manager_uuid: Option<String>,
    version: String,
    department: Option<String>,
    department_uuid: Option<String>,
    employee_code: String,
    current_employment_status: Option<String>,
    onboarding_status: String,
    onboarded: bool,
    onboarding_documents_config: Documents,
    terminated: bool,
    historical: bool,
    two_percent_shareholder: Option<bool>,
    has_ssn: bool,
    ssn: String,
    date_of_birth: Option<String>,
    payment_method: String,
    jobs: Vec<String>,
    eligible_paid_time_off: Vec<String>,
    terminations: Vec<String>,
    garnishments: Vec<String>,
    note: String,
}

#[derive(Debug, Clone, Serialize)]
struct Documents {
    uuid: Option<String>,
    i9_document: bool,
}

/// What is sent to create one.
#[derive(Debug, Serialize, Deserialize)]
struct Create {
    first_name: Option<String>,
    middle_initial: Option<String>,
    last_name: Option<String>,
    email: Option<String>,
    work_email: Option<String>,
    date_of_birth: Option<String>,
    ssn: Option<String>,
    preferred_first_name: Option<String>,
    self_onboarding: Option<bool>,
}

struct Fixed {
    one: Bytes,
    hundred: Vec<Record>,
}

/// Serves until standard input ends; prints the address first.
pub fn serve() -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.spawn(async {
        if let Err(error) = listen().await {
            eprintln!("the bare server: {error}");
        }
    });
    process::until_input_ends();
    Ok(())
}

async fn listen() -> Outcome<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| error.to_string())?;
    println!("{}", listener.local_addr().map_err(|error| error.to_string())?);
    let hundred: Vec<_> = (0..100).map(record).collect();
    let one = serde_json::to_vec(&hundred[0]).map_err(|error| error.to_string())?;
    let router = Router::new()
        .route("/record", get(one_record))
        .route("/list", get(list))
        .route("/echo", post(echo))
        .with_state(Arc::new(Fixed { one: one.into(), hundred }));
    let http = http1::Builder::new();
    loop {
        let (stream, _) = listener.accept().await.map_err(|error| error.to_string())?;
        stream.set_nodelay(true).ok();
        let router = router.clone();
        let service = service_fn(move |request: hyper::Request<Incoming>| router.clone().call(request));
        let connection = http.serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move { connection.await.ok() });
    }
}

async fn one_record(State(fixed): State<Arc<Fixed>>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], fixed.one.clone())
}

async fn list(State(fixed): State<Arc<Fixed>>) -> Result<impl IntoResponse, String> {
    let text = serde_json::to_vec(&fixed.hundred).map_err(|error| error.to_string())?;
    Ok(([(CONTENT_TYPE, "application/json")], text))
}

async fn echo(Json(create): Json<Create>) -> Json<Create> {
    Json(create)
}

fn record(n: u32) -> Record {
    Record {
        uuid: format!("0199c1f0-5a10-7c3e-8d2a-{n:012}"),
        first_name: "Guadalupe".to_owned(),
        middle_initial: Some("Q".to_owned()),
        last_name: "Castellanos-Whitfield".to_owned(),
        preferred_first_name: Some("Lupe".to_owned()),
        email: Some(format!("guadalupe.castellanos.{n}@example.com")),
        work_email: Some(format!("g.castellanos.{n}@work.example.com")),
        phone: None,
        company_uuid: "0199c1f0-5a10-7c3e-8d2a-ffffffffffff".to_owned(),
        manager_uuid: None,
        version: "5a105a105a105a105a105a105a105a10".to_owned(),
        department: None,
        department_uuid: None,
        employee_code: "a1b2c3".to_owned(),
        current_employment_status: None,
        onboarding_status: "admin_onboarding_incomplete".to_owned(),
        onboarded: false,
        onboarding_documents_config: Documents { uuid: None, i9_document: false },
        terminated: false,
        historical: false,
        two_percent_shareholder: None,
        has_ssn: true,
        ssn: String::new(),
        date_of_birth: Some("1990-06-15".to_owned()),
        payment_method: "Check".to_owned(),
        jobs: Vec::new(),
        eligible_paid_time_off: Vec::new(),
        terminations: Vec::new(),
        garnishments: Vec::new(),
        note: "x".repeat(20),
    }
}
