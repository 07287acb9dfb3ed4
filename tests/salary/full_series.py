#!/usr/bin/env python3
"""Writes the flat files of the time series in the published layout, to measure their import.

    tests/salary/full_series.py FOLDER [LINES]

oe.data.0.Current has a line for each of the 17 kinds of figures of every row of data/wages, and lines of single industries (made of
the nation's) up to LINES, by default 6,500,000; oe.area and oe.footnote are beside it. Needs nothing but Python.
"""
import csv
import gzip
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent / "data"
KINDS = {"national": "N", "state": "S", "metro": "M", "nonmetro": "M"}
FIGURES = {"01": "employment", "03": "h_mean", "04": "a_mean", "06": "h_p10", "07": "h_p25", "08": "h_p50", "09": "h_p75",
           "10": "h_p90", "11": "a_p10", "12": "a_p25", "13": "a_p50", "14": "a_p75", "15": "a_p90"}
OTHERS = {"02": "1.2", "05": "0.7", "16": "2.345", "17": "1.02"}


def table(path):
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8")
    with opened as lines:
        yield from csv.DictReader(lines)


def lines(row, kind, industry="000000"):
    for figure in sorted([*FIGURES, *OTHERS]):
        value, note = OTHERS.get(figure) or row[FIGURES[figure]], ""
        if not value:
            value, note = "-", "5" if row["topcoded"] == "1" and figure >= "06" else "8"
        name = f"OEU{kind}{row['area_code']}{industry}{row['occ_code']}{figure}"
        yield f"{name:<30}\t2025\tA01\t{value:>12}\t{note}\n"


def main(folder, total):
    folder.mkdir(exist_ok=True)
    areas = {area["area_code"]: area for area in table(ROOT / "wages" / "areas.csv")}
    states = {area["primary_state"]: area["area_code"][:2] for area in areas.values() if area["kind"] == "state"}
    with open(folder / "oe.area", "w", encoding="utf-8") as file:
        file.write("state_code\tarea_code\tareatype_code\tarea_name\n")
        for code, area in sorted(areas.items()):
            name = area["name"] or "National"
            file.write(f"{states.get(area['primary_state'], '00')}\t{code}\t{KINDS[area['kind']]}\t{name}\n")
    (folder / "oe.footnote").write_text(
        "footnote_code\tfootnote_text\n5\tThis wage is equal to or greater than $115.00 per hour or $239,200 per year.\n"
        "8\tEstimate not released.\n", encoding="utf-8")
    count = 0
    with open(folder / "oe.data.0.Current", "w", encoding="utf-8") as file:
        file.write(f"{'series_id':<30}\tyear\tperiod\t{'value':>12}\tfootnote_codes\n")
        for name in ("national", "state", "metro"):
            for row in table(ROOT / "wages" / f"wages_{name}.csv.gz"):
                count += len(FIGURES) + len(OTHERS)
                file.writelines(lines(row, KINDS[areas[row["area_code"]]["kind"]]))
        nation = list(table(ROOT / "wages" / "wages_national.csv.gz"))
        industry = 110_000
        while count < total:
            industry += 1
            for row in nation:
                count += len(FIGURES) + len(OTHERS)
                file.writelines(lines(row, "N", f"{industry:06}"))


main(pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 6_500_000)
