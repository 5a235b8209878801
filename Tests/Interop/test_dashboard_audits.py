"""What makes the dashboard's pages quick and usable, as audits of pages look for it: how much a browser fetches before it paints, what it
keeps, and what each page tells browsers and assistive technology of itself.

Runs in headless Chromium against `postrider serve --demo`, as test_dashboard.py does. How soon a page is painted is printed, and not
asserted: it depends on the machine. `Benchmarks/first_paint.py` measures it where the machine is quiet.
"""

import gzip
import re
import urllib.request

import pytest

from test_dashboard import Keys, page, server, shots  # noqa: F401

PAGES = {"sign-in": "#/", "overview": "#/demo/overview", "composer": "#/demo/compose", "push list": "#/demo/pushes"}
READY = {"sign-in": ".sign-in input", "overview": ".tiles", "composer": "[data-contract]", "push list": "main table, main .empty"}
# Of each page with an empty cache, until it is complete: files of the dashboard and their bytes as transferred. What is there now and about a
# tenth more. Questions to the API are not among them: a page asks again as long as it is looked at.
MOST = {"sign-in": (11, 35_000), "overview": (10, 31_000), "composer": (28, 82_000), "push list": (15, 51_000)}
FETCHED = """
  return [performance.getEntriesByType('navigation')[0], ...performance.getEntriesByType('resource')].map(one => ({
    path: new URL(one.name).pathname, sent: one.transferSize, encoded: one.encodedBodySize, decoded: one.decodedBodySize, blocks: one.renderBlockingStatus === 'blocking'}))
    .filter(one => !one.path.endsWith('.wasm'));
"""
# What can be pressed, smaller than the circle that WCAG 2.5.8 asks for, and not a part of a sentence or drawn by its label.
SMALL = """
  return [...document.querySelectorAll('a, button, select, summary, input:not([type=hidden]), textarea, [role=option]')]
    .filter(one => one.checkVisibility() && one.getClientRects().length && !one.matches('.skip, .unseen') && !(one.matches('a') && one.parentElement.matches('p, li, td, dd, span'))
      && !(one.matches('input') && one.closest('label')))
    .map(one => [one, one.getBoundingClientRect()]).filter(([, box]) => box.width < 24 || box.height < 24)
    .map(([one, box]) => `${Math.round(box.width)} x ${Math.round(box.height)}: ${one.outerHTML.slice(0, 120)}`);
"""
# Of the letters that are shown, the share that is smaller than 12 pixels.
FINE_PRINT = """
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let [all, small] = [0, 0];
  while (walker.nextNode()) {
    const one = walker.currentNode;
    if (!one.parentElement.checkVisibility() || one.parentElement.closest('svg, option, script')) continue;
    const count = one.data.trim().length;
    all += count;
    if (parseFloat(getComputedStyle(one.parentElement).fontSize) < 12) small += count;
  }
  return small / Math.max(all, 1);
"""
# Fields without a name, links without one, pictures without a text, or whose size the browser does not know before they are there.
UNNAMED = """
  const named = (one) => one.labels?.length || one.getAttribute('aria-label') || one.getAttribute('aria-labelledby') || one.title || one.textContent.trim();
  return [...[...document.querySelectorAll('a[href], button, select, textarea, input:not([type=hidden])')].filter(one => one.checkVisibility() && !named(one)),
          ...[...document.images].filter(one => !one.hasAttribute('alt'))].map(one => one.outerHTML.slice(0, 120));
"""


