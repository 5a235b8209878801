"""Runs the benchmarks beside their peers and writes docs/performance.md. Started by script/bench.

    compare.py BENCH POSTRIDER [--quick] [--only PART,PART] [--write] [--beside OTHER_POSTRIDER]

The parts are content, liquid, sends, latency, campaign, personal, large, web, mixed, ingest, compat, postgres, emulator, check
and dashboard. `--quick` does a small part of the work, to see
that everything runs; `--only` leaves parts out. With either nothing is written: the table is printed. `--only` with `--write` renews
the rows of these parts. `--beside` compares campaigns with those of another commit's server, and nothing else. A part that fails keeps the rows that it had, so that what the others measured is not lost.
"""

import contextlib
import csv
import gzip
import json
import os
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Client and server have a core each, where there are two.
CLIENT_CORE, SERVER_CORE = ("0", "1") if (os.cpu_count() or 1) > 1 and shutil.which("taskset") else (None, None)
TOPIC = "com.example.app"
RICH_ALERT = {
    "aps": {
        "alert": {
            "title": "Your order is on its way",
            "subtitle": "Parcel 3 of 3 – arriving today",
            "body": "Anna will be at your door between 14:00 and 16:00. Tap to follow her on the map.",
        },
        "badge": 3, "sound": "parcel.caf", "category": "__dynamic__", "thread-id": "orders-2024-000123",
        "mutable-content": 1,
    },
    "custom": {
        "i": "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "u": "https://shop.example/orders/000123/track?from=push",
        "a": {"screen": "order", "order": "000123"},
    },
}


class Row:
    """One line of the table."""

    def __init__(self, what, figure, goal="", beside="", command=""):
        self.cells = (what, figure, goal, beside, f"`{command}`" if command else "")


# ---- Processes


def pinned(core, command):
    return (["taskset", "-c", core] if core else []) + command


