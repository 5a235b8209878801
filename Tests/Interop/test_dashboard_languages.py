"""The dashboard in another language: chosen, kept, complete, and with room for its words.

Runs in headless Chromium against `postrider serve --demo`, as test_dashboard.py does. That nothing is left in English is shown by a
language of the test alone, in which every text is in brackets.
"""

import json

import pytest

from test_dashboard import Keys, page, server, shots  # noqa: F401
from test_dashboard_walk import BROKEN, SIZES, STEPS, WIDE, pages_of

# What is between the placeholders of each text, in brackets; the browser gets it in place of the German catalogue.
PSEUDO = """
  const plain = window.fetch;
  const bracket = (text) => text.replace(/(\\{\\d\\})|((?:(?!\\{\\d\\})[^])+)/g, (all, hole, words) => hole ?? `⟦${words}⟧`);
  window.fetch = async (path, ...more) => {
    const answer = await plain(path, ...more);
    if (!String(path).endsWith("/dashboard/de.json")) return answer;
    const catalogue = await answer.json();
    for (const part of Object.values(catalogue)) for (const name of Object.keys(part)) part[name] = bracket(part[name]);
    return new Response(JSON.stringify(catalogue));
  };
"""
# Words that a person sees or hears and that are in no bracket. The server's own sentences, names of fields and JSON are marked; times,
# dates and names of languages are the browser's.
BARE = """
  const marked = 'code, pre, kbd, time, .mono, [lang], [translate=no], script, style, noscript, .tongue, .picture, .month caption, .plot svg, .plot .moment';
  const shown = (one) => { const box = one.closest('option') ? one.closest('select') : one; return box && box.checkVisibility({ visibilityProperty: true }); };
  const inside = (one) => { const found = one.closest(marked); return found && found !== document.documentElement; };
  const names = (kind) => { const all = new Intl.DisplayNames('de', { type: kind }); return (tag) => { try { return all.of(tag) ?? ''; } catch { return ''; } }; };
  const languages = [...document.querySelectorAll('option')].map(one => names('language')(one.value));
  const days = Array.from({ length: 12 }, (_, month) => new Date(2026, month, month + 1).toLocaleString('de', { weekday: 'short', month: 'short' }) + ' ' + new Date(2026, month, 1).toLocaleString('de', { month: 'long' }));
  const known = new Set([...arguments[0], ...languages, ...days].flatMap(text => text.match(/\\p{L}{3,}/gu) ?? []));
  const found = [];
  const look = (text, where) => {
    const rest = text.replace(/⟦[^⟦⟧]*⟧/g, ' ').replace(/[\\w-]{30,}|\\b[\\w.-]+@[\\w.-]+\\b|\\b[\\w+-]+\\/[\\w+-]+\\b|\\b(?=\\w*\\d)\\w{6,}\\b|https?:\\S+/g, ' ');
    const words = (rest.match(/\\p{L}{3,}/gu) ?? []).filter(one => !known.has(one));
    if (words.length) found.push(`${where}: ${text.trim().slice(0, 90)}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) { const one = walker.currentNode.parentElement; if (!inside(one) && shown(one)) look(walker.currentNode.data, one.tagName.toLowerCase()); }
  // The example in a field of a contract is the contract's.
  const isExample = (one, name) => name === 'placeholder' && one.closest('[data-contract]');
  for (const name of ['aria-label', 'placeholder', 'title', 'alt', 'data-head', 'label'])
    for (const one of document.querySelectorAll(`[${name}]`)) if (!inside(one) && shown(one) && !isExample(one, name)) look(one.getAttribute(name), `@${name}`);
  look(document.title, 'title');
  return [...new Set(found)];
"""
# Names of products, formats and standards, which are the same in every language; and examples of what is typed.
SAME = """Postrider iPhone Android APNs FCM VoIP FID Huawei OneSignal PowerAuth IMKit Amba Live Activity UTC JSON HTML CSV PEM HTTP Ctrl Enter Esc
    adobe amba imkit native onesignal powerauth iOS alice bob ann carol news offers spring sale prk welcome plan pro last_seen match order loyal gsw
    com example app ops mailto host port https direct GMT MESZ MEZ CET Welcome Browser Kit English Deutsch select"""
