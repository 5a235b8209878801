#!/usr/bin/env python3
"""Compares what an SDK shows of push payloads with Postrider's device models, over a line protocol (README.md).

    differential.py [--models PATH] [--seed N] [--cases N] [--contract NAME]… [--platform ios|android] -- PROGRAM [ARGUMENT]…
    differential.py [option]… --connect HOST:PORT

Payloads are those of the corpus in Vectors and seeded mutations of them. The exit status is 1 when the two differ.
"""

import argparse
import copy
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTRACTS = ["adobe", "amba", "imkit", "native", "onesignal", "powerauth"]
# What our models may say for each answer: whether nothing is shown on purpose cannot be seen from outside.
OUTCOMES = {
    "shown": ["shown"], "fallback": ["fallback"], "visible": ["shown", "fallback"],
    "silent": ["silent", "nothing"], "nothing": ["silent", "nothing"],
}  # fmt: skip
COMPARED = ["title", "body", "images", "pictures", "buttons"]
TEXTS = ["", "x", "0", "5", "-1", "1.5", "٥", "9223372036854775807", "null", "true", "WEBURL", "NONE", "https://example.com", "https://example.com:x/1.png", "https://[::1/1.png", "url:https://example.com/1.png", "a b", "[]", "{}", "[1]", "é\u2028😀"]
VALUES = [None, True, 0, 3, -1, 1.5, *TEXTS, [], {}, [None], ["a"], {"a": 1}]
# What Android's reader takes for numbers, words and strings.
LITERALS = [
    "0", "-0", "7", "+7", "017", "-017", "09", "0x1F", "0X1f", "0x", "0x1p3", "0x1.8", "1.0", "1.50", "5.", ".5", ".", "1e3", "1E-3", "1e-4",
    "123456.789", "12345678.9", "1e7", "0.001", "0.00012", "inf", "nan", "1f", "1.5D", "1e5f",
    "9223372036854775807", "9223372036854775808", "12345678901234567890", "100000000000000000000", "null", "NULL", "tRuE", "False", "word",
    "two words", "a/b", "'it''s'", "'a\\'b'", '"\\u00e9"', '"\\ud83d\\ude00"', '"\\u12"', '"\\x"', '"tab\tand\nline"', "{a:{b:[1.0,2.5,1e3,-0.0,'/']}}",
    "[1.0, 1.5e300, null, 'x/y', \"\\u0007\"]", "[,]", "[1,,2]", "{}", "{'a':1,'a':2}", "{'a':NaN}",
]  # fmt: skip
# An object refuses these. An array takes them and then has no text, which is not compared.
NOT_FINITE = ["1e400", "-1e400", "NaN", "Infinity", "-Infinity"]
SECONDS_MAX = 600
ANSWER_SECONDS_MAX = 60


def corpus(contracts, platforms):
    """(contract, platform, payload, decisions) of every case: what the contracts write, and what they read."""
    for contract in contracts:
        for path in sorted((ROOT / "Vectors" / contract).glob("*.json")):
            vector = json.loads(path.read_text())
            expect = vector.get("expect", {})
            found = [("ios", expect.get("apns", {}).get("payload")), ("android", expect.get("fcm", {}).get("message"))]
            if "raw" in vector:
                found = [(vector["platform"], device_form(vector["platform"], vector["raw"]))]
            for platform, payload in found:
                if platform in platforms and isinstance(payload, dict):
                    yield contract, platform, payload, vector.get("decision")


def device_form(platform, raw):
    """A reading case as the device gets it; the shapes of other client libraries are left out."""
    if platform == "ios" or not isinstance(raw, dict):
        return raw
    if isinstance(raw.get("message"), dict):
        return raw["message"]
    return {"data": raw} if all(isinstance(value, str) for value in raw.values()) else None


# Mutations


def mutate(payload, contract, platform, rng):
    payload = copy.deepcopy(payload)
    for _ in range(rng.randint(1, 3)):
        if platform == "android" and isinstance(payload.get("data"), dict) and payload["data"]:
            mutate_data(payload["data"], rng)
        else:
            mutate_members(payload, rng)
    return payload


def mutate_data(data, rng):
    """FCM's data stays a map of strings; JSON inside a text is changed as JSON or as text."""
    key = rng.choice(sorted(data))
    inner = decoded(data[key])
    if rng.random() < 0.2:
        del data[key]
    elif inner is not None and rng.random() < 0.8:
        mutate_members(inner, rng)
        data[key] = loosened(json.dumps(inner, ensure_ascii=rng.random() < 0.5), rng)
    else:
        data[key] = rng.choice(TEXTS)


def decoded(text):
    try:
        value = json.loads(text)
    except (TypeError, ValueError):
        return None
    return value if isinstance(value, (dict, list)) and value else None


def loosened(text, rng):
    """Now and then JSON as only Android's reader takes it, or cut off."""
    kind = rng.randrange(32)
    if kind > 26:
        return with_literal(text, rng)
    if kind == 0 and "'" not in text:
        return text.replace('"', "'")
    if kind == 1:
        return text[:-1] + "," + text[-1]
    if kind == 2:
        return text + rng.choice([" and more", "]", "}", "\n"])
    if kind == 3:
        return text[: rng.randint(0, len(text))]
    if kind == 4:
        return text.replace(":", rng.choice(["=", "=>"]), 1)
    if kind == 5:
        return text.replace(",", ";", 1)
    if kind == 6:
        return rng.choice(["// c\n", "/* c */", "# c\n", "\ufeff"]) + text
    return text


