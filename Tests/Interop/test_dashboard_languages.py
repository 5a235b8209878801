"""The dashboard in another language: chosen, kept, complete, and with room for its words.

Runs in headless Chromium against `postrider serve --demo`, as test_dashboard.py does. That nothing is left in English is shown by a
language of the test alone, in which every text is in brackets.
"""

import json

import pytest

from test_dashboard import Keys, page, server, shots  # noqa: F401
from test_dashboard_walk import BROKEN, SIZES, STEPS, WIDE, pages_of

# What is between the placeholders of each text, in brackets; the browser gets it in place of the German catalog.
PSEUDO = """
  const plain = window.fetch;
  const bracket = (text) => text.replace(/(\\{\\d\\})|((?:(?!\\{\\d\\})[^])+)/g, (all, hole, words) => hole ?? `⟦${words}⟧`);
  window.fetch = async (path, ...more) => {
    const answer = await plain(path, ...more);
    if (!String(path).endsWith("/dashboard/de.json")) return answer;
    const catalog = await answer.json();
    for (const part of Object.values(catalog)) for (const name of Object.keys(part)) part[name] = bracket(part[name]);
    return new Response(JSON.stringify(catalog));
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
SAME = """Postrider iPhone Android APNs FCM VoIP FID Huawei Push Kit OneSignal PowerAuth IMKit Amba Live Activity UTC JSON HTML CSV PEM HTTP Ctrl Enter Esc
    adobe amba imkit native onesignal powerauth iOS alice bob ann carol news offers spring sale prk welcome plan pro last_seen match order loyal gsw
    com example app ops mailto host port https direct GMT MESZ MEZ CET Welcome Browser Kit English Deutsch select"""
# Of the demonstration and of this test.
DATA = """demo Demo devices alice bob carol dave erin frank first key name longer than phone wide and then some words crm plan note pro second third gone that Guten Tag Ihr Paket ist Spring here EMULATEKEY EMULATETEA emulated-project token virtual phones
    spring is-here everything green mornings OrderAttributes Order Olga Ann Bob mine Chrome HeadlessChrome Linux"""
# Sentences that the catalog does not have are marked as English: those that are seen, by words that every English sentence has.
ENGLISH = """
  const words = /\\b(the|is|are|and|to|it|not|has|have|with|for|a|an|was|by|which|that|as|no|there|so|only|of)\\b/gi;
  return [...new Set([...document.querySelectorAll('[lang=en][translate=no]')].filter(one => one.checkVisibility()).map(one => one.textContent.trim())
    .filter(text => (text.match(words) ?? []).length > 1))];
