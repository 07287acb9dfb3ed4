//! The employer's pages of payrolls: each entry counts for what its field was called, what was changed elsewhere meanwhile stays or is
//! told, everything that people are paid can be entered, and a payroll outside the schedule says that it is one.

use serde_json::{Value, json};

use crate::page_entries::{field_of, listed_payroll, of_company, quiet, send};
use crate::pages::{Browser, value_of};
use crate::support::{Company, Engine, World, id_of, on_both_engines, text};

/// A company in Texas that pays every other week, with its payroll of 8 to 21 June 2026 and a browser on its pages.
struct Payday {
    world: World,
    company: Company,
    location: String,
    payroll: String,
    browser: Browser,
}

impl Payday {
    /// With employees: first name and pay.
    async fn of(engine: Engine, people: &[(&str, (&str, &str, &str))]) -> (Self, Vec<(String, Value)>) {
        let (world, company) = quiet(engine).await;
        let location = id_of(&company.location("TX").await);
        let mut hired = Vec::new();
        for (name, pay) in people {
            hired.push(company.onboarded(name, &location, *pay).await);
        }
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                               "anchor_end_of_pay_period": "2026-06-21" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        world.wait(jiff::Span::new()).await;
        let browser = of_company(&company, "run_payroll").await;
        let payroll = listed_payroll(&browser).await;
        (Self { world, company, location, payroll, browser }, hired)
    }

    fn hours_path(&self) -> String {
        format!("payrolls/{}/hours", self.payroll)
    }

    /// The page of hours as it stands.
    async fn page(&self) -> String {
        self.browser.get(&self.hours_path()).await.is(200).text()
    }

    /// Sends a page of hours as it was shown, but for fields by their labels.
    async fn save(&self, page: &str, entries: &[(&str, &str)]) -> crate::support::Answer {
        let named: Vec<_> = entries.iter().map(|(label, entry)| (field_of(page, label), *entry)).collect();
        let mut fields: Vec<_> = named.iter().map(|(name, entry)| (name.as_str(), *entry)).collect();
        fields.push(("action", "save"));
        send(&self.browser, &self.hours_path(), page, &fields).await
    }

    /// What the payroll has for an employee.
    async fn told(&self, employee: &str) -> Value {
        let path = format!("/v1/companies/{{company}}/payrolls/{}", self.payroll);
        let told = self.company.get(path).await.ok();
        let all = told["employee_compensations"].as_array().unwrap();
        all.iter().find(|one| one["employee_uuid"] == employee).unwrap().clone()
    }

    /// Enters something over the interface.
    async fn enter(&self, employee: &str, what: Value) {
        let path = format!("/v1/companies/{{company}}/payrolls/{}", self.payroll);
        let prepared =
            self.company.put(format!("{path}/prepare"), json!({ "employee_uuids": [employee] })).await.ok();
        let mut line = what;
        line["employee_uuid"] = employee.into();
        line["version"] = prepared["employee_compensations"][0]["version"].clone();
        self.company.put(path, json!({ "employee_compensations": [line] })).await.ok();
    }
}

fn has_field(page: &str, label: &str) -> bool {
    page.contains(&format!("<label>{label}<input type=\"text\""))
}

