"""A Python client made of the description by openapi-python-client, against the demo world: it imports, and it reads a
whole payroll."""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path


class GeneratedClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("STIPEND_")}
        words = [os.environ["STIPEND_BINARY"], "dev", "--memory", "--json", "--listen", "127.0.0.1:0", "--seed", "12",
                 "--without-history"]
        cls.process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        cls.report = json.loads(cls.process.stdout.readline())
        cls.company = cls.report["companies"][0]
        cls.folder = tempfile.TemporaryDirectory()
        described = Path(cls.folder.name, "openapi.json")
        described.write_bytes(urllib.request.urlopen(cls.report["base_url"] + "/openapi.json").read())
        settings = Path(cls.folder.name, "config.json")
        # PDF files are read as bytes.
        settings.write_text(json.dumps({"content_type_overrides": {"application/pdf": "application/octet-stream"}, "post_hooks": []}))
        program = Path(sys.executable).with_name("openapi-python-client")
        target = Path(cls.folder.name, "stipend_client")
        cls.generated = subprocess.run(
            [program, "generate", "--path", described, "--config", settings, "--meta", "none", "--output-path", target],
            capture_output=True, text=True)
        sys.path.insert(0, cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.process.terminate()
        cls.process.wait(10)
        cls.process.stdout.close()
        cls.folder.cleanup()

    def call(self, method, address):
        request = urllib.request.Request(self.report["base_url"] + address, data=b"{}" if method == "PUT" else None,
                                         method=method, headers={"Authorization": f"Bearer {self.company['access_token']}",
                                                                 "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or b"null")

    def test_nothing_of_the_description_is_left_out(self):
        self.assertEqual(self.generated.returncode, 0, self.generated.stderr)
        said = self.generated.stdout + self.generated.stderr
        for complaint in ("WARNING", "ERROR", "will be omitted"):
            self.assertNotIn(complaint, said)

    def test_a_whole_payroll_is_read(self):
        from stipend_client import AuthenticatedClient
        from stipend_client.api.payrolls import get_payroll
        from stipend_client.models import GetPayrollIncludeItem as Include, Payroll

        address = f"/v1/companies/{self.company['uuid']}/payrolls/{self.company['payroll_uuid']}"
        self.call("PUT", address + "/prepare")
        self.call("PUT", address + "/calculate")
        deadline = time.monotonic() + 10
        while (self.call("GET", address).get("processing_request") or {}).get("status") != "calculate_success":
            self.assertLess(time.monotonic(), deadline, "the payroll was not calculated")
            time.sleep(0.05)
        client = AuthenticatedClient(base_url=self.report["base_url"], token=self.company["access_token"])
        read = get_payroll.sync(client=client, company_id=self.company["uuid"], payroll_id=self.company["payroll_uuid"],
                                include=[Include.TAXES, Include.BENEFITS, Include.DEDUCTIONS])
        self.assertIsInstance(read, Payroll)
        self.assertGreaterEqual(len(read.employee_compensations), 5)
        self.assertEqual(read.to_dict()["payroll_uuid"], self.company["payroll_uuid"])


if __name__ == "__main__":
    unittest.main()
