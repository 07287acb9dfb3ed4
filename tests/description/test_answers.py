"""The service answers as its description says: schemathesis makes requests of the description, right ones and wrong ones,
and holds every answer against it. No answer may be a 5xx, have a status that is not described, or another shape.

The long form (STIPEND_LONG) makes many times as many."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

LONG = bool(os.environ.get("STIPEND_LONG"))
CHECKS = ("not_a_server_error,status_code_conformance,content_type_conformance,"
          "response_schema_conformance,response_headers_conformance")
# What would end the world that is asked: its clock at another year, its company without the application.
LEFT_OUT = ["/v1/test_helpers/clock/advance", "/v1/partner_managed_companies/{company_uuid}/disassociate"]


class World:
    """A demo world, and the records that its company has."""

    def __init__(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("STIPEND_")}
        words = [os.environ["STIPEND_BINARY"], "dev", "--memory", "--json", "--listen", "127.0.0.1:0", "--seed", "12",
                 "--without-history"]
        self.process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.report = json.loads(self.process.stdout.readline())
        self.company = self.report["companies"][0]

    def stop(self):
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()

    def call(self, method, address, body=None, token=None):
        token = token or self.company["access_token"]
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.report["base_url"] + address, data=data, method=method, headers={
            "Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or b"null")

    def ids(self):
        """Values of the parameters of paths: records that are there."""
        company = self.company["uuid"]
        inside = f"/v1/companies/{company}"
        people = [one["uuid"] for one in self.company["employees"]]
        first = people[0]
        employee = f"/v1/employees/{first}"
        uuids = lambda address: [one["uuid"] for one in self.call("GET", address)]
        made = lambda address, body: [self.call("POST", address, body)["uuid"]]
        payrolls = [one["payroll_uuid"] for one in self.call("GET", f"{inside}/payrolls?processing_statuses=unprocessed,processed")]
        order = {"court_ordered": True, "garnishment_type": "child_support", "amount": "50", "deduct_as_percentage": True,
                 "pay_period_maximum": "400", "child_support": {"state": "AL", "payment_period": "Monthly",
                                                                "fips_code": "01000", "case_number": "AL-123"}}
        link = {"flow_type": "deductions", "entity_type": "Employee", "entity_uuid": first}
        estimate = {"zip_code": "11201", "occupations": [{"code": "11-1021", "experience_level": "expert", "time_percentage": "1"}]}
        account = {"name": "Rent", "routing_number": "021001208", "account_number": "90126600418", "account_type": "Checking"}
        return {
            "company_id": [company],
            "employee_id": people,
            "location_id": uuids(f"{inside}/locations"),
            "job_id": [one["job_uuid"] for one in self.company["employees"] if one.get("job_uuid")],
            "compensation_id": [one["compensation_uuid"] for one in self.company["employees"] if one.get("compensation_uuid")],
            "home_address_uuid": uuids(f"{employee}/home_addresses"),
            "work_address_uuid": uuids(f"{employee}/work_addresses"),
            "bank_account_uuid": made(f"{employee}/bank_accounts", account),
            "company_benefit_id": uuids(f"{inside}/company_benefits"),
            "employee_benefit_id": uuids(f"{employee}/employee_benefits"),
            "garnishment_id": made(f"{employee}/garnishments", order),
            "salary_estimate_id": made(f"{employee}/salary_estimates", estimate),
            "flow_uuid": made(f"{inside}/flows", link),
            "form_id": uuids(f"{employee}/forms"),
            "company_form_id": uuids(f"{inside}/forms"),
            "pay_schedule_id": uuids(f"{inside}/pay_schedules"),
            "payroll_id": payrolls,
            "signatory_uuid": uuids(f"{inside}/signatories"),
            "benefit_id": ["1", "5", "9"],
            "state": ["CA", "NY", "TX"],
            "event_uuid": [one["uuid"] for one in
                           self.call("GET", "/v1/events?limit=20", token=self.report["system_access_token"])],
        }


def settings(ids, paths):
    """The settings of schemathesis: most of the time a path names records that are there. `paths` are the parameters'
    names; one that is called otherwise elsewhere has the same values."""
    aliases = {"company_uuid": "company_id", "employee_uuid": "employee_id", "location_uuid": "location_id",
               "company_bank_account_uuid": "bank_account_uuid"}
    lines = []
    for name, values in ids.items():
        if values:
            lines += [f"[dictionaries.{name}]", f"values = {json.dumps(values)}"]
    lines.append("[parameters]")
    for name in sorted(paths):
        known = aliases.get(name, name)
        if ids.get(known):
            lines.append(f'"path.{name}" = {{ dictionary = "{known}", probability = 0.9 }}')
    return "\n".join(lines) + "\n"


class Answers(unittest.TestCase):
    def ask(self, token, examples, phases, least, known=True, seed=1):
        world = World()
        self.addCleanup(world.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        description = urllib.request.urlopen(world.report["base_url"] + "/openapi.json").read().decode()
        program = [Path(sys.executable).with_name("schemathesis")]
        if known:
            chosen = Path(folder.name, "schemathesis.toml")
            chosen.write_text(settings(world.ids(), set(re.findall(r"\{(\w+)\}", description))))
            program += ["--config-file", chosen]
        bearer = world.report["system_access_token"] if token == "system" else world.company["access_token"]
        # One worker: where two threads parse Python at once, CPython 3.11 ends one of them with "AST constructor recursion
        # depth mismatch", and the process has one interpreter lock anyway.
        command = program + [
            "run", world.report["base_url"] + "/openapi.json", "-H", f"Authorization: Bearer {bearer}", "--phases", phases,
            "--max-examples", str(examples), "--checks", CHECKS, "--workers", "1", "--seed", str(seed), "--warnings", "off",
            "--continue-on-failure", "--no-shrink", "--suppress-health-check", "all"]
        for path in LEFT_OUT:
            command += ["--exclude-path", path]
        done = subprocess.run(command, cwd=folder.name, capture_output=True, text=True)
        said = done.stdout + done.stderr
        made = re.search(r"(\d+) generated", said)
        made = int(made.group(1)) if made else 0
        print(f"{token} token, {'records that are there' if known else 'records of any name'}: {made:,} requests", flush=True)
        self.assertEqual(done.returncode, 0, said[-20_000:])
        self.assertGreaterEqual(made, least, said[-5_000:])

    def test_requests_about_records_that_are_there_are_answered_as_described(self):
        if LONG:
            self.ask("company", 60, "examples,coverage,fuzzing", 15_000)
        else:
            self.ask("company", 1, "examples,coverage,fuzzing", 3_000)

    if LONG:  # most of these paths name nothing, and are answered alike
        def test_requests_about_records_of_any_name_are_answered_as_described(self):
            self.ask("company", 20, "examples,coverage,fuzzing", 3_000, known=False)

    def test_an_application_s_own_requests_are_answered_as_described(self):
        self.ask("system", 20 if LONG else 1, "examples,coverage,fuzzing", 3_000)


if __name__ == "__main__":
    unittest.main()