/// Lines of pay with something in them: name, and hours or amount.
fn lines(told: &Value) -> Vec<(String, String)> {
    let of = |list: &str, what: &str| -> Vec<(String, String)> {
        let all = told[list].as_array().cloned().unwrap_or_default();
        let some = all.iter().map(|one| (text(one, "name"), text(one, what)));
        some.filter(|(_, value)| value.bytes().any(|byte| (b'1'..=b'9').contains(&byte))).collect()
    };
    [of("hourly_compensations", "hours"), of("fixed_compensations", "amount"), of("paid_time_off", "hours")]
        .concat()
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

const HOURLY: (&str, &str, &str) = ("18.50", "Hour", "Nonexempt");

#[test]
fn an_entry_counts_for_the_line_that_its_field_was_called_whatever_came_while_the_page_was_open() {
    on_both_engines(async |engine: Engine| {
        let (payday, hired) = Payday::of(engine, &[("Luis", HOURLY)]).await;
        let luis = &hired[0].0;
        let page = payday.page().await;
        let second = payday.company.job(luis, "Host", "2026-03-01").await;
        payday.company.pay(&second, "20.00", "Hour", "Nonexempt").await;
        payday.save(&page, &[("Bonus, $", "100"), ("Regular hours", "40")]).await.is(303);
        let told = payday.told(luis).await;
        assert_eq!(lines(&told), pairs(&[("Regular Hours", "40.000"), ("Bonus", "100.00")]), "{told}");
        let of_host = |one: &&Value| one["job_uuid"] == second["uuid"];
        let hourly = told["hourly_compensations"].as_array().unwrap().clone();
        assert!(hourly.iter().filter(of_host).all(|one| one["hours"] == "0.000"), "{told}");
    });
}

#[test]
fn what_was_entered_for_a_job_that_has_gone_is_told_and_nothing_of_the_page_is_stored() {
    on_both_engines(async |engine: Engine| {
        let (payday, hired) = Payday::of(engine, &[("Luis", HOURLY)]).await;
        let luis = &hired[0].0;
        let second = payday.company.job(luis, "Host", "2026-03-01").await;
        payday.company.pay(&second, "20.00", "Hour", "Nonexempt").await;
        let page = payday.page().await;
        payday.company.delete(format!("/v1/jobs/{}", id_of(&second))).await.deleted();
        assert!(!has_field(&page, "Commission, Host, $"), "{page}");
        let entries = [("Regular hours, Host", "12.25"), ("Bonus, $", "75")];
        let refused = payday.save(&page, &entries).await.is(409).text();
        assert!(refused.contains("no longer there: 12.25.") && refused.contains("value=\"75\""), "{refused}");
        assert!(lines(&payday.told(luis).await).is_empty(), "nothing is stored");
        payday.save(&refused, &[]).await.is(303);
        assert_eq!(lines(&payday.told(luis).await), pairs(&[("Bonus", "75.00")]));
    });
}

#[test]
fn hours_that_two_people_change_are_told_to_the_second_whose_next_save_counts() {
    on_both_engines(async |engine: Engine| {
        let (payday, hired) = Payday::of(engine, &[("Grace", HOURLY), ("Hugo", HOURLY)]).await;
        let grace = &hired[0].0;
        let first = payday.page().await;
        let second = payday.page().await;
        payday.save(&first, &[("Regular hours", "41"), ("Overtime", "3")]).await.is(303);
        let refused =
            payday.save(&second, &[("Regular hours", "42"), ("Bonus, $", "10")]).await.is(409).text();
        assert!(
            refused.contains("This information was changed somewhere else while you were editing."),
            "{refused}"
        );
        assert!(refused.contains("Changed somewhere else meanwhile: Regular hours: 41."), "{refused}");
        assert!(!refused.contains("Check hours and amounts"), "her 42 is right: {refused}");
        assert_eq!(value_of(&refused, &field_of(&refused, "Regular hours")), "42");
        let held = pairs(&[("Regular Hours", "41.000"), ("Overtime", "3.000")]);
        assert_eq!(lines(&payday.told(grace).await), held, "nothing of the second page is stored");
        payday.save(&refused, &[]).await.is(303);
        let both = pairs(&[("Regular Hours", "42.000"), ("Overtime", "3.000"), ("Bonus", "10.00")]);
        assert_eq!(lines(&payday.told(grace).await), both, "overtime was left alone on the second page");

        // A page on which other fields were changed puts nothing back, and who was left out elsewhere stays so.
        payday.enter(grace, json!({ "excluded": true })).await;
        payday.save(&first, &[("Bonus, $", "10")]).await.is(303);
        let told = payday.told(grace).await;
        assert_eq!((lines(&told), &told["excluded"]), (both, &json!(true)));
    });
}

#[test]
fn somebody_who_is_not_among_the_people_of_a_page_any_more_lends_no_entry_to_the_next() {
    on_both_engines(async |engine: Engine| {
        let (payday, hired) = Payday::of(engine, &[("Bea", HOURLY), ("Zoe", HOURLY)]).await;
        let page = payday.page().await;
        let of_zoe = page.split("<tbody class=\"person").find(|part| part.contains("Zoe")).unwrap();
        let name = field_of(of_zoe, "Regular hours");
        // Ada comes, and stands before both.
        payday.company.onboarded("Ada", &payday.location, HOURLY).await;
        let fields = [(name.as_str(), "many"), ("action", "save")];
        let refused = send(&payday.browser, &payday.hours_path(), &page, &fields).await.is(422).text();
        let wrong =
            refused.split("<tbody class=\"person").find(|part| part.contains("value=\"many\"")).unwrap();
        assert!(wrong.contains("Zoe") && wrong.contains("Check hours and amounts"), "{refused}");
        assert!(lines(&payday.told(&hired[1].0).await).is_empty());
    });
}

/// Has the pay of a job brought up to the federal minimum wage.
async fn tipped(payday: &Payday, job: &Value) {
    let company = &payday.company;
    let wages = company.get(format!("/v1/locations/{}/minimum_wages", payday.location)).await.list();
    let pay = id_of(&company.read("jobs", &id_of(job)).await["compensations"][0]);
    let flag = json!({ "version": company.read("compensations", &pay).await["version"],
                       "adjust_for_minimum_wage": true, "minimum_wages": [{ "uuid": wages[0]["uuid"] }] });
    company.put(format!("/v1/compensations/{pay}"), flag).await.ok();
}

#[test]
fn tips_and_commission_are_entered_on_pages_and_a_tipped_paycheck_without_tips_says_so() {
    on_both_engines(async |engine: Engine| {
        let people = [
            ("Dan", ("2.13", "Hour", "Nonexempt")),
            ("Eve", ("0", "Year", "Commission Only Exempt")),
            ("Fay", ("52000", "Year", "Exempt")),
        ];
        let (payday, hired) = Payday::of(engine, &people).await;
        tipped(&payday, &hired[0].1).await;
        let page = payday.page().await;
        let of = |page: &str, name: &str| {
            page.split("<tbody class=\"person").find(|part| part.contains(name)).unwrap().to_owned()
        };
        let (tips, cash) = ("Tips paid with the paycheck, $", "Tips already received in cash, $");
        for (name, shown) in
            [("Dan", [true, true, false]), ("Eve", [false, false, true]), ("Fay", [false; 3])]
        {
            let fields = of(&page, name);
            let found = [tips, cash, "Commission, $"].map(|label| has_field(&fields, label));
            assert_eq!(found, shown, "{name}: {fields}");
        }
        payday.save(&page, &[("Regular hours", "62")]).await.is(303);
        let calculate = async || {
            let page = payday.page().await;
            let fields = [("action", "calculate")];
            send(&payday.browser, &payday.hours_path(), &page, &fields).await.is(303);
            payday.world.wait(jiff::Span::new()).await;
            payday.browser.get(&format!("payrolls/{}", payday.payroll)).await.is(200).text()
        };
        let warned =
            "no tips were entered for hours at 2.13 an hour, which is below the minimum wage of 7.25";
        let preview = calculate().await;
        assert!(preview.contains(warned) && preview.contains("$449.50"), "{preview}");

        let page = payday.page().await;
        payday.save(&page, &[(tips, "300"), (cash, "240"), ("Commission, $", "1,500")]).await.is(303);
        let told = payday.told(&hired[0].0).await;
        let entered =
            pairs(&[("Regular Hours", "62.000"), ("Paycheck Tips", "300.00"), ("Cash Tips", "240.00")]);
        assert_eq!(lines(&told)[..3], entered[..], "{told}");
        assert_eq!(lines(&payday.told(&hired[1].0).await), pairs(&[("Commission", "1500.00")]));
        let preview = calculate().await;
        // 62 x 2.13 and tips of both kinds, which reach the minimum wage.
        assert!(!preview.contains("no tips were entered") && preview.contains("$672.06"), "{preview}");
    });
}

#[test]
fn a_page_shows_tips_and_commission_for_everybody_on_request_and_keeps_what_was_entered() {
    on_both_engines(async |engine: Engine| {
        let (payday, hired) =
            Payday::of(engine, &[("Ana", HOURLY), ("Ben", ("62000", "Year", "Exempt"))]).await;
        let (ana, ben) = (&hired[0].0, &hired[1].0);
        let page = payday.page().await;
        assert!(!has_field(&page, "Commission, $"));
        let name = field_of(&page, "Regular hours");
        let fields = [(name.as_str(), "40"), ("action", "all")];
        let moved = send(&payday.browser, &payday.hours_path(), &page, &fields).await.is(303);
        let path = moved.header("location").strip_prefix("/flow/").unwrap().to_owned();
        let all = payday.browser.get(&path).await.is(200).text();
        assert_eq!(all.matches("<label>Commission, $<").count(), 2, "{all}");
        let of_ben = all.split("<tbody class=\"person").find(|part| part.contains("Ben")).unwrap();
        let commission = field_of(of_ben, "Commission, $");
        let fields = [(commission.as_str(), "900"), ("action", "save")];
        let saved = send(&payday.browser, &payday.hours_path(), &all, &fields).await.is(303);
        assert!(saved.header("location").ends_with("&all=1"), "{}", saved.header("location"));
        assert_eq!(lines(&payday.told(ana).await), pairs(&[("Regular Hours", "40.000")]));
        let told = payday.told(ben).await;
        let fixed = line_of(&told["fixed_compensations"], "Commission");
        assert_eq!(fixed["amount"], "900.00", "{told}");
        // What is entered is shown without being asked for.
        assert!(has_field(&payday.page().await, "Commission, $"));
    });
}

fn line_of<'l>(lines: &'l Value, name: &str) -> &'l Value {
    lines.as_array().unwrap().iter().find(|line| line["name"] == name).unwrap_or(&Value::Null)
}

