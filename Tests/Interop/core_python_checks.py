"""What holds of the installed Python package `postrider`: core_python_checks.py NAME runs one check. No pytest here, as it
runs in the environment of a person who has installed the wheel and nothing else."""

import doctest
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import threading
import time

import postrider
import wasmtime
from postrider import _calls, _module, typed

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "Vectors"
OTHER = {"api", "browser", "devicetext", "fcm-tokens", "fcm-v1", "hms", "liquid", "live", "rules", "wirejson"}


class Number(str):
    """A number by its text: 1, 1.0 and 1e0 are different on the wire."""


def read(content):
    """JSON with the order of members, and numbers by their text."""
    return json.loads(content, parse_int=Number, parse_float=Number, object_pairs_hook=lambda pairs: ["object", *pairs])


def without_sentences(report):
    return [{name: value for name, value in finding.items() if name != "message"} for finding in report]


def all_vectors():
    for path in sorted(CORPUS.glob("*/*.json")):
        if path.parent.name not in OTHER:
            yield path, json.loads(path.read_text(encoding="utf-8"))


def request(vector):
    """The operation, input and options of a vector, by its own text so that numbers and repeated members stay."""
    if "raw" in vector or "raw_text" in vector:
        content = vector["raw_text"] if "raw_text" in vector else json.dumps(vector["raw"], ensure_ascii=False)
        options = {"platform": vector["platform"], "contract": vector.get("contract")}
        options["badge"] = vector.get("context", {}).get("badge")
        return "parse", content, options
    options = {"contract": vector["contract"], "platform": vector.get("platform"), "no_provider_rules": True}
    options |= vector.get("context", {})
    return "render", json.dumps(vector["message"], ensure_ascii=False), options


def exact(path):
    """The members of a vector with the text of their numbers."""
    class Text(float):
        pass

    texts = {}

    def keep(text):
        value = Text(len(texts) + 0.5)
        texts[value] = text
        return value

    value = json.loads(path.read_text(encoding="utf-8"), parse_float=keep, parse_int=int)
    return value, texts