# Of the demonstration and of this test.
DATA = """demo Demo devices alice bob carol dave erin frank first key name longer than phone wide and then some words crm plan note pro second third gone that Guten Tag Ihr Paket ist Spring here EMULATEKEY EMULATETEA emulated-project token virtual phones
    spring is-here everything green mornings OrderAttributes Order Olga Ann Bob mine Chrome HeadlessChrome Linux"""
CUT_TEXTS = """
  return [...document.querySelectorAll('button, .button, label, th, h1, h2, h3, legend, summary, .badge, nav a, .label, dt, select:not([multiple])')]
    .filter(one => one.checkVisibility() && one.getClientRects().length && !one.matches('.clip, .unseen') && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible')
    .map(one => `${one.scrollWidth} in ${one.clientWidth}: ${one.outerHTML.slice(0, 140)}`);
"""


def speak(page, language):  # noqa: F811
    """Chooses the language as a person does; the page is built anew."""
    page.wait(lambda: page.all(".tongue"), "the choice of languages")
    page.run("window.before = true; const choice = document.querySelector('.tongue'); choice.value = arguments[0]; choice.dispatchEvent(new Event('change', {bubbles: true}))", language)
    page.wait(lambda: page.run(f"return !window.before && document.documentElement.lang === '{language}' && Boolean(document.querySelector('.tongue'))"), language)
    page.quiet()


def catalogues(page):  # noqa: F811
    return page.run("return performance.getEntriesByType('resource').filter(one => one.name.endsWith('.json') && one.name.includes('/dashboard/')).map(one => one.name)")


def test_english_readers_fetch_no_catalogue(page):  # noqa: F811
    page.labelled("API key")
    assert page.run("return document.documentElement.lang") == "en"
    assert catalogues(page) == []


def test_begins_in_the_language_of_the_browser(page, server):  # noqa: F811
    agent = page.run("return navigator.userAgent")
    for asked, shown, title in [("fr-FR,de-AT", "de", "Anmelden"), ("fr-FR", "en", "Sign in"), ("en-GB,de", "en", "Sign in"), ("de", "de", "Anmelden")]:
        page.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": asked})
        page.driver.get(server.origin + "/")
        page.wait(lambda: page.buttons(title), f"the sign-in for {asked}")
        assert page.run("return document.documentElement.lang") == shown
        assert page.driver.title == f"{title} · Postrider"
    assert page.run("return [...document.querySelectorAll('.tongue option')].map(one => [one.lang, one.textContent])") == [["en", "English"], ["de", "Deutsch"]]
    page.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": "en-US"})
    page.driver.get(server.origin + "/")
    page.wait(lambda: page.buttons("Sign in"), "English again")
    page.check_clean()


