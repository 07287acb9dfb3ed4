#!/usr/bin/env python3
"""Works whole paychecks, from hours and tips to net pay, with exact fractions.

It shares nothing with the service but the tables in data/, and federal.py beside it. The cases are made by chance from a
fixed seed, with their results, and written to crates/rules/src/payroll/worked.csv:

    python3 tests/worked/paychecks.py && git diff --exit-code crates/rules/src/payroll/worked.csv
"""

import csv
import json
import pathlib
import random
from fractions import Fraction

import federal

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ROOT / "crates/rules/src/payroll/worked.csv"
FREQUENCIES = ["Every week", "Every other week", "Twice per month", "Monthly", "Quarterly", "Annually"]
STATUSES = ["Single", "Married", "Head of Household"]
GIVEN = [
    "frequency", "filing_status", "two_jobs", "unit", "rate", "regular", "overtime", "double_overtime",
    "minimum_wage", "tip_credit", "paycheck_tips", "cash_tips", "bonus", "reimbursement", "medical",
    "deferral_percent", "support_percent", "support_most", "allowances_il", "social_security_before",
    "medicare_before", "futa_before",
]
WORKED = [
    "gross", "make_up", "federal_income_tax", "social_security", "medicare", "additional_medicare", "state_income_tax",
    "futa", "support", "net", "check_amount",
]
HALF = Fraction(1, 2)


def cent(amount):
    """Half up to the cent."""
    return Fraction(int(amount * 100 + HALF), 100)


def floor_cent(amount):
    return Fraction(int(amount * 100), 100)


def chance(case_random):
    """One case, as text."""
    def dollars(most):
        return f"{case_random.randrange(most * 100) / 100:.2f}"

    def sometimes(one_in, value):
        return value if case_random.randrange(one_in) == 0 else "0"

    tipped = case_random.randrange(3) == 0
    unit = "Hour" if tipped else case_random.choice(["Hour", "Hour", "Year"])
    rate = "2.13" if tipped else dollars(70) if unit == "Hour" else dollars(400_000)
    many = case_random.randrange(4) == 0
    before = case_random.randrange(195_000 if many else 3_000)
    return {
        "frequency": case_random.choice(FREQUENCIES),
        "filing_status": case_random.choice(STATUSES),
        "two_jobs": str(case_random.randrange(2)),
        "unit": unit,
        "rate": rate,
        "regular": "0" if unit == "Year" else dollars(80),
        "overtime": "0" if unit == "Year" else sometimes(3, dollars(12)),
        "double_overtime": "0" if unit == "Year" else sometimes(6, dollars(6)),
        "minimum_wage": "7.25" if tipped else "0",
        "tip_credit": "5.12" if tipped else "0",
        "paycheck_tips": dollars(300) if tipped else "0",
        "cash_tips": sometimes(2, dollars(60)) if tipped else "0",
        "bonus": sometimes(4, dollars(2_000)),
        "reimbursement": sometimes(5, dollars(200)),
        "medical": sometimes(2, dollars(60)),
        "deferral_percent": sometimes(2, dollars(12)),
        "support_percent": sometimes(3, "50"),
        "support_most": dollars(900),
        "allowances_il": str(case_random.randrange(4)),
        "social_security_before": f"{min(before, 184_500)}.00",
        "medicare_before": f"{before}.00",
        "futa_before": f"{min(before, 7_000)}.00",
    }


def earnings(case, periods):
    """Wages of the job without the adjustment, and the adjustment."""
    rate = Fraction(case["rate"])
    if case["unit"] == "Year":
        return cent(rate / periods), Fraction(0)
    hours = [Fraction(case[kind]) for kind in ("regular", "overtime", "double_overtime")]
    minimum, credit = Fraction(case["minimum_wage"]), Fraction(case["tip_credit"])
    times = [Fraction(1), Fraction(3, 2), Fraction(2)]
    if not minimum:
        return sum(cent(rate * more * each) for more, each in zip(times, hours)), Fraction(0)
    paid = [rate] + [cent(max(rate * more, minimum * more - credit)) for more in times[1:]]
    wages = sum(cent(an_hour * each) for an_hour, each in zip(paid, hours))
    least = [minimum] + [cent(minimum * more) for more in times[1:]]
    required = sum(an_hour * each for an_hour, each in zip(least, hours))
    tips = Fraction(case["paycheck_tips"]) + Fraction(case["cash_tips"])
    credited = min(tips, credit * sum(hours))
    return wages, cent(max(required - wages - credited, Fraction(0)))


