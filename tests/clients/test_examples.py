"""The examples of /docs in Python (tests/examples/clients.json): made from the script of each operation and the client's own methods,
run against the demo world, and compared with what is committed. STIPEND_EXAMPLES=write writes them anew."""

import html
import inspect
import json
import os
import pathlib
import re
import subprocess
import unittest
import urllib.parse
import urllib.request

import httpx
from gusto_embedded import Gusto
from pydantic import BaseModel

HERE = pathlib.Path(__file__).parent
FILE = HERE.parent / "examples" / "clients.json"
NOT_ALONE = json.loads((HERE.parent / "examples" / "calls.json").read_text())["not_alone"]
VARIABLE = re.compile(r"\$([A-Z_0-9]+)")
WIDTH = 100
# The day of the README's command, on which the dates of the examples lie where they have to.
AT = "2026-11-21T09:00:00Z"


def methods(client):
    """Every method of the client as (HTTP method, path, name, parameters)."""
    found = []
    for area in (name for name in type(client).__annotations__ if not name.startswith("_")):
        for name, method in inspect.getmembers(type(getattr(client, area)), inspect.isfunction):
            if name.startswith("_") or name.endswith("_async"):
                continue
            source = inspect.getsource(method)
            verb, path = re.search(r'method="([A-Z]+)"', source), re.search(r'path="([^"]+)"', source)
            if verb and path:
                found.append((verb[1], path[1], f"{area}.{name}", inspect.signature(method).parameters))
    return found


def method_of(found, step):
    """The method for a step; of several whose path fits, the one with most words."""
    parts = step["path"].split("?")[0].split("/")

    def fits(path):
        names = path.split("/")
        return len(names) == len(parts) and all(n.startswith("{") and p or n == p for n, p in zip(names, parts))

    fitting = [one for one in found if one[0] == step["method"] and fits(one[1])]
    return min(fitting, key=lambda one: one[1].count("{"), default=None)


def written(value, indent=""):
    """A value as Python, in one line where it fits; `$NAME` is a variable."""
    if isinstance(value, str):
        variable = VARIABLE.fullmatch(value)
        return variable[1] if variable else json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)):
        return repr(value)
    inner = indent + "    "
    items = [(f"{json.dumps(k)}: ", v) for k, v in value.items()] if isinstance(value, dict) else [("", v) for v in value]
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    line = opened + ", ".join(key + written(one, indent) for key, one in items) + closed
    if "\n" not in line and len(line) + len(indent) < WIDTH:
        return line
    return f"{opened}\n" + "".join(f"{inner}{key}{written(one, inner)},\n" for key, one in items) + indent + closed


def call_of(found, step):
    """The call for a step as text; None where the client lacks a method or one of its fields."""
    method = method_of(found, step)
    if method is None:
        return None
    _, path, name, parameters = method
    plain, _, query = step["path"].partition("?")
    passed = {n[1:-1]: p for n, p in zip(path.split("/"), plain.split("/")) if n.startswith("{")}
    passed.update(urllib.parse.parse_qsl(query))
    if step["body"]:
        body = json.loads(step["body"])
        whole = next((one for one in ("request_body", "body") if one in parameters), None)
        passed.update({whole: body} if whole else body)
    if "security" in parameters:
        passed["security"] = {"system_access_auth": f"${step['token']}"}
    if not set(passed) <= set(parameters):
        return None
    words = [f"{key}={written(value, '    ')}" for key, value in passed.items()]
    line = f"client.{name}({', '.join(words)})"
    if "\n" not in line and len(line) < WIDTH:
        return line
    return f"client.{name}(\n" + "".join(f"    {word},\n" for word in words) + ")"


def find(value, key):
    """The first value of that name, as the shell's `field` finds it."""
    if isinstance(value, dict) and isinstance(value.get(key), str):
        return value[key]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for found in (find(one, key) for one in inner) if found is not None), None)


def place_of(value, key, wanted):
    """Where in a typed answer the value of a field lies, as Python; None where it is not."""
    if isinstance(value, list):
        inner = [(f"[{place}]", one) for place, one in enumerate(value)]
    elif isinstance(value, BaseModel):
        if str(getattr(value, key, None)) == wanted:
            return f".{key}"
        inner = [(f".{name}", getattr(value, name)) for name in type(value).model_fields]
    else:
        return None
    return next((at + found for at, found in ((at, place_of(one, key, wanted)) for at, one in inner) if found), None)