#[test]
fn expenses_are_entered_on_pages_beside_those_that_have_a_description() {
    on_both_engines(async |engine: Engine| {
        let (payday, hired) = Payday::of(engine, &[("Ana", HOURLY)]).await;
        let ana = &hired[0].0;
        let paid_back = async || {
            let told = payday.told(ana).await;
            let all = told["reimbursements"].as_array().unwrap().clone();
            let mut all: Vec<_> = all.iter().map(|one| text(one, "amount")).collect();
            all.sort();
            all
        };
        let page = payday.page().await;
        payday.save(&page, &[("Expenses paid back, $", "31.50")]).await.is(303);
        assert_eq!(paid_back().await, ["31.50"]);
        payday.enter(ana, json!({ "reimbursements": [{ "amount": "80.00", "description": "Train" }] })).await;
        let page = payday.page().await;
        let label = "Other expenses paid back, $ ($80.00 already entered)";
        assert_eq!(value_of(&page, &field_of(&page, label)), "31.50");
        payday.save(&page, &[(label, "")]).await.is(303);
        assert_eq!(paid_back().await, ["80.00"]);
    });
}

#[test]
fn more_hours_than_the_days_of_the_pay_period_have_are_refused_on_the_page_with_how_many_they_are() {
    on_both_engines(async |engine: Engine| {
        let (payday, hired) = Payday::of(engine, &[("Grace", HOURLY)]).await;
        let page = payday.page().await;
        let refused = payday.save(&page, &[("Regular hours", "680")]).await.is(422).text();
        let most = "no more hours in all than the days of the pay period have (336).";
        assert!(refused.contains(most) && refused.contains("value=\"680\""), "{refused}");
        assert!(lines(&payday.told(&hired[0].0).await).is_empty());
        payday.save(&refused, &[("Regular hours", "68")]).await.is(303);
    });
}

