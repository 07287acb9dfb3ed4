"""Works two sets of expected lines from the tables in data/taxes and from nothing else of the service:

* crates/rules/src/taxes/states_worked.csv: for each state, all lines of somebody who lives and works there,
* crates/rules/src/taxes/places_worked.csv: three pays for each kind of local tax.

    python3 tests/worked/places.py && git diff --exit-code crates/rules/src/taxes
"""

import csv
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data" / "taxes"
CASES = ROOT / "crates" / "rules" / "src" / "taxes"
CENT = Decimal("0.01")
DAY = "2026-06-12"
PERIODS = 26
SOCIAL_SECURITY = Decimal(184500)
STATE_TAX = Decimal("80")
PAYS = [Decimal("812.34"), Decimal("2345.67"), Decimal("11876.54")]
GOOD = ("primary", "secondary")


def half_up(value):
    return value.quantize(CENT, ROUND_HALF_UP)


def rows(name):
    with open(DATA / name, newline="") as file:
        return [row for row in csv.DictReader(file) if counts(row)]


def counts(row):
    return (row["effective_from"] or DAY) <= DAY <= (row["effective_to"] or DAY)


# --- each state --------------------------------------------------------------------------------------------------------

WAGES, HOURS, EMPLOYEES, NOTICE = Decimal("2345.67"), Decimal(80), 60, Decimal("2.7")


def programme(row):
    """The amount of a programme, or None where it cannot be worked out without more being known."""
    if row["class"] or row["confidence"] not in GOOD:
        return None
    if row["method"] == "rate":
        base = SOCIAL_SECURITY if row["wage_base"] == "ss" else Decimal(row["wage_base"] or 10**9)
        tax = min(WAGES, base) * Decimal(row["rate"]) / 100
        if row["rounding"] == "cut_third":
            tax = tax.quantize(Decimal("0.001"), ROUND_DOWN)
        if row["cap"]:
            cap = Decimal(row["cap"])
            tax = min(tax, half_up(cap * 52 / PERIODS) if row["cap_per"] == "week" else cap)
        return half_up(tax)
    if row["method"] == "amount" and row["per"] == "hour":
        return half_up(HOURS * Decimal(row["amount"]))
    if row["method"] == "amount" and row["per"] == "quarter":
        return Decimal("0.00")  # the pay period does not hold the last working day of June
    return None


def state_lines(state, programmes, unemployment):
    lines, codes = [], {row["code"] for row in programmes if row["state"] == state}
    for code in sorted(codes):
        fitting = [row for row in programmes if row["code"] == code]
        fitting = [row for row in fitting if int(row["size_from"] or 0) <= EMPLOYEES <= int(row["size_to"] or 10**9)]
        if not fitting:
            continue
        amounts = {programme(row) for row in fitting}
        amount = amounts.pop() if len(amounts) == 1 else None
        lines.append(f"{code} {'?' if amount is None else amount}")
    row = next((row for row in unemployment if row["state"] == state), None)
    known = row and row["wage_base"] and row["base_confidence"] in GOOD
    tax = half_up(min(WAGES, Decimal(row["wage_base"])) * NOTICE / 100) if known else "?"
    lines.append(f"{state}_SUI {tax}")
    return sorted(lines)


# --- each kind of local tax --------------------------------------------------------------------------------------------

LOCAL = {}
for local in rows("local_2026.csv"):
    LOCAL.setdefault(local["code"], []).append(local)


def percent(code, column="rate"):
    return Decimal(LOCAL[code][0][column])


def flat(code, column="rate", off=Decimal(0), share=Decimal(1)):
    """A percentage of a part of the wages, after exemptions."""
    def work(wages):
        part = half_up(wages * share)
        return f"{code} {half_up(max(part - off, Decimal(0)) * percent(code, column) / 100)}"
    return work


