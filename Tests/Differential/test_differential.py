"""Holds Postrider's device models against Android's own org.json and resources, and the comparison against itself."""

import json
import os
import pathlib
import socketserver
import subprocess
import sys
import threading

import pytest

import differential
import resources

HERE = pathlib.Path(__file__).resolve().parent
ORG_JSON = pathlib.Path("/usr/share/java/com.android.json.jar")
SEED = int(os.environ.get("POSTRIDER_SEED", "20261122"))
CASES = 12_000
# Of how many payloads in a hundred the reader must know what is shown: the texts of most apps are not known to it.
KNOWN = {"adobe": 95, "onesignal": 95, "imkit": 70, "amba": 70, "native": 25, "powerauth": 25}


def options(*words):
    return differential.arguments(["--seed", str(SEED), *words])


def words(found):
    return "\n".join(f"{problem}\n    {line}" for problem, line in found[:10])


@pytest.fixture(scope="session")
def android_reader(tmp_path_factory):
    folder = tmp_path_factory.mktemp("android")
    compiled = ["javac", "-Xlint:all", "-Werror", "-cp", ORG_JSON, "-d", folder, HERE / "AndroidReader.java"]
    subprocess.run(compiled, check=True, timeout=120)
    return ["java", "-cp", f"{folder}:{ORG_JSON}", "AndroidReader"]


@pytest.mark.parametrize("contract, known_min", KNOWN.items())
def test_android_reads_what_our_models_read(android_reader, contract, known_min):
    chosen = options("--cases", str(CASES), "--contract", contract, "--platform", "android", "--", *android_reader)
    known, found = differential.compare(chosen)
    assert known > CASES * known_min / 100, f"seed {SEED}: the program knows {known} of {CASES} payloads"
    assert not found, f"seed {SEED}: {len(found)} differences, such as\n{words(found)}"


def test_the_models_agree_with_themselves():
    chosen = options("--cases", "4000", "--", options("x").models)
    known, found = differential.compare(chosen)
    assert known == 4000 and not found, words(found)