#[test]
fn a_payroll_outside_the_schedule_says_what_it_is_and_what_is_other_about_it() {
    on_both_engines(async |engine: Engine| {
        let people = [("Ana", HOURLY), ("Ben", ("52000", "Year", "Exempt"))];
        let (mut payday, hired) = Payday::of(engine, &people).await;
        let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-08",
                           "end_date": "2026-06-21", "check_date": "2026-06-26", "employee_uuids": [hired[1].0],
                           "skip_regular_deductions": true, "fixed_withholding_rate": true,
                           "is_check_only_payroll": true });
        let extra = id_of(&payday.company.post("/v1/companies/{company}/payrolls", body).await.ok());
        let list = payday.browser.get("payrolls").await.is(200).text();
        assert_eq!(list.matches("<b>Payday June 26, 2026</b>").count(), 1, "{list}");
        assert!(list.contains("<b>Bonus payroll, payday June 26, 2026</b>"), "{list}");
        assert!(list.contains("Everybody is paid by check, which you hand out on June 26, 2026."), "{list}");

        let regular = payday.page().await;
        payday.payroll = extra;
        let page = payday.page().await;
        for said in [
            "<h1>Bonus payroll, payday June 26, 2026</h1>",
            "It pays what you enter here, and no salaries",
            "no benefits and no other regular deductions",
            "at the flat rate for bonuses",
            "Everybody is paid by check",
        ] {
            assert!(page.contains(said) && !regular.contains(said), "{said}: {page}");
        }
        let name = field_of(&page, "Bonus, $");
        let fields = [(name.as_str(), "1000"), ("action", "calculate")];
        send(&payday.browser, &payday.hours_path(), &page, &fields).await.is(303);
        payday.world.wait(jiff::Span::new()).await;
        let path = format!("payrolls/{}", payday.payroll);
        let preview = payday.browser.get(&path).await.is(200).text();
        assert!(preview.contains("and you hand out one check for $"), "{preview}");
        assert!(preview.contains("<h1>Bonus payroll") && preview.contains("pays no salaries"), "{preview}");
        assert!(!preview.contains("Submit it by"), "a check has no deadline of a bank: {preview}");
        let asked = send(&payday.browser, &path, &preview, &[("action", "submit")]).await.is(200).text();
        assert!(asked.contains("You hand out one check for $"), "{asked}");
    });
}

