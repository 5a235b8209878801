"""The pictures of previews in the documentation: what `postrider preview --svg` draws, side by side in Chromium.

    RECORD_SNAPSHOTS=1 pytest Tests/Interop/test_preview_pictures.py      takes docs/images/preview*.png anew
"""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

webdriver = pytest.importorskip("selenium.webdriver")

from conftest import ROOT, command  # noqa: E402

PARCEL = {
    "headings": {"en": "Your order is on its way 📦"}, "subtitle": {"en": "Parcel 3 of 3 – arriving today"},
    "contents": {"en": "Anna will be at your door between 14:00 and 16:00. Tap to follow her on the map, or tell her where to leave the parcel "
                       "if you are out."},
    "big_picture": "https://example.com/map.png", "ios_attachments": {"map": "https://example.com/map.png"},
    "ios_badgeType": "SetTo", "ios_badgeCount": 3, "ios_sound": "parcel.caf",
    "buttons": [{"id": "map", "text": "Follow on the map"}, {"id": "out", "text": "I am not at home"}],
}
ARABIC = {**PARCEL, "subtitle": {}, "headings": {"en": "طلبك في الطريق 📦"}, "contents": {"en": "ستكون آنا عند بابك بين الساعة 14:00 و16:00. اضغط لمتابعتها على الخريطة."}}
SALE = {"adb_version": "1", "adb_title": "Flash sale", "adb_body": "Up to 50% off everything, today only. Shoes, bags and coats: first come, first served."}
SALE["adb_body_ex"] = SALE["adb_body"]
SHOES = [{"img": "https://example.com/shoe.png", "txt": name, "uri": "https://example.com/shoe", "title": name, "body": "Leather, handmade",
          "price": "€ 79"} for name in ("Red shoes", "Blue shoes", "Green shoes")]
CAROUSEL = {**SALE, "adb_template_type": "car", "adb_car_mode": "manual", "adb_items": SHOES}


def adobe(template, **more):
    return "adobe", {**SALE, "adb_template_type": template, **more}, "android", "Shop", "expanded", []


def onesignal(message, platform, surface, *more):
    return "onesignal", message, platform, "Parcel", surface, list(more)


# By picture: columns of (contract, message, platform, app, surface, options), and what must be in it.
SHEETS = {
    "preview": ([
        [onesignal(PARCEL, "ios", "lock-screen"), onesignal(PARCEL, "ios", "banner")],
        [onesignal(PARCEL, "ios", "expanded"), onesignal(ARABIC, "ios", "banner", "--locale", "ar")],
        [onesignal(PARCEL, "android", "collapsed"), onesignal(PARCEL, "android", "expanded")],
    ], ["Follow on the map", "I am not at home", "map.png", "parcel.caf", "طلبك في الطريق"]),
    "preview-templates": ([
        [adobe("timer", adb_tmr_dur=3723, adb_title_alt="The sale is over", adb_clr_tmr="D81B60"), adobe("car", **{**CAROUSEL, "adb_car_layout": "filmstrip"})],
        [adobe("input", adb_input_receiver="com.example.REPLY", adb_input_txt="Your answer"), adobe("car", **{**CAROUSEL, "adb_car_layout": "default"})],
        [adobe("rate", adb_rate_unselected_icon="star", adb_rate_selected_icon="star_full", adb_rate_act=[{"type": "OPENAPP", "uri": ""}] * 5),
         adobe("cat", adb_items=SHOES, adb_cta_txt="Buy now", adb_cta_clr="D81B60", adb_cta_txt_clr="FFFFFF", adb_cta_uri="https://example.com/sale",
               adb_display="vertical")],
    ], ["template timer", "template input", "template rate", "template car", "template cat", "Your answer", "Buy now", "€ 79"]),
}


def drawn(folder, number, contract, message, platform, app, surface, options):
    """The SVG of one surface; nothing of the message is refused."""
    folder.joinpath("message.json").write_text(json.dumps(message))
    path = folder / f"{number}.svg"
    done = subprocess.run(
        [command(), "preview", "--contract", contract, "--platform", platform, "--app", app, "--surface", surface, "--svg", str(path), *options,
         str(folder / "message.json")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    # Several pictures are in one document, where each needs names of its own.
    return re.sub(r'(id="|url\(#|href="#)pr-', rf"\g<1>s{number}-pr-", path.read_text(encoding="utf-8"))


def sheet(folder, columns):
    numbers = iter(range(100))
    cells = "".join("<div>" + "".join(drawn(folder, next(numbers), *cell) for cell in column) + "</div>" for column in columns)
    return ("<!doctype html><meta charset=utf-8><style>body{margin:0;display:inline-flex;background:#f2f5f9}div{display:flex;flex-direction:column}"
            f"svg{{display:block}}</style>{cells}")


@pytest.mark.skipif(not shutil.which("chromium"), reason="Chromium is not installed")
@pytest.mark.parametrize("name", SHEETS)
def test_a_picture_is_drawn_as_the_documentation_shows_it(tmp_path, name):
    columns, shown = SHEETS[name]
    page = sheet(tmp_path, columns)
    for text in shown:
        assert html.escape(text) in page, text
    options = webdriver.ChromeOptions()
    for switch in ("--headless=new", "--no-sandbox", "--hide-scrollbars"):
        options.add_argument(switch)
    tmp_path.joinpath("sheet.html").write_text(page, encoding="utf-8")
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    try:
        browser.get(tmp_path.joinpath("sheet.html").as_uri())
        width, height = browser.execute_script("const box = document.body.getBoundingClientRect(); return [box.width, box.height]")
        assert width > 1000 and height > 600
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": round(width), "height": round(height), "deviceScaleFactor": 1, "mobile": False})
        folder = ROOT / "docs" / "images" if os.environ.get("RECORD_SNAPSHOTS") else pathlib.Path(os.environ.get("DASHBOARD_SCREENSHOTS") or tmp_path)
        folder.mkdir(parents=True, exist_ok=True)
        browser.save_screenshot(str(folder / f"{name}.png"))
    finally:
        browser.quit()
