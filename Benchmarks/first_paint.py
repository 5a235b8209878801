"""How soon the dashboard's pages are painted, and how large its scripts are when a browser fetches them.

    python3 Benchmarks/first_paint.py POSTRIDER [ROUNDS]

Headless Chromium opens each page with an empty cache against `postrider serve --demo`, a page of each kind in turn. Needs the packages of
Tests/Interop/requirements.txt, chromium and chromedriver. Prints a line of JSON for each page with the times in milliseconds, and one for
the scripts.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from selenium import webdriver

PAGES = {"sign-in": "#/", "overview": "#/demo/overview", "composer": "#/demo/compose"}
PAINT = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
# What a page has when it shows what it is for.
READY = {"sign-in": ".sign-in input", "overview": ".tiles", "composer": "[data-contract]"}


def started(postrider, folder):
    """The server with its address and first key."""
    log = pathlib.Path(folder, "log")
    with log.open("w") as file:
        process = subprocess.Popen([postrider, "serve", "--demo", "--port", "0", "--emulator-port", "0", "--data", f"{folder}/data"],
                                   stdout=file, stderr=subprocess.STDOUT)
    end = time.monotonic() + 120
    while "Ctrl-C" not in log.read_text():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"{postrider} serve did not start: {log.read_text()[-500:]}")
        time.sleep(0.05)
    text = log.read_text()
    return process, re.search(r"http://127\.0\.0\.1:[0-9]+", text)[0], re.search(r"prk_[A-Za-z0-9_-]{43}", text)[0]


def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1440,900", "--lang=en-US"]:
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=shutil.which("chromedriver")))


def until(driver, script, what):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = driver.execute_script(script)
        if found:
            return found
        time.sleep(0.02)
    raise RuntimeError(f"no {what} within a minute")


def painted(driver, origin, name):
    """Milliseconds from the navigation to the first contentful paint, with nothing in the cache."""
    driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    driver.get("about:blank")
    driver.get(origin + "/" + PAGES[name])
    until(driver, f"return document.querySelector('{READY[name]}') !== null", f"page {name}")
    return until(driver, PAINT, "paint")


def times(origin, key, rounds):
    driver = browser()
    try:
        found = {"sign-in": [painted(driver, origin, "sign-in") for _ in range(rounds)], "overview": [], "composer": []}
        driver.execute_async_script("""
          const [key, done] = arguments;
          fetch("/session", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({key})}).then(answer => done(answer.status))""", key)
        for _ in range(rounds):
            for name in ["overview", "composer"]:
                found[name].append(painted(driver, origin, name))
        return found
    finally:
        driver.quit()


def scripts(origin):
    """Bytes of every script that a page loads as a browser gets them, without the core's module; by path."""
    sizes, left = {}, ["/dashboard/app.js"]
    while left:
        path = left.pop()
        if path in sizes:
            continue
        request = urllib.request.Request(origin + path, headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            sizes[path] = len(answer.read())
        with urllib.request.urlopen(origin + path, timeout=60) as answer:
            left += [f"/dashboard/{name}" for name in re.findall(r'(?:from |import\()"\./([a-z]+\.m?js)"', answer.read().decode())]
    return sizes


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    with tempfile.TemporaryDirectory(prefix="postrider-bench-") as folder:
        process, origin, key = started(sys.argv[1], folder)
        try:
            for name, found in times(origin, key, rounds).items():
                print(json.dumps({"page": name, "first_paint_ms": [round(one) for one in found]}), flush=True)
            sizes = scripts(origin)
            print(json.dumps({"scripts": len(sizes), "bytes": sum(sizes.values())}), flush=True)
        finally:
            process.terminate()
            process.wait(timeout=60)


if __name__ == "__main__":
    main()