#[test]
fn hours_that_were_entered_by_day_are_shown_and_no_sum_of_the_page_takes_their_place() {
    on_both_engines(async |engine: Engine| {
        let (payday, people) = Payday::of(engine, &[("Ana", ("20.00", "Hour", "Nonexempt"))]).await;
        let (ana, job) = &people[0];
        let before = payday.page().await;
        assert!(has_field(&before, "Regular hours"));
        let day = |date: &str, hours: &str| json!({ "name": "Regular Hours", "job_uuid": id_of(job), "date": date, "hours": hours });
        let by_day = json!({ "hourly_compensations": [day("2026-06-08", "12"), day("2026-06-09", "11")] });
        payday.enter(ana, by_day).await;
        let page = payday.page().await;
        assert!(!has_field(&page, "Regular hours") && page.contains("Regular hours: 23"), "{page}");
        assert!(page.contains("entered by day, workweek or location"), "{page}");
        payday.save(&page, &[("Overtime", "2"), ("Bonus, $", "50")]).await.is(303);
        let held = ("Regular Hours".to_owned(), "23.000".to_owned());
        assert!(lines(&payday.told(ana).await).contains(&held));
        // A page from before the days were entered cannot put a sum in their place, either.
        let refused = payday.save(&before, &[("Regular hours", "24")]).await.is(409).text();
        assert!(refused.contains("Regular hours: 23"), "{refused}");
        assert!(lines(&payday.told(ana).await).contains(&held));
    });
}

#[test]
fn somebody_whose_pay_becomes_a_salary_within_the_period_has_hours_of_the_days_before() {
    on_both_engines(async |engine: Engine| {
        let (payday, people) = Payday::of(engine, &[("Ana", ("20.00", "Hour", "Nonexempt"))]).await;
        let (ana, job) = &people[0];
        let salary = json!({ "rate": "52000.00", "payment_unit": "Year", "flsa_status": "Exempt",
                             "effective_date": "2026-06-15" });
        payday.company.post(format!("/v1/jobs/{}/compensations", id_of(job)), salary).await.created();
        let page = payday.page().await;
        payday.save(&page, &[("Regular hours", "40")]).await.is(303);
        let told = payday.told(ana).await;
        assert!(lines(&told).contains(&("Regular Hours".to_owned(), "40.000".to_owned())), "{told}");
    });
}

