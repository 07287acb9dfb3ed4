//! Pay that was reversed leaves a trace with the employer: the list, an event, the books, the paycheck; wages and taxes by the reason.

use domain::money::batches::reversals;
use domain::money::batches::reversals::Why;
use domain::pay::payrolls::closing::reversals::Category;
use jiff::Span;
use serde_json::{Value, json};

use super::returns::sent;
use super::taxes::act;
use super::{LIST, bank, employer, files_in, paid, run, told};
use crate::support::{Company, Engine, World, on_both_engines, text};

const ACCOUNT: &str = "90126600418";
const REVERSALS: &str = "/v1/companies/{company}/payroll_reversals";
const JOURNAL: &str = "/v1/companies/{company}/journal?start_date=2026-06-01&end_date=2026-07-31";

fn cents(amount: &Value) -> i64 {
    let text = amount.as_str().unwrap_or("0.00");
    let digits: i64 = text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap();
    if text.starts_with('-') { -digits } else { digits }
}

/// Ana and Max are paid: the company, its payroll, and both.
async fn two(world: &World) -> (Company, String, [String; 2]) {
    let (company, location, payroll) = employer(world, ACCOUNT).await;
    let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
    let (max, _) = paid(&company, &location, "Max", "2222333344").await;
    run(&company, &payroll).await;
    (company, payroll, [ana, max])
}

/// Reverses the pay of an employee for a reason.
async fn reverse(company: &Company, employee: &str, category: Category) -> Result<(), domain::Error> {
    let list = company.get(format!("{LIST}?transaction_type=Credit%20employee%20pay")).await.list();
    let one =
        list.iter().find(|one| one["recipient_uuid"] == employee && one["payment_status"] == "submitted");
    let entry = text(one.unwrap(), "uuid").parse().unwrap();
    let why = Why::new(category, Some("Told by phone".to_owned()));
    act(company, move |tx, caller| reversals::reverse_for(tx, caller, entry, &why)).await
}

/// The sum of an account in the books, credits above zero; all lines sum to zero.
async fn owed(company: &Company, account: &str) -> i64 {
    let lines = company.get(JOURNAL).await.list();
    let sum = |lines: &[Value]| {
        lines.iter().map(|line| cents(&line["credit"]) - cents(&line["debit"])).sum::<i64>()
    };
    assert_eq!(sum(&lines), 0, "{lines:#?}");
    let of: Vec<Value> = lines.into_iter().filter(|line| line["account"] == account).collect();
    sum(&of)
}

async fn payroll_of(company: &Company, payroll: &str) -> Value {
    company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}?include=totals,reversals")).await.ok()
}

async fn stubs(company: &Company, employee: &str) -> Vec<Value> {
    company.get(format!("/v1/employees/{employee}/pay_stubs")).await.list()
}

#[test]
fn pay_that_was_paid_twice_comes_back_and_its_wages_and_taxes_stay() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, payroll, [ana, max]) = two(&world).await;
        let before = payroll_of(&company, &payroll).await;
        assert_eq!((&before["reversals"], owed(&company, "net_pay_payable").await), (&json!([]), 0));
        let pay = i64::try_from(sent(folder.path(), "1111222233").1).unwrap();
        reverse(&company, &ana, Category::PaidTwice).await.unwrap();

        let listed = company.get(REVERSALS).await.list();
        let [one] = &listed[..] else { panic!("{listed:?}") };
        assert_eq!(
            (text(one, "reversed_payroll_uuid"), text(one, "category")),
            (payroll.clone(), "paid_twice".into())
        );
        assert_eq!(
            (&one["reversed_employee_uuids"], &one["reason"]),
            (&json!([ana]), &json!("Told by phone"))
        );
        assert!(one["approved_at"].is_string() && one["reversal_payroll_uuid"].is_null());
        let after = payroll_of(&company, &payroll).await;
        assert_eq!((&after["totals"], &after["reversals"]), (&before["totals"], &json!(listed)));
        assert_eq!(told(&company, "payroll.partially_reversed", &payroll).await, 1);
        assert_eq!(owed(&company, "net_pay_payable").await, pay, "owed until it is said how it was paid");
        assert_eq!(
            stubs(&company, &ana).await[0]["net_pay"],
            text(&stubs(&company, &max).await[0], "net_pay")
        );

        // The employer records the other payment, and the transactions stay as they were.
        let all = company.get("/v1/companies/{company}/liabilities?all=true&as_of=2026-12-31").await.list();
        let liability = all.iter().find(|one| one["account"] == "net_pay_payable").unwrap();
        let body = json!({ "liability_uuid": liability["uuid"], "amount": liability["balance"], "paid_on": "2026-06-16" });
        company.post("/v1/companies/{company}/liability_payments", body).await.created();
        assert_eq!(owed(&company, "net_pay_payable").await, 0);
        world.wait(Span::new().minutes(5)).await;
        let list = company.get(format!("{LIST}?payroll_uuid={payroll}")).await.list();
        let kinds: Vec<_> = list.iter().map(|one| text(one, "transaction_type")).collect();
        assert_eq!(kinds.iter().filter(|kind| *kind == "Credit employee pay").count(), 2, "{kinds:?}");
        assert_eq!(kinds.iter().filter(|kind| *kind == "Reverse employee pay").count(), 1, "{kinds:?}");
        assert_eq!(files_in(folder.path()).len(), 2);

        reverse(&company, &max, Category::PaidTwice).await.unwrap();
        assert_eq!(told(&company, "payroll.reversed", &payroll).await, 1, "nobody is left");
        let page = company.get(format!("{REVERSALS}?page=1&per=1")).await;
        assert_eq!((page.header("x-total-count").to_owned(), page.list().len()), ("2".to_owned(), 1));
        assert!(world.company().await.get(REVERSALS).await.list().is_empty());
    });
}

