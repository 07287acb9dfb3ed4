#!/usr/bin/env python3
"""Works the cases of Publication 15-T again, line by line of Worksheet 1A, with exact fractions.

It shares nothing with the service but the tables in data/. It reads the cases of
crates/rules/src/withholding/federal/worked.csv, replaces the last column and writes the file again:

    python3 tests/worked/federal.py && git diff --exit-code crates/rules/src/withholding/federal/worked.csv
"""

import json
import pathlib
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ROOT / "crates/rules/src/withholding/federal/worked.csv"
# Table 3 of the worksheet, and one period for a year.
PERIODS = {
    "Every week": 52,
    "Every other week": 26,
    "Twice per month": 24,
    "Monthly": 12,
    "Quarterly": 4,
    "Semiannually": 2,
    "Annually": 1,
    "Daily": 260,
}


def cents(amount):
    """Half up to the cent, as text; amounts are not negative."""
    whole = int(amount * 100 + Fraction(1, 2))
    return f"{whole // 100}.{whole % 100:02}"


def withheld(tables, case):
    """Line 4b of the worksheet, rounded once."""
    status = case["filing_status"]
    if status == "Exempt from withholding":
        return "0.00"
    periods = PERIODS[case["frequency"]]
    # Step 1.
    line_1a = Fraction(case["wages"])
    line_1c = line_1a * periods
    married = status == "Married"
    if case["form"] == "rev_2020":
        line_1e = line_1c + Fraction(case["other_income"])
        two_jobs = case["two_jobs"] == "1"
        standard = Fraction(tables["standard_amount"]["married" if married else "other"])
        line_1h = Fraction(case["deductions"]) + (0 if two_jobs else standard)
        adjusted = max(line_1e - line_1h, Fraction(0))
        name = "married" if married else "head_of_household" if status == "Head of Household" else "single"
        schedule = tables["two_jobs" if two_jobs else "standard"][name]
        credits = Fraction(case["dependents_amount"])
    else:
        line_1k = int(case["allowances"]) * Fraction(tables["allowance"])
        adjusted = max(line_1c - line_1k, Fraction(0))
        schedule = tables["standard"]["married" if married else "single"]
        credits = Fraction(0)
    # Step 2.
    line = None
    for at_least, base, percent in schedule:
        if Fraction(at_least) <= adjusted:
            line = (Fraction(at_least), Fraction(base), Fraction(percent) / 100)
    tentative = (line[1] + (adjusted - line[0]) * line[2]) / periods
    # Step 3.
    after_credits = max(tentative - credits / periods, Fraction(0))
    # Step 4.
    return cents(Fraction(cents(after_credits)) + Fraction(case["extra_withholding"]))


def main():
    head, *rows = CASES.read_text().splitlines()
    names = head.split(";")
    years = {}
    lines = [head]
    for row in rows:
        case = dict(zip(names, row.split(";"), strict=True))
        year = case["year"]
        if year not in years:
            years[year] = json.loads((ROOT / f"data/federal_withholding_{year}.json").read_text())
        case["withheld"] = withheld(years[year], case)
        lines.append(";".join(case[name] for name in names))
    CASES.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