def brackets(code, filing="", election="", off=Decimal(0)):
    """Brackets of the wages of a year, divided by the pay periods."""
    row = next(row for row in LOCAL[code] if row["filing"] in ("", filing) and row["election"] == election)

    def work(wages):
        annual = max(wages - off, Decimal(0)) * PERIODS
        tax = Decimal(0)
        for bracket in row["schedule"].split(";"):
            start, base, rate = map(Decimal, bracket.split(":"))
            if annual >= start:
                tax = base + (annual - start) * rate / 100
        return f"{code} {half_up(tax / PERIODS)}"
    return work


def printed_for_the_period(code, filing, off):
    """Brackets printed for the pay period: those of the year divided, limits to the dollar and taxes to the cent."""
    row = next(row for row in LOCAL[code] if row["filing"] in ("", filing) and not row["election"])

    def work(wages):
        taxable, tax = max(wages - off, Decimal(0)), Decimal(0)
        for bracket in row["schedule"].split(";"):
            start, base, rate = map(Decimal, bracket.split(":"))
            start, base = (start / PERIODS).quantize(Decimal(1), ROUND_HALF_UP), half_up(base / PERIODS)
            if taxable >= start:
                tax = base + (taxable - start) * rate / 100
        return f"{code} {half_up(tax)}"
    return work


def fixed(code, times=1):
    """An amount for the month or each week of the period, where the pay reaches the floor."""
    def work(wages):
        row = LOCAL[code][0]
        reached = wages >= Decimal(row["floor"] or 0)
        return f"{code} {Decimal(row['amount']) * times if reached else Decimal(0):.2f}"
    return work


def of_state(code):
    return lambda wages: f"{code} {half_up(STATE_TAX * percent(code) / 100)}"


def exemptions(code, number):
    """Exemptions of a year, to the cent of the pay period."""
    return half_up(Decimal(LOCAL[code][0]["allowance"]) * number / PERIODS)


def pennsylvania(home, work):
    places = {row["psd"]: row for row in rows("pennsylvania_places.csv")}
    at_home = Decimal(places[home]["resident_percent"]) if home else Decimal(-1)
    at_work = Decimal(places[work]["nonresident_percent"]) if work else Decimal(-1)
    psd, rate = (home, at_home) if at_home >= at_work or home == work else (work, at_work)

    def lines(wages):
        found = [f"PA_EIT_{psd} {half_up(wages * rate / 100)}"]
        if work:
            services = Decimal(places[work]["lst_municipality"]) + Decimal(places[work]["lst_school"] or 0)
            found.append(f"PA_LST_{work} {(services / PERIODS).quantize(CENT, ROUND_DOWN)}")
        return " ".join(found)
    return lines


def courtesy(home, work):
    """The tax of the city of work, and that of the city of residence less its credit."""
    credit = CREDITS[home.replace("_", "-")]
    own, at_work = percent(home), percent(work)
    credited = min(at_work, Decimal(credit["up_to"] or own)) * Decimal(credit["percent"]) / 100

    def lines(wages):
        return f"{work} {half_up(wages * at_work / 100)} {home}_RESIDENCE {half_up(wages * max(own - credited, Decimal(0)) / 100)}"
    return lines


def credited(home, work, share=Decimal(1)):
    """The tax of a city on all pay of its residents, less what the city of work takes of the same wages."""
    own, at_work = percent(home), percent(work, "rate_nonresident")

    def lines(wages):
        left = max(own - min(own, at_work) * share, Decimal(0))
        found = {home: half_up(wages * left / 100), work: half_up(wages * at_work * share / 100)}
        if work == "MO_ST_LOUIS":
            found["MO_ST_LOUIS_PAYROLL"] = half_up(wages * percent("MO_ST_LOUIS_PAYROLL") * share / 100)
        if work == "DE_WILMINGTON":
            found["DE_WILMINGTON_HEAD"] = "?"
        return " ".join(f"{code} {found[code]}" for code in sorted(found))
    return lines