def test_a_person_signs_in_writes_and_sends_in_german(page, server):  # noqa: F811
    speak(page, "de")
    page.check_accessibility("the sign-in in German")
    page.labelled("API-Schlüssel").send_keys("prk_wrong", Keys.ENTER)
    page.wait(lambda: page.says(".problem [lang=en]", "not an API key"), "the server's sentence, marked as English")
    page.labelled("API-Schlüssel").clear()
    page.labelled("API-Schlüssel").send_keys(server.key, Keys.ENTER)
    page.arrive("Übersicht")
    assert "Push-Nachrichten" in page.text("nav") and "Zugangsdaten" in page.text("nav")
    page.composer("compose", "Verfassen")
    page.wait(lambda: page.all("[data-contract]"), "the fields")
    assert page.run("return document.querySelector('label[data-field=title]').textContent").startswith("Titel ")
    page.write("title", "Guten Tag")
    page.write("body", "Ihr Paket ist da.")
    page.wait(lambda: page.says(".badge[role=status]", "gültig"), "a valid message")
    page.press("Weiter: Zielgruppe")
    page.wait(lambda: page.says(".reach", "Geräte"), "the audience")
    page.press("Weiter: Zeit")
    page.press("Weiter: Prüfung")
    page.wait(lambda: page.says("main", "Wer sie bekommt"), "the review")
    # What is written is kept when the language changes, and so is the place.
    speak(page, "en")
    page.wait(lambda: page.says("main", "Who gets it"), "the review in English")
    page.wait(lambda: page.buttons("Send"), "the button in English")
    speak(page, "de")
    page.wait(lambda: page.says("main", "Guten Tag"), "the draft")
    page.wait(lambda: page.buttons("Senden") and page.button("Senden").is_enabled(), "the button")
    page.press("Senden")
    page.wait(lambda: page.says("dialog h2", "Jetzt senden?"), "the question")
    page.run("document.querySelector('dialog .danger').click()")
    page.wait(lambda: page.says("main", "abgeschlossen: "), "the push's page")
    page.wait(lambda: page.says("main", "Das Protokoll geht auf"), "its ledger")
    page.wait(lambda: page.says("main", "gesendet"), "its end")
    page.driver.refresh()
    page.wait(lambda: page.says("main", "abgeschlossen: "), "the same page and language")
    assert page.run("return document.documentElement.lang") == "de"
    # Numbers and times as the language has them.
    assert page.run("return document.querySelector('time').title") == page.run("return new Date(document.querySelector('time').dateTime).toLocaleString('de')")
    page.check_clean(allowed=["/session - Failed to load resource", "v1/render", "v1/preview", "pushes/check"])


@pytest.fixture(scope="module")
def every(page, server):  # noqa: F811
    pages = pages_of(page, server)
    pushes = [str(one["id"]) for one in server.call("GET", "/v1/apps/demo/pushes")["pushes"][:2]]
    server.call("PUT", "/v1/apps/demo/views/mine", {"query": {"state": "sent"}})
    for slot in ["1", "2"]:
        server.call("POST", "/v1/apps/demo/webhooks", {"url": f"https://example.com/{slot}", "types": ["push.finished"]})
    return [*pages, "calendar", "account", f"pushes/compare/{','.join(pushes)}", "pushes/find/state%3Dsent", "webhooks/1", "compose/segment/pro"]


def test_german_fits_every_page(page, every):  # noqa: F811
    wrong = []
    for size, (width, height, mobile) in SIZES.items():
        page.size(width, height, mobile)
        for rest in every:
            page.go(rest, "")
            page.check_accessibility(f"{rest}, {size}, German")
            if page.run("return document.documentElement.scrollWidth") > width:
                wrong.append((rest, size, "wider than the screen", page.run(WIDE)[:3]))
            wrong += [(rest, size, "broken", found[:3]) for found in [mobile and page.run(BROKEN)] if found]
            wrong += [(rest, size, "cut", found[:3]) for found in [page.run(CUT_TEXTS)] if found]
            page.driver.save_screenshot(str(page.shots / f"50-de-{rest.replace('/', '-')}-{size}.png"))
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert wrong == [], json.dumps(wrong, indent=1, ensure_ascii=False)


def test_an_invited_person_chooses_the_language(page, server, every):  # noqa: F811
    """The first page that somebody sees, which is in the browser's language until then."""
    invited = server.call("POST", "/v1/people", {"name": "Carol", "email": "carol@example.com", "roles": ["analyst"]})
    here = page.driver.current_url
    for token, english, german in [(invited["invitation"], "Welcome, Carol", "Willkommen, Carol"), ("none", "Sign in", "Anmelden")]:
        page.driver.get("about:blank")
        page.driver.get(f"{server.origin}/#/join/{token}")
        page.wait(lambda: page.says("main", german), german)
        speak(page, "en")
        page.wait(lambda: page.says("main", english), english)
        speak(page, "de")
        page.wait(lambda: page.says("main", german), german)
        page.check_accessibility(f"the invitation {token[:4]} in German")
    page.driver.get("about:blank")
    page.driver.get(here)
    page.wait(lambda: page.all("aside"), "the pages")
    server.call("DELETE", f"/v1/people/{invited['id']}")