def holds(sent, meant):
    """Whether everything that an example means to send was sent; a number may be sent as text, and the other way round."""
    if isinstance(meant, dict):
        return isinstance(sent, dict) and all(key in sent and holds(sent[key], value) for key, value in meant.items())
    if isinstance(meant, list):
        return isinstance(sent, list) and len(sent) == len(meant) and all(map(holds, sent, meant))
    try:
        return sent == meant or float(sent) == float(meant)
    except (TypeError, ValueError):
        return False


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("STIPEND_")}
        words = [os.environ["STIPEND_BINARY"], "dev", "--memory", "--json", "--listen", "127.0.0.1:0", "--seed", "11", "--clock", AT]
        cls.process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        cls.base = json.loads(cls.process.stdout.readline())["base_url"]

    @classmethod
    def tearDownClass(cls):
        cls.process.terminate()
        cls.process.wait(10)
        cls.process.stdout.close()

    def fetched(self, path):
        with urllib.request.urlopen(self.base + path) as answer:
            return answer.read().decode()

    def script_of(self, operation):
        page = self.fetched(f"/docs/operations/{operation}")
        return json.loads(html.unescape(re.search(r'id="try"[^>]*data-script="([^"]*)"', page)[1]))

    def program(self, script, found, alone):
        """Runs a script; the program that was run, or None where the client lacks something."""
        calls = [call_of(found, step) for step in script["steps"]]
        if None in calls or any(name.endswith("TOKEN") for step in script["steps"] for name, _ in step["gives"]):
            return None
        known = {one["name"]: one["value"] for one in script["known"]}
        exchanged = {}

        def keep(answer):
            answer.read()
            exchanged.update(sent=answer.request.content, raw=answer.text)

        http = httpx.Client(event_hooks={"response": [keep]}, timeout=60)
        client = Gusto(server_url=self.base, company_access_auth=known.get("TOKEN", ""), client=http)
        lines = []
        for place, (step, call) in enumerate(zip(script["steps"], calls)):
            last = place == len(calls) - 1
            lines += ["", f"# {step['about']}"]
            if last:
                lines.append(f"answer = {call}")
                if not alone:
                    break
            answer = eval(call, {"client": client, **known})
            if step["body"]:
                filled = VARIABLE.sub(lambda name: str(known[name[1]]), step["body"])
                assert holds(json.loads(exchanged["sent"]), json.loads(filled)), f"{exchanged['sent']} instead of {filled}"
            if last:
                break
            name = None
            gives = step["gives"]
            if len(gives) > 1:
                name = f"answer_{place}"
                lines.append(f"{name} = {call}")
            elif not gives:
                lines.append(call)
            for variable, field in gives:
                known[variable] = find(json.loads(exchanged["raw"]), field)
                at = place_of(answer, field, known[variable])
                assert at, f"{field} is not in the client's answer"
                lines.append(f"{variable} = {name or call}{at}")
        token = ", company_access_auth=TOKEN" if any(step["token"] == "TOKEN" for step in script["steps"]) else ""
        head = ["from gusto_embedded import Gusto", "", "{known}", f"client = Gusto(server_url=BASE{token})"]
        return "\n".join(head + lines) + "\n"

    def test_each_operation_that_the_client_has_a_method_for_is_shown_as_a_program_that_runs(self):
        found = methods(Gusto(server_url=self.base))
        held = json.loads(FILE.read_text())
        programs, faults = {}, []
        paths = json.loads(self.fetched("/openapi.json"))["paths"]
        # Whoever has asked for time off cannot leave the policy.
        for path, item in sorted(paths.items(), key=lambda one: not one[0].endswith("/remove_employees")):
            for method, operation in item.items():
                name = operation["operationId"]
                try:
                    program = self.program(self.script_of(name), found, f"{method.upper()} {path}" not in NOT_ALONE)
                    if program:
                        programs[name] = program
                except Exception as error:  # whatever the client raises, the example is not shown
                    faults.append(f"{name}: {type(error).__name__} {error}"[:300])
        print(f"{len(programs)} operations are shown in Python")
        if os.environ.get("STIPEND_EXAMPLES") == "write":
            print("\n".join(faults))
            for name in held:
                held[name].pop("python", None)
            for name, program in programs.items():
                held.setdefault(name, {})["python"] = program
            text = json.dumps({name: one for name, one in sorted(held.items()) if one}, indent=1, ensure_ascii=False)
            FILE.write_text(text + "\n")
            return
        self.maxDiff = None
        self.assertEqual(programs, {name: one["python"] for name, one in held.items() if "python" in one})
        self.assertGreater(len(programs), 100)


if __name__ == "__main__":
    unittest.main()