def with_literal(text, rng):
    """A string replaced by a word without quotes, or by an unusual string."""
    strings = list(re.finditer(r'"(?:[^"\\]|\\.)*"', text))
    if not strings:
        return text
    chosen = rng.choice(strings)
    isMember = text[: chosen.start()].rstrip().endswith((":", "{"))
    return text[: chosen.start()] + rng.choice(LITERALS + NOT_FINITE * isMember) + text[chosen.end() :]


def mutate_members(value, rng):
    """Takes a member or an element away, replaces or adds one, at any depth."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        inner = [key for key in keys if isinstance(value[key], (dict, list)) and value[key]]
        if inner and rng.random() < 0.6:
            value = value[rng.choice(inner)]
            continue
        break
    kind = rng.randrange(4)
    if not keys or kind == 0:
        if isinstance(value, dict):
            value[rng.choice(["x", "title", "type", "img", "uri"])] = copy.deepcopy(rng.choice(VALUES))
        else:
            value.insert(rng.randint(0, len(value)), copy.deepcopy(rng.choice(VALUES)))
        return
    key = rng.choice(keys)
    if kind == 1:
        del value[key]
    elif kind == 2 and isinstance(value, list):
        value.append(copy.deepcopy(value[key]))
    else:
        value[key] = copy.deepcopy(rng.choice(VALUES))


def questions(options):
    """Each question, and the decisions that its payload shows: a mutated one shows none."""
    platforms = [options.platform] if options.platform else ["ios", "android"]
    cases = list(corpus(options.contract or CONTRACTS, platforms))
    rng = random.Random(options.seed)
    for index in range(options.cases):
        contract, platform, payload, decision = cases[index] if index < len(cases) else rng.choice(cases)
        if index >= len(cases):
            payload, decision = mutate(payload, contract, platform, rng), None
        yield {"id": index, "contract": contract, "platform": platform, "payload": payload}, decision


# Comparison


def run(program, lines):
    """The answers of a program, one for each line, by id."""
    done = subprocess.run(program, input=joined(lines), stdout=subprocess.PIPE, timeout=SECONDS_MAX, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{program[0]} ended with status {done.returncode}")
    return answers(done.stdout)


def ask(address, lines):
    """The answers of a program behind a TCP port, each line sent when the one before is answered."""
    host, _, port = address.rpartition(":")
    found = {}
    with socket.create_connection((host, int(port)), timeout=ANSWER_SECONDS_MAX) as connection:
        stream = connection.makefile("rwb")
        for line in lines:
            stream.write(joined([line]))
            stream.flush()
            answer = stream.readline()
            if not answer:
                raise SystemExit(f"{address} closed the connection after {len(found)} of {len(lines)} answers")
            found |= answers(answer)
    return found


def joined(lines):
    return "".join(line + "\n" for line in lines).encode()


def answers(output):
    found = {}
    for line in filter(None, output.decode().split("\n")):
        answer = json.loads(line)
        found[answer.get("id")] = answer
    return found


def difference(ours, theirs):
    """What the two answers do not agree on; nil when they do, or when the program does not know the payload."""
    if theirs is None:
        return "there is no answer"
    outcome = theirs.get("outcome")
    if outcome == "unknown":
        return None
    if outcome not in OUTCOMES:
        return f"the answer {theirs} has none of the outcomes {', '.join(OUTCOMES)}"
    if ours.get("outcome") not in OUTCOMES[outcome]:
        return f"outcome: {ours.get('outcome')} ({ours.get('reason')}), {outcome} ({theirs.get('reason')})"
    for name in COMPARED:
        if name in ours and name in theirs and ours[name] != theirs[name]:
            return f"{name}: {ours[name]!r}, {theirs[name]!r}"
    return None


def compare(options):
    cases = list(questions(options))
    lines = [json.dumps(case) for case, _ in cases]
    ours = run([options.models], lines)
    theirs = ask(options.connect, lines) if options.connect else run(options.program, lines)
    known, found = 0, []
    for (case, decision), line in zip(cases, lines):
        problem = difference(ours[case["id"]], theirs.get(case["id"]))
        known += theirs.get(case["id"], {}).get("outcome") != "unknown"
        if problem and decision:
            problem += f"; see docs/contracts/{case['contract']}.md, Decisions: {decision}"
        if problem:
            found.append((problem, line))
    return known, found


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default=os.environ.get("DEVICE_MODELS", str(ROOT / ".build/debug/DeviceModels")))
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--contract", action="append", choices=CONTRACTS)
    parser.add_argument("--platform", choices=["ios", "android"])
    parser.add_argument("--connect", metavar="HOST:PORT", help="a program that answers on a TCP port, such as one in an emulator")
    parser.add_argument("program", nargs="*", help="the program to compare, and its arguments")
    options = parser.parse_args(words)
    if bool(options.connect) == bool(options.program):
        parser.error("expected either a program after -- or --connect HOST:PORT")
    return options


def main(words):
    options = arguments(words)
    known, found = compare(options)
    for problem, line in found[:20]:
        print(f"{problem}\n    {line}")
    print(f"seed {options.seed}: {options.cases} payloads, {known} known to the program, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
