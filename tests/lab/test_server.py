"""The server of the live lab: whom it answers, what it refuses, and that it stays up."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading

import golden
import pytest

from linsep.cli.app import run
from linsep.lab import PRESETS, RULES, Recording, record
from linsep.lab.server import MOST_BODY, LabServer, Site, record_all

S1 = PRESETS["S1, nine points"]
ASKED = {**S1, "rules": [{"rule": "perceptron"}]}
WIDE = {"X": [[float(i * j % 7) for j in range(64)] for i in range(400)], "y": [0, 1] * 200}
MANY = {"X": [[float(k)] for k in range(60)], "y": list(range(60))}


@pytest.fixture(scope="module")
def server():
    running = LabServer()
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()


def ask(server, method="POST", path="/record", body=None, **changed):
    """The status and the answer; a header of None is not sent."""
    headers = {"Content-Type": "application/json", "X-Linsep-Token": server.token, "Host": f"127.0.0.1:{server.port}"}
    headers |= {name.replace("_", "-"): value for name, value in changed.items()}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    said = body if isinstance(body, bytes) else json.dumps(ASKED if body is None else body).encode()
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        if "Content-Length" not in headers and method == "POST":
            headers["Content-Length"] = str(len(said))
        for name, value in headers.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders()
        if method == "POST" and int(headers["Content-Length"] or 0) <= MOST_BODY:
            connection.send(said)
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers
    finally:
        connection.close()


def test_the_worked_example_over_the_wire(server):
    status, body, _ = ask(server)
    assert status == 200
    recording = Recording(json.loads(body)["recordings"][0])
    assert recording.w.reshape(3, 3).tolist() == golden.PATH and all(recording.check())
    assert recording.content["rule"]["catalogue"] == "perceptron"


def test_the_page_needs_the_token_and_says_what_it_may_load(server):
    status, body, headers = ask(server, "GET", f"/?token={server.token}", X_Linsep_Token=None)
    assert status == 200 and b"S1, nine points" in body
    assert "connect-src 'self'" in headers["Content-Security-Policy"] and headers["Referrer-Policy"] == "no-referrer"
    for path in ("/", "/?token=", "/?token=guess"):
        status, body, _ = ask(server, "GET", path, X_Linsep_Token=None)
        assert status == 403 and server.token.encode() not in body


@pytest.mark.parametrize(
    ("changed", "status", "said"),
    [
        ({"X_Linsep_Token": None}, 403, "token"),
        ({"X_Linsep_Token": "guess"}, 403, "token"),
        ({"X_Linsep_Token": "h\u00e1d\u00e1m"}, 403, "token"),
        ({"Host": "evil.example"}, 403, "host"),
        ({"Host": None}, 403, "host"),
        ({"Origin": "https://evil.example"}, 403, "other pages"),
        ({"Origin": "null"}, 403, "other pages"),
        ({"Content_Type": "text/plain"}, 404, "Expected JSON"),
        ({"path": "/etc/passwd"}, 404, "Expected JSON"),
        ({"Content_Length": str(100_000_000)}, 413, "Take fewer points"),
        ({"Content_Length": "-5"}, 411, "length"),
    ],
)
def test_others_are_refused(server, changed, status, said):
    if changed.get("Content_Length") == "-5":
        changed = {**changed, "body": b""}
    if changed.get("X_Linsep_Token", "") == "h\u00e1d\u00e1m":
        changed = {"X_Linsep_Token": "h\u00e1d\u00e1m".encode()}
    found, body, _ = ask(server, **changed)
    assert found == status and said in json.loads(body)["error"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "Expected JSON"),
        (b"[" * 100_000, "Expected JSON"),
        ([], "Expected X, y and rules"),
        ({**ASKED, "X": [[0.0, "a"]] * 9}, "could not convert"),
        ({**ASKED, "X": [[0.0, None]] * 9}, "NaN"),
        ({**ASKED, "X": [[1e400, 0]] * 9}, "NaN|infinity"),
        ({**ASKED, "X": [[0.0], [1.0, 2.0]], "y": [0, 1]}, "inhomogeneous|sequence"),
        ({**ASKED, "y": [1] * 9}, "one class only"),
        ({**ASKED, "y": [{}] * 9}, "whole numbers or words"),
        ({**ASKED, "X": [[0, 0]] * 2001, "y": [0, 1] * 1000 + [0]}, "up to 2000 points"),
        ({**ASKED, "rules": [{"rule": "os.system"}]}, "rule: expected one of"),
        ({**ASKED, "rules": [{"rule": "perceptron", "options": {"rate": -1}}]}, "rate: expected a number from"),
        ({**ASKED, "rules": [{"rule": "perceptron", "options": {"start": 1}}]}, "has no option"),
        ({**ASKED, "rules": []}, "one rule or two"),
        ({**WIDE, "rules": [{"rule": "lifting"}]}, "up to 100 lifted columns, got 2144. Take a lower degree"),
        ({**WIDE, "rules": [{"rule": "lifting", "options": {"degree": 6}}]}, "lifted columns, got 131115984"),
        ({**MANY, "rules": [{"rule": "one versus one"}]}, "up to 6 classes, got 60. Take fewer classes"),
        ({**MANY, "rules": [{"rule": "soft margin"}]}, "up to 6 classes, got 60"),
        ({**ASKED, "columns": ["a"]}, "columns: expected 2 names"),
    ],
)
def test_bad_requests_get_one_sentence_and_the_server_stays_up(server, body, said):
    status, answer, _ = ask(server, body=body)
    assert status == 400
    assert any(each in json.loads(answer)["error"] for each in said.split("|")), answer
    assert ask(server)[0] == 200


def test_labels_are_data(server):
    words = ["<script>alert(1)</script>"] * 5 + ["b"] * 4
    status, body, headers = ask(server, body={**ASKED, "y": words})
    assert status == 200 and headers["X-Content-Type-Options"] == "nosniff"
    assert words[0] in json.loads(body)["recordings"][0]["data"]["classes"]


def test_a_busy_port_is_not_an_error(server):
    other = LabServer(server.port)
    try:
        assert other.port != server.port and other.token != server.token
    finally:
        other.server_close()


def test_it_is_up_before_anything_slow_is_imported():
    code = (
        "import sys; from linsep.lab.server import LabServer; print(LabServer().address)\n"
        "print(sorted({'numba', 'scipy', 'sklearn', 'polars', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    address, slow = done.stdout.splitlines()
    assert address.startswith("http://127.0.0.1:") and slow == "[]"


def test_it_listens_on_this_machine_only(server):
    assert server.socket.getsockname()[0] == "127.0.0.1" and server.socket.family == socket.AF_INET


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_the_command_serves_and_ctrl_c_ends_it():
    command = [sys.executable, "-m", "linsep", "lab", "--no-browser", "--port", "0"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = running.stdout.readline().split()[-1]
        port, token = int(address.split(":")[2].split("/")[0]), address.split("token=")[1]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", f"/?token={token}")
        assert connection.getresponse().status == 200
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
        assert running.returncode == 0 and errors == ""
    finally:
        running.kill()
        running.communicate()


def test_a_view_is_guarded_as_the_lab_is():
    asked = []
    running = LabServer(site=Site(lambda: {"view": {}}, {"/row": lambda body: asked.append(body) or "{}"}))
    threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        for changed in ({"X_Linsep_Token": None}, {"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            assert ask(running, path="/row", body={"row": 1}, **changed)[0] == 403
        assert ask(running, path="/record", body={"row": 1})[0] == 404 and asked == []
        assert ask(running, path="/row", body={"row": 1})[:2] == (200, b"{}") and asked == [{"row": 1}]
    finally:
        running.shutdown()
        running.server_close()


def test_the_command_wants_model_and_data_or_neither(capsys):
    assert run(["lab", "model.linsep"]) == 2 and "expected MODEL and DATA, or neither" in capsys.readouterr().err
    assert run(["lab", "no.linsep", "no.csv"]) == 3 and "no.linsep" in capsys.readouterr().err


GAUSSIANS, WORDS = PRESETS["Gaussians to drag"], PRESETS["short words"]
HOSTILE_KINDS = [
    (GAUSSIANS | {"covariances": "x"}, "anderson", "expected an array of numbers"),
    (GAUSSIANS | {"covariances": [[["<b>"]]] * 4}, "anderson", "expected an array of numbers"),
    (GAUSSIANS | {"covariances": [[[-1, 0], [0, -1]]] * 4}, "anderson", "not positive semidefinite"),
    (GAUSSIANS | {"covariances": [[[1e308, 0], [0, 1e308]]] * 4}, "anderson", "expected numbers"),
    (GAUSSIANS, "perceptron", "covariances: expected None, or Anderson"),
    (S1, "structured perceptron", "expected words, or lists of names"),
    ({"X": [["a"]], "y": [[{}]]}, "structured perceptron", "expected lists of words as labels"),
    ({"X": [[0, 0], [1, 1]], "y": [1, 2]}, "structural risk", "number of samples"),
]


@pytest.mark.parametrize(("data", "rule", "said"), HOSTILE_KINDS)
def test_bad_gaussians_and_words_get_one_sentence(data, rule, said):
    with pytest.raises(ValueError, match=said):
        record_all({**data, "rules": [{"rule": rule}]})


def test_a_recording_from_a_file_is_checked_and_comes_back_with_its_code():
    recording = Recording(
        json.loads(record_all({**PRESETS["XOR"], "rules": [{"rule": "perceptron"}]}))["recordings"][0]
    )
    found = json.loads(record_all({"recording": recording.content}))
    assert found == {"recordings": [recording.content], "codes": [recording.code()]}
    with pytest.raises(ValueError, match=r"rule: expected the name of an estimator"):
        record_all({"recording": {**recording.content, "rule": {"name": "print", "parameters": {}}}})


UNTRUE = [
    (lambda c: c["certificates"][0].update(status="not separable"), "certificate"),
    (lambda c: c["certificates"][0].update(sentence="Optimal."), "certificate 1 is not true of its data"),
    (lambda c: c["certificates"].__setitem__(0, {"status": "optimal", "sentence": "Optimal."}), "certificate"),
    (lambda c: c["certificates"][0]["proof_points"][0].__setitem__(0, 9.0), "points of the proof are not those"),
    (lambda c: c["certificates"][0].update(meet=True), "points of the proof are not those"),
    (lambda c: c["certificates"].append(c["certificates"][0]), "answer is not the w of its certificate"),
    (lambda c: c["data"]["X"][3].__setitem__(0, 9.0), "not true of its data"),
    (lambda c: c["answer"].__setitem__(0, 9.0), "answer is not the w of its certificate"),
    (lambda c: c["updates"]["w"][0].__setitem__(1, 9.0), r"update 1: expected w = alpha w \+ beta a, got another w"),
    (lambda c: c["updates"]["a"][0].pop(), "update 1: expected 3 numbers as a, got 2"),
    (lambda c: c["updates"]["beta"].__setitem__(0, None), "update 1: expected numbers as alpha, beta and a"),
    (lambda c: c["updates"].pop("alpha"), "update 1: expected numbers as alpha, beta and a"),
]


@pytest.mark.parametrize(("forge", "said"), UNTRUE, ids=range(len(UNTRUE)))
def test_a_recording_from_a_file_that_is_not_true_is_refused(forge, said):
    content = record("kozinec", **S1).content
    assert json.loads(record_all({"recording": content}))["recordings"] == [content]
    forge(content)
    with pytest.raises(ValueError, match=said):
        record_all({"recording": content})


@pytest.mark.parametrize("name", RULES)
def test_true_recordings_of_every_rule_come_back(name):
    for preset in PRESETS.values():
        try:
            recording = record(name, **preset, max_updates=40)
        except (ValueError, TypeError):  # data that are not the rule's
            continue
        assert json.loads(record_all({"recording": json.loads(recording.to_json())}))["recordings"]
