"""Works the places of 2,000 addresses from the tables in data/places and data/taxes and from nothing else of the service:
crates/rules/src/places/addresses_worked.csv. A `?` after a place is one that counts until its question is answered, a `-` one whose tax
is not withheld until then; `open` are the questions, each with the number of its likely choices.

    python3 tests/worked/addresses.py && git diff --exit-code crates/rules/src/places

With --people FILE, a CSV with the columns `zip` and `people` such as the Census Bureau's population of ZIP code tabulation areas: how
many people of each state are asked nothing about their home, among two or three names, or among more.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES, TAXES = ROOT / "data" / "places", ROOT / "data" / "taxes"
CASES = ROOT / "crates" / "rules" / "src" / "places" / "addresses_worked.csv"
CERTAIN = 9950
FIPS = dict(AL="01", CA="06", CO="08", DE="10", IN="18", KY="21", MD="24", MI="26", MO="29", NJ="34", NY="36", OH="39", OR="41", PA="42",
            WA="53", WV="54")


def rows(folder, name):
    with open(folder / name, newline="") as file:
        return list(csv.DictReader(file))


zips = {}
for row in rows(PLACES, "zip_counties.csv"):
    found = []
    for text in row["counties"].split(";"):
        if text.endswith("?"):
            found.append((text[:-1], 0, 0, False))
        else:
            county, *shares = text.split(":")
            homes, businesses = map(int, shares) if shares else (10000, 10000)
            found.append((county, homes, businesses, True))
    zips[row["zip"]] = found

by_county, by_city = defaultdict(list), defaultdict(list)
for row in rows(TAXES, "places.csv"):
    if row["by"] == "county":
        by_county[row["state"], row["value"]].append((row["place"], row["certain"] == "yes"))
    elif row["by"] == "city":
        counties = [county for county in row["counties"].split(";") if county]
        by_city[row["state"], row["value"]].append((row["place"], row["certain"] == "yes", counties))
bounds = {(row["zip"], row["place"]): (int(row["least"]), int(row["most"]), row["class"]) for row in rows(PLACES, "city_zips.csv")}
districts = {row["id"]: row["number"] for row in rows(PLACES, "ohio_districts.csv")}
of_zip, municipalities, parts = defaultdict(list), defaultdict(list), defaultdict(list)
for row in rows(PLACES, "ohio_zip_districts.csv"):
    of_zip[row["zip"]].append((int(row["share"]), row["district"], row["ask"] == "yes"))
for row in rows(PLACES, "pennsylvania_zips.csv"):
    municipalities[row["zip"]].append((int(row["share"]), row["municipality"], row["basis"] == "table"))
for row in rows(PLACES, "pennsylvania_municipalities.csv"):
    parts[row["id"]].append((int(row["share"]), row["district"]))
listed = {row["zip"]: row["limits"] for row in rows(PLACES, "oregon_zips.csv")}
TRIMET, METRO = "OR-TRIMET_DISTRICT", "OR-METRO"
TRANSIT = {TRIMET, "OR-CANBY", "OR-LANE_TRANSIT_DISTRICT", "OR-SANDY", "OR-SOUTH_CLACKAMAS", "OR-WILSONVILLE"}
DISTRICTS = TRANSIT | {METRO}
taxes = defaultdict(list)
for row in rows(TAXES, "local_2026.csv"):
    taxes[row["place"]].append(row)


def matters(place, work):
    for row in taxes[place]:
        applies = row["applies"]
        if applies == "residence":
            if not work:
                return True
        elif work:
            return True
        elif applies in ("work", "ohio_zone"):
            own, other = row["rate"], row["rate_nonresident"]
            if row["method"] == "rate" and other and float(own) != float(other):
                return True
        elif applies != "ohio_city":
            return True
    return False


def counties_of(zip_code, state):
    found = [at for at in zips.get(zip_code, []) if at[0].startswith(FIPS[state])]
    homes, businesses = sum(at[1] for at in found), sum(at[2] for at in found)
    out_of = lambda share, whole: share * 10000 // whole if whole else 10000
    return [(county, out_of(one, homes), out_of(other, businesses), known) for county, one, other, known in found]


def of_county(state, city, county):
    """The places that a county tells, and those that the name of the city tells in it."""
    cities = by_city[state, city]
    here = lambda at: not at[2] or (county in at[2] if county else len(cities) == 1)
    named = []
    for at in cities:
        if here(at):
            named.append((at[0], at[1]))
        elif not any(here(other) for other in cities):
            named.append((at[0], False))
    told = by_county[state, county]
    if state == "CO" and any(certain for _, certain in named):
        told = []
    return told, named


def places(state, city, zip_code, work):
    shares = counties_of(zip_code, state)
    side = 2 if work else 1
    certain = [at[0] for at in shares if at[3] and at[1] >= CERTAIN and (not work or at[2] >= CERTAIN)]
    shares.sort(key=lambda at: (-at[side], -at[1]))
    names = certain[:1] or [at[0] for at in shares] or [None]
    told = [of_county(state, city, county) for county in names]
    near = {place for one in told for places in one for place, _ in places if place in DISTRICTS}
    told = [tuple([at for at in places if at[0] not in DISTRICTS] for places in one) for one in told]
    found, questions = {}, []
    sure = lambda one: sorted({place for place, yes in one[0] if yes and matters(place, work)})
    if not certain:
        if names == [None]:
            if any(by_county[key] for key in list(by_county) if key[0] == state):
                questions.append(("county", 0))
        elif len(names) == 1 and sure(told[0]) or any(sure(one) != sure(told[0]) for one in told):
            questions.append(("county", len(names)))
    for place in sorted({place for one in told for place, _ in one[0]}):
        answers = [yes for one in told for other, yes in one[0] if other == place]
        first = any(other == place and yes for other, yes in told[0][0])
        if not first and any(answers):
            continue
        everywhere = len(answers) == len(told) and all(answers)
        found[place] = "" if everywhere and (certain or len(told) > 1) else "?" if first else "-"
    named = {}
    for one in told:
        for place, yes in one[1]:
            named.setdefault(place, yes)
    opened, dropped, inside = [], False, False
    for place, yes in named.items():
        if place in found and found[place] != "-":
            continue
        least, most, kind = bounds.get((zip_code, place), (None, None, "mixed"))
        if kind == "outside":
            dropped |= matters(place, work)
        elif kind == "inside":
            found[place] = ""
            inside |= matters(place, work)
        else:
            likely = yes and (least is None or least + most >= 10000)
            found[place] = "?" if likely else "-"
            if matters(place, work):
                opened.append(place)
    others = {at[0] for (of, _), all_of in by_city.items() if of == state for at in all_of
              if at[0] not in DISTRICTS and (not at[2] or set(at[2]) & set(names)) and at[0] not in opened and matters(at[0], work)
              and bounds.get((zip_code, at[0]), "mixed")[-1] != "outside"}
    if (opened or dropped and not inside) and (opened or others):
        questions.append(("city", len(opened) + 1))
    if state == "CO" and any(mark != "-" for place, mark in found.items() if place in named):
        found.pop("CO-DENVER", None)
    if state == "OR":
        inside = listed.get(zip_code) == "inside"
        if inside:
            found[TRIMET] = ""
            near -= TRANSIT
        for kind, districts_of_kind in (("transit_district", near & TRANSIT), ("metro", near & {METRO})):
            for place in districts_of_kind:
                found[place] = "?" if place == METRO and inside else "-"
            if any(matters(place, work) for place in districts_of_kind):
                questions.append((kind, len(districts_of_kind) + 1))
    if state == "OH" and not work:
        here = sorted(of_zip[zip_code], key=lambda at: (-at[0], at[1]))
        if not here or any(at[2] for at in here):
            found["OH-SD"] = "-"
            questions.append(("school_district", len(here)))
        else:
            number = districts[here[0][1]]
            found[f"OH-SD-{number}" if number else "OH-SD-NONE"] = ""
    if state == "PA" and "PA-PHILADELPHIA" not in found:
        here = municipalities[zip_code]
        one = [at[1] for at in here if at[2] and at[0] >= CERTAIN]
        if not one:
            questions.append(("municipality", len(here)))
        elif one[0] == "4210160000":
            found["PA-PHILADELPHIA"] = ""
        else:
            whole = max(parts[one[0]])[0] >= CERTAIN
            found[f"PA-{one[0]}"] = "" if whole else "?"
            if not whole:
                questions.append(("school_district", len(parts[one[0]])))
    return found, questions


def sample():
    """2,000 addresses, always the same: a linear congruential generator over the ZIP codes of each state."""
    seed = 53
    def draw(most):
        nonlocal seed
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        return (seed >> 33) % most
    known = {state: sorted(zip_code for zip_code in zips if counties_of(zip_code, state)) for state in FIPS}
    postal = defaultdict(list)
    names = {at[0]: name for (state, name), all_of in by_city.items() for at in all_of}
    for zip_code, place in bounds:
        if place in names:
            postal[zip_code].append(names[place])
    for number in range(2000):
        state = sorted(FIPS)[number % len(FIPS)]
        zip_code = known[state][draw(len(known[state]))]
        if number % 7 == 0:
            bounded = sorted(one for one, place in bounds if place.startswith(state))
            zip_code = bounded[draw(len(bounded))] if bounded else zip_code
        cities = sorted(name for of, name in by_city if of == state) or ["anytown"]
        city = postal[zip_code][0] if postal[zip_code] else "anytown" if draw(3) else cities[draw(len(cities))]
        yield state, city, zip_code, draw(2) == 1


def shares(file):
    """How many people are asked about their home: nothing, among two or three names, among more. The city of a ZIP code is the taxing one
    that its addresses name, if there is one."""
    with open(file, newline="") as people:
        people_of = {row["zip"]: int(float(row["people"] or 0)) for row in csv.DictReader(people)}
    names = {at[0]: name for (_, name), all_of in by_city.items() for at in all_of}
    postal = {}
    for zip_code, place in bounds:
        postal.setdefault(zip_code, names.get(place, "anytown"))
    all_of = defaultdict(lambda: [0, 0, 0])
    for zip_code, count in people_of.items():
        for state in FIPS:
            here = [at for at in zips.get(zip_code, []) if at[0].startswith(FIPS[state])]
            if not here:
                continue
            # A ZIP code in two states counts in each with its homes there.
            homes = sum(at[1] for at in zips[zip_code])
            part = count * sum(at[1] for at in here) // homes if homes else count
            asked = places(state, postal.get(zip_code, "anytown"), zip_code, False)[1]
            most = max((number for _, number in asked), default=0)
            all_of[state][0 if not asked else 1 if 2 <= most <= 3 else 2] += part
    print("| state | people | nothing | two or three names | more |\n|---|---|---|---|---|")
    total = [sum(counts[at] for counts in all_of.values()) for at in range(3)]
    for state, counts in [*sorted(all_of.items()), ("all", total)]:
        of = sum(counts)
        print(f"| {state} | {of:,} | " + " | ".join(f"{100 * count / of:.1f} %" for count in counts) + " |")


if __name__ == "__main__":
    if "--people" in sys.argv:
        shares(sys.argv[sys.argv.index("--people") + 1])
    else:
        with open(CASES, "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(["state", "city", "zip", "side", "places", "open"])
            for state, city, zip_code, work in sample():
                found, questions = places(state, city, zip_code, work)
                out.writerow([state, city, zip_code, "work" if work else "home",
                              ";".join(f"{place}{mark}" for place, mark in sorted(found.items())),
                              ";".join(f"{kind}:{count}" for kind, count in questions)])