def run(command, core=CLIENT_CORE, seconds=3600, **environment):
    """The output of a command on one core; what it said is shown when it fails."""
    done = subprocess.run(pinned(core, command), capture_output=True, text=True, timeout=seconds,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def lines(output):
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def server(command, until=None, port=None, core=SERVER_CORE, seconds=120):
    """A server that runs inside the block, once it listens on `port` or has printed `until`.

    Yields what it printed, and its process id.
    """
    said = tempfile.NamedTemporaryFile()
    process = subprocess.Popen(pinned(core, command), stdout=said, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + seconds
        while not (listens(port) if port else until in text_of(said)):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{' '.join(command)}: did not start within {seconds} s: {text_of(said)}")
            time.sleep(0.05)
        yield text_of(said), process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def text_of(file):
    with open(file.name) as again:
        return again.read()


def processor_seconds(pid):
    """Processor time that a running process has used."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Bench:
    """The programs, a folder of keys, and how much work is done."""

    def __init__(self, program, postrider, quick, folder):
        self.program, self.postrider, self.quick, self.folder = program, postrider, quick, folder
        self.key, self.certificate, self.p8, self.rsa, self.body = (
            os.path.join(folder, name) for name in ("server.key", "server.pem", "apns.p8", "account.key", "body"))
        run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
             self.key, "-out", self.certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=IP:127.0.0.1"])
        run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", self.p8])
        run(["openssl", "genrsa", "-out", self.rsa, "2048"])
        with open(self.body, "w") as file:
            file.write(json.dumps({"aps": {"alert": "x" * (1024 - 21)}}, separators=(",", ":")))

    def count(self, full, quick):
        return quick if self.quick else full

    @contextlib.contextmanager
    def answering(self, streams, latency_ms=0, gone=0):
        """The common server: it answers 200 at once, or after a while, and to one device in `gone` that it is gone. Yields its port."""
        port = free_port()
        command = [self.program, "answer", "--port", str(port), "--cert", self.certificate, "--key", self.key,
                   "--streams", str(streams)]
        if latency_ms:
            command += ["--latency", str(latency_ms)]
        if gone:
            command += ["--gone", str(gone)]
        with server(command, port=port):
            yield port

    def apns_options(self, port, authority=None):
        return ["--port", str(port), "--ca", authority or self.certificate, "--key", self.p8, "--key-id", "ABC123DEFG",
                "--team", "DEF123GHIJ"]

    def account(self, port):
        """A service account's key file whose token endpoint is a server of this run."""
        name = os.path.join(self.folder, "account.json")
        with open(self.rsa) as key, open(name, "w") as file:
            json.dump({"type": "service_account", "project_id": "bench", "private_key_id": "bench", "private_key": key.read(),
                       "client_email": "bench@bench.iam.gserviceaccount.com",
                       "token_uri": f"https://127.0.0.1:{port}/token"}, file)
        return name

    def paths(self, port, path, count):
        """A list of addresses for h2load, with tokens that differ."""
        name = os.path.join(self.folder, f"paths-{port}")
        with open(name, "w") as file:
            for number in range(count):
                file.write(f"https://127.0.0.1:{port}{path}{number:064x}\n" if count > 1
                           else f"https://127.0.0.1:{port}{path}\n")
        return name

    def h2load(self, count, streams, paths, core=CLIENT_CORE, connections=1, body=None):
        """One run of h2load: requests a second, and requests per CPU second of the client."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        out = run(["h2load", "-n", str(count), "-c", str(connections), "-m", str(streams), "-t", "1", "-d", body or self.body, "-i", paths,
                   "-H", f"apns-topic: {TOPIC}", "-H", "apns-push-type: alert", "-H", "apns-priority: 10",
                   "-H", f"authorization: bearer {unsigned_token()}"], core)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        rate = float(re.search(r"finished in [^,]*, ([0-9.]+) req/s", out)[1])
        succeeded = int(re.search(r"([0-9]+) 2xx", out)[1])
        if succeeded != count:
            raise RuntimeError(f"h2load: {succeeded} of {count} requests were answered with 200:\n{out[-600:]}")
        return rate, count / cpu


def unsigned_token():
    """A provider token in form only, of a usual length."""
    import base64

    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    return ".".join([part({"alg": "ES256", "kid": "ABC123DEFG"}), part({"iss": "DEF123GHIJ", "iat": int(time.time())}),
                     base64.urlsafe_b64encode(bytes(range(64))).rstrip(b"=").decode()])


def ratio(ours, theirs):
    return statistics.median(ours) / statistics.median(theirs)


def spread(values):
    return f"{min(values) / statistics.median(values):.2f}–{max(values) / statistics.median(values):.2f}"


# ---- Parts

# How `rules-check` names the check of a request without and with what the device makes of it.
RULES_ALONE, ON_THE_DEVICE = ", rules alone", ", on the device"
# How `parse` names what Foundation reads of the same payload.
FOUNDATION = ", Foundation JSONDecoder"
# How it names the same payload's way over values.
THROUGH_VALUES = ", through values"
# What bytes to bytes is to reach; the other rows of these benchmarks are there to compare.
GOALS = {"parse": "≥ 0.8 M, ≥ 8 × Foundation, ≤ 10 allocations", "render": "≥ 0.4 M, ≤ 15 allocations"}


def content(bench):
    """Reading and writing payloads beside Foundation and orjson."""
    scale = ["--scale", "0.02"] if bench.quick else []
    rows = []
    orjson = orjson_rates(bench.count(400_000, 20_000))
    for name in ("json-write", "contracts-write", "render", "json-read", "contracts-read", "parse", "rules-check"):
        flat = [part for line in lines(run([bench.program, name, *scale])) for part in flatten(line)]
        pairs = {part["what"].removesuffix(FOUNDATION): part["per_cpu_second"] for part in flat
                 if part["what"].endswith(FOUNDATION)}
        peers = {part["what"]: part["per_cpu_second"] for part in flat if not part["what"].endswith(FOUNDATION)
                 and (part["what"].startswith("Foundation") or "JSON" in part["what"] and "coder" in part["what"])}
        rules = {part["what"].removesuffix(RULES_ALONE): part for part in flat if part["what"].endswith(RULES_ALONE)}
        for part in flat:
            if part["what"] in peers or part["what"].endswith((RULES_ALONE, FOUNDATION)):
                continue
            alone = rules.get(part["what"].removesuffix(ON_THE_DEVICE))
            if alone:
                # The same request, checked by the rules and then with what the device makes of it, in the same run.
                rows.append(Row(f"{name}: {part['what']}",
                                f"{part['per_cpu_second'] / alone['per_cpu_second']:.2f} × the rules alone", "",
                                f"{part['allocations_per_op']} allocations each, beside {alone['allocations_per_op']}",
                                f"postrider-bench {name}"))
                continue
            # A document of another size has no peer here; orjson had the rich alert.
            is_alike = "bytes" not in part["what"]
            beside = [f"{part['per_cpu_second'] / rate:.1f} × {peer}" for peer, rate in peers.items() if is_alike]
            # Each payload beside what Foundation makes of the same one: another contract's says nothing.
            if rate := pairs.get(part["what"].removesuffix(THROUGH_VALUES)):
                beside.append(f"{part['per_cpu_second'] / rate:.1f} × Foundation JSONDecoder into a struct of the same fields")
            if orjson and is_alike and name.startswith("json-"):
                beside.append(f"{part['per_cpu_second'] / orjson['write' if 'write' in name else 'read']:.1f} × orjson")
            goal = "" if "," in part["what"] or " without " in part["what"] else GOALS.get(name, "")
            rows.append(Row(f"{name}: {part['what']}", per_second(part['per_cpu_second']), goal,
                            ", ".join(beside + [f"{part['allocations_per_op']} allocations each"]),
                            f"postrider-bench {name}"))
    return rows


def per_second(rate):
    return f"{rate / 1e6:.2f} M per CPU second" if rate >= 1e4 else f"{rate:.0f} per CPU second"


def flatten(value):
    """Every measured object inside a line; what all cost together is none."""
    if isinstance(value, dict):
        if "what" in value and "per_cpu_second" in value and "results" not in value:
            yield value
        for inner in value.values():
            yield from flatten(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from flatten(inner)


def orjson_rates(count):
    """What PyPI's orjson does with the same alert; empty where it is not installed."""
    try:
        import orjson
    except ImportError:
        return {}
    text = orjson.dumps(RICH_ALERT)
    rates = {}
    for name, work in (("write", lambda: orjson.dumps(RICH_ALERT)), ("read", lambda: orjson.loads(text))):
        start = time.process_time()
        for _ in range(count):
            work()
        rates[name] = count / (time.process_time() - start)
    return rates


def sends(bench):
    """APNs and FCM sends beside h2load, and aioapns where it is installed, on the same server."""
    count, rounds = bench.count(400_000, 40_000), bench.count(5, 2)
    rows = []
    for what, streams, path, goals in (
        ("apns", 1000, "/3/device/", ("≥ 0.80", "≥ 1.25")),
        ("fcm", 100, "/v1/projects/bench/messages:send", ("≥ 0.65", "")),
    ):
        with bench.answering(streams) as port:
            options = bench.apns_options(port) if what == "apns" else [
                "--port", str(port), "--ca", bench.certificate, "--key", bench.account(port)]
            command = [bench.program, what, "--count", str(count), "--in-flight", str(streams), "--connections", "1"]
            paths = bench.paths(port, path, 20_000 if what == "apns" else 1)
            ours, theirs = [], []
            for _ in range(rounds):
                theirs.append(bench.h2load(count, streams, paths))
                ours.append(lines(run(command + options))[-1])
            for one in ours:
                if one["accepted"] != one["count"]:
                    raise RuntimeError(f"{what}: {one}")
            name = f"{'APNs' if what == 'apns' else 'FCM'} sends, one connection, {streams} in flight, 1 KiB"
            beside = f"rounds {spread([one['per_second'] for one in ours])} of the median"
            shown = f"postrider-bench {what} --count {count} --in-flight {streams} --connections 1 …"
            rows.append(Row(name + ": rate", f"{ratio([o['per_second'] for o in ours], [t[0] for t in theirs]):.2f} × h2load",
                            goals[0], beside, shown))
            rows.append(Row(name + ": sends per client CPU second",
                            f"{ratio([o['sends_per_cpu_second'] for o in ours], [t[1] for t in theirs]):.2f} × h2load",
                            goals[1], f"{ours[-1]['allocations_per_op']} allocations a send (goal ≤ 2)", shown))
            if what == "apns":
                rows += aioapns(bench, port, statistics.median(one["per_second"] for one in ours),
                                statistics.median(one["sends_per_cpu_second"] for one in ours))
    return rows


LATENCY_MS, FAR_CONNECTIONS, FAR_IN_FLIGHT = 50, 16, 16_000


def latency(bench):
    """APNs sends over many connections to a server that takes its time, beside the same sends to one that does not."""
    count, rounds = bench.count(400_000, 40_000), bench.count(5, 2)
    command = [bench.program, "apns", "--count", str(count), "--in-flight", str(FAR_IN_FLIGHT), "--connections",
               str(FAR_CONNECTIONS)]
    near, far = [], []
    peer_near, peer_far = [], []
    with bench.answering(1000) as at_once, bench.answering(1000, LATENCY_MS) as later:
        paths = {port: bench.paths(port, "/3/device/", 20_000) for port in (at_once, later)}
        for _ in range(rounds):
            for port, found, peers in ((at_once, near, peer_near), (later, far, peer_far)):
                found.append(lines(run(command + bench.apns_options(port)))[-1])
                peers.append(bench.h2load(count, FAR_IN_FLIGHT // FAR_CONNECTIONS, paths[port],
                                          connections=FAR_CONNECTIONS)[0])
    for one in near + far:
        if one["accepted"] != one["count"]:
            raise RuntimeError(f"latency: {one}")
    rates, costs = ([[one[name] for one in found] for found in (far, near)] for name in ("per_second", "sends_per_cpu_second"))
    # What cannot be beaten: all places are taken all the time, and each answer comes when it is due.
    bound = FAR_IN_FLIGHT / (LATENCY_MS / 1000)
    return [Row(f"APNs sends, answers after {LATENCY_MS} ms, {FAR_CONNECTIONS} connections, {FAR_IN_FLIGHT} in flight",
                f"{ratio(*rates):.2f} × the rate without latency", "≥ 0.90",
                f"h2load {ratio(peer_far, peer_near):.2f} × its own; {ratio(rates[0], peer_far):.2f} × h2load with this latency, "
                f"{ratio(rates[1], peer_near):.2f} × without; {ratio(rates[0], [bound]):.2f} × of what so many in flight allow; "
                f"rounds {spread(rates[0])} of the median; {ratio(*costs):.2f} × its sends per CPU second",
                f"postrider-bench answer --latency {LATENCY_MS} …; postrider-bench apns --connections {FAR_CONNECTIONS} --in-flight {FAR_IN_FLIGHT} …")]


def aioapns(bench, port, rate, per_cpu):
    try:
        import aioapns  # noqa: F401
    except ImportError:
        return []
    out = run([sys.executable, os.path.join(ROOT, "Benchmarks", "peer_aioapns.py"), str(port), bench.certificate,
               bench.p8, str(bench.count(10_000, 1_000))])
    peer = json.loads(out)
    return [Row("APNs sends beside aioapns, the same server", f"{rate / peer['per_second']:.0f} × its rate", "",
                f"{per_cpu / peer['sends_per_cpu_second']:.0f} × its sends per CPU second", "peer_aioapns.py …")]


WEB_BODY = 200


def web(bench):
    """Web pushes to one push service, encrypted, beside h2load with bodies of the same length on the wire, and pywebpush."""
    count, rounds = bench.count(100_000, 10_000), bench.count(5, 2)
    sealed = os.path.join(bench.folder, "sealed")
    with open(sealed, "wb") as file:
        file.write(os.urandom(WEB_BODY + 103))
    ours, theirs, peers, costs = [], [], [], []
    with bench.answering(1000) as port, plain_push_service(bench) as plain:
        paths = bench.paths(port, "/push/", 2_000)
        command = [bench.program, "web", "--port", str(port), "--ca", bench.certificate, "--count", str(count), "--in-flight", "1000",
                   "--connections", "1", "--body-bytes", str(WEB_BODY)]
        for _ in range(rounds):
            theirs.append(bench.h2load(count, 1000, paths, body=sealed)[1])
            found = lines(run(command))
            ours.append(found[-1])
            costs.append({one["what"]: 1e6 / one["per_cpu_second"] for one in found[:-1]})
            try:
                peers.append(json.loads(run([sys.executable, os.path.join(ROOT, "Benchmarks", "peer_pywebpush.py"), plain,
                                             str(bench.count(500, 100)), str(WEB_BODY)])))
            except RuntimeError as error:
                print(f"web: no pywebpush: {error}", file=sys.stderr)
    for one in ours:
        if one["accepted"] != one["count"]:
            raise RuntimeError(f"web: {one}")
    per_cpu = [one["sends_per_cpu_second"] for one in ours]
    pair, agreement, whole = (statistics.median(cost[what] for cost in costs) for what in ("web-key-pair", "web-agreement", "web-encryption"))
    each = 1e6 / statistics.median(per_cpu)
    name = f"web pushes to one push service, 1000 in flight, {WEB_BODY} bytes, encrypted: sends per client CPU second"
    shown = f"postrider-bench web --count {count} --in-flight 1000 --connections 1 --body-bytes {WEB_BODY} …"
    rows = [Row(name, f"{ratio(per_cpu, theirs):.2f} × h2load, which encrypts nothing", "≥ 0.35",
                f"of {each:.0f} µs for each send {whole:.0f} are the encryption: {pair:.0f} the key pair, {agreement:.0f} the agreement (ECDH); "
                f"without it {per_second(1e6 / max(each - whole, 1e-3))}, {1e6 / max(each - whole, 1e-3) / statistics.median(theirs):.2f} × h2load; "
                f"rounds {spread(per_cpu)} of the median", shown)]
    if peers:
        rows.append(Row("the same beside pywebpush, HTTP/1.1", f"{ratio(per_cpu, [one['sends_per_cpu_second'] for one in peers]):.0f} × its sends "
                        "per CPU second", "≥ 20",
                        f"{ratio([one['per_second'] for one in ours], [one['per_second'] for one in peers]):.0f} × its rate", "peer_pywebpush.py …"))
    return rows


@contextlib.contextmanager
def plain_push_service(bench):
    """The emulator's push service over plain HTTP/1.1; yields its address."""
    os.environ["POSTRIDER_EMULATOR_TOKEN"] = "token-of-this-benchmark"
    port = free_port()
    command = [bench.postrider, "emulate", "--apns-port", "0", "--fcm-port", "0", "--web-port", "0", "--port", str(port)]
    with server(command, port=port):
        yield f"http://127.0.0.1:{port}"


def mixed(bench):
    """A campaign to five kinds of devices with the full ledger, in turn with one of the same size to one kind."""
    devices, rounds = bench.count(200_000, 10_000), bench.count(3, 1)
    with bench.answering(1000) as port:
        found = {line["what"]: line for line in lines(run(
            [bench.program, "mixed", "--devices", str(devices), "--rounds", str(rounds), "--folder", bench.folder, "--account",
             bench.account(port), *bench.apns_options(port)]))}
    if not all(line["ledger_balances"] for line in found.values()):
        raise RuntimeError(f"mixed: {found}")
    shown = f"postrider-bench mixed --devices {devices} --rounds {rounds} …"
    audience = f"{devices:,} devices".replace(",", " ")
    rows = []
    for kind, what, goal in (
        ("five", "campaign to iPhones, Android phones, browsers, and iPhones and browsers behind FCM, beside one to iPhones", "≥ 0.60"),
        ("four", "the same without browsers, whose messages are encrypted", ""),
    ):
        line = found[f"mixed-{kind}"]
        rows.append(Row(f"{what}, {audience}", f"{line['of_one']:.2f} × its rate", goal,
                        f"{line['of_one_per_cpu_second']:.2f} × its sends per CPU second; beside one to Android phones, whose messages FCM names, "
                        f"{line['of_android']:.2f} × its rate, {line['of_android_per_cpu_second']:.2f} × its sends per CPU second; "
                        f"{line['allocations_per_op']} allocations a device", shown))
    return rows


def campaign_line(bench, port, devices, transactional=50, options=(), gone=0):
    line = lines(run([bench.program, "campaign", "--devices", str(devices), "--transactional", str(transactional),
                      "--folder", bench.folder, *bench.apns_options(port), *options]))[-1]
    # Which devices are gone follows from their tokens, which are drawn.
    rejected = devices / gone if gone else 0
    if line["accepted"] + line["rejected"] != devices or abs(line["rejected"] - rejected) > rejected / 10 or not line["ledger_balances"]:
        raise RuntimeError(f"campaign: {line}")
    return line


@contextlib.contextmanager
def database(bench):
    """A PostgreSQL server that flushes every commit. Yields what a store's options are, its first process, and a list to
    which the number of waits for a lock of more than 100 ms is added at the end."""
    waits = []
    process = subprocess.Popen([bench.program, "database"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        url, pid = process.stdout.readline().split()
        yield url, int(pid), waits
    finally:
        process.stdin.close()
        waits.extend(int(line) for line in process.stdout)
        process.wait(timeout=60)


def postgres(bench):
    """The ledger in PostgreSQL beside the file, in turn: a campaign, and pushes over the API."""
    # In a shorter campaign there may be no push to a single device.
    devices, rounds = bench.count(1_000_000, 200_000), bench.count(3, 1)
    file, server, several = [], [], {2: [], 4: []}
    with bench.answering(1000) as port, database(bench) as (url, pid, waits):
        for _ in range(rounds):
            file.append(campaign_line(bench, port, devices))
            server.append(campaign_line(bench, port, devices, options=["--store", url, "--store-pid", str(pid)]))
            for count, found in several.items():
                found.append(campaign_line(bench, port, devices, options=["--store", url, "--store-pid", str(pid), "--nodes", str(count)]))
    middle = sorted(server, key=lambda line: line["per_second"])[len(server) // 2]
    name = f"PostgreSQL: campaign of {devices:,} devices with the full ledger".replace(",", " ")
    shown = f"postrider-bench campaign --devices {devices} --transactional 50 --store postgresql://… --store-pid …"
    rows = [
        Row(name + ": rate, beside the file's", f"{ratio([line['per_second'] for line in server], [line['per_second'] for line in file]):.2f} ×",
            "≥ 0.40", f"{rounds} rounds in turn; peak memory {max(line['peak_rss_kib'] for line in server) / 1024:.0f} MiB", shown),
        Row(name + ": processor time of its server", f"{middle['database_us_per_delivery']} µs a delivery", "≤ 4 µs",
            "gathering, leasing and recording", shown),
        Row(name + ": a push to one device meanwhile, from the request to the sender, over HTTP",
            f"p50 {middle['transactional_to_wire_ms_p50']} ms, p99 {middle['transactional_to_wire_ms_p99']} ms", "p99 ≤ 60 ms",
            f"with the file p99 {sorted(line['transactional_to_wire_ms_p99'] for line in file)[len(file) // 2]} ms", shown),
    ]
    one = [line["per_second"] for line in server]
    for count, found in several.items():
        slowest = max(line["transactional_to_wire_ms_p99"] for line in found)
        rows.append(
            Row(name + f": {count} nodes on one database, beside one", f"{ratio([line['per_second'] for line in found], one):.2f} × its rate",
                "≥ 1" if count == 2 else "",
                f"the ledger balances; a push to one device meanwhile p99 {slowest} ms; all nodes on the same cores",
                shown + f" --nodes {count}"))
    rows.append(Row(name + ": waits for a lock of more than 100 ms, in all of these runs", f"{sum(waits)}", "0",
                    "the writer's lock of the database among them (log_lock_waits, deadlock_timeout = 100ms)", shown))
    count = bench.count(50_000, 5_000)
    found = {"file": [], "server": []}
    for _ in range(rounds):
        found["file"].append(ingest_line(bench, count, {}))
        with database(bench) as (url, _, _):
            found["server"].append(ingest_line(bench, count, {"POSTRIDER_STORE": url}))
    middle = sorted(found["server"], key=lambda one: one["per_second"])[rounds // 2]
    rows.append(
        Row("PostgreSQL: API ingest, one token a request, durable before the answer, delivery running",
            f"{ratio(*([one['per_second'] for one in found[engine]] for engine in ('server', 'file'))):.2f} × the file's", "≥ 0.35 ×",
            f"p50 {middle['p50_ms']} ms, p99 {middle['p99_ms']} ms; {middle['connections']} connections",
            f"postrider serve --demo; postrider-bench ingest --connections {INGEST_CONNECTIONS} …"))
    rows.append(beside_webhook(bench, rounds))
    rows.append(beside_gone(bench, rounds))
    rows += beside_reports(bench, rounds)
    return rows


def beside_reports(bench, rounds):
    """Devices that report on both engines that they opened a campaign: one of them in a request, as phones do, and a hundred."""
    parts = ((1, bench.count(10_000, 500)), (100, bench.count(50_000, 5_000)))
    devices = rounds * sum(count for _, count in parts)
    found = {}
    with contextlib.ExitStack() as running:
        gateway = running.enter_context(bench.answering(1000))
        url, _, _ = running.enter_context(database(bench))
        servers = {engine: serving(running, bench, bench.postrider, gateway, devices, store)
                   for engine, store in (("file", []), ("server", [f"POSTRIDER_STORE={url}"]))}
        for served in servers.values():
            served.campaign()
        first = 0
        for _ in range(rounds):
            for each, count in parts:
                for engine, served in servers.items():
                    found.setdefault((each, engine), []).append(served.reports(first, count, each))
                first += count
    return [Row(f"PostgreSQL: reports of devices over the API, {each} in a request",
                f"{ratio(found[each, 'server'], found[each, 'file']):.2f} × the file's", "", "durable before the answer; 64 connections",
                f"postrider serve --demo; postrider-bench reports --per-request {each} …") for each, _ in parts]



def beside_gone(bench, rounds):
    """Campaigns on both engines to an audience of which one device in ten is gone."""
    devices, found = bench.count(200_000, 50_000), {"file": [], "server": []}
    with bench.answering(1000, gone=GONE) as port, database(bench) as (url, pid, _):
        for _ in range(rounds):
            for engine, options in (("file", []), ("server", ["--store", url, "--store-pid", str(pid)])):
                found[engine].append(campaign_line(bench, port, devices, options=options, gone=GONE))
    rate = ratio(*([line["per_second"] for line in found[engine]] for engine in ("server", "file")))
    middle = sorted(found["server"], key=lambda line: line["per_second"])[rounds // 2]
    return Row(f"PostgreSQL: campaign of {devices:,} devices of which one in ten is gone".replace(",", " ", 1), f"{rate:.2f} × the file's", "",
               f"{middle['database_us_per_delivery']} µs of its server's processor a delivery; the devices are retired",
               f"postrider-bench answer --gone {GONE} …; postrider-bench campaign --devices {devices} --store postgresql://… …")


def beside_webhook(bench, rounds):
    """Campaigns over the API of both engines, beside a webhook that is told of pushes that end."""
    devices = bench.count(200_000, 20_000)
    found = {"file": [], "server": []}
    with contextlib.ExitStack() as running:
        gateway = running.enter_context(bench.answering(1000))
        url, _, _ = running.enter_context(database(bench))
        servers = {}
        for engine, store in (("file", []), ("server", [f"POSTRIDER_STORE={url}"])):
            servers[engine] = serving(running, bench, bench.postrider, gateway, devices, store, webhook="http://127.0.0.1:9/")
        for _ in range(rounds):
            for engine, served in servers.items():
                found[engine].append(served.campaign())
    rate, cost = (ratio(*([line[which] for line in found[engine]] for engine in ("server", "file"))) for which in (0, 1))
    return Row(f"PostgreSQL: campaign of {devices:,} devices over the API, beside a webhook for pushes that end".replace(",", " ", 1),
               f"{rate:.2f} × the file's", "", f"{cost:.2f} × its deliveries per CPU second of the server process",
               "postrider serve --demo; POST …/webhooks; POST …/pushes")


def ingest_line(bench, count, environment):
    """Pushes over the API of a demo server of its own, after a tenth of them to warm up."""
    with tempfile.TemporaryDirectory(prefix="postrider-bench-") as folder:
        command = ["env", *(f"{name}={value}" for name, value in environment.items()), bench.postrider, "serve", "--demo", "--port", "0",
                   "--emulator-port", "0", "--data", folder + "/data"]
        with server(command, "Ctrl-C", core=None) as (hello, _):
            port = re.search(r"http://[0-9.]+:([0-9]+)", hello)[1]
            key = re.search(r"prk_[A-Za-z0-9_-]+", hello)[0]
            asked = [bench.program, "ingest", "--port", port, "--app", "demo", "--connections", INGEST_CONNECTIONS]
            run(asked + ["--count", str(count // 10)], core=None, POSTRIDER_KEY=key)
            line = lines(run(asked + ["--count", str(count)], core=None, POSTRIDER_KEY=key))[-1]
    if line.get("status_202") != line["count"]:
        raise RuntimeError(f"ingest: {line}")
    return line


def campaign(bench):
    """A campaign with the full ledger, and pushes to single devices meanwhile."""
    devices, rounds = bench.count(1_000_000, 100_000), bench.count(3, 1)
    with bench.answering(1000) as port:
        paths = bench.paths(port, "/3/device/", 20_000)
        ours, theirs = [], []
        for _ in range(rounds):
            theirs.append(bench.h2load(bench.count(400_000, 40_000), 1000, paths))
            ours.append(campaign_line(bench, port, devices))
        alone = campaign_line(bench, port, bench.count(400_000, 100_000), transactional=1)
    shown = f"postrider-bench campaign --devices {devices} --transactional 50 …"
    middle = sorted(ours, key=lambda line: line["per_second"])[len(ours) // 2]
    name = f"campaign of {devices:,} devices with the full ledger".replace(",", " ")
    return [
        Row(name + ": rate, end to end", f"{ratio([line['per_second'] for line in ours], [one[0] for one in theirs]):.2f} × h2load", "≥ 0.5",
            f"{ratio([line['sends_per_cpu_second'] for line in ours], [one[1] for one in theirs]):.2f} × its requests per "
            f"client CPU second; rounds {spread([line['per_second'] for line in ours])} of the median", shown),
        Row(name + ": peak memory", f"{max(line['peak_rss_kib'] for line in ours) / 1024:.0f} MiB", "≤ 150 MB", "", shown),
        Row(name + ": heap allocations a device", f"{alone['allocations_per_op']}", "≤ 2",
            f"gathering, leasing, sending and recording; {middle['allocations_per_op']} with what the 50 pushes a second "
            "beside it allocate", shown.replace("50", "1").replace(str(devices), str(alone["devices"]))),
        Row(name + ": a push to one device meanwhile, from the request to the sender, over HTTP",
            f"p50 {middle['transactional_to_wire_ms_p50']} ms, p99 {middle['transactional_to_wire_ms_p99']} ms", "",
            f"{middle['transactional']} pushes", shown),
    ]


class Served:
    """A server that a program runs on a folder of its own, with an app whose gateways only answer, and with its devices."""

    def __init__(self, hello, pid, bench, gateway, devices, kind="ios", webhook=None):
        self.origin = re.search(r"http://[0-9.]+:[0-9]+", hello)[0]
        self.key = re.search(r"prk_[A-Za-z0-9_-]+", hello)[0]
        self.pid, self.devices, self.bench = pid, devices, bench
        called(self.origin, self.key, "POST", "/v1/apps", {"name": "bench", "contract": "native"})
        with open(bench.p8) as key, open(bench.certificate) as authority, open(bench.account(gateway)) as account:
            where = {"gateway": {"host": "127.0.0.1", "port": gateway, "ca": authority.read()}}
            apns = {"topic": TOPIC, "key": key.read(), "key_id": "ABC123DEFG", "team_id": "DEF123GHIJ", **where}
            fcm = {"service_account": json.load(account), **where}
        called(self.origin, self.key, "PUT", "/v1/apps/bench/credentials", {"apns": apns} if kind == "ios" else {"fcm": fcm})
        if webhook:
            called(self.origin, self.key, "POST", "/v1/apps/bench/webhooks", {"url": webhook, "types": ["push.finished"]})
        name = os.path.join(bench.folder, "devices.ndjson")
        with open(name, "w") as file:
            for number in range(devices):
                file.write(f'{{"type":"{kind}","token":"{number:064}","user":"user-{number}"}}\n')
        with open(name, "rb") as file:
            request = urllib.request.Request(f"{self.origin}/v1/apps/bench/devices/import", file, method="PUT",
                                             headers={"Authorization": f"Bearer {self.key}", "Content-Length": str(os.path.getsize(name))})
            with urllib.request.urlopen(request, timeout=600) as answer:
                done = json.load(answer)
        if done["failed"]:
            raise RuntimeError(f"import: {json.dumps(done)[:500]}")

    def campaign(self, **more):
        """A push to all, from the request to the end: deliveries a second and for each CPU second of the server, and its peak memory."""
        with open(f"/proc/{self.pid}/clear_refs", "w") as file:
            file.write("5")
        start, before = time.monotonic(), processor_seconds(self.pid)
        push = called(self.origin, self.key, "POST", "/v1/apps/bench/pushes",
                      {"message": {"title": "Hello", "body": "x" * 900}, "to": {"all": True}, **more})["id"]
        while "finished_at" not in (found := called(self.origin, self.key, "GET", f"/v1/apps/bench/pushes/{push}")):
            if time.monotonic() - start > 600:
                raise RuntimeError(f"campaign: not finished after ten minutes: {found}")
            time.sleep(0.05)
        seconds, spent = time.monotonic() - start, processor_seconds(self.pid) - before
        if found["counts"]["accepted"] != self.devices:
            raise RuntimeError(f"campaign: {found}")
        self.push = push
        with open(f"/proc/{self.pid}/status") as file:
            memory = int(re.search(r"VmHWM:\s+([0-9]+)", file.read())[1])
        return self.devices / seconds, self.devices / spent, memory


    def reports(self, first, count, per_request):
        """So many devices from the `first` on report that they opened the last campaign: reports a second."""
        told = [self.bench.program, "reports", "--port", self.origin.rpartition(":")[2], "--app", "bench", "--push", self.push,
                "--first", str(first), "--count", str(count), "--per-request", str(per_request)]
        line = lines(run(told, core=None, POSTRIDER_KEY=self.key))[-1]
        counted = called(self.origin, self.key, "GET", f"/v1/apps/bench/pushes/{self.push}")["events"]["opened"]
        if line.get("status_200") != count // per_request or counted != first + count:
            raise RuntimeError(f"reports: {line}, {counted} counted")
        return line["per_second"]


def serving(running, bench, program, gateway, devices, environment=(), **more):
    """A program's server on a new folder, until `running` ends."""
    folder = running.enter_context(tempfile.TemporaryDirectory(prefix="postrider-bench-"))
    command = ["env", *environment, program, "serve", "--demo", "--port", "0", "--emulator-port", "0", "--allow-private-webhooks",
               "--data", folder + "/data"]
    return Served(*running.enter_context(server(command, "Ctrl-C", core=None)), bench, gateway, devices, **more)


def beside(bench, other):
    """Campaigns of this commit's server and of another commit's by turns, over the API, with the ledger in the file."""
    devices, rounds = bench.count(1_000_000, 20_000), bench.count(5, 1)
    with contextlib.ExitStack() as running:
        gateway = running.enter_context(bench.answering(1000))
        servers = [serving(running, bench, program, gateway, devices) for program in (bench.postrider, other)]
        # The first of a round has the other's pages in the caches; each is first as often as the other.
        found = [[], []]
        for number in range(2 * rounds):
            for which in (0, 1) if number % 2 == 0 else (1, 0):
                found[which].append(servers[which].campaign())
    print(f"campaign of {devices} devices over the API, {2 * rounds} rounds by turns, beside {other}:")
    for index, what in enumerate(("rate", "deliveries per CPU second", "peak memory")):
        one, two = ([line[index] for line in several] for several in found)
        print(f"  {what}: {ratio(one, two):.3f} × (rounds {spread(one)} and {spread(two)} of their medians)")


def personal(bench):
    """Campaigns that differ from device to device, in turn with a plain one over the same audience."""
    devices, rounds = bench.count(1_000_000, 20_000), bench.count(3, 1)
    command = [bench.program, "campaign", "--devices", str(devices), "--personal", str(rounds), "--languages", str(rounds),
               "--folder", bench.folder]
    with bench.answering(1000) as port:
        found = {line["what"]: line for line in lines(run(command + bench.apns_options(port)))}
    for line in found.values():
        if line["accepted"] != line["count"] or not line["ledger_balances"]:
            raise RuntimeError(f"personal: {line}")
    plain = found["campaign-plain"]
    shown = f"postrider-bench campaign --devices {devices} --personal {rounds} --languages {rounds} …"
    audience = f"{devices:,} devices".replace(",", " ")
    name = f"campaign with two properties of each recipient, beside a plain one in turn, {audience}"
    rows = []
    for kind, what, goal in (("personal", name, "≥ 0.70"),
                             ("languages", "the same with three languages, two variants and a segment", "≥ 0.60")):
        line = found[f"campaign-{kind}"]
        memory = line["peak_rss_kib_of_it"] / plain["peak_rss_kib_of_it"]
        rows.append(Row(what, f"{line['of_plain']:.2f} × its rate", goal,
                        f"{line['of_plain_per_cpu_second']:.2f} × its sends per CPU second, {line['allocations_per_op']} "
                        f"allocations a device, {memory:.2f} × its memory", shown))
    return rows


def large(bench):
    """Ten times the devices: the same rate and the same memory."""
    small, big = bench.count(1_000_000, 20_000), bench.count(10_000_000, 200_000)
    with bench.answering(1000) as port:
        one, ten = campaign_line(bench, port, small), campaign_line(bench, port, big)
    shown = f"postrider-bench campaign --devices {big} --transactional 50 …"
    return [Row(f"campaign of {big:,} devices beside one of {small:,}".replace(",", " "),
                f"{ten['per_second'] / one['per_second']:.2f} × its rate", "0.90–1.10",
                f"{ten['peak_rss_kib'] / one['peak_rss_kib']:.2f} × its memory ({ten['peak_rss_kib'] / 1024:.0f} MiB)", shown)]


INGEST_CONNECTIONS = "192"
# Of so many devices of an audience one is gone.
GONE = 10


def health(port, count):
    """Requests a second that ask for nothing, over as many connections of HTTP/1.1: what the machine has for requests."""
    out = run(["h2load", "--h1", "-n", str(count), "-c", INGEST_CONNECTIONS, "-t", "1", f"http://127.0.0.1:{port}/healthz"],
              core=None)
    if int(re.search(r"([0-9]+) 2xx", out)[1]) != count:
        raise RuntimeError(f"h2load: not every request for /healthz was answered with 200:\n{out[-600:]}")
    return float(re.search(r"finished in [^,]*, ([0-9.]+) req/s", out)[1])


def ingest(bench):
    """Pushes a second over the API, each durable before it is answered, while the same process delivers them."""
    count, rounds = bench.count(150_000, 10_000), bench.count(3, 1)
    with tempfile.TemporaryDirectory(prefix="postrider-bench-") as folder:
        command = [bench.postrider, "serve", "--demo", "--port", "0", "--emulator-port", "0", "--data", folder + "/data"]
        # Client, API, store, delivery and emulator share the machine's cores.
        with server(command, "Ctrl-C", core=None) as (hello, pid):
            port = re.search(r"http://[0-9.]+:([0-9]+)", hello)[1]
            key = re.search(r"prk_[A-Za-z0-9_-]+", hello)[0]
            asked = [bench.program, "ingest", "--port", port, "--app", "demo", "--connections", INGEST_CONNECTIONS]
            run(asked + ["--count", str(count // 10)], core=None, POSTRIDER_KEY=key)
            runs, bare, spent = [], [], 0
            for _ in range(rounds):
                bare.append(health(port, count))
                before = processor_seconds(pid)
                runs.append(lines(run(asked + ["--count", str(count)], core=None, POSTRIDER_KEY=key))[-1])
                spent += processor_seconds(pid) - before
    for one in runs:
        if one.get("status_202") != one["count"]:
            raise RuntimeError(f"ingest: {one}")
    middle = sorted(runs, key=lambda one: one["per_second"])[len(runs) // 2]
    return [Row("API ingest, one token a request, durable before the answer, delivery running",
                f"{middle['per_second']:,} a second, p50 {middle['p50_ms']} ms, p99 {middle['p99_ms']} ms".replace(",", " ", 1),
                "≥ 25 000 a second, p99 ≤ 20 ms, ≥ 0.5 × GET /healthz",
                f"{ratio([one['per_second'] for one in runs], bare):.2f} × the rate of GET /healthz from h2load; "
                f"{spent / rounds / count * 1e6:.0f} µs of CPU a request, its delivery and the built-in emulator included; "
                f"{middle['connections']} connections, the client on the same cores",
                f"postrider serve --demo; postrider-bench ingest --connections {INGEST_CONNECTIONS} …")]


def called(origin, key, method, path, body=None):
    """The answer of the server to one request."""
    request = urllib.request.Request(origin + path, body and json.dumps(body).encode(), method=method,
                                     headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def compat(bench):
    """Other services' exports imported, their devices exported and sent to over OneSignal's interface, beside our own API."""
    import vendor_files
    count, rounds, rows = bench.count(100_000, 5_000), bench.count(5, 1), bench.count(1_000_000, 5_000)
    out = []
    with tempfile.TemporaryDirectory(prefix="postrider-bench-") as folder:
        command = [bench.postrider, "serve", "--demo", "--port", "0", "--emulator-port", "0", "--data", folder + "/data"]
        with server(command, "Ctrl-C", core=None) as (hello, _):
            origin = re.search(r"http://[0-9.]+:[0-9]+", hello)[0]
            key = re.search(r"prk_[A-Za-z0-9_-]+", hello)[0]
            for vendor, write in vendor_files.EXPORTS.items():
                # The demo app can send to what it imports.
                app = "demo" if vendor == "onesignal" else f"from-{vendor}"
                if app != "demo":
                    called(origin, key, "POST", "/v1/apps", {"name": app})
                out.append(imported(bench, vendor, app, write(rows, folder), rows, origin, key))
            app_id = called(origin, key, "PATCH", "/v1/apps/demo", {"compat": {"onesignal": {}}})["compat"]["onesignal"]["app_id"]
            theirs = called(origin, key, "POST", "/v1/keys", {"name": "bench", "scopes": ["compat"], "app": "demo"})["key"]
            out.append(exported(origin, app_id, theirs, rows, folder))
            for what, to in (("one token", []), ("one user", ["--users", str(rows)])):
                out.append(created(bench, what, to, origin.rpartition(":")[2], (key, "demo"), (theirs, app_id), count, rounds))
    return out


def imported(bench, vendor, app, file, rows, origin, key):
    """One import of a file into a running server."""
    start = time.monotonic()
    done = json.loads(run([bench.postrider, "import", vendor, file, "--app", app, "--json"], core=None, POSTRIDER_URL=origin,
                          POSTRIDER_KEY=key))
    seconds = time.monotonic() - start
    if done["accepted"] != rows or done["server"]["failed"]:
        raise RuntimeError(f"import {vendor}: {json.dumps(done)[:500]}")
    # A row is a device in each of them, so that what differs is the form.
    return Row(f"import of {rows:,} devices from {vendor}".replace(",", " "), f"{seconds:.1f} s", "≤ 60 s",
               f"{rows / seconds:.0f} a second, each of a user of its own; file of {os.path.getsize(file) / 1048576:.0f} MiB",
               f"postrider import {vendor} {os.path.basename(file)}")


def exported(origin, app_id, key, rows, folder):
    """The file of all subscriptions, as OneSignal's clients fetch it."""
    link = called(origin, key, "POST", f"/compat/onesignal/players/csv_export?app_id={app_id}",
                  {"extra_fields": ["external_user_id", "onesignal_id", "notification_types"]})["csv_file_url"]
    name = os.path.join(folder, "export.csv.gz")
    start = time.monotonic()
    with urllib.request.urlopen(link, timeout=600) as answer, open(name, "wb") as file:
        shutil.copyfileobj(answer, file)
    seconds = time.monotonic() - start
    with gzip.open(name, "rt", newline="") as file:
        read = sum(1 for _ in csv.reader(file)) - 1
    # The demo app has devices of its own.
    if read < rows:
        raise RuntimeError(f"csv_export: {read} of {rows} rows")
    return Row(f"CSV export of OneSignal's interface with {rows:,} devices".replace(",", " "), f"{read / seconds:,.0f} rows a second".replace(",", " "),
               "≥ 40 000 rows a second", f"{os.path.getsize(name) / 1048576:.0f} MiB compressed, user and tags in each row",
               "POST …/players/csv_export; GET csv_file_url")


def created(bench, what, to, port, own, drop_in, count, rounds):
    """The same message to our own API and in OneSignal's request, in turn; `own` and `drop_in` are keys and apps."""
    def asked(form, key, app, count):
        command = [bench.program, "ingest", "--port", port, "--app", app, "--form", form, "--connections", INGEST_CONNECTIONS]
        one = lines(run(command + ["--count", str(count)] + to, core=None, POSTRIDER_KEY=key))[-1]
        if one.get("status_202", 0) + one.get("status_200", 0) != one["count"]:
            raise RuntimeError(f"ingest as {form}: {one}")
        return one

    pairs = [("onesignal", *own), ("drop-in", *drop_in)]
    ours, theirs = [], []
    for form, key, app in pairs:
        asked(form, key, app, count // 10)
    for number in range(rounds):
        # The first of a pair finds less in the ledger; each form is first as often as the other.
        for form, key, app in pairs if number % 2 == 0 else pairs[::-1]:
            (ours if form == "onesignal" else theirs).append(asked(form, key, app, count))
    middle = sorted(theirs, key=lambda one: one["per_second"])[len(theirs) // 2]
    rates = [one["per_second"] for one in theirs]
    return Row(f"drop-in create-notification of OneSignal's, {what} a request",
               f"{ratio(rates, [one['per_second'] for one in ours]):.2f} × the same message over our own API", "≥ 0.80",
               f"{middle['per_second']} a second, p99 {middle['p99_ms']} ms; rounds {spread(rates)} of the median",
               f"postrider-bench ingest --form drop-in, --form onesignal --connections {INGEST_CONNECTIONS} …")


SCENARIO = {
    "apns": {"accepts_unknown_keys": True, "streams_before_token": 1000},
    "limits": {"recording": "none"},
}


def emulator(bench):
    """The emulator as the other end of a load test, on one core, driven by h2load."""
    count, rounds = bench.count(500_000, 50_000), bench.count(3, 1)
    scenario = os.path.join(bench.folder, "scenario.json")
    with open(scenario, "w") as file:
        json.dump(SCENARIO, file)
    command = [bench.postrider, "emulate", "--scenario", scenario, "--apns-port", "0", "--fcm-port", "0", "--port", "0",
               "--out", os.path.join(bench.folder, "emulator")]
    rates, spent = [], 0.0
    with bench.answering(1000) as bare, server(command, "project_id") as (hello, pid):
        port = int(re.search(r'"apns":"https://127\.0\.0\.1:([0-9]+)', hello)[1])
        paths, bare_paths = (bench.paths(one, "/3/device/", 20_000) for one in (port, bare))
        beside = []
        for _ in range(rounds):
            beside.append(bench.h2load(count, 1000, bare_paths)[0])
            before = processor_seconds(pid)
            rates.append(bench.h2load(count, 1000, paths)[0])
            spent += processor_seconds(pid) - before
    return [Row("emulator on one core, every check of APNs, driven by h2load",
                f"{statistics.median(rates):,.0f} a second".replace(",", " "), "≥ 100 000 a second",
                f"{rounds * count / spent:,.0f} for each CPU second of its own; ".replace(",", " ")
                + f"{ratio(rates, beside):.2f} × the rate of a server that answers 200 without looking",
                "postrider emulate --scenario …; h2load -c 1 -m 1000 -d body -i tokens …")]


def check(bench):
    """`postrider check` over many files beside reading them, and the audit of a template in constant memory."""
    share = bench.count("1", "0.05")
    out = lines(run([sys.executable, os.path.join(ROOT, "Benchmarks", "check_files.py"), bench.postrider, share], core=None))
    rows = []
    plain = {}
    for line in out:
        if "find_sort_cat" in line:
            rows.append(Row(f"check of {line['files']:,} files".replace(",", " "),
                            f"{line['wall_ratio']} × the time of find, sort and cat over them", "",
                            f"peak {line['check']['peak_kib'] / 1024:.0f} MiB", "check_files.py postrider"))
        elif "contract" in line:
            plain.setdefault(line["platform"], line["cpu"])
            rows.append(Row(f"check of files that {line['contract']} writes, {line['platform']}",
                            f"{line['cpu'] / plain[line['platform']]:.2f} × the processor time of native", "",
                            f"{line['files']:,} files".replace(",", " "), "check_files.py postrider"))
        else:
            rows.append(Row(f"audit of a template over {line['rows']:,} rows of {line['format']}".replace(",", " "),
                            f"peak {line['audit']['peak_kib'] / 1024:.0f} MiB", "",
                            f"{line['audit']['cpu']} s on the processor, {line['audit']['wall']} s in all",
                            "check_files.py postrider"))
    return rows


def liquid(bench):
    """Rendering a text in Liquid beside python-liquid, a round of each after the other."""
    from liquid import Environment
    told = run([bench.program, "liquid", "--template"]).splitlines()
    people = [dict(zip(("first_name", "city"), line.split("\t"))) for line in told[1:]]
    template = Environment().from_string(told[0])
    count = bench.count(20_000, 2_000)
    ours, theirs, allocations = [], [], 0
    for _ in range(bench.count(5, 2)):
        start = time.process_time()
        for number in range(count):
            template.render(user=people[number % len(people)])
        theirs.append(count / (time.process_time() - start))
        line = lines(run([bench.program, "liquid", *(["--scale", "0.05"] if bench.quick else [])]))[0]
        ours.append(line["per_cpu_second"])
        allocations = line["allocations_per_op"]
    return [Row("liquid: two objects, one if, one filter", per_second(statistics.median(ours)),
                "≥ 2 M, ≥ 50 × python-liquid",
                f"{statistics.median(ours) / statistics.median(theirs):.0f} × python-liquid, {allocations} allocations each",
                "postrider-bench liquid")]


def dashboard(bench):
    """The first contentful paint of the dashboard's pages with an empty cache, and the size of all its scripts."""
    out = lines(run([sys.executable, os.path.join(ROOT, "Benchmarks", "first_paint.py"), bench.postrider, str(bench.count(9, 2))], core=None))
    rows = []
    for line in out:
        if "page" in line:
            found = line["first_paint_ms"]
            rows.append(Row(f"first paint of the dashboard, {line['page']}", f"{statistics.median(found):.0f} ms", "≤ 1 000 ms",
                            f"{max(found)} ms at most of {len(found)}; headless Chromium, empty cache, browser and server on the same cores",
                            "first_paint.py postrider"))
        else:
            rows.append(Row("scripts of the dashboard, compressed", f"{line['bytes'] / 1000:.1f} kB", "≤ 120 kB",
                            f"{line['scripts']} files, of all pages, without the contract core", "first_paint.py postrider"))
    return rows


PARTS = {"content": content, "liquid": liquid, "sends": sends, "latency": latency, "campaign": campaign,
         "personal": personal, "large": large, "web": web, "mixed": mixed, "ingest": ingest, "compat": compat,
         "postgres": postgres, "emulator": emulator, "check": check, "dashboard": dashboard}
# How the rows of each part begin, by which they are found on the page.
BEGINNINGS = {
    "content": ("json-write:", "contracts-write:", "render:", "json-read:", "contracts-read:", "parse:", "rules-check:"),
    "liquid": ("liquid:",),
    "sends": ("APNs sends, one connection", "APNs sends beside", "FCM sends"),
    "latency": ("APNs sends, answers after",),
    "campaign": ("campaign of 1 000 000 devices with", "campaign of 100 000 devices with"),
    "personal": ("campaign with two properties", "the same with three languages"),
    "large": ("campaign of 10 000 000 devices", "campaign of 200 000 devices beside"),
    "web": ("web pushes", "the same beside pywebpush"),
    "mixed": ("campaign to iPhones", "the same without browsers"),
    "ingest": ("API ingest",),
    "compat": ("import of", "CSV export of", "drop-in create-notification"),
    "postgres": ("PostgreSQL: ",),
    "emulator": ("emulator on",),
    "check": ("check of", "audit of"),
    "dashboard": ("first paint of", "scripts of"),
}
PAGE = os.path.join(ROOT, "docs", "performance.md")
HEAD = """# Performance

Written by `script/bench`. Ratios to other tools measured in the same minutes, interleaved; medians of the rounds. Client and server
have one core each unless a row says otherwise, over TLS. Absolute rates depend on the machine and do not transfer to others; the
goals are the project's own. `postrider-bench` without arguments lists the benchmarks that can run alone.

| what | figure | goal | beside | command |
| --- | --- | --- | --- | --- |
"""


def part_of(line):
    """The part that a line of the table belongs to."""
    what = line.removeprefix("| ")
    found = [name for name, beginnings in BEGINNINGS.items() if what.startswith(beginnings)]
    if len(found) != 1:
        raise RuntimeError(f"not the row of one part: {what[:60]}")
    return found[0]


def renewed(page, measured):
    """The page with the rows of the parts that were measured; everything else is kept, and what is written by hand behind the table.

    `measured` has the lines of the table by part.
    """
    table, heading, notes = page.partition("\n## ")
    kept = {}
    for line in table.splitlines(keepends=True):
        if line.startswith("| ") and not line.startswith(("| what |", "| --- |")):
            kept.setdefault(part_of(line), []).append(line)
    kept.update(measured)
    return HEAD + "".join(line for name in PARTS for line in kept.get(name, [])) + heading + notes


def main():
    program, postrider = sys.argv[1:3]
    options = sys.argv[3:]
    quick = "--quick" in options
    only = options[options.index("--only") + 1].split(",") if "--only" in options else list(PARTS)
    unknown = [name for name in only if name not in PARTS]
    if unknown:
        sys.exit(f"compare.py: there is no part {unknown[0]}; parts: {', '.join(PARTS)}")
    measured, failures = {}, []
    with tempfile.TemporaryDirectory(prefix="postrider-bench-") as folder:
        bench = Bench(program, postrider, quick, folder)
        if "--beside" in options:
            return beside(bench, options[options.index("--beside") + 1])
        for name in only:
            start = time.monotonic()
            try:
                measured[name] = ["| " + " | ".join(row.cells) + " |\n" for row in PARTS[name](bench)]
                if any(part_of(line) != name for line in measured[name]):
                    raise RuntimeError("a row does not begin as BEGINNINGS says")
                said = "done"
            except Exception as error:  # one part that fails does not hide what the others measured
                measured.pop(name, None)
                failures.append(name)
                said = f"failed: {error}"
            print(f"{name}: {said} in {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    print(HEAD + "".join(line for lines in measured.values() for line in lines))
    if not quick and (only == list(PARTS) or "--write" in options):
        with open(PAGE) as file:
            page = renewed(file.read(), measured)
        with open(PAGE, "w") as file:
            file.write(page)
    if failures:
        sys.exit(f"compare.py: failed: {', '.join(failures)}; their rows are those of before")


if __name__ == "__main__":
    main()