"""
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


def catalogs(page):  # noqa: F811
    return page.run("return performance.getEntriesByType('resource').filter(one => one.name.endsWith('.json') && one.name.includes('/dashboard/')).map(one => one.name)")


def test_english_readers_fetch_no_catalogue(page):  # noqa: F811
    page.labelled("API key")
    assert page.run("return document.documentElement.lang") == "en"
    assert catalogs(page) == []


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
    page.wait(lambda: page.says(".problem", "das ist kein API-Schlüssel"), "the server's sentence in German")
    assert page.all(".problem [lang=en]") == []
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


def test_what_the_server_says_is_in_german(page, server, every):  # noqa: F811
    """The contracts' help, the rules' findings, the explanations of answers, alerts and refusals: none is left in English."""
    names = [one["name"] for one in server.call("GET", "/v1/contracts")["contracts"]]
    english = {}
    speak(page, "en")
    page.go("compose/native", "")
    page.run("for (const one of document.querySelectorAll('main details')) one.open = true")
    page.quiet()
    assert len(page.run(ENGLISH)) > 10, "what is looked for is found in the English pages"
    speak(page, "de")
    for rest in [*every, *[f"compose/{name}" for name in names]]:
        page.go(rest, "")
        page.run("for (const one of document.querySelectorAll('main details')) one.open = true")
        page.quiet()
        for text in page.run(ENGLISH):
            english.setdefault(text, rest)
    assert english == {}, json.dumps(english, indent=1, ensure_ascii=False)


# What one meets while composing: the fields that are written, and what the report then says in German.
MET = [
    ("native", {"body": "x" * 5000}, "kürzen Sie den Text"),
    ("native", {"title": " "}, "da ist nur Leerraum"),
    ("native", {"title": "Hi {{first_name}}"}, "hat keinen Wert"),
    ("native", {"title": "Hi {{ first_name | upcase | trunc: 3 }}"}, "den Filter „trunc“ gibt es nicht"),
    ("native", {"title": "Hi {% if vip %}"}, "fehlt"),
    ("native", {"title": "Hi", "subtitle": "there"}, "überträgt subtitle nicht auf Android"),
    ("amba", {"title": "Hi"}, "braucht body"),
    ("amba", {"title": "Hi", "body": "there", "data": '{"aps": 1}'}, "Schlüssel"),
    ("amba", {"title": "Hi", "body": "there", "data": '{"from": "me"}'}, "benennen Sie den Schlüssel um"),
    ("amba", {"title": "Hi", "body": "there", "data": '{"count": 3}'}, "Text"),
    ("adobe", {"adb_title": "Hi", "adb_body": "there", "adb_uri": "https://example.com"}, "adb_a_type"),
    ("imkit", {"content": "Shall we?"}, "messageType"),
    ("powerauth", {"title": "Hi", "titleLocArgs": "Ann"}, "titleLocKey"),
]


@pytest.mark.parametrize(("contract", "fields", "said"), MET, ids=[f"{contract}-{'-'.join(fields)}-{index}" for index, (contract, fields, _) in enumerate(MET)])
def test_findings_of_the_composer_are_in_german(page, every, contract, fields, said):  # noqa: F811
    page.composer(f"compose/{contract}", "Verfassen")
    page.wait(lambda: page.all(f"[data-contract={contract}]"), "the fields")
    page.run("for (const one of document.querySelectorAll('main details')) one.open = true")
    for name, text in fields.items():
        page.run("const field = document.getElementById(document.querySelector(`label[data-field='${arguments[0]}']`).htmlFor);"
                 "field.value = arguments[1]; field.dispatchEvent(new Event('input', {bubbles: true}))", name, text)
    page.quiet()
    report = lambda: page.run("return [...document.querySelectorAll('.findings, .fields .problem')].map(one => one.textContent).join(' ')")  # noqa: E731
    page.wait(lambda: said in report(), f"“{said}” in the report")
    assert page.run(ENGLISH) == []


def test_a_finding_without_a_translation_shows_its_rule(page, every):  # noqa: F811
    """What is wrong and what helps is in German; the sentence with its values follows, marked as English."""
    page.composer("compose/onesignal", "Verfassen")
    page.wait(lambda: page.all("[data-contract=onesignal]"), "the fields")
    page.run("for (const one of document.querySelectorAll('main details')) one.open = true")
    page.write("collapse_id", "x")
    page.wait(lambda: page.says(".findings", "Ein Feld fehlt, das der Vertrag verlangt"), "the rule")
    assert "onesignal needs contents" in page.text(".findings [lang=en]")
    # The draft is left nowhere: it is stored when the page is left.
    page.go("overview", "Übersicht")
    page.composer("compose", "Verfassen")


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
    # The language that was chosen is that of the browser, and not of the session.
    assert page.run("return document.documentElement.lang") == "de"
    look("sign-in")
    page.press("⟦Mit E-Mail und Passwort⟧")
    page.wait(lambda: page.all("input[type=email]"), "the other way")
    look("sign-in")
    page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]})
    print(f"{len(every)} pages and {len(opened)} buttons")
    assert bare == {}, json.dumps(bare, indent=1, ensure_ascii=False)
