#!/usr/bin/env python3
"""Works again which pay days of a year share a deposit of federal taxes, when each is due, and what it comes to.

It shares nothing with the service. It reads the cases of crates/rules/src/deposits/worked.csv, replaces the last column and writes the
file again:

    python3 tests/worked/deposits.py && git diff --exit-code crates/rules/src/deposits/worked.csv

A case has the pay days of a year, in order, each with the dollars of its taxes. Sources: Publication 15, sections 11 and 14; the table of
the Instructions for Form 944; the Instructions for Form 940.
"""

import calendar
import csv
import io
import pathlib
from datetime import date, timedelta
from fractions import Fraction

CASES = pathlib.Path(__file__).resolve().parents[2] / "crates/rules/src/deposits/worked.csv"
DAY = timedelta(days=1)


def month_end(year, month):
    return date(year, month, calendar.monthrange(year, month)[1])


def nth(year, month, weekday, which):
    """The first, second ... of a weekday in a month; -1 is the last."""
    days = [d for w in calendar.Calendar().monthdatescalendar(year, month) for d in w if d.month == month]
    return [d for d in days if d.weekday() == weekday][which]


def holidays(year):
    """Legal holidays in the District of Columbia, on the day on which they are kept."""
    fixed = [(1, 1), (4, 16), (6, 19), (7, 4), (11, 11), (12, 25)]
    # New Year's Day of the next year is kept in this one if it falls on a Saturday.
    found = set()
    for day in [date(year, m, d) for m, d in fixed] + [date(year + 1, 1, 1)]:
        found.add(day - DAY if day.weekday() == 5 else day + DAY if day.weekday() == 6 else day)
    found |= {nth(year, 1, 0, 2), nth(year, 2, 0, 2), nth(year, 5, 0, -1), nth(year, 9, 0, 0)}
    return found | {nth(year, 10, 0, 1), nth(year, 11, 3, 3)}


def is_business(day):
    return day.weekday() < 5 and day not in holidays(day.year)


def on_or_after(day):
    while not is_business(day):
        day += DAY
    return day


def after(day, count):
    for _ in range(count):
        day = on_or_after(day + DAY)
    return day


def quarter_end(day):
    return month_end(day.year, (day.month + 2) // 3 * 3)


def due_after_quarter(day):
    """The end of the month after the quarter."""
    end = quarter_end(day)
    return on_or_after(month_end(end.year + end.month // 12, end.month % 12 + 1))


def period(schedule, day):
    """Where the deposit period of a day ends."""
    if schedule == "monthly":
        return month_end(day.year, day.month)
    while day.weekday() not in (1, 4):
        day += DAY
    return day


def by_schedule(schedule, days, quarterly_return):
    """Deposits of Form 941, and of the larger quarters of Form 944: [first, last, due, cents]."""
    found, now = [], "monthly" if schedule == "quarterly" else schedule
    open_until = None
    for day, cents in days:
        end = period(now, day)
        limit = quarter_end(day) if quarterly_return else date(day.year, 12, 31)
        until = min(end, limit)
        if open_until != until:
            if now == "monthly":
                due = on_or_after(date(day.year + day.month // 12, day.month % 12 + 1, 15))
            else:
                due = after(end, 3)
            found.append([day, day, due, 0])
        found[-1][1] = day
        found[-1][3] += cents
        open_until = until
        if found[-1][3] >= 10_000_000:
            found[-1][2] = after(day, 1)
            now, open_until = "semiweekly", None
    return found


def form_944(schedule, days):
    quarter = lambda day: sum(c for d, c in days if quarter_end(d) == quarter_end(day))
    year = sum(c for _, c in days)
    large = [(d, c) for d, c in days if quarter(d) >= 250_000]
    found = by_schedule(schedule, large, False)
    if year >= 250_000 or schedule == "quarterly":
        for end in sorted({quarter_end(d) for d, _ in days}):
            own = [(d, c) for d, c in days if quarter_end(d) == end]
            if end.month < 12 and sum(c for _, c in own) < 250_000:
                found.append([own[0][0], own[-1][0], due_after_quarter(end), sum(c for _, c in own)])
    return sorted(found)


def form_940(days):
    found, carried = [], []
    for end in sorted({quarter_end(d) for d, _ in days}):
        carried += [(d, c) for d, c in days if quarter_end(d) == end]
        total = sum(c for _, c in carried)
        if total > 50_000:
            found.append([carried[0][0], carried[-1][0], due_after_quarter(end), total])
            carried = []
    return found


def main():
    text = CASES.read_text()
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        days = []
        for word in row["days"].split(" "):
            day, dollars = word.split(":")
            days.append((date.fromisoformat(day), int(Fraction(dollars) * 100)))
        found = {
            "941": lambda: by_schedule(row["schedule"], days, True),
            "944": lambda: form_944(row["schedule"], days),
            "940": lambda: form_940(days),
        }[row["form"]]()
        told = [f"{first}..{last} {due} {cents // 100}.{cents % 100:02}" for first, last, due, cents in found]
        row["deposits"] = "; ".join(told)
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    CASES.write_text(out.getvalue())


if __name__ == "__main__":
    main()
