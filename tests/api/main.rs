//! The interface of the service as its clients meet it, on both engines. Requests go straight to the router, without
//! a network in between.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that meets what it does not expect fails"
)]

/// The service's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[path = "../support/crowd.rs"]
mod crowd;
#[path = "../support/dice.rs"]
mod dice;
#[path = "../support/evaluator.rs"]
mod evaluator;
#[path = "../support/guards.rs"]
mod guards;
#[path = "../support/line.rs"]
mod line;
#[path = "../support/postgres.rs"]
mod postgres_server;

#[path = "../support/receiver.rs"]
mod receiver;
#[path = "../support/sent_back.rs"]
mod sent_back;
#[path = "../support/sources.rs"]
mod sources;
#[path = "../support/submitter.rs"]
mod submitter;
#[path = "../support/xls.rs"]
mod xls;

mod support;

mod addresses;
mod after_payday;
mod attachments;
mod audit_seals;
mod bad_input;
mod benefit_plans;
mod benefit_windows;
mod clients;
mod company_benefits;
mod company_setup;
mod compat;
mod compensations;
mod compression;
mod console;
mod contractor_events;
mod contractor_pages;
mod contractor_payments;
mod contractors;
mod contractors_kept;
mod departments;
mod dev_world;
mod digests;
mod docs;
mod due_work;
mod employee_benefits;
mod employee_counts;
mod employees;
mod employees_list;
mod employer_lists;
mod employer_pages;
mod extremes;
mod garnishment_agencies;
mod garnishments;
mod garnishments_preview;
mod historical_employees;
mod hours_by_day;
mod i9_documents;
mod idempotency;
mod invitations;
mod jobs;
mod kept_answers;
mod law_tables;
mod links;
mod locations;
mod matrix;
mod migration;
mod minimum_wages;
mod money;
mod mutations;
mod new_hires;
mod newer;
mod notices;
mod notices_of_inactive_orders;
mod nulls;
mod oauth;
mod occupations;
mod onboarding;
mod page_entries;
mod page_flows;
mod pages;
mod pages_after_onboarding;
mod pay_schedules;
mod payroll_pages;
mod payrolls;
mod people_batches;
mod place_pages;
mod platform;
mod portal_invitations;
mod reference;
mod rehires;
mod remittances;
mod salary_estimates;
mod secrets;
mod signatories;
mod snapshots;
mod spread;
mod statements;
mod steps;
mod termination_notices;
mod terminations;
mod time_off_pages;
mod tokens;
mod unknown_names;
mod waits;
mod webhooks;