#[test]
fn what_is_entered_for_somebody_whom_the_payroll_no_longer_pays_is_told_on_its_page_in_both_languages() {
    on_both_engines(async |engine: Engine| {
        let (payday, hired) = Payday::of(engine, &[("Luis", HOURLY), ("Eva", HOURLY)]).await;
        let luis = &hired[0].0;
        let forty = json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": "40" }] });
        payday.enter(luis, forty).await;
        let body = json!({ "effective_date": "2026-06-07", "run_termination_payroll": false });
        payday.company.post(format!("/v1/employees/{luis}/terminations"), body).await.created();
        payday.world.wait(jiff::Span::new()).await;
        let page = payday.page().await;
        send(&payday.browser, &payday.hours_path(), &page, &[("action", "calculate")]).await.is(303);
        payday.world.wait(jiff::Span::new()).await;
        let at = format!("payrolls/{}", payday.payroll);
        let told = payday.browser.get(&at).await.is(200).text();
        let english = r#"Luis Silva: <span lang="en">40.000 hours and 0.00 were entered in this payroll"#;
        assert!(told.contains(english), "{told}");
        let token = value_of(&told, "form_token");
        payday.browser.form("language", &[("form_token", &token), ("language", "es")]).send().await.is(303);
        let told = payday.browser.get(&at).await.is(200).text();
        assert!(
            told.contains(r#"<span lang="es">se indicaron 40.000 horas y 0.00 en esta nómina"#),
            "{told}"
        );
    });
}

#[test]
fn the_grid_tells_what_entries_come_to_while_nothing_is_stored_and_a_note_stays_with_its_person() {
    on_both_engines(async |engine: Engine| {
        let (payday, hired) =
            Payday::of(engine, &[("Ana", HOURLY), ("Ben", ("62000", "Year", "Exempt"))]).await;
        let page = payday.page().await;
        // A salary of 62,000 over 26 pays, and nothing by the hour yet.
        assert!(page.contains("data-live>$2,384.62<") && page.contains("data-live>$0.00<"), "{page}");
        assert!(page.contains("$18.50 an hour") && page.contains("$62,000.00 a year"), "{page}");
        let (regular, overtime) = (field_of(&page, "Regular hours"), field_of(&page, "Overtime"));
        let fields = [(regular.as_str(), "70"), (overtime.as_str(), "2"), ("action", "show")];
        let shown = send(&payday.browser, &payday.hours_path(), &page, &fields).await.is(200).text();
        // 70 hours at 18.50 and two at 27.75, and with the salary.
        assert!(shown.contains("data-live>$1,350.50<") && shown.contains("data-live>$3,735.12<"), "{shown}");
        assert!(lines(&payday.told(&hired[0].0).await).is_empty(), "nothing is stored");
        let page = payday.page().await;
        let fields = [("m0", "Thank you"), ("action", "save")];
        send(&payday.browser, &payday.hours_path(), &page, &fields).await.is(303);
        let mut memos = Vec::new();
        for (employee, _) in &hired {
            memos.push(payday.told(employee).await["memo"].as_str().unwrap_or_default().to_owned());
        }
        memos.sort();
        assert_eq!(memos, ["", "Thank you"]);
        // Without a change it is not sent; with another one elsewhere it is told.
        let page = payday.page().await;
        assert!(page.contains("value=\"Thank you\""), "{page}");
    });
}

/// Adds up the lines of each sum of a preview; returns how many sums there are.
#[track_caller]
fn add_up(page: &str) -> usize {
    let cents = |text: &str| -> i64 {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        digits.parse::<i64>().unwrap() * if text.starts_with('−') { -1 } else { 1 }
    };
    let mut sums = 0;
    for table in page.split("<table class=\"ledger\">").skip(1) {
        let mut sum = 0;
        for row in table.split("</table>").next().unwrap().split("<tr").skip(1) {
            let amount = cents(row.split("class=\"number\">").nth(1).unwrap().split('<').next().unwrap());
            if row.starts_with(" class=\"sum\"") {
                assert_eq!(amount, sum, "{table}");
                sums += 1;
            } else {
                sum += amount;
            }
        }
    }
    sums
}

#[test]
fn a_preview_adds_up_and_tells_who_earns_much_more_or_less_than_the_last_time() {
    on_both_engines(async |engine: Engine| {
        let (payday, _) = Payday::of(engine, &[("Ana", HOURLY), ("Ben", ("62000", "Year", "Exempt"))]).await;
        let previewed = async |browser: &Browser, payroll: &str, hours: &str| {
            let path = format!("payrolls/{payroll}/hours");
            let page = browser.get(&path).await.is(200).text();
            let name = field_of(&page, "Regular hours");
            let fields = [(name.as_str(), hours), ("action", "calculate")];
            send(browser, &path, &page, &fields).await.is(303);
            payday.world.wait(jiff::Span::new()).await;
            browser.get(&format!("payrolls/{payroll}")).await.is(200).text()
        };
        let first = previewed(&payday.browser, &payday.payroll, "80").await;
        assert!(add_up(&first) >= 2, "{first}");
        assert!(!first.contains("Earned on"), "nobody was paid before");
        let (token, version) = (value_of(&first, "form_token"), value_of(&first, "version"));
        let fields =
            [("form_token", &*token), ("version", &*version), ("action", "submitted"), ("confirmed", "on")];
        payday.browser.form(&format!("payrolls/{}", payday.payroll), &fields).send().await.is(303);
        payday.world.wait(jiff::Span::new()).await;
        payday.world.wait_until("2026-06-29T15:00:00Z".parse().unwrap()).await;
        let browser = of_company(&payday.company, "run_payroll").await;
        let next = listed_payroll(&browser).await;
        assert_ne!(next, payday.payroll);
        let second = previewed(&browser, &next, "60").await;
        assert!(add_up(&second) >= 2, "{second}");
        // 60 hours after 80 are a quarter less; the salary is what it was.
        assert!(second.contains("Earned on June 26, 2026") && second.contains("$1,480.00"), "{second}");
        assert!(second.contains("<small class=\"badge open\">−25%</small>"), "{second}");
        assert!(second.contains("One person earns over 20% more or less than the last time."), "{second}");
    });
}
