"""`postrider check` over many documents at once, for the tests of independent oracles."""

import json
import subprocess

from conftest import command


def check(folder, documents, *options):
    """Checks documents (bytes, or values to be written as JSON) and returns the findings of each, in order."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"{index:06}.json" for index in range(len(documents))]
    for name, document in zip(names, documents):
        content = document if isinstance(document, bytes) else json.dumps(document, ensure_ascii=False).encode()
        (folder / name).write_bytes(content)
    run = subprocess.run([command(), "check", "--format", "json", *options, str(folder)], capture_output=True, timeout=600)
    assert run.returncode in (0, 1), run.stderr.decode()
    result = json.loads(run.stdout)
    assert result["files"] == len(documents)
    found = {f"{folder}/{name}": [] for name in names}
    for finding in result["findings"]:
        found[finding["file"]].append(finding)
    return list(found.values())


def errors(findings):
    return [finding for finding in findings if finding["severity"] == "error"]