def minified(value, texts):
    """JSON of a value that `exact` has read."""
    if isinstance(value, float):
        return texts[value]
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(k, ensure_ascii=False) + ":" + minified(v, texts) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(minified(v, texts) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def vectors():
    count = 0
    for path, _ in all_vectors():
        vector, texts = exact(path)
        operation, _, options = request(vector)
        if operation == "parse":
            content = vector["raw_text"] if "raw_text" in vector else minified(vector["raw"], texts)
        else:
            content = minified(vector["message"], texts)
        given = {name: value for name, value in options.items() if value is not None}
        answer = postrider.answer(operation, content.encode("utf-8", "surrogatepass"), json.dumps(given).encode())
        expected = read(minified(vector["expect"], texts))
        assert comparable(read(answer)) == comparable(expected), f"{path}: {answer.decode()}"
        count += 1
    assert count > 200, count
    print(f"{count} vectors")


def comparable(document):
    """A result without its reason and its findings' sentences."""
    assert document[0] == "object"
    result = []
    for name, value in document[1:]:
        if name == "reason":
            continue
        if name == "report":
            value = [[pair for pair in finding if pair == "object" or pair[0] != "message"] for finding in value]
        result.append((name, value))
    return result


def agreement():
    """The answers are the command line's, byte for byte, on vectors and on mutations of them."""
    generator = random.Random(20261123)
    rows = [(path, vector) for path, vector in all_vectors()]
    generator.shuffle(rows)
    flags = {"options": "--option", "fcm_topic": "--fcm-topic", "apns_id": "--apns-id",
             "no_provider_rules": "--no-provider-rules"}
    compared = 0
    for path, vector in rows[:150]:
        operation, content, options = request(vector)
        given = {name: value for name, value in options.items() if value is not None}
        words = []
        for name, value in given.items():
            flag = flags.get(name, "--" + name)
            if value is True:
                words.append(flag)
            else:
                words += [f"{flag}={item}" for item in (value if isinstance(value, list) else [value])]
        if operation == "render" and "now" not in given:
            words.append("--now=none")
        for content in (content, mutated(content, generator), respelled(content, generator)):
            sent = content.encode("utf-8", "surrogatepass")
            printed = subprocess.run([os.environ["POSTRIDER"], operation, *words], input=sent, capture_output=True)
            answer = postrider.answer(operation, sent, json.dumps(given).encode())
            if printed.stdout:
                assert answer == printed.stdout.rstrip(b"\n"), f"{path}: {content}"
            else:
                error = json.loads(answer)["error"]
                said = printed.stderr.decode().splitlines()[0]
                assert error["what"].split(": ", 1)[-1] in said, f"{path}: {error} and {said}"
            compared += 1
    print(f"{compared} answers are the command line's")


def mutated(text, generator):
    """A text with some of its parts changed, which is JSON often enough."""
    if not text:
        return text
    pieces = re.findall(r'"(?:[^"\\]|\\.)*"|[\d.eE+-]+|\w+|\s+|.', text, re.S)
    values = ["5000000000", "-9223372036854775808", "9223372036854775807", "1e400", "0.1", "2147483648", '"2147483648"',
              "null", "true", '""', "{}", "[]", '"1790000000000"', "1790000000000", '"\\ud800"', '"é🙂"', "-0"]
    for _ in range(generator.randint(1, 3)):
        index = generator.randrange(len(pieces))
        if re.fullmatch(r'"(?:[^"\\]|\\.)*"|[\d.eE+-]+', pieces[index]):
            pieces[index] = generator.choice(values)
    return "".join(pieces)


def respelled(text, generator):
    """A text with letters that Unicode calls equivalent to others, or that have two spellings: the core compares bytes."""
    spellings = {"K": "\u212a", "e": "\u00e9 e\u0301", "a": "\u00e5 a\u030a \u212b", "o": "\u00f6 o\u0308"}
    share = generator.choice([0.02, 0.2, 0.6])
    return re.sub(f"[{''.join(spellings)}]", lambda found: generator.choice(spellings[found[0]].split())
                  if generator.random() < share else found[0], text)


def mutations():
    """No mutation of a request ends an instance: Fuzz/Corpus/core, and a few thousand changes of it (POSTRIDER_SEED)."""
    generator = random.Random(int(os.environ.get("POSTRIDER_SEED", "1")))
    names = ["parse", "render", "check", "explain", "preview", "contracts"]
    corpus = [path.read_bytes() for path in sorted((ROOT / "Fuzz/Corpus/core").iterdir())]
    assert len(corpus) > 50
    instance = _module.instance()
    for round in range(40):
        for request in corpus:
            length = int.from_bytes(request[1:3], "big")
            options, text = request[3:3 + length], request[3 + length:]
            if round:
                text = mutated(text.decode("utf-8", "replace"), generator).encode("utf-8", "surrogatepass") if text else text
            if round % 4 == 3:
                options = mutated(options.decode("utf-8", "replace"), generator).encode("utf-8", "surrogatepass") or options
            if round % 8 == 5 and text:
                position = generator.randrange(len(text))
                text = text[:position] + bytes([generator.randrange(256)]) + text[position + 1:]
            json.loads(instance.answer(names[request[0] % len(names)], text, options))


def calls():
    """The calls by wasmtime's C interface are those that are made, and have the answers and errors of its Python functions."""
    quick = _module.instance()
    assert type(quick._calls) is _calls.QuickCalls
    plain = _module.Instance(_module._compiled, _calls.PlainCalls)
    assert type(plain._calls) is _calls.PlainCalls
    for _, vector in all_vectors():
        operation, text, options = request(vector)
        given = {name: value for name, value in options.items() if value is not None}
        sent = operation, text.encode("utf-8", "surrogatepass"), json.dumps(given).encode()
        assert quick.answer(*sent) == plain.answer(*sent)
    large = b'{"aps":{"alert":"' + b"x" * (4 << 20) + b'"}}'
    assert quick.answer("parse", large, b"") == plain.answer("parse", large, b"")
    assert quick.memory_size == plain.memory_size > 4 << 20
    for one in (quick, plain):
        trapped = 0
        for _ in range(3):
            try:
                one._operations["parse"](0xFFFF0000, 1 << 20, 0, 0, one._length)
            except wasmtime.Trap as error:
                trapped += "out of bounds" in str(error)
        assert trapped == 3
    # Another wasmtime has another interface: its Python functions are used then.
    types = _calls.QuickCalls._TYPES
    _calls.QuickCalls._TYPES = types[:-1]
    try:
        assert type(_module.Instance(_module._compiled)._calls) is _calls.PlainCalls
    finally:
        _calls.QuickCalls._TYPES = types


def content():
    """Bytes, text and a dict are the same input."""
    document = {"aps": {"alert": {"title": "é", "body": "🙂"}}, "n": 12345678901234567890}
    text = json.dumps(document, ensure_ascii=False)
    forms = [text, text.encode(), bytearray(text.encode()), memoryview(text.encode()), document]
    answers = [postrider.parse(form, platform="ios") for form in forms]
    assert all(answer == answers[0] for answer in answers)
    assert answers[0]["notification"]["data"]["n"] == 12345678901234567890
    assert postrider.explain(410) == postrider.explain("410")
    assert postrider.explain({"reason": "BadDeviceToken"})[0]["reason"] == "BadDeviceToken"
    names = [contract["name"] for contract in postrider.contracts()]
    assert all(postrider.contract_table(name)["contract"] == name for name in names)
    diff = postrider.diff({"title": "Hello", "body": "World"}, "amba", "native")
    assert diff["from"] == "amba" and diff["to"] == "native"
    preview = postrider.preview(document, locales=["de", "en"])
    assert [one["locale"] for one in preview["previews"]] == ["de", "en"]
    assert "é" in postrider.preview(document, format="text")["text"]
    strings = {"de.lproj/Localizable.strings": '"hello" = "Hallo";'}
    shown = postrider.preview({"aps": {"alert": {"loc-key": "hello"}}}, locales=["de"], strings=strings, format="text")
    assert "Hallo" in shown["text"]


def typed_answers():
    parsed = typed.parse('{"aps":{"alert":{"title":"T","body":"B"},"badge":4},"x":1}')
    assert (parsed.title, parsed.body, parsed.badge, parsed.platform) == ("T", "B", 4, "ios")
    assert parsed.data == {"x": 1} and not parsed.has_errors
    rendering = typed.render({"title": "Hello", "body": "World"}, "amba", topic="com.example.app", now=1_790_000_000)
    assert rendering.apns.headers["apns-topic"] == "com.example.app" and rendering.fcm and not rendering.has_errors
    checked = typed.check('{\n "aps": {"badge": "1"}}')
    assert checked.has_errors and checked.findings[0].line == 2 and checked.findings[0].fix
    assert typed.explain("BadDeviceToken")[0].status == 400
    assert typed.preview({"aps": {"alert": "Hi"}}).previews[0]["locale"] == "en"


def errors():
    def expect(kind, where, call, *arguments, **options):
        try:
            call(*arguments, **options)
        except postrider.PostriderError as error:
            assert (error.kind, error.where) == (kind, where), (error.kind, error.where)
            assert error.what and error.fix and error.what in str(error)
            return error
        raise AssertionError(f"{arguments} was accepted")

    error = expect("unreadable", "input:2:2", postrider.parse, "{\n nothing", platform="ios")
    assert (error.line, error.column, error.byte) == (2, 2, 3)
    expect("usage", "platform", postrider.parse, "{}", platform="web")
    expect("usage", "contract", postrider.render, "{}", "ambo")
    expect("usage", "push_type", postrider.parse, "{}", push_type="allert")
    expect("unknown", "input", postrider.explain, "Bogus")
    expect("unreadable", "input:1:2", postrider.parse, b'"\xff"', platform="ios")
    expect("unreadable", "input:1:2", postrider.parse, "\"\ud800\"", platform="ios")
    for wrong in (b"", b"\xff", b"[" * 100_000, b'{"a":' * 5000, bytes(1000)):
        expect("unreadable", json.loads(postrider.answer("parse", wrong))["error"]["where"], postrider.parse, wrong)
    try:
        postrider.parse(b" " * (16 << 20) + b" ")
    except postrider.PostriderError as error:
        assert (error.kind, error.where) == ("unreadable", "input")
    else:
        raise AssertionError("more than 16 MiB were accepted")
    looped = {}
    looped["a"] = looped
    deep = {}
    for _ in range(100_000):
        deep = {"a": deep}
    # What JSON does not have is the error of json.dumps.
    for value, kind in (({"a": float("nan")}, ValueError), ({"a": b"x"}, TypeError), (looped, ValueError), (deep, RecursionError)):
        try:
            postrider.parse(value, platform="ios")
        except kind as error:
            assert not isinstance(error, postrider.PostriderError)
        else:
            raise AssertionError(f"{kind} expected")
    while deep:
        deep = deep["a"]
    assert postrider.parse('{"aps":{"alert":"Hi"}}')["notification"]["body"] == "Hi"


def hostile_inputs():
    """Inputs of a mebibyte that need the most memory or time."""
    size = 1 << 20
    keys = ",".join(f'"k{index}":{index}' for index in range(size // 16))
    yield "a long text", '{"aps":{"alert":"' + "x" * (size - 30) + '"}}'
    yield "many members", "{" + keys + ',"aps":{"alert":"Hi"}}'
    yield "many empty arrays", '{"aps":{"alert":"Hi"},"x":[' + "[]," * (size // 3 - 20) + "[]]}"
    yield "many numbers", '{"aps":{"alert":"Hi"},"x":[' + "1," * (size // 2 - 20) + "1]}"
    yield "many repeated members", '{"aps":{"alert":"Hi"},' + '"a":1,' * (size // 6 - 20) + '"a":1}'
    yield "escapes", '{"aps":{"alert":"' + "\\u00e9" * (size // 6 - 20) + '"}}'
    yield "marks on one letter", '{"aps":{"alert":"a' + "\u0301" * (size // 2 - 20) + '"}}'


def megabyte():
    """Payloads of 1 MiB have answers from every operation, and the memory they took is used again."""
    for name, text in hostile_inputs():
        for round in range(2):
            parsed = postrider.parse(text, platform="ios")
            assert parsed["contract"] == "native", name
            postrider.check(text, platform="ios")
            postrider.preview(text, platform="ios")
        size = _module.instance().memory_size
        for _ in range(3):
            postrider.answer("parse", text.encode(), b'{"platform":"ios"}')
        assert _module.instance().memory_size == size, name
        print(f"{name}: {size >> 20} MiB")


def nested():
    """A call by a signal's handler, in the middle of another one, has its own answer and leaves the other's."""
    import signal

    wrong = []

    def parse(word):
        return postrider.parse(json.dumps({"aps": {"alert": word}}))["notification"]["body"] == word

    def interrupt(*_):
        nonlocal count
        count += 1
        if not parse("inner" * 40):
            wrong.append("inner")
        # The next one only now: an instance takes longer than the pause.
        signal.setitimer(signal.ITIMER_REAL, 0.0005)

    count = 0
    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.0005)
    try:
        for index in range(20_000):
            word = f"outer {index}"
            assert parse(word), word
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    assert not wrong and count > 100, (wrong, count)


def threads():
    """Every thread has an instance of its own."""
    wrong = []

    def work(number):
        for index in range(200):
            text = f"{number} {index}"
            body = postrider.parse({"aps": {"alert": text}}, platform="ios")["notification"]["body"]
            if body != text:
                wrong.append((body, text))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong, wrong[:3]


def documentation():
    """The examples of the docstrings, and the first lines of the README."""
    failures = doctest.testmod(postrider).failed + doctest.testmod(typed).failed
    assert failures == 0
    page = (ROOT / "Packages/core/python/README.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(.*?)```", page, re.S)[1]
    assert len(block.strip().splitlines()) <= 5
    printed = []
    exec(block, {"print": lambda *values: printed.append(" ".join(map(str, values)))})
    shown = re.findall(r"# → (.*)", block)
    assert printed == shown and shown, (printed, shown)


def memory():
    """A million calls in one instance (or POSTRIDER_CORE_CALLS) leave its memory as it was after the first thousand."""
    calls = int(os.environ.get("POSTRIDER_CORE_CALLS", "1000000"))
    payloads = []
    for _, vector in all_vectors():
        operation, text, options = request(vector)
        given = {name: value for name, value in options.items() if value is not None}
        payloads.append((operation, text.encode("utf-8", "surrogatepass"), json.dumps(given).encode()))
    payloads.append(("explain", b"BadDeviceToken", b""))
    payloads.append(("check", b'{"aps":{"alert":"Hi","badge":"1"}}', b""))
    payloads.append(("preview", b'{"aps":{"alert":"Hi"}}', b'{"platform":"ios"}'))
    small = [("parse", b'{"aps":{"alert":"Hi"},"deep_link":"/home"}', b'{"platform":"ios"}')]
    instance = _module.instance()
    for operation, text, options in payloads * 2:
        instance.answer(operation, text, options)
    size, used = instance.memory_size, instance.memory_used
    start = time.monotonic()
    for index in range(calls):
        # Every tenth call is another one, so that memory of many sizes is taken and given back.
        operation, text, options = payloads[index // 10 % len(payloads)] if index % 10 == 0 else small[0]
        instance.answer(operation, text, options)
    for operation, text, options in payloads:
        instance.answer(operation, text, options)
    seconds = time.monotonic() - start
    assert instance.memory_size == size, f"{size} bytes before, {instance.memory_size} after"
    # The options of the last call are kept for the next one.
    assert abs(instance.memory_used - used) <= 4096, f"{used} bytes in use before, {instance.memory_used} after"
    print(f"{calls} calls in {seconds:.0f} s; memory {size >> 10} KiB before and after, {used >> 10} KiB in use")


if __name__ == "__main__":
    checks = {
        "vectors": vectors, "agreement": agreement, "mutations": mutations, "calls": calls, "content": content, "typed": typed_answers,
        "errors": errors, "megabyte": megabyte, "threads": threads, "nested": nested,
        "documentation": documentation, "memory": memory,
    }
    checks[sys.argv[1]]()
