#!/usr/bin/env python3
"""Works salary estimates out from the tables in data/, and from nothing else: no code of the service.

    tests/salary/recompute.py > tests/salary/cases.csv     draws 300 cases and works them out
    tests/salary/recompute.py --check                      works the cases of cases.csv out again

A case is a ZIP code, an occupation and a level of experience. They are drawn over every kind of area and every way in which
a wage is found; what the service answers to them is compared in tests/api/salary_estimates.rs.
"""
import csv
import gzip
import pathlib
import random
import sys
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEVELS = {"novice": "p10", "intermediate": "p25", "average": "p50", "skilled": "p75", "expert": "p90"}
FLOOR = 239_200
NATION = "0000000"


def table(path):
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8")
    with opened as lines:
        return list(csv.DictReader(lines))


data = ROOT / "data"
wages = {}
for name in ("national", "state", "metro"):
    for row in table(data / "wages" / f"wages_{name}.csv.gz"):
        wages[row["area_code"], row["occ_code"]] = row
areas = table(data / "wages" / "areas.csv")
state_area = {area["primary_state"]: area["area_code"] for area in areas if area["kind"] == "state"}
zips = {row["zip"]: row for row in table(data / "zip_areas.csv.gz")}
published = {row["soc_code"]: row["oews_code"] for row in table(data / "occupations" / "soc_to_oews.csv")}
detailed = [row["code"] for row in table(data / "occupations" / "occupations.csv") if row["oews_detail"] == "1"]


def estimate(zip_code, code, level):
    """Cents a year, the area whose wage counts, and how that wage is published."""
    place = zips[zip_code]
    occupation = (published.get(code) or code).replace("-", "")
    for area in (place["oews_area"], state_area.get(place["state"]), NATION):
        row = wages.get((area, occupation)) if area else None
        if row is None:
            continue
        yearly, hourly = row["a_" + LEVELS[level]], row["h_" + LEVELS[level]]
        if yearly:
            return round_half_up(Fraction(yearly) * 100), area, "yearly"
        if row["topcoded"] == "1":
            return FLOOR * 100, area, "floor"
        if hourly:
            return round_half_up(Fraction(hourly) * 2080 * 100), area, "hourly"
    raise ValueError(f"no wage: {zip_code} {code} {level}")


def round_half_up(cents):
    return (cents * 2 + 1).__floor__() // 2


def draw():
    chance = random.Random(20251)
    by_basis = {}
    for row in zips.values():
        by_basis.setdefault(row["basis"], []).append(row["zip"])
    codes = sorted(set(detailed) | {soc for soc, oews in published.items() if oews})
    combined = sorted(soc for soc, oews in published.items() if oews and oews != soc)
    levels = list(LEVELS)
    by_area = {}
    for row in zips.values():
        if row["oews_area"]:
            by_area.setdefault(row["oews_area"], []).append(row["zip"])
    cases = set()

    def add(zip_code, code, level):
        cases.add((zip_code, code, level))

    for basis in sorted(by_basis):  # every way in which a ZIP code got its area
        for _ in range(14):
            add(chance.choice(by_basis[basis]), chance.choice(codes), chance.choice(levels))
    for _ in range(30):  # occupations that are published within a combination
        add(chance.choice(list(zips)), chance.choice(combined), chance.choice(levels))
    special = {"floor": [], "hourly": []}
    for (area, occupation), row in sorted(wages.items()):
        code = f"{occupation[:2]}-{occupation[2:]}"
        if area in by_area and code in codes:
            if row["topcoded"] == "1":
                special["floor"].append((area, code))
            elif row["h_p50"] and not row["a_p50"]:
                special["hourly"].append((area, code))
    for kind in special:  # told as a floor, told by the hour
        for area, code in chance.sample(special[kind], 25):
            add(chance.choice(by_area[area]), code, chance.choice(levels))
    while len(cases) < 300:
        add(chance.choice(list(zips)), chance.choice(codes), chance.choice(levels))
    return sorted(cases)


if "--check" in sys.argv:
    cases = table(ROOT / "tests" / "salary" / "cases.csv")
    for case in cases:
        cents, area, basis = estimate(case["zip"], case["code"], case["level"])
        told = (str(cents), area, basis)
        assert told == (case["cents"], case["area"], case["basis"]), f"{case}: {told}"
    print(f"{len(cases)} cases are right")
else:
    print("zip,code,level,cents,area,basis")
    for zip_code, code, level in draw():
        print(zip_code, code, level, *estimate(zip_code, code, level), sep=",")
