//! Speed of garnishments alone: `cargo bench -p rules --bench garnishments`.
//!
//! One core takes three support orders each from a million pays. Half of the pays suffice for all three; in the other
//! half current support and arrears are divided to the cent. Beside it runs the same formula in bare arithmetic on
//! 64-bit cents, for exactly three orders and without terms, dates, maxima or an explanation; both must come to the
//! same cents. Processor time counts. Being slow is never an error here.
//!
//! Option, after `--`: the number of rounds (default 5).

#![allow(clippy::float_arithmetic, reason = "figures for people")]

use std::hint::black_box;
use std::sync::LazyLock;

use jiff::civil::date;
use rules::Amount;
use rules::explain::{NoTrace, Recorder};
use rules::payroll::PeriodsPaid;
use rules::payroll::garnishment::{
    ChildSupport, EarlierPay, Garnishment, GarnishmentLaw, GarnishmentTerms, GarnishmentType,
    IncomeWithholdingOrder, MinimumWages, Pay, SupportLimits, WithheldToDate, deduct_garnishments,
};
use rules::withholding::federal::PayFrequency;
use rustix::time::{ClockId, clock_gettime};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Pays that differ; they are taken again and again.
const EMPLOYEES: u32 = 4_096;
/// Pays of a round.
const PAYS: usize = 1_000_000;

/// An order in cents a month: percent, current support, arrears.
type Order = (i64, i64, i64);

/// Orders and disposable earnings of one employee.
struct Employee {
    disposable: i64,
    orders: [Order; 3],
    terms: [GarnishmentTerms; 3],
}

fn main() {
    let mut words = std::env::args().skip(1);
    let rounds = words.find_map(|word| word.parse::<usize>().ok()).unwrap_or(5).clamp(1, 1_000);
    let employees: Vec<Employee> = (0..EMPLOYEES).map(employee).collect();
    for employee in &employees {
        assert_eq!(ours(employee), bare(employee.disposable, &employee.orders), "both formulas are the same");
    }
    let divided = employees.iter().filter(|employee| employee.is_divided()).count();
    println!("three support orders a pay, {PAYS} pays on one core, best of {rounds} rounds, processor time");
    println!("{} of 100 pays do not suffice for all orders\n", divided * 100 / employees.len());
    let rules = line("deductions by the rules", rounds, PAYS, &employees, ours);
    let arithmetic = line("bare 64-bit arithmetic", rounds, PAYS, &employees, |employee| {
        bare(employee.disposable, &employee.orders)
    });
    line("deductions with explanation", rounds, PAYS / 100, &employees, explained);
    println!("\nratio to bare arithmetic: {:.2} (1 would be as fast)", arithmetic / rules);
}

/// The best of some rounds, as one line; seconds for each.
fn line(
    what: &str,
    rounds: usize,
    pays: usize,
    employees: &[Employee],
    work: impl Fn(&Employee) -> [i64; 3],
) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let before = processor_seconds();
        for employee in employees.iter().cycle().take(pays) {
            black_box(work(black_box(employee)));
        }
        best = best.min((processor_seconds() - before) / pays as f64);
    }
    println!("{what:<30} {:>9.0} ns {:>14.0} a second", best * 1e9, 1.0 / best);
    best
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn employee(number: u32) -> Employee {
    let mut state = u64::from(number) + 1;
    // Numbers without pattern, the same in every run.
    let mut below = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((state >> 33) % most).unwrap_or(0)
    };
    let orders = [(); 3].map(|()| (50 + below(16), 10_000 + below(40_000), below(15_000)));
    let asked: i64 = orders.iter().map(|(_, current, arrears)| current + arrears).sum();
    let share = if number.is_multiple_of(2) { 250 + below(200) } else { 60 + below(130) };
    Employee { disposable: asked * share / 100, terms: orders.map(terms), orders }
}

fn terms((percent, current, arrears): Order) -> GarnishmentTerms {
    GarnishmentTerms {
        active: true,
        court_ordered: true,
        garnishment_type: Some(GarnishmentType::ChildSupport),
        amount: Amount::from_cents(percent * 100),
        deduct_as_percentage: true,
        pay_period_maximum: Some(Amount::from_cents(current + arrears)),
        annual_maximum: None,
        total_amount: None,
        times: None,
        recurring: true,
        child_support: Some(ChildSupport {
            payment_period: PayFrequency::Monthly,
            order: IncomeWithholdingOrder {
                current_support: Some(Amount::from_cents(current)),
                arrears: Some(Amount::from_cents(arrears)),
                arrears_over_12_weeks: Some(false),
                supports_other_family: Some(true),
                ..IncomeWithholdingOrder::default()
            },
        }),
        served_on: None,
        ends_on: None,
        tax_levy: None,
        bankruptcy_chapter: None,
        employer_fee: false,
    }
}