#[test]
fn pay_that_was_not_owed_leaves_totals_taxes_books_and_the_year() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, payroll, [ana, max]) = two(&world).await;
        let before = payroll_of(&company, &payroll).await;
        let (wages, taxes) = (owed(&company, "wages").await, owed(&company, "employee_taxes_payable").await);
        reverse(&company, &ana, Category::NotOwed).await.unwrap();

        // Both were paid the same, so half of everything is left.
        let after = payroll_of(&company, &payroll).await;
        for (name, sum) in before["totals"].as_object().unwrap() {
            assert_eq!(cents(&after["totals"][name]) * 2, cents(sum), "{name}");
        }
        let paid_to: Vec<_> = after["employee_compensations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| text(one, "employee_uuid"))
            .collect();
        assert!(paid_to.contains(&max));
        assert_eq!(owed(&company, "wages").await * 2, wages);
        assert_eq!(owed(&company, "employee_taxes_payable").await * 2, taxes);
        assert_eq!(owed(&company, "net_pay_payable").await, 0);
        let lines = company.get(JOURNAL).await.list();
        assert!(lines.iter().any(|line| line["reason"] == "reversal"), "{lines:#?}");
        let receipt = company.get(format!("/v1/payrolls/{payroll}/receipt")).await.ok();
        assert_eq!(receipt["employee_compensations"].as_array().unwrap().len(), 1);
        let liabilities = company.get("/v1/companies/{company}/liabilities").await.list();
        assert!(liabilities.iter().all(|one| one["account"] != "net_pay_payable"), "{liabilities:?}");

        // The paycheck is kept, and says what became of it.
        assert!(stubs(&company, &ana).await[0]["voided_at"].is_string());
        assert!(stubs(&company, &max).await[0].get("voided_at").is_none());
        company.get(format!("/v1/payrolls/{payroll}/employees/{ana}/pay_stub")).await.is(200);
        assert_eq!(told(&company, "payroll.partially_reversed", &payroll).await, 1);
        assert_eq!(company.get(REVERSALS).await.list()[0]["category"], "not_owed");
        assert!(reverse_again(&company, &ana).await, "once");
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(files_in(folder.path()).len(), 2, "the money is debited");

        // The next paycheck goes on as if there had been none.
        let open =
            company.get("/v1/companies/{company}/payrolls?processing_statuses=unprocessed").await.list();
        let next = text(&open[0], "payroll_uuid");
        company.calculate(&next).await;
        company.submit(&next).await;
        let sums = async |employee: &str| {
            let id: uuid::Uuid = employee.parse().unwrap();
            act(&company, move |tx, caller| {
                domain::pay::payrolls::views::stubs::paid_in_year(
                    tx,
                    caller,
                    id,
                    (2026, jiff::civil::date(2026, 12, 31)),
                )
            })
            .await
            .unwrap()
            .gross
        };
        assert_eq!(sums(&ana).await.cents_half_up() * 2, sums(&max).await.cents_half_up());
    });
}

/// Whether there is no payment to an employee left that could be reversed.
async fn reverse_again(company: &Company, employee: &str) -> bool {
    let list = company.get(format!("{LIST}?transaction_type=Credit%20employee%20pay")).await.list();
    let entry =
        text(list.iter().find(|one| one["recipient_uuid"] == employee).unwrap(), "uuid").parse().unwrap();
    let why = Why::new(Category::NotOwed, None);
    act(company, move |tx, caller| reversals::reverse_for(tx, caller, entry, &why)).await.is_err()
}

#[test]
fn a_paycheck_on_which_a_later_payroll_builds_is_not_made_void() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let _folder = bank(&world, |_| {}).await;
        let (company, payroll, [ana, _]) = two(&world).await;
        let open =
            company.get("/v1/companies/{company}/payrolls?processing_statuses=unprocessed").await.list();
        let next = text(&open[0], "payroll_uuid");
        company.calculate(&next).await;
        company.submit(&next).await;
        let Err(domain::Error::Violations(why)) = reverse(&company, &ana, Category::NotOwed).await else {
            panic!()
        };
        assert!(why[0].message.contains("A later payroll builds on this paycheck"), "{}", why[0].message);
        assert!(company.get(REVERSALS).await.list().is_empty(), "nothing is changed");
        assert_eq!(told(&company, "payroll.partially_reversed", &payroll).await, 0);
        reverse(&company, &ana, Category::WrongAmount).await.unwrap();
        assert_eq!(company.get(REVERSALS).await.list()[0]["category"], "wrong_amount");
    });
}
