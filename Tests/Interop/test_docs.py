"""The pages as a site: every link leads somewhere (script/docs fails otherwise), search finds, nothing is loaded from other hosts.
And every command that a page shows is one that the program takes."""

import contextlib
import functools
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys

import pytest

from conftest import ROOT, command

PAGES = sorted(path for folder in (ROOT, ROOT / "docs") for path in folder.glob("**/*.md" if folder.name == "docs" else "*.md"))
FENCE = re.compile(r"^```([a-z]*)[^\n]*\n(.*?)^```", re.M | re.S)
# What ends a command in a shell.
ENDS = {"|", "||", "&&", "&", ";", ">", "2>", "<", "(", ")", ">>"}


@functools.cache
def manual(words):
    """The options, the operands' names and the subcommands of a command, from its --help; None when there is none."""
    done = subprocess.run([command(), *words, "--help"], capture_output=True, text=True, timeout=60)
    if done.returncode:
        return None
    options = {}
    for name, value in re.findall(r"^  (--[a-z0-9-]+)(?: ([A-Z][^ ]*))?(?:  |$)", done.stdout, re.M):
        options[name] = bool(value)
    commands = re.search(r"^Commands:\n((?:  .*\n)+)", done.stdout, re.M)
    return options, set(re.findall(r"^  (?:\S+ )?(\S+)  ", commands[1], re.M)) if commands else set()


def lines():
    """Each line that a page shows a command on, and whether one would paste it: in blocks for the shell and behind a prompt;
    a sentence may name an option without its value."""
    for page in PAGES:
        text = page.read_text()
        for language, block in FENCE.findall(text):
            for line in re.sub(r"\\\n *", " ", block).splitlines():
                if language == "sh" or line.startswith("$ "):
                    yield page, line.removeprefix("$ "), True
        for inline in re.findall(r"`(postrider [a-z][^`\n]*)`", re.sub(FENCE, "", text)):
            yield page, inline, False


def shown():
    """Each command of the program that a page shows, with the page: its words up to a pipe."""
    for page, line, is_whole in lines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        # A comment is what the command prints, or a word of explanation behind it.
        lexer.commenters, lexer.whitespace_split = "#", True
        try:
            words = list(lexer)
        except ValueError:
            # A text in quotes that goes on over several lines: the JSON of a request.
            continue
        while words:
            end = next((index for index, word in enumerate(words) if word in ENDS), len(words))
            part, words = words[:end], words[end + 1:]
            while part and ("=" in part[0] and not part[0].startswith("-") or part[0] in ("sudo", "time", "export")):
                part = part[1:]
            if part and pathlib.PurePath(part[0]).name == "postrider":
                yield page, part[1:], is_whole


def fault(words, is_whole):
    """What is wrong with a command; None when nothing is."""
    known, rest = manual(()), list(words)
    path = ()
    if known is None:
        return "the program has no manual"
    subcommands = set(re.findall(r"^  (\S+)  ", subprocess.run(
        [command(), "--help"], capture_output=True, text=True, timeout=60).stdout, re.M))
    while rest and not rest[0].startswith("-") and subcommands:
        if rest[0].isupper() or "…" in rest[0] or "|" in rest[0]:
            return None
        if rest[0] not in subcommands:
            return f"no command {' '.join((*path, rest[0]))!r}"
        path += (rest.pop(0),)
        _, subcommands = manual(path)
    if not path:
        return None if set(rest) <= {"--help", "--version"} else f"no option {rest!r} before a command"
    options, _ = manual(path)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--") or word == "--":
            continue
        name, _, value = word.partition("=")
        if name not in options:
            return f"{' '.join(path)} has no option {name}"
        if options[name] and not value and "…" not in words:
            if not rest and is_whole:
                return f"{name} of {' '.join(path)} needs a value"
            rest = rest[1:]
    return None


def test_every_command_on_a_page_is_one_the_program_takes():
    commands = list(shown())
    # Far fewer would mean that this test no longer sees them.
    assert len(commands) > 120, len(commands)
    faults = [f"{page.relative_to(ROOT)}: postrider {' '.join(words)}: {said}" for page, words, is_whole in commands
              if (said := fault(words, is_whole))]
    assert not faults, "\n".join(faults)


