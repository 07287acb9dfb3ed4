"""Works the expected figures of crates/rules/src/taxes/worked.csv: state insurance, unemployment insurance and flat
local taxes, from the tables in data/taxes and from nothing else of the service.

    python3 tests/worked/state_and_local.py && git diff --exit-code crates/rules/src/taxes/worked.csv
"""

import csv
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data" / "taxes"
CASES = ROOT / "crates" / "rules" / "src" / "taxes" / "worked.csv"
CENT = Decimal("0.01")
SOCIAL_SECURITY = {"2026": Decimal(184500), "2027": Decimal(192300)}
OWN = {"HI_TDI": Decimal("0.4"), "WA_LNI_EE": Decimal("0.1234"), "MD_FAMLI": Decimal("0.45"), "MD_FAMLI_ER": Decimal("0.45"),
       "ME_CSSF": Decimal("0.07"), "HI_TDI_ER": Decimal("0.6"), "VT_HCC": Decimal("0.25")}
QUARTER = Decimal(200000)  # the payroll of a quarter where a tax is on what it is above a free amount
HOURS = Decimal("79.5")


def half_up(value):
    return value.quantize(CENT, ROUND_HALF_UP)


def rows(name):
    with open(DATA / name, newline="") as file:
        return list(csv.DictReader(file))


def day_of(row):
    """A day on which the row counts: in March, unless it begins later or ended before."""
    day = max("2026-03-31", row["effective_from"] or "")
    return min(day, row["effective_to"]) if row["effective_to"] else day


def rated(row, wages, before, periods, percent):
    taxable = wages
    if row["wage_base"]:
        base = SOCIAL_SECURITY[day_of(row)[:4]] if row["wage_base"] == "ss" else Decimal(row["wage_base"])
        if row["wage_base_per"] == "week":
            base, before = half_up(base * 52 / periods), Decimal(0)
        taxable = min(wages, max(base - before, Decimal(0)))
    tax = taxable * percent / 100
    if row["rounding"] == "cut_third":
        tax = tax.quantize(Decimal("0.001"), ROUND_DOWN)
    return taxable, half_up(tax)


def worked(table, row, wages, before, before_tax, periods):
    own = OWN.get(row["code"])
    method = row["method"]
    taxable = wages
    if method in ("rate", "gap"):
        percent = own if method == "gap" else Decimal(row["rate"] or row["rate_nonresident"])
        if percent is None:
            return None
        taxable, tax = rated(row, wages, before, periods, percent)
    elif method == "ceiling":
        taxable, tax = rated(row, wages, before, periods, min(own, Decimal(row["rate"])))
    elif method == "amount" and row["per"] == "hour":
        tax = half_up(HOURS * Decimal(row["amount"]))
    elif method == "own_rate" or (method == "on_return" and row["per"] == "hour"):
        tax = half_up(HOURS * own)
    elif method == "on_return" and row["rate"]:
        free = Decimal(row["amount"])
        wages_above = half_up(wages * (QUARTER - free) / QUARTER)
        taxable, tax = rated(row, wages_above, before, periods, Decimal(row["rate"]))
    elif method == "on_return":
        taxable, tax = rated(row, wages, before, periods, own)
    elif method == "amount" and row["per"] == "quarter":
        tax = Decimal(row["amount"])
    else:
        return None
    if row["cap"]:
        cap = Decimal(row["cap"])
        if row["cap_per"] == "week":
            room = min(half_up(cap * 52 / periods), max(cap * 52 - before_tax, Decimal(0)))
        else:
            room = max(cap - before_tax, Decimal(0))
        tax = min(tax, room)
    facts = {
        "table": table, "code": row["code"], "state": row["state"], "place": row["place"], "date": day_of(row),
        "periods": periods, "wages": wages, "taxable_before": before, "tax_before": before_tax,
        "size": row["size_from"] or row["size_to"] or "100", "class": row["class"], "own": own if own is not None else "",
        "payroll": payroll_of(row),
        "taxable": taxable, "tax": half_up(tax),
    }
    return facts


def payroll_of(row):
    if row["method"] == "on_return" and row["rate"]:
        return QUARTER
    return Decimal(row["payroll_to"] or 2 * int(row["payroll_above"])) if row["payroll_above"] else ""


PAYS = [("2345.67", "0", "0", 26), ("1111.11", "6500.5", "12.34", 52), ("25000", "170000", "405", 12)]


def main():
    with open(CASES, "w", newline="") as file:
        write(csv.writer(file, lineterminator="\n"))


def write(out):
    header = None
    for table in ("insurance_2026", "local_2026"):
        for row in rows(table + ".csv"):
            if row["applies"] not in ("work", "residence", "both", "residence_january") or row["base"] in ("state_wages",):
                continue
            if row["election"] or row["allowance"]:
                continue
            for wages, before, tax, periods in PAYS if table.startswith("ins") else PAYS[:1]:
                facts = worked(table, row, Decimal(wages), Decimal(before), Decimal(tax), periods)
                if facts:
                    if header is None:
                        header = list(facts)
                        out.writerow(header)
                    out.writerow([facts[name] for name in header])
    for row in rows("unemployment_2026.csv"):
        if not (row["wage_base"] and row["new_employer_percent"]):
            continue
        row |= {"code": row["state"] + "_SUI", "place": "", "rounding": "half_up", "wage_base_per": "year"}
        base = Decimal(row["wage_base"])
        for wages, before in [("2345.67", Decimal(0)), ("3000", base - Decimal("1234.56")), ("500", base)]:
            taxable, tax = rated(row, Decimal(wages), before, 26, Decimal(row["new_employer_percent"]))
            facts = dict.fromkeys(header, "") | {
                "table": "unemployment_2026", "code": row["code"], "state": row["state"], "date": day_of(row),
                "periods": 26, "wages": wages, "taxable_before": before, "tax_before": 0, "taxable": taxable, "tax": tax,
            }
            out.writerow([facts[name] for name in header])


if __name__ == "__main__":
    main()
