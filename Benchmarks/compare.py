"""Runs the benchmarks beside their peers and writes docs/performance.md. Started by script/bench."""

import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLIENT_CORE, SERVER_CORE = "0", "1"
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


def pinned(core, command):
    return (["taskset", "-c", core] if shutil.which("taskset") else []) + command


def bench(program, *arguments):
    """One subcommand's lines of JSON."""
    out = subprocess.run(pinned(CLIENT_CORE, [program, *arguments]), check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


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


def h2load(port, count, path_file, body_file, streams):
    """One run of h2load: requests a second, and requests per CPU second of the client."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(
        pinned(CLIENT_CORE, [
            "h2load", "-n", str(count), "-c", "1", "-m", str(streams), "-t", "1", "-d", body_file, "-i", path_file,
            "-H", "apns-topic: com.example.app", "-H", "apns-push-type: alert", "-H", "apns-priority: 10",
            "-H", "authorization: bearer " + "x" * 180]),
        check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    rate = next(float(line.split("finished in")[1].split(",")[1].split()[0]) for line in out.splitlines() if "finished in" in line)
    return rate, count / cpu


def sends(program, quick):
    """APNs and FCM sends beside h2load on the same server: rows of the table."""
    count, rounds = (20_000, 1) if quick else (400_000, 5)
    folder = tempfile.mkdtemp(prefix="postrider-bench-")
    key, certificate, p8, rsa = (
        os.path.join(folder, name) for name in ("server.key", "server.pem", "apns.p8", "account.key"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
         "-out", certificate, "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True)
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", p8],
        check=True, capture_output=True)
    subprocess.run(["openssl", "genrsa", "-out", rsa, "2048"], check=True, capture_output=True)
    body = os.path.join(folder, "body")
    with open(body, "w") as file:
        file.write(json.dumps({"aps": {"alert": "x" * (1024 - 21)}}, separators=(",", ":")))
    rows = []
    for what, port, streams, path, options in (
        ("apns", 18_431, 1000, "/3/device/", ["--key", p8, "--key-id", "ABC123DEFG", "--team", "DEF123GHIJ"]),
        ("fcm", 18_432, 100, "/v1/projects/bench/messages:send", ["--key", rsa]),
    ):
        server = subprocess.Popen(
            pinned(SERVER_CORE, [program, "answer", "--port", str(port), "--cert", certificate, "--key", key,
                                 "--streams", str(streams)]), stdout=subprocess.PIPE, text=True)
        server.stdout.readline()
        try:
            # Tokens that differ, as h2load takes them from a list.
            paths = os.path.join(folder, what + ".paths")
            with open(paths, "w") as file:
                for number in range(20_000 if what == "apns" else 1):
                    tail = f"{number:064x}" if what == "apns" else ""
                    file.write(f"https://127.0.0.1:{port}{path}{tail}\n")
            ours, theirs = [], []
            for _ in range(rounds):
                theirs.append(h2load(port, count, paths, body, streams))
                line = bench(program, what, "--port", str(port), "--ca", certificate, "--count", str(count),
                             "--in-flight", str(streams), "--connections", "1", *options)[-1]
                ours.append((line["per_second"], line["sends_per_cpu_second"], line))
            rate = statistics.median(one[0] for one in ours) / statistics.median(one[0] for one in theirs)
            cpu = statistics.median(one[1] for one in ours) / statistics.median(one[1] for one in theirs)
            allocations = ours[-1][2]["allocations_per_op"]
            rows.append((f"{what.upper() if what == 'fcm' else 'APNs'} sends, one connection, {streams} in flight, 1 KiB",
                         f"{rate:.2f} × h2load's rate", f"{cpu:.2f} × its sends per CPU second",
                         f"{allocations} allocations a send"))
        finally:
            server.terminate()
            server.wait()
    shutil.rmtree(folder)
    return rows


def ingest(program, postrider, quick):
    """Pushes a second over the API, each durable before it is answered, while the same process delivers them: a row."""
    count, rounds = (5_000, 1) if quick else (150_000, 3)
    folder = tempfile.mkdtemp(prefix="postrider-bench-")
    server = subprocess.Popen(
        [postrider, "serve", "--demo", "--port", "0", "--emulator-port", "0", "--data", os.path.join(folder, "data")],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        hello = ""
        for line in server.stdout:
            hello += line
            if "Ctrl-C" in line:
                break
        port = re.search(r"http://[0-9.]+:([0-9]+)", hello)[1]
        key = re.search(r"prk_[A-Za-z0-9_-]+", hello)[0]
        # Client, API, store, delivery and emulator share the machine's cores.
        command = [program, "ingest", "--port", port, "--key", key, "--app", "demo", "--count", str(count), "--connections", "256"]
        runs = [json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(rounds)]
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder)
    middle = sorted(runs, key=lambda run: run["per_second"])[len(runs) // 2]
    return [("API ingest, one token a request, durable before the answer, delivery running",
             f"{middle['per_second']} a second", f"p50 {middle['p50_ms']} ms, p99 {middle['p99_ms']} ms",
             f"{middle['connections']} connections, client and emulator on the same cores")]


def content(program, quick):
    """Reading and writing payloads beside Foundation and orjson: rows of the table."""
    scale = ["--scale", "0.02"] if quick else []
    rows = []
    orjson = orjson_rates(20_000 if quick else 400_000)
    for name in ("json-write", "contracts-write", "json-read", "contracts-read", "rules-check"):
        try:
            lines = bench(program, name, *scale)
        except subprocess.CalledProcessError:
            continue
        flat = [part for line in lines for part in flatten(line)]
        peers = {part["what"]: part["per_cpu_second"] for part in flat if "Foundation" in part["what"] or "JSON" in part["what"] and "coder" in part["what"]}
        for part in flat:
            if part["what"] in peers:
                continue
            ratios = [f"{part['per_cpu_second'] / rate:.1f} × {peer}" for peer, rate in peers.items()]
            if orjson and name.endswith(("write", "read")):
                ratios.append(f"{part['per_cpu_second'] / orjson['write' if 'write' in name else 'read']:.1f} × orjson")
            rows.append((f"{name}: {part['what']}", f"{part['per_cpu_second'] / 1e6:.2f} M per CPU second",
                         ", ".join(ratios), f"{part['allocations_per_op']} allocations each"))
    return rows


def flatten(value):
    """Every measured object inside a line."""
    if isinstance(value, dict):
        if "what" in value and "per_cpu_second" in value:
            yield value
        for inner in value.values():
            yield from flatten(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from flatten(inner)


def main():
    program, postrider, quick = sys.argv[1], sys.argv[2], "--quick" in sys.argv[3:]
    rows = content(program, quick) + sends(program, quick) + ingest(program, postrider, quick)
    text = "# Performance\n\nWritten by `script/bench`. Ratios against peers measured in the same minutes, interleaved, medians; client and\nserver on one core each, TLS. Absolute rates are of the machine at hand and say little elsewhere.\n\n| what | figure | beside | |\n| --- | --- | --- | --- |\n"
    text += "".join("| " + " | ".join(row) + " |\n" for row in rows)
    if quick:
        print(text)
        return
    with open(os.path.join(ROOT, "docs", "performance.md"), "w") as file:
        file.write(text)
    print(text)


if __name__ == "__main__":
    main()