@pytest.fixture(scope="module")
def site():
    """The address of the built site, and where its files are."""
    done = subprocess.run([ROOT / "script" / "docs"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    folder, port = ROOT / "dist" / "site", free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(folder), str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield f"http://127.0.0.1:{port}", folder
    server.kill()
    server.wait()


@pytest.fixture
def browser(site):
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.support.ui import WebDriverWait

    if not shutil.which("chromium"):
        pytest.skip("Chromium is not installed")
    options = webdriver.ChromeOptions()
    for switch in ("--headless=new", "--no-sandbox", "--window-size=1440,900"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    # axe-core takes seconds for a long page on a busy machine.
    opened.set_script_timeout(120)
    try:
        # The server may not listen yet.
        WebDriverWait(opened, 30, ignored_exceptions=[Exception]).until(lambda b: b.get(site[0]) or "Postrider" in b.title)
        yield opened
    finally:
        opened.quit()


def test_the_site_is_whole_and_found_by_searching(site, browser):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    for page in site[1].glob("**/*.html"):
        loaded = re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"?(https?:[^\" >]+)", page.read_text())
        assert not [address for address in loaded if "canonical" not in address], page
    field = browser.find_element(By.CSS_SELECTOR, "input.md-search__input")
    browser.execute_script("arguments[0].focus()", field)
    field.send_keys("doctor")
    WebDriverWait(browser, 30).until(
        lambda b: b.find_elements(By.CSS_SELECTOR, ".md-search-result__item a[href*='operations.html']"))
    if folder := os.environ.get("DASHBOARD_SCREENSHOTS"):
        browser.save_screenshot(f"{folder}/site-search.png")


def test_what_is_copied_from_a_terminal_are_its_commands(site, browser):
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get(f"{site[0]}/docs/jobs/your-app.html")
    find = "[...document.querySelectorAll('.language-console')].find(one => one.textContent.includes('keys create phones'))"
    browser.execute_script(f"{find}.scrollIntoView()")
    button = WebDriverWait(browser, 30).until(lambda b: b.execute_script(f"return {find}.querySelector('button[data-clipboard-target]')"))
    browser.execute_script("arguments[0].click()", button)
    copied = button.get_attribute("data-clipboard-text")
    assert copied.startswith("postrider keys create phones --scope client --app shop --json | sed ")
    assert copied.count("\n") == 3 and "created" not in copied and "$ " not in copied.replace("$(cat", ""), copied


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_the_site_are_accessible(site, browser, scheme):
    """axe-core's rules for WCAG 2.1 AA; one page of each kind, as they share everything else."""
    from selenium.common.exceptions import TimeoutException
    from selenium.webdriver.support.ui import WebDriverWait

    axe = (pathlib.Path(pytest.importorskip("axe_core_python").__file__).parent / "axe.min.js").read_text()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    # From an address where no script runs, which could write the first page's scheme once more.
    browser.get(f"{site[0]}/docs/site/site.css")
    browser.execute_script("localStorage.clear()")
    for name in ("index.html", "docs/jobs/index.html", "docs/jobs/quick-starts.html", "docs/cli.html", "docs/contracts/onesignal.html", "docs/rules.html"):
        browser.get(f"{site[0]}/{name}")
        # The theme's script is done some time after the page is.
        WebDriverWait(browser, 60).until(lambda b: b.execute_script(
            "return document.body.dataset.mdColorScheme") == {"light": "default", "dark": "slate"}[scheme], f"{name} in {scheme}")
        browser.execute_script(f"{axe}; window.axe = axe")
        found = []

        def is_clean(_):
            found[:] = browser.execute_async_script("""
              const done = arguments[0];
              axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}).then(found => done(
                found.violations.map(one => [one.id, one.nodes.length, one.nodes[0].target.join(" "), one.nodes[0].failureSummary])))""")
            return not found

        with contextlib.suppress(TimeoutException):
            WebDriverWait(browser, 30, poll_frequency=1).until(is_clean)
        assert not found, (name, found)


def test_every_page_of_the_site_fits_a_phone_and_a_desk(site, browser):
    """Nothing is wider than the screen, every picture is there, and the console stays empty."""
    address, folder = site
    # The example of a site is a file to copy, and names a server that nobody has.
    names = [str(path.relative_to(folder)) for path in sorted(folder.glob("**/*.html")) if "example" not in path.parts]
    assert len(names) > 60
    faults = []
    for name in names:
        browser.get(f"{address}/{name}")
        for width, height in ((390, 844), (1440, 900)):
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
            wide = browser.execute_script("return document.documentElement.scrollWidth")
            if wide > width:
                faults.append(f"{name} is {wide} wide on a screen of {width}")
        missing = browser.execute_script("return [...document.images].filter(one => one.complete && !one.naturalWidth).map(one => one.src)")
        faults += [f"{name} has no picture {source}" for source in missing]
        faults += [f"{name}: {line['message']}" for line in browser.get_log("browser") if "favicon" not in line["message"]]
    assert not faults, "\n".join(faults)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