static LAW: LazyLock<GarnishmentLaw<'static>> = LazyLock::new(|| {
    let wages = MinimumWages::of_country(Amount::from_cents(725));
    GarnishmentLaw::built_in("NJ", date(2026, 6, 1), wages)
});

impl Employee {
    fn is_divided(&self) -> bool {
        let asked =
            |(percent, current, arrears): &Order| (self.disposable * percent / 100).min(current + arrears);
        self.orders.iter().map(asked).sum::<i64>() > self.disposable / 2
    }

    fn garnishments(&self) -> [Garnishment<u32>; 3] {
        [0, 1, 2].map(|id: u32| Garnishment {
            id,
            since: date(2026, 1, 1),
            terms: self.terms[id as usize].clone(),
            withheld: WithheldToDate::default(),
        })
    }

    fn pay(&self) -> Pay<'static> {
        Pay {
            disposable_earnings: Amount::from_cents(self.disposable),
            periods: PeriodsPaid::one_period(PayFrequency::Monthly),
            limits: SupportLimits::built_in().limits_of_state("NJ", jiff::civil::date(2026, 6, 1)),
            gross: Amount::from_cents(self.disposable),
            health_premiums: Vec::new(),
            law: &LAW,
            free_and_clear: None,
            earlier: EarlierPay::default(),
        }
    }
}

fn ours(employee: &Employee) -> [i64; 3] {
    let taken = deduct_garnishments(&mut NoTrace, &employee.pay(), &employee.garnishments());
    [0, 1, 2].map(|at: usize| taken[at].amount.cents_half_up())
}

fn explained(employee: &Employee) -> [i64; 3] {
    let mut recorder = Recorder::default();
    let taken = deduct_garnishments(&mut recorder, &employee.pay(), &employee.garnishments());
    black_box(recorder.finish());
    [0, 1, 2].map(|at: usize| taken[at].amount.cents_half_up())
}

/// The same in cents: own amounts, the limit of half of the pay, and where that is too little, current support and
/// then arrears in proportion, with the cents that are left to the largest remainders.
fn bare(disposable: i64, orders: &[Order; 3]) -> [i64; 3] {
    let own = orders.map(|(percent, current, arrears)| (disposable * percent / 100).min(current + arrears));
    let room = disposable * 50 / 100;
    if own.iter().sum::<i64>() <= room {
        return own;
    }
    let mut current = [0; 3];
    let limits = [0, 1, 2].map(|at| own[at].min(orders[at].1));
    divide(room, &orders.map(|(_, current, _)| current), &limits, &mut current);
    let rest = room - current.iter().sum::<i64>();
    let mut arrears = [0; 3];
    let limits = [0, 1, 2].map(|at| own[at] - limits[at]);
    divide(rest, &orders.map(|(.., arrears)| arrears), &limits, &mut arrears);
    [0, 1, 2].map(|at| current[at] + arrears[at])
}

fn divide(mut pot: i64, weights: &[i64; 3], limits: &[i64; 3], parts: &mut [i64; 3]) {
    let mut open = [0, 1, 2].map(|at| limits[at] > 0 && weights[at] > 0);
    loop {
        let total: i64 = (0..3).filter(|at| open[*at]).map(|at| weights[at]).sum();
        let mut passed_on = 0;
        let before = open;
        for at in (0..3).filter(|at| before[*at]) {
            if pot * weights[at] >= limits[at] * total {
                parts[at] = limits[at];
                passed_on += limits[at];
                open[at] = false;
            }
        }
        if passed_on > 0 {
            pot -= passed_on;
            continue;
        }
        if total == 0 {
            return;
        }
        let mut left = pot;
        let mut rests = [-1; 3];
        for at in (0..3).filter(|at| open[*at]) {
            parts[at] = pot * weights[at] / total;
            rests[at] = pot * weights[at] % total;
            left -= parts[at];
        }
        for _ in 0..left {
            let mut largest = 0;
            for at in 1..3 {
                if rests[at] > rests[largest] {
                    largest = at;
                }
            }
            parts[largest] += 1;
            rests[largest] = -1;
        }
        return;
    }
}