CREDITS = {row["place"]: row for row in rows("ohio_credits.csv")}
HALF = Decimal("0.5")
KINDS = [
    ("an Indiana county of residence on 1 January", dict(january_home="IN-49"), flat("IN_49")),
    ("an Indiana county of work on 1 January", dict(january_work="IN-02"), flat("IN_02")),
    ("a Maryland county at one rate", dict(home="MD-04"), flat("MD_04")),
    ("a Maryland county by brackets", dict(home="MD-02"), brackets("MD_02", "single")),
    ("a Maryland county by the band of the year", dict(home="MD-11"), brackets("MD_11", "single")),
    ("a Michigan city of residence and work", dict(home="MI-DETROIT", work="MI-DETROIT", exemptions=1),
     flat("MI_DETROIT", off=exemptions("MI_DETROIT", 1))),
    ("a Michigan city of work", dict(work="MI-LANSING", exemptions=1),
     flat("MI_LANSING", "rate_nonresident", exemptions("MI_LANSING", 1))),
    ("an Ohio city", dict(work="OH-18000"), flat("OH_18000")),
    ("half of the work in an Ohio city", dict(work="OH-15000", half="yes"), flat("OH_15000", share=HALF)),
    ("an Ohio city of residence that credits up to a rate", dict(home="OH-61000", work="OH-18000", courtesy="yes"),
     courtesy("OH_61000", "OH_18000")),
    ("an Ohio city of residence that credits a part", dict(home="OH-85638", work="OH-16000", courtesy="yes"),
     courtesy("OH_85638", "OH_16000")),
    ("an Ohio zone", dict(work="OH-JEDD-9156"), flat("OH_JEDD_9156")),
    ("an Ohio school district by income", dict(home="OH-SD-2501", exemptions=2),
     flat("OH_SD_2501", off=exemptions("OH_SD_2501", 2))),
    ("an Ohio school district by earned income", dict(home="OH-SD-2301"), flat("OH_SD_2301")),
    ("a Kentucky city with its county", dict(work="KY-FLORENCE KY-BOONE_COUNTY"),
     lambda wages: f"KY_BOONE_COUNTY 0.00 {flat('KY_FLORENCE')(wages)}"),
    ("a Kentucky county up to its limit", dict(work="KY-KENTON_COUNTY"),
     lambda wages: f"KY_KENTON_COUNTY {half_up(wages * Decimal('0.9097') / 100)}"),
    ("a Kentucky metropolis, of residents", dict(home="KY-LOUISVILLE_METRO", work="KY-LOUISVILLE_METRO"),
     flat("KY_LOUISVILLE_METRO")),
    ("a Kentucky metropolis, of nonresidents", dict(work="KY-LOUISVILLE_METRO"),
     flat("KY_LOUISVILLE_METRO", "rate_nonresident")),
    ("an Alabama city", dict(work="AL-BIRMINGHAM"), flat("AL_BIRMINGHAM")),
    ("New York City, single", dict(home="NY-NEW_YORK_CITY", exemptions=1),
     printed_for_the_period("NY_NEW_YORK_CITY", "single", off=2 * (Decimal("96.15") + Decimal("19.25")))),
    ("Yonkers, a resident's share of the state's tax", dict(home="NY-YONKERS"), of_state("NY_YONKERS_RESIDENT")),
    ("a metropolitan commuter district's payroll tax", dict(work="NY-MCTD_ZONE_2", payroll="400000"),
     lambda wages: f"NY_MCTD_ZONE_2 {half_up(wages * Decimal('0.115') / 100)}"),
    ("Philadelphia, of residents", dict(home="PA-PHILADELPHIA"), flat("PA_PHILADELPHIA")),
    ("Philadelphia, of nonresidents", dict(work="PA-PHILADELPHIA"), flat("PA_PHILADELPHIA", "rate_nonresident")),
    ("Pennsylvania, the rate at home", dict(psd_home="700102", psd_work="390101"), pennsylvania("700102", "390101")),
    ("Pennsylvania, the rate at work", dict(psd_home="671401", psd_work="070101"), pennsylvania("671401", "070101")),
    ("Pennsylvania, work elsewhere", dict(psd_home="390699"), pennsylvania("390699", None)),
    ("St. Louis", dict(work="MO-ST_LOUIS"),
     lambda wages: f"{flat('MO_ST_LOUIS')(wages)} {flat('MO_ST_LOUIS_PAYROLL')(wages)}"),
    ("Kansas City", dict(home="MO-KANSAS_CITY"), flat("MO_KANSAS_CITY")),
    ("Wilmington", dict(work="DE-WILMINGTON", half="yes"),
     lambda wages: f"{flat('DE_WILMINGTON', share=HALF)(wages)} DE_WILMINGTON_HEAD ?"),
    ("Philadelphia, of residents who work in Wilmington", dict(home="PA-PHILADELPHIA", work="DE-WILMINGTON"),
     credited("PA_PHILADELPHIA", "DE_WILMINGTON")),
    ("Wilmington, of residents who work in Philadelphia", dict(home="DE-WILMINGTON", work="PA-PHILADELPHIA"),
     credited("DE_WILMINGTON", "PA_PHILADELPHIA")),
    ("Wilmington, of residents who work half in Philadelphia", dict(home="DE-WILMINGTON", work="PA-PHILADELPHIA", half="yes"),
     credited("DE_WILMINGTON", "PA_PHILADELPHIA", HALF)),
    ("Kansas City, of residents who work in St. Louis", dict(home="MO-KANSAS_CITY", work="MO-ST_LOUIS"),
     credited("MO_KANSAS_CITY", "MO_ST_LOUIS")),
    ("St. Louis, of residents who work half in Kansas City", dict(home="MO-ST_LOUIS", work="MO-KANSAS_CITY", half="yes"),
     credited("MO_ST_LOUIS", "MO_KANSAS_CITY", HALF)),
    ("Denver", dict(work="CO-DENVER"), lambda wages: f"{fixed('CO_DENVER_OPT')(wages)} {fixed('CO_DENVER_OPT_ER')(wages)}"),
    ("Greenwood Village", dict(work="CO-GREENWOOD_VILLAGE"),
     lambda wages: f"{fixed('CO_GREENWOOD_VILLAGE_OPT')(wages)} {fixed('CO_GREENWOOD_VILLAGE_OPT_ER')(wages)}"),
    ("Portland's Metro", dict(home="OR-METRO"), brackets("OR_METRO")),
    ("Multnomah", dict(work="OR-MULTNOMAH"), brackets("OR_MULTNOMAH")),
    ("Multnomah, opted into", dict(home="OR-MULTNOMAH", election="opt_in"), brackets("OR_MULTNOMAH", "single", "opt_in")),
    ("Portland's transit district", dict(work="OR-TRIMET_DISTRICT"), flat("OR_TRIMET_DISTRICT")),
    ("a West Virginia city", dict(work="WV-HUNTINGTON"), fixed("WV_HUNTINGTON", 2)),
    ("Newark", dict(work="NJ-NEWARK", payroll="90000"), flat("NJ_NEWARK")),
    ("Jersey City", dict(work="NJ-JERSEY_CITY", payroll="90000"), flat("NJ_JERSEY_CITY", "rate_nonresident")),
]
GIVEN = ["home", "work", "half", "january_home", "january_work", "psd_home", "psd_work", "exemptions", "election", "payroll",
         "courtesy"]


def main():
    programmes, unemployment = rows("insurance_2026.csv"), rows("unemployment_2026.csv")
    with open(CASES / "states_worked.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["state", "lines"])
        for state in sorted({row["state"] for row in unemployment}):
            out.writerow([state, " ".join(state_lines(state, programmes, unemployment))])
    with open(CASES / "places_worked.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["kind", *GIVEN, "wages", "lines"])
        for kind, given, work in KINDS:
            for wages in PAYS:
                out.writerow([kind, *(given.get(name, "") for name in GIVEN), wages, work(wages)])


if __name__ == "__main__":
    main()
