"""Reads the files of tests/bank/golden, and those that are too large to be kept, with a reader that shares nothing with the
service, and works every total out again."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from achkit import describe_change, describe_return, is_valid_routing, parse, validate

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "golden"
# These come from the bank. The reader counts no entries that come back; their totals are worked out below like all others.
FROM_THE_BANK = {"return", "notification_of_change"}
CREDITS, DEBITS = {22, 23, 32, 33, 21, 31}, {27, 28, 37, 38, 26, 36}


def made():
    """Every file: those that are kept, and those that a test of the layout writes for us."""
    folder = tempfile.TemporaryDirectory()
    environment = {**os.environ, "STIPEND_TEST_BANK_FILES": folder.name}
    subprocess.run(
        ["cargo", "test", "--quiet", "--locked", "-p", "ach", "--test", "golden"],
        cwd=HERE.parent.parent, env=environment, check=True, stdout=subprocess.DEVNULL,
    )
    return folder


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = made()
        cls.files = {path.stem: path.read_text() for path in Path(cls.folder.name).glob("*.ach")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_kept_files_are_those_that_are_written(self):
        kept = {path.stem: path.read_text() for path in GOLDEN.glob("*.ach")}
        self.assertGreaterEqual(len(kept), 12)
        for name, text in kept.items():
            self.assertEqual(self.files[name], text, name)
        self.assertEqual(len(self.files), 13)

    def test_the_reader_finds_nothing_wrong(self):
        for name, text in self.files.items():
            if name in FROM_THE_BANK:
                continue
            told = validate(text)
            self.assertTrue(told["ok"], f"{name}: {told['errors']}")

    def test_every_total_is_what_the_entries_come_to(self):
        for name, text in self.files.items():
            file, rows = parse(text), text.splitlines()
            self.assertEqual(len(rows) % 10, 0, name)
            count = hashes = debits = credits = 0
            for number, batch in enumerate(file["batches"], 1):
                self.assertEqual(batch["batch_number"], number, name)
                entries = batch["entries"]
                out = sum(e["amount_cents"] for e in entries if e["txn_code"] in DEBITS)
                into = sum(e["amount_cents"] for e in entries if e["txn_code"] in CREDITS)
                self.assertTrue(all(e["txn_code"] in CREDITS | DEBITS for e in entries), name)
                own = sum(int(e["routing"][:8]) for e in entries)
                records = len(entries) + sum(len(e["addenda"]) for e in entries)
                control = batch["control"]
                self.assertEqual(control["entry_addenda_count"], records, name)
                self.assertEqual(int(control["entry_hash"]), own % 10**10, name)
                self.assertEqual((control["total_debit"], control["total_credit"]), (out, into), name)
                ways = {e["txn_code"] in DEBITS for e in entries}
                service = 200 if len(ways) == 2 else 225 if True in ways else 220
                self.assertIn(batch["service_class"], {service, 200} if name in FROM_THE_BANK else {service}, name)
                count, hashes, debits, credits = count + records, hashes + own, debits + out, credits + into
            control = file["control"]
            self.assertEqual(control["entry_addenda_count"], count, name)
            self.assertEqual(int(control["entry_hash"]), hashes % 10**10, name)
            self.assertEqual((control["total_debit"], control["total_credit"]), (debits, credits), name)
            self.assertEqual(control["block_count"], len(rows) // 10, name)

    def test_traces_are_unique_and_ascend_and_banks_exist_by_their_check_digit(self):
        for name, text in self.files.items():
            entries = [e for batch in parse(text)["batches"] for e in batch["entries"]]
            traces = [e["trace_number"] for e in entries]
            self.assertEqual(traces, sorted(set(traces)), name)
            self.assertTrue(all(is_valid_routing(e["routing"]) for e in entries), name)
            for entry in entries:
                for addendum in entry["addenda"]:
                    self.assertEqual(addendum["entry_detail_sequence"], entry["trace_number"][8:], name)

    def test_each_case_is_what_its_name_says(self):
        of = lambda name: parse(self.files[name])["batches"]
        flat = lambda name: [e for batch in of(name) for e in batch["entries"]]
        self.assertEqual(sorted(e["txn_code"] for e in flat("splits")), [22, 22, 27, 32])
        support = [e for e in flat("two_agencies") if e["addenda"]]
        self.assertEqual([e["addenda"][0]["info"][:7] for e in support], ["DED*CS*", "DED*CS*"])
        self.assertEqual({b["sec"] for b in of("two_agencies")}, {"PPD", "CCD"})
        taxes = [e for e in flat("tax_deposits") if e["addenda"]]
        self.assertEqual([e["txn_code"] for e in taxes], [22, 22])
        for entry in taxes:
            # The amounts of a deposit come to what is paid.
            kind, taxpayer, tax, period, *amounts = entry["addenda"][0]["info"].strip().rstrip("\\").split("*")
            self.assertEqual((kind, taxpayer, period[4:]), ("TXP", "123456789", "01"))
            self.assertEqual(sum(int(cents) for cents in amounts[1::2]), entry["amount_cents"])
            self.assertEqual(amounts[::2], {"94105": ["1", "2", "3"], "09405": ["09405"]}[tax])
        self.assertEqual({b["description"] for b in of("tax_deposits")}, {"TAXPAYMENT", "PAYROLL"})
        self.assertEqual([(e["txn_code"], e["amount_cents"]) for e in flat("prenote")], [(23, 0), (38, 0)])
        self.assertEqual({b["effective_date"] for b in of("holiday")}, {"260618"})
        self.assertEqual({b["effective_date"] for b in of("same_day")}, {"260617"})
        self.assertEqual({b["description"] for b in of("reversal")}, {"REVERSAL"})
        self.assertEqual([e["txn_code"] for e in flat("reversal")], [27, 27, 37])
        self.assertEqual([e["txn_code"] for e in flat("prefunding")], [22])
        self.assertEqual(flat("prefunding")[0]["trace_number"], "091000010000002")
        self.assertEqual(len(flat("ten_thousand")), 10_000)
        self.assertEqual(flat("limits")[0]["amount_cents"], 9_999_999_999)
        self.assertEqual([b["company_name"] for b in of("second_company")], ["BLUE HERON", "HARBOR LANE BOOK"])
        back = flat("return")[0]["addenda"][0]
        self.assertEqual(back["type"], "99")
        self.assertTrue(describe_return(back["info"][:3]))
        change = flat("notification_of_change")[0]["addenda"][0]
        self.assertEqual(change["type"], "98")
        self.assertTrue(describe_change(change["info"][:3]))


if __name__ == "__main__":
    unittest.main()
