#!/usr/bin/env python3
"""Writes a workbook in the full layout of the published one, to measure its import.

    tests/salary/full_workbook.py all_data_M_2025.xlsx [ROWS]

All rows of data/wages for all industries together, in the 32 columns of the publication with its marks, and rows of single
industries (made of the nation's) up to ROWS, by default 415,000 as in the publication. Needs nothing but Python.
"""
import csv
import gzip
import pathlib
import sys
import zipfile
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent / "data"
COLUMNS = """AREA AREA_TITLE AREA_TYPE PRIM_STATE NAICS NAICS_TITLE I_GROUP OWN_CODE OCC_CODE OCC_TITLE O_GROUP TOT_EMP EMP_PRSE
JOBS_1000 LOC_QUOTIENT PCT_TOTAL PCT_RPT H_MEAN A_MEAN MEAN_PRSE H_PCT10 H_PCT25 H_MEDIAN H_PCT75 H_PCT90 A_PCT10 A_PCT25
A_MEDIAN A_PCT75 A_PCT90 ANNUAL HOURLY""".split()
LETTERS = [chr(65 + n) if n < 26 else "A" + chr(65 + n - 26) for n in range(len(COLUMNS))]
TYPES = {"national": 1, "state": 2, "metro": 4, "nonmetro": 6}


def table(path):
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8")
    with opened as lines:
        yield from csv.DictReader(lines)


strings = {}


def cell(letter, row, value):
    """Numbers as numbers, everything else as a shared string, as spreadsheets write them."""
    if value == "":
        return ""
    if isinstance(value, (int, float)) or value.replace(".", "", 1).isdigit() and value != "000000":
        return f'<c r="{letter}{row}"><v>{value}</v></c>'
    place = strings.setdefault(value, len(strings))
    return f'<c r="{letter}{row}" t="s"><v>{place}</v></c>'


def published(row, area, titles, naics="000000", group="cross-industry"):
    kind = TYPES[area["kind"]]
    code = "99" if kind == 1 else row["area_code"][:2] if kind == 2 else str(int(row["area_code"]))
    mark = "#" if row["topcoded"] == "1" else "*"
    only_year = row["a_p50"] and not row["h_p50"]
    only_hour = row["h_p50"] and not row["a_p50"]
    wage = lambda name: row[name] or ("*" if (name[0] == "h" and only_year) or (name[0] == "a" and only_hour) else mark)
    occupation = f"{row['occ_code'][:2]}-{row['occ_code'][2:]}"
    return [code, area["name"] or "U.S.", kind, area["primary_state"] or "US", naics, "Cross-industry", group, "1235", occupation,
            titles.get(occupation, occupation), "detailed", row["employment"] or "**", "1.5", "2.345", "1.02", "", "",
            wage("h_mean"), wage("a_mean"), "0.7", *(wage(f"h_{p}") for p in ("p10", "p25", "p50", "p75", "p90")),
            *(wage(f"a_{p}") for p in ("p10", "p25", "p50", "p75", "p90")), "TRUE" if only_year else "", "TRUE" if only_hour else ""]


def rows(total):
    areas = {area["area_code"]: area for area in table(ROOT / "wages" / "areas.csv")}
    titles = {row["code"]: row["title"] for row in table(ROOT / "occupations" / "occupations.csv")}
    count = 0
    for name in ("national", "state", "metro"):
        for row in table(ROOT / "wages" / f"wages_{name}.csv.gz"):
            count += 1
            yield published(row, areas[row["area_code"]], titles)
    nation = list(table(ROOT / "wages" / "wages_national.csv.gz"))
    while count < total:
        count += 1
        yield published(nation[count % len(nation)], areas["0000000"], titles, f"{110000 + count % 9000}", "4-digit")


def main(path, total):
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="All May 2025 data" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
    }
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, text in parts.items():
            file.writestr(name, head + text)
        with file.open("xl/worksheets/sheet1.xml", "w") as sheet:
            sheet.write((head + '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>').encode())
            for number, row in enumerate(chain(total), 1):
                cells = "".join(cell(letter, number, value) for letter, value in zip(LETTERS, row))
                sheet.write(f'<row r="{number}">{cells}</row>'.encode())
            sheet.write(b"</sheetData></worksheet>")
        ordered = "".join(f"<si><t>{escape(text)}</t></si>" for text in strings)
        file.writestr("xl/sharedStrings.xml", f'{head}<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" uniqueCount="{len(strings)}">{ordered}</sst>')


def chain(total):
    yield COLUMNS
    yield from rows(total)


main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 415_000)
