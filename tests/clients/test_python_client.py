"""The published Python client, which speaks the oldest version served (2024-04-01), against the demo world. It checks
each answer against its own models and raises where one does not fit."""

import json
import os
import subprocess
import unittest

from gusto_embedded import Gusto, models


class PythonClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("STIPEND_")}
        words = [os.environ["STIPEND_BINARY"], "dev", "--memory", "--json", "--listen", "127.0.0.1:0", "--seed", "12"]
        cls.process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        cls.report = json.loads(cls.process.stdout.readline())
        cls.company = cls.report["companies"][0]
        cls.client = Gusto(company_access_auth=cls.company["access_token"], server_url=cls.report["base_url"])

    @classmethod
    def tearDownClass(cls):
        cls.process.terminate()
        cls.process.wait(10)
        cls.process.stdout.close()

    def test_an_employee_is_created_placed_and_invited(self):
        client, company = self.client, self.company
        employee = client.employees.create(company_id=company["uuid"], first_name="Tomas", last_name="Oyelaran",
                                           email="tomas@people.example", self_onboarding=True)
        location = next(one for one in company["locations"] if one["state"] == "NY")
        client.employee_addresses.create_work_address(employee_id=employee.uuid, location_uuid=location["uuid"])
        job = client.jobs_and_compensations.create_job(employee_id=employee.uuid, title="Server", hire_date="2026-01-05")
        pay = client.jobs_and_compensations.get_compensation(compensation_id=job.current_compensation_uuid)
        changed = client.jobs_and_compensations.update_compensation(
            compensation_id=pay.uuid, version=pay.version, rate="22.75", payment_unit="Hour", flsa_status="Nonexempt")
        self.assertEqual(changed.rate, "22.75")
        status = client.employees.update_onboarding_status(employee_id=employee.uuid,
                                                           onboarding_status="self_onboarding_invited")
        self.assertEqual(status.onboarding_status, "self_onboarding_invited")
        flow = client.flows.create(company_uuid=company["uuid"], flow_type="employee_self_management",
                                   entity_type="Employee", entity_uuid=employee.uuid)
        self.assertIn("/flows/", flow.url)

    def test_employees_are_listed_and_read(self):
        found = self.client.employees.list(company_id=self.company["uuid"], per=3, page=1)
        self.assertEqual(len(found), 3)
        one = self.client.employees.get(employee_id=found[0].uuid)
        self.assertEqual(one.uuid, found[0].uuid)

    def test_a_child_support_order_outlives_the_defaults_that_the_client_sends(self):
        client = self.client
        employee = self.company["employees"][0]["uuid"]
        agency = next(one for one in client.garnishments.get_child_support_data().agencies if one.state == "TX")
        identifiers = {attribute.key: "0123456" for attribute in agency.required_attributes}
        made = client.garnishments.create(
            employee_id=employee, amount="35.00", court_ordered=True, garnishment_type="child_support",
            deduct_as_percentage=True, pay_period_maximum="250.00", recurring=True,
            child_support={"state": "TX", "payment_period": "Monthly", "fips_code": agency.fips_codes[0].code, **identifiers})
        self.assertEqual(made.pay_period_maximum, "250.00")
        held = client.garnishments.get(garnishment_id=made.uuid)
        changed = client.garnishments.update(garnishment_id=made.uuid, version=held.version, active=False)
        self.assertFalse(changed.active)
        self.assertEqual(changed.pay_period_maximum, "250.00")
        self.assertTrue(changed.deduct_as_percentage)

    def test_a_refusal_is_the_error_that_the_client_knows(self):
        with self.assertRaises(models.UnprocessableEntityErrorObject):
            self.client.employees.create(company_id=self.company["uuid"], first_name="", last_name="X")


if __name__ == "__main__":
    unittest.main()