@pytest.fixture(scope="module")
def visits(page, server):  # noqa: F811
    """Each page opened with an empty cache and once more: what was fetched, and what it told of itself."""
    found = {}
    for name, address in PAGES.items():
        if name == "overview":
            page.labelled("API key").send_keys(server.key, Keys.ENTER)
            page.arrive("Overview")
        page.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
        found[name] = {}
        for turn in ["first", "again"]:
            page.driver.get("about:blank")
            page.driver.get(f"{server.origin}/{address}")
            page.wait(lambda: page.all(READY[name]), name)
            page.quiet()
            found[name][turn] = page.run(FETCHED)
            if turn == "first":
                page.wait(lambda: page.run("return performance.getEntriesByName('first-contentful-paint').length"), "the paint")
                first = page.run("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
                print(f"{name}: first contentful paint after {first:.0f} ms")
        found[name]["told"] = page.run("""
          const of = (name) => document.querySelector(`meta[name=${name}]`)?.content;
          return {doctype: document.doctype?.name, charset: document.characterSet, lang: document.documentElement.lang, title: document.title, viewport: of('viewport'), scheme: of('color-scheme'),
            mode: document.compatMode, icon: document.querySelector('link[rel=icon]')?.href ?? ''}""")
        for size, (width, height, mobile) in {"desk": (1440, 900, False), "phone": (390, 844, True)}.items():
            page.size(width, height, mobile)
            page.quiet()
            found[name][size] = {"small": page.run(SMALL), "fine": page.run(FINE_PRINT), "unnamed": page.run(UNNAMED)}
            page.check_accessibility(f"{name}, {size}")
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    return found


def own(files):
    return [one for one in files if one["path"] == "/" or one["path"].startswith("/dashboard/")]


@pytest.mark.parametrize("name", PAGES)
def test_little_is_fetched_before_a_page_is_complete(visits, name):
    files = visits[name]["first"]
    mine = own(files)
    sent = sum(one["sent"] for one in mine)
    print(f"{name}: {len(mine)} files of the dashboard with {sent} bytes, {len(files)} requests in all")
    most = MOST[name]
    assert len(mine) <= most[0] and sent <= most[1], (len(mine), sent)
    # Nothing waits for anything but the style, and nothing is fetched twice; the icon is the browser's, too.
    assert [one["path"] for one in files if one["blocks"]] == ["/dashboard/style.css"]
    paths = [one["path"] for one in mine if not one["path"].endswith("icon.svg")]
    assert len(set(paths)) == len(paths)
    # Each as few bytes as it can be.
    for one in mine:
        assert one["decoded"] < 1_024 or one["encoded"] < 0.6 * one["decoded"], one


@pytest.mark.parametrize("name", PAGES)
def test_the_second_visit_fetches_no_file_again(visits, name):
    mine = own(visits[name]["again"])
    assert mine
    for one in mine:
        # The answer 304 has headers and no body.
        assert one["sent"] < 1_500 and one["sent"] < one["encoded"] + 1_000 and one["encoded"] > 0, one
    assert sum(one["sent"] for one in mine) < 1_500 * len(mine)


def test_every_module_of_the_first_view_is_named_in_the_page(server):  # noqa: F811
    """A module that only another module names is asked for one round trip later."""
    fetch = lambda path: urllib.request.urlopen(server.origin + path, timeout=60).read().decode()  # noqa: E731
    index = fetch("/")
    named = set(re.findall(r'<(?:script|link)[^>]*(?:src|href)="(/dashboard/[a-z]+\.js)"', index))
    needed, left = set(), ["/dashboard/app.js"]
    while left:
        path = left.pop()
        if path not in needed:
            needed.add(path)
            left += [f"/dashboard/{name}" for name in re.findall(r'^(?:import|export) [^(=]*?from "\./([a-z]+\.js)"', fetch(path), re.M)]
    assert named == needed
    # The style is before the scripts, and no script holds the parser up.
    assert index.index("stylesheet") < index.index("modulepreload") < index.index("<script")
    assert re.findall(r"<script(?![^>]*type=\"module\")", index) == []


def test_files_are_compressed_once_and_known_again(server):  # noqa: F811
    for path in ["/", "/dashboard/app.js", "/dashboard/style.css", "/dashboard/de.json"]:
        request = urllib.request.Request(server.origin + path, headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            headers, sent = answer.headers, answer.read()
        plain = urllib.request.urlopen(server.origin + path, timeout=60).read()
        assert (headers["Content-Encoding"] == "gzip") == (len(plain) >= 1_024)
        if headers["Content-Encoding"]:
            assert gzip.decompress(sent) == plain
            assert len(sent) <= 1.03 * len(gzip.compress(plain, 9))
        assert headers["Cache-Control"] == "no-cache" and headers["ETag"]
        assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_tells_what_it_is(visits, name):
    told = visits[name]["told"]
    assert (told["doctype"], told["charset"], told["mode"], told["lang"]) == ("html", "UTF-8", "CSS1Compat", "en")
    # Whoever needs larger letters can enlarge the page.
    assert "width=device-width" in told["viewport"] and not re.search("user-scalable|maximum-scale", told["viewport"])
    assert told["scheme"] == "light dark" and told["icon"].endswith("/dashboard/icon.svg")
    titles = [one["told"]["title"] for one in visits.values()]
    assert len(set(titles)) == len(titles) and all(title.endswith(" · Postrider") for title in titles)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("size", ["desk", "phone"])
def test_what_is_shown_can_be_read_and_pressed(visits, name, size):
    shown = visits[name][size]
    assert shown["small"] == []
    assert shown["unnamed"] == []
    # Lighthouse's bound for legible sizes.
    assert shown["fine"] < 0.4


def test_the_console_stays_empty(page, visits):  # noqa: F811
    """No error, no warning of an interface that goes away, and nothing from another origin."""
    page.check_clean(allowed=["Failed to load resource: the server responded with a status of 422"])
    assert page.run("return document.querySelectorAll('script:not([src]), style').length") == 0