def test_acts_of_the_audit_log_are_in_german(page, server, every):  # noqa: F811
    page.go("audit", "Audit")
    page.wait(lambda: page.says("main td", "Vorlage gespeichert"), "an act")
    acts = page.run("return [...document.querySelectorAll('main tbody tr')].map(row => [row.cells[2].textContent, Boolean(row.cells[2].querySelector('[lang]'))])")
    assert len(acts) > 5 and [name for name, marked in acts if marked] == []


def test_nothing_is_left_in_english(page, server, every):  # noqa: F811
    """Every page, and every dialog that a button of it opens, in the language of brackets."""
    added = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": PSEUDO})
    page.driver.refresh()
    page.wait(lambda: page.says("nav", "⟦"), "the brackets")
    words = SAME.split() + DATA.split()
    bare, opened = {}, set()

    def look(where):
        for text in page.run(BARE, words):
            bare.setdefault(text, where)

    # What is around every page: the keyboard's help and the way to anything.
    for name in ["⟦Tastenkürzel⟧", None]:
        page.run("(arguments[0] ? document.querySelector(`aside [aria-label='${arguments[0]}']`) : document.querySelector('aside .find')).click()", name)
        page.wait(lambda: page.all("dialog[open]"), "a dialog")
        page.run("const field = document.querySelector('dialog input'); if (field) { field.value = '7'; field.dispatchEvent(new Event('input', {bubbles: true})); }")
        page.quiet()
        look("the shell")
        page.run("for (const one of document.querySelectorAll('dialog')) one.close()")
    for rest in every:
        page.go(rest, "")
        page.run("for (const one of document.querySelectorAll('main details')) one.open = true")
        page.quiet()
        look(rest)
        titles = page.run("return [...document.querySelectorAll('main button:not([type=submit])')].filter(one => one.checkVisibility() && !one.closest('.items, .phones, [role=tablist]')).map(one => one.textContent)")
        for title in dict.fromkeys(titles):
            kind = rest.split("/")[0]
            # A session that is ended may be the one of the test.
            if (kind, title) in opened or title in ("⟦Neu beginnen⟧", "⟦Beenden⟧"):
                continue
            opened.add((kind, title))
            # A page that a button changed or left is opened again.
            page.go(rest, "")
            page.run("for (const one of document.querySelectorAll('main details')) one.open = true;"
                     "[...document.querySelectorAll('main button:not([type=submit])')].find(one => one.checkVisibility() && one.textContent === arguments[0])?.click()", title)
            page.quiet()
            for text in page.run(BARE, words):
                bare.setdefault(text, f"{rest}, after “{title}”")
            page.run("for (const one of document.querySelectorAll('dialog')) one.close()")
    # And what is there before the sign-in: an invitation, and the door.
    invited = server.call("POST", "/v1/people", {"name": "Bob", "email": "bob@example.com", "roles": ["support"]})["invitation"]
    for hash, css in [(f"#/join/{invited}", "input[autocomplete=new-password]"), ("#/join/none", ".problem"), ("#/", "aside")]:
        page.driver.get("about:blank")
        page.driver.get(f"{server.origin}/{hash}")
        page.wait(lambda: page.all(css), hash)
        page.quiet()
        look(hash[:8])
    page.run("document.querySelector('aside [aria-label=\"⟦Abmelden⟧\"]').click()")
    page.wait(lambda: page.all("dialog[open], .sign-in"), "the door")
    look("sign-out")
    if page.all("dialog[open]"):
        page.run("document.querySelector('dialog .danger').click()")
    page.wait(lambda: page.all(".sign-in"), "the door")
    look("sign-in")
    page.press("⟦Mit E-Mail und Passwort⟧")
    page.wait(lambda: page.all("input[type=email]"), "the other way")
    look("sign-in")
    page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]})
    print(f"{len(every)} pages and {len(opened)} buttons")
    assert bare == {}, json.dumps(bare, indent=1, ensure_ascii=False)