def paycheck(case, rates, tables, illinois, deferrals):
    periods = federal.PERIODS[case["frequency"]]
    wages, make_up = earnings(case, periods)
    cash = Fraction(case["cash_tips"])
    gross = wages + make_up + sum(Fraction(case[line]) for line in ("paycheck_tips", "cash_tips", "bonus"))
    medical = Fraction(case["medical"])
    deferral = min(cent(gross * Fraction(case["deferral_percent"]) / 100), deferrals)
    if medical + deferral > gross - cash:
        return None
    for_fica, for_income = gross - medical, gross - medical - deferral

    room = max(Fraction(rates["social_security"]["wage_base"]) - Fraction(case["social_security_before"]), 0)
    percent = {tax: Fraction(row["employee_percent"] or row["employer_percent"]) / 100 for tax, row in rates.items()}
    social_security = cent(min(for_fica, room) * percent["social_security"])
    medicare = cent(for_fica * percent["medicare"])
    above = Fraction(case["medicare_before"]) + for_fica - Fraction(rates["additional_medicare"]["threshold"])
    additional = cent(min(max(above, Fraction(0)), for_fica) * percent["additional_medicare"])
    futa_room = max(Fraction(rates["futa"]["wage_base"]) - Fraction(case["futa_before"]), 0)
    futa = cent(min(for_fica, futa_room) * percent["futa"])

    form = {
        "form": "rev_2020", "filing_status": case["filing_status"], "two_jobs": case["two_jobs"],
        "frequency": case["frequency"], "wages": for_income, "dependents_amount": "0", "other_income": "0",
        "deductions": "0", "extra_withholding": "0",
    }
    income_tax = Fraction(federal.withheld(tables, form))
    exempt, share = illinois
    annual = max(for_income * periods - exempt * int(case["allowances_il"]), Fraction(0))
    state = cent(annual * share / 100 / periods)

    disposable = gross - cash - social_security - medicare - additional - income_tax - state
    asked = floor_cent(disposable * Fraction(case["support_percent"]) / 100)
    # An order is written for at most a month; beyond, it is taken for as many months.
    months = Fraction(12, periods) if periods < 12 else 1
    support = min(asked, cent(Fraction(case["support_most"]) * months))
    net = disposable - support - medical - deferral
    if disposable < 0 or net < 0:
        return None
    results = [gross, make_up, income_tax, social_security, medicare, additional, state, futa, support, net,
               net + Fraction(case["reimbursement"])]
    return {name: federal.cents(result) for name, result in zip(WORKED, results, strict=True)}


def main():
    with (ROOT / "data/payroll_taxes.csv").open() as file:
        rates = {row["tax"]: row for row in csv.DictReader(file) if row["year"] == "2026"}
    tables = json.loads((ROOT / "data/federal_withholding_2026.json").read_text())
    steps = json.loads((ROOT / "data/state_withholding_2026.json").read_text())["states"]["IL"]["steps"]
    illinois = (Fraction(steps[1]["amount"]), Fraction(steps[4]["percent"]))
    with (ROOT / "data/benefit_limits.csv").open() as file:
        limits = [row for row in csv.DictReader(file) if row["year"] == "2026"]
    deferrals = next(Fraction(row["limit"]) for row in limits if row["group"] == "elective_deferrals")
    seeded = random.Random(20260619)
    lines = [";".join(GIVEN + WORKED)]
    while len(lines) < 401:
        case = chance(seeded)
        worked = paycheck(case, rates, tables, illinois, deferrals)
        # Where pay does not reach, the order of cutting decides; other tests hold that.
        if worked:
            lines.append(";".join([*case.values(), *worked.values()]))
    CASES.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
