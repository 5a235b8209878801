"""Measures `postrider check` over 100 000 files beside reading them, and the audit of a template over a million rows.

    python3 Benchmarks/check_files.py .build/release/postrider [SHARE]

SHARE (1 unless given) scales the work. Times are the processor's and the wall's in seconds; memory is the peak in KiB.
"""

import json
import os
import subprocess
import sys
import tempfile
import time


def run(command):
    """Wall time, processor time and peak memory of a command whose output is thrown away."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 1, 123), command
    return {"wall": round(time.monotonic() - start, 3), "cpu": round(usage.ru_utime + usage.ru_stime, 3),
            "peak_kib": usage.ru_maxrss}


def payload(index):
    return {
        "aps": {
            "alert": {"title": f"Order {index} is on its way", "body": "Anna will be at your door between 14:00 and 16:00."},
            "badge": index % 9, "sound": "default", "thread-id": f"orders-{index}", "mutable-content": 1,
        },
        "order": {"id": index, "url": f"https://shop.example/orders/{index}"},
    }


def files(program, folder, count):
    for index in range(count):
        part = f"{folder}/{index // 1000:03}"
        os.makedirs(part, exist_ok=True)
        with open(f"{part}/{index:06}.json", "w", encoding="utf-8") as file:
            json.dump(payload(index), file)
    read = ["sh", "-c", f"find {folder} -type f -name '*.json' -print0 | sort -z | xargs -0 cat"]
    check = [program, "check", "--push-type", "alert", "--topic", "com.example.app", folder]
    rounds = [(run(read), run(check)) for _ in range(4)][1:]
    reading = min((r for r, _ in rounds), key=lambda m: m["wall"])
    checking = min((c for _, c in rounds), key=lambda m: m["wall"])
    print(json.dumps({"files": count, "find_sort_cat": reading, "check": checking,
                      "wall_ratio": round(checking["wall"] / reading["wall"], 2)}))


def audience(program, folder, counts):
    template = f"{folder}/template.json"
    with open(template, "w", encoding="utf-8") as file:
        json.dump({"aps": {"alert": {"title": "Hi {{name}}", "body": "Your order {{order}} is on its way to {{city}}."}}}, file)
    for kind in ("csv", "ndjson"):
        for count in counts:
            path = f"{folder}/audience-{count}.{kind}"
            with open(path, "w", encoding="utf-8") as file:
                if kind == "csv":
                    file.write("id,name,order,city\n")
                for index in range(count):
                    row = {"id": index, "name": f"Ann {index}", "order": index * 7, "city": "Zürich"}
                    file.write(",".join(map(str, row.values())) if kind == "csv" else json.dumps(row, ensure_ascii=False))
                    file.write("\n")
            audit = run([program, "check", "--template", template, "--audience", path])
            read = run(["cat", path])
            print(json.dumps({"rows": count, "format": kind, "cat": read, "audit": audit}))
            os.unlink(path)


def main():
    program = os.path.abspath(sys.argv[1])
    share = float(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        files(program, f"{folder}/files", int(100_000 * share))
        audience(program, folder, [int(10_000 * share), int(1_000_000 * share)])


if __name__ == "__main__":
    main()