class Models(socketserver.StreamRequestHandler):
    """Our models behind a port, as a device in an emulator would be."""

    def handle(self):
        with subprocess.Popen([options("x").models], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            for line in self.rfile:
                program.stdin.write(line)
                program.stdin.flush()
                self.wfile.write(program.stdout.readline())
            program.stdin.close()


def test_a_program_behind_a_port_is_compared():
    with socketserver.TCPServer(("127.0.0.1", 0), Models) as server:
        thread = threading.Thread(target=server.handle_request, daemon=True)
        thread.start()
        chosen = options("--cases", "300", "--connect", f"127.0.0.1:{server.server_address[1]}")
        known, found = differential.compare(chosen)
        thread.join(timeout=60)
    assert known == 300 and not found, words(found)


class Silent(socketserver.StreamRequestHandler):
    def handle(self):
        self.rfile.readline()


def test_a_program_that_hangs_up_is_said():
    with socketserver.TCPServer(("127.0.0.1", 0), Silent) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        chosen = options("--cases", "10", "--connect", f"127.0.0.1:{server.server_address[1]}")
        with pytest.raises(SystemExit, match="closed the connection after 0 of 10 answers"):
            differential.compare(chosen)


@pytest.mark.parametrize("chosen", [[], ["--connect", "127.0.0.1:1", "program"]])
def test_one_program_is_named(chosen, capsys):
    with pytest.raises(SystemExit):
        differential.arguments(chosen)
    assert "either a program after -- or --connect" in capsys.readouterr().err


# Android's resources


@pytest.fixture(scope="session")
def android_resources(tmp_path_factory):
    return resources.build(tmp_path_factory.mktemp("resources") / "AndroidResources")


@pytest.mark.parametrize("round", range(40))
def test_android_chooses_the_language_that_our_models_choose(android_resources, tmp_path, round):
    app = resources.App(tmp_path, f"{SEED}-{round}")
    questions = app.questions(60)
    theirs = app.android(android_resources, questions)
    ours = differential.run([options("x").models], [json.dumps(app.line(index, *question)) for index, question in enumerate(questions)])
    mine = [ours[index].get("body") or None for index in range(len(questions))]
    found = [(question, our, their) for question, our, their in zip(questions, mine, theirs) if our != their]
    assert sum(text is not None for text in theirs) > len(theirs) / 4
    assert not found, f"seed {SEED}, round {round}: {app.folders}: {found[:10]}"


# Programs that are wrong


WRONG = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "outcome": "shown", "title": "?"}))
"""


def test_a_program_that_shows_something_else_is_found(capsys):
    status = differential.main(["--seed", str(SEED), "--cases", "2000", "--", sys.executable, "-c", WRONG])
    assert status == 1 and " 0 differences" not in capsys.readouterr().out


# One rule of AndroidReader.java each, and the wrong one that takes its place: a device that breaks it is found.
FAULTS = [
    ("adobe", "// What was read so far counts.", "images.clear();"),
    ("adobe", "images.removeIf(image -> !isLoadable(image));", "images.removeIf(String::isEmpty);"),
    ("adobe", "if (!isLoadable(image)) throw", "if (image.isEmpty()) throw"),
    ("adobe", "images.size() < 3 || count > 5", "images.size() < 2 || count > 5"),
    ("adobe", "if (!LINKS.contains(type)) throw", "if (type.isEmpty()) throw"),
    ("adobe", "images.removeIf(image -> !isPicture(image));", ""),
    ("adobe", "if (!hasActions) labels.clear();", ""),
    ("adobe", "if (hasReminder && values", "if (values"),
    ("adobe", 'boolean hasTime = number(values.text("adb_rem_ts"))', 'boolean hasTime = !isEmpty(values.text("adb_rem_ts"))'),
    ("adobe", "if (chosen == null) chosen = -1;", "chosen = -1;"),
    ("adobe", 'if (first != null && (first < 0 || first > 2)) throw', 'if (first == null) throw'),
    ("adobe", "boolean isDrawn = isLoadable(image);", "boolean isDrawn = true;"),
    ("adobe", 'if (!template.equals("ajo_bigtext") || isEmpty(properties))', "if (isEmpty(properties))"),
    ("adobe", "if (!isTaken) throw", "if (false) throw"),
    ("adobe", "if (time <= 0 || time", "if (time"),
    ("adobe", 'throw new Nothing("the end of the timer is beyond 64 bits")', 'return "shown"'),
    ("onesignal", 'button.getString("n")', 'button.optString("n")'),
    ("onesignal", "if (button == null) return false;", "if (button == null) continue;"),
    ("onesignal", 'if (!custom.has("i"))', 'if (custom.isNull("i"))'),
    ("onesignal", 'integer(values, "vis");', ""),
    ("onesignal", 'throw new Nothing("custom.a is no object")', 'custom.remove("a")'),
    ("onesignal", 'Integer.parseInt(values.text("pri")) < 5', 'Integer.parseInt(values.text("pri")) < 1'),
    ("onesignal", '(isAddress(name.trim()) ? isWeb(name) : !name.contains("://"));', "true;"),
    ("onesignal", 'if (!isEmpty(values.text("oth_chnl")) || values.text("chnl") == null) return true;',
     'if (values.text("chnl") == null) return true;'),
    ("onesignal", 'if (!isChannel(values.text("chnl"))) return true;', ""),
    ("onesignal", "isFallback |= lacksSmallIcon(values);", ""),
    ("onesignal", "values.data.optInt(key, 259200) <= 0", "values.data.optInt(key, 259200) < 0"),
    ("onesignal", "if (!isNamed) return true;", ""),
    ("imkit", 'throw new Nothing("a message without a notification goes to the app")', 'answer.put("outcome", "shown")'),
    ("imkit", "%1$s invited %2$s", "%2$s invited %1$s"),
    ("imkit", "(MissingFormatArgumentException exception) {\n      return null;", "(MissingFormatArgumentException exception) {\n      return format;"),
    ("amba", 'title = block.text("title")', 'title = block.text("body")'),
]


@pytest.mark.parametrize("contract, right, wrong", FAULTS)
def test_a_device_with_a_wrong_rule_is_found(tmp_path, contract, right, wrong):
    source = (HERE / "AndroidReader.java").read_text()
    assert source.count(right) == 1
    copy = tmp_path / "AndroidReader.java"
    copy.write_text(source.replace(right, wrong))
    subprocess.run(["javac", "-cp", ORG_JSON, "-d", tmp_path, copy], check=True, timeout=120)
    program = ["java", "-cp", f"{tmp_path}:{ORG_JSON}", "AndroidReader"]
    _, found = differential.compare(
        options("--cases", str(CASES), "--contract", contract, "--platform", "android", "--", *program))
    assert found


@pytest.mark.parametrize(
    "answer, problem",
    [
        ({"id": 0, "outcome": "shown", "title": "T"}, None),
        ({"id": 0, "outcome": "shown"}, None),
        ({"id": 0, "outcome": "unknown"}, None),
        ({"id": 0, "outcome": "fallback"}, "outcome"),
        ({"id": 0, "outcome": "visible"}, None),
        ({"id": 0, "outcome": "silent"}, "outcome"),
        ({"id": 0, "outcome": "drawn"}, "none of the outcomes"),
        ({"id": 0, "outcome": "shown", "title": "U"}, "title"),
        (None, "no answer"),
    ],
)
def test_what_a_difference_is(answer, problem):
    found = differential.difference({"id": 0, "outcome": "shown", "title": "T", "body": "B"}, answer)
    assert (found is None) == (problem is None) and (problem is None or problem in found)
