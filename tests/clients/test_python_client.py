"""The published Python client, which speaks the oldest version served (2024-04-01), against the demo world. It checks
each answer against its own models and raises where one does not fit."""

import datetime
import json
import os
import subprocess
import unittest
import urllib.request

from gusto_embedded import Gusto, models


class PythonClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("STIPEND_")}
        words = [os.environ["STIPEND_BINARY"], "dev", "--memory", "--json", "--listen", "127.0.0.1:0", "--seed", "12",
                 "--without-history"]
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

    def test_somebody_leaves_and_another_one_who_left_is_to_come_back(self):
        client, company = self.client, self.company
        leaving, left = (one["uuid"] for one in company["employees"][1:3])
        employments = client.employee_employments
        made = employments.create_termination(employee_id=leaving, effective_date="2099-12-30", run_termination_payroll=False)
        self.assertTrue(made.cancelable)
        moved = employments.update_termination(employee_id=leaving, version=made.version, effective_date="2099-12-31")
        self.assertEqual(str(moved.effective_date), "2099-12-31")
        self.assertEqual([one.uuid for one in employments.get_terminations(employee_id=leaving)], [made.uuid])
        employments.delete_termination(employee_id=leaving)
        self.assertEqual(employments.get_terminations(employee_id=leaving), [])

        employee = client.employees.get(employee_id=left)
        hired = str(employee.jobs[0].hire_date)
        employments.create_termination(employee_id=left, effective_date=hired)
        self.assertTrue(client.employees.get(employee_id=left).terminated)
        place = {"work_location_uuid": company["locations"][0]["uuid"], "employment_status": "full_time"}
        back = employments.create_rehire(employee_id=left, effective_date="2099-01-05", file_new_hire_report=True, **place)
        self.assertFalse(back.active)
        later = employments.rehire(employee_id=left, version=back.version, effective_date="2099-01-12",
                                   file_new_hire_report=False, **place)
        self.assertEqual(employments.get_rehire(employee_id=left).version, later.version)
        stretches = employments.get_history(employee_id=left)
        self.assertEqual([(str(one.hire_date), one.termination_date and str(one.termination_date)) for one in stretches],
                         [(hired, hired), ("2099-01-12", None)])
        employments.delete_rehire(employee_id=left)

    def test_a_policy_of_time_off_is_made_joined_and_ended(self):
        client, company = self.client, self.company
        resting, policies = company["employees"][3]["uuid"], client.time_off_policies
        policy = policies.create(company_uuid=company["uuid"], name="Sick leave", policy_type="sick",
                                 accrual_method="per_hour_worked", accrual_rate="1.0", accrual_rate_unit="30.0")
        of = {"time_off_policy_uuid": policy.uuid}
        joined = policies.add_employees(**of, employees=[{"uuid": resting, "balance": "8.0"}])
        self.assertEqual([one.uuid for one in joined.employees], [resting])
        policies.update_balance(**of, employees=[{"uuid": resting, "balance": "12.5"}])
        told = client.employees.get(employee_id=resting).eligible_paid_time_off
        self.assertEqual([(one.name, float(one.accrual_balance)) for one in told], [("Sick Hours", 12.5)])
        earned = policies.calculate_accruing_time_off_hours(payroll_id=company["payroll_uuid"], employee_id=resting,
                                                            regular_hours_worked=60)
        self.assertEqual([float(one.hours) for one in earned.hours_earned], [2.0])
        self.assertIn(policy.uuid, [one.uuid for one in policies.get_all(company_uuid=company["uuid"])])
        self.assertEqual(policies.get(**of).name, "Sick leave")
        self.assertEqual(policies.remove_employees(**of, employees=[{"uuid": resting}]).employees, [])
        self.assertFalse(policies.deactivate(**of).is_active)

    def test_a_department_is_made_filled_renamed_emptied_and_deleted(self):
        departments, employees = self.client.departments, [{"uuid": self.company["employees"][0]["uuid"]}]
        made = departments.create(company_uuid=self.company["uuid"], title="Kitchen")
        of = {"department_uuid": made.uuid}
        filled = departments.add_people(**of, version=made.version, employees=employees)
        self.assertEqual([one.uuid for one in filled.employees], [employees[0]["uuid"]])
        employee = self.client.employees.get(employee_id=employees[0]["uuid"])
        self.assertEqual(employee.department, "Kitchen")
        renamed = departments.update(**of, version=filled.version, title="Bar")
        self.assertIn("Bar", [one.title for one in departments.get_all(company_uuid=self.company["uuid"])])
        empty = departments.remove_people(**of, version=renamed.version, employees=employees)
        self.assertEqual(empty.employees, [])
        departments.delete(**of)
        self.assertNotIn(made.uuid, [one.uuid for one in departments.get_all(company_uuid=self.company["uuid"])])

    def test_a_file_is_attached_listed_and_downloaded_as_it_was_sent(self):
        attachments, company = self.client.company_attachments, {"company_id": self.company["uuid"]}
        made = attachments.create(**company, category="compliance",
                                  document={"file_name": "notice.pdf", "content": b"%PDF-1.7 a notice"})
        self.assertEqual((made.name, str(made.category.value)), ("notice.pdf", "compliance"))
        known = {**company, "company_attachment_uuid": made.uuid}
        self.assertEqual(attachments.get_details(**known).uuid, made.uuid)
        self.assertIn(made.uuid, [one.uuid for one in attachments.get_list(**company)])
        url = self.client.company_attachment.get_download_url(**known).url
        with urllib.request.urlopen(url) as file:
            self.assertEqual((file.read(), file.headers["Content-Type"]), (b"%PDF-1.7 a notice", "application/pdf"))

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

    def onboarded(self, number, **fields):
        """A contractor with an account, whose onboarding is finished."""
        contractors = self.client.contractors
        made = contractors.create(company_uuid=self.company["uuid"], start_date="2026-01-05", **fields)
        of = {"contractor_uuid": made.uuid}
        self.assertEqual(contractors.get(**of).uuid, made.uuid)
        changed = contractors.update(**of, version=contractors.get(**of).version, type_=fields["type_"], **number)
        self.assertIn(True, [changed.has_ssn, changed.has_ein])
        contractors.update_address(**of, version=contractors.get_address(**of).version, street_1="7 Mill Lane",
                                   city="Austin", state="TX", zip_code="78701")
        method = self.client.contractor_payment_method
        checks = method.update(**of, version=method.get(**of).version, type_="Check")
        self.assertEqual(checks.type.value, "Check")
        account = self.client.contractor_payment_methods.create_bank_account(
            **of, name="Studio", routing_number="121000374", account_number="40070051", account_type="Checking")
        self.assertEqual([one.uuid for one in method.get_bank_accounts(**of)], [account.uuid])
        documents = self.client.contractor_documents
        document = documents.get_all(**of)[0]
        self.assertEqual(documents.get(document_uuid=document.uuid).uuid, document.uuid)
        documents.get_pdf(document_uuid=document.uuid)
        steps = contractors.get_onboarding_status(**of)
        self.assertEqual(steps.onboarding_status, "admin_onboarding_review")
        done = contractors.update_onboarding_status(**of, onboarding_status="onboarding_completed")
        self.assertEqual(done.onboarding_status, "onboarding_completed")
        return made.uuid

    def now(self):
        """The service's day."""
        asked = urllib.request.Request(self.report["base_url"] + "/v1/test_helpers/clock",
                                       headers={"Authorization": "Bearer " + self.company["access_token"]})
        with urllib.request.urlopen(asked) as answer:
            return datetime.date.fromisoformat(json.load(answer)["now"][:10])

    def test_contractors_are_onboarded_paid_in_groups_and_alone_and_have_a_form_1099(self):
        client, company = self.client, {"company_id": self.company["uuid"]}
        lina = self.onboarded({"ssn": "412551234"}, type_="Individual", first_name="Lina", last_name="Ford",
                              wage_type="Hourly", hourly_rate="65.00")
        hill = self.onboarded({"ein": "745551234"}, type_="Business", business_name="Hill Design LLC", wage_type="Fixed")
        self.assertLessEqual({lina, hill}, {one.uuid for one in client.contractors.list(company_uuid=self.company["uuid"])})
        today = self.now()
        day = today + datetime.timedelta(days=14)
        groups = client.contractor_payment_groups
        payments = [{"contractor_uuid": lina, "hours": "10", "bonus": "25.00", "reimbursement": "80.00"},
                    {"contractor_uuid": hill, "wage": "300.00", "payment_method": "Check"}]
        preview = groups.preview(**company, check_date=day, contractor_payments=payments)
        self.assertEqual(preview.totals.amount, "1055.00")
        made = groups.create(**company, check_date=day, contractor_payments=payments)
        of = {"contractor_payment_group_uuid": made.uuid}
        self.assertEqual(len(groups.get(**of).contractor_payments), 2)
        funded = [one for one in groups.fund(**of).contractor_payments if one.status == "Funded"]
        receipt = client.contractor_payments.get_receipt(contractor_payment_uuid=funded[0].uuid)
        self.assertEqual(receipt.totals.company_debit, "755.00")
        self.assertIn(made.uuid, [one.uuid for one in groups.get_list(**company, start_date=str(today), end_date=str(day))])
        other = groups.create(**company, check_date=day, contractor_payments=[{"contractor_uuid": hill, "wage": "10.00"}])
        groups.delete(contractor_payment_group_uuid=other.uuid)
        singles = client.contractor_payments
        single = singles.create(**company, contractor_uuid=hill, date_=day, wage=40.0)
        self.assertTrue(singles.get(**company, contractor_payment_id=single.uuid).may_cancel)
        self.assertEqual(singles.fund(contractor_payment_uuid=single.uuid).status.value, "Funded")
        late = singles.create(**company, contractor_uuid=hill, date_=day, wage=41.0, payment_method="Check")
        singles.delete(**company, contractor_payment_id=late.uuid)
        listed = singles.list(**company, start_date="2026-01-01", end_date=str(day))
        self.assertEqual(listed.total.reimbursements, "80.00")
        forms = client.contractor_forms
        draft = forms.generate1099(contractor_id=hill, year=day.year)
        known = {"contractor_uuid": hill, "form_id": draft.uuid}
        self.assertEqual(forms.get(**known).uuid, draft.uuid)
        self.assertEqual([one.uuid for one in forms.list(contractor_uuid=hill)], [draft.uuid])
        forms.get_pdf(**known)

    def test_a_refusal_is_the_error_that_the_client_knows(self):
        with self.assertRaises(models.UnprocessableEntityErrorObject):
            self.client.employees.create(company_id=self.company["uuid"], first_name="", last_name="X")


if __name__ == "__main__":
    unittest.main()
