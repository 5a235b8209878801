"""Measures `postrider check` over 100 000 files beside reading them, over what every contract writes for each platform, and the audit
of a template over a million rows.

    python3 Benchmarks/check_files.py .build/release/postrider [SHARE] [--beside OTHER] [--only contracts]

SHARE (1 unless given) scales the work. Times are the processor's and the wall's in seconds; memory is the peak in KiB. OTHER is a second
binary, such as that of an earlier version, which checks the same files of the contracts in turn: `ratio` is the least processor time of
PROGRAM in relation to OTHER's. Where `says` and `beside_says` differ, OTHER does not judge what PROGRAM does, and prints less.
"""

import argparse
import json
import os
import shutil
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


PLACE = "at your door between 14:00 and 16:00."
SHOP = "https://shop.example"
TEXT = {"adb_title": "Your order is on its way", "adb_body": f"Anna will be {PLACE}", "adb_body_ex": f"Anna will be {PLACE}"}
NAMES = ("lamp", "chair", "table")
SLIDES = [{"img": f"{SHOP}/{name}.png", "txt": name, "uri": f"{SHOP}/{name}"} for name in NAMES]
CAROUSEL = TEXT | {"adb_template_type": "car", "adb_car_layout": "default", "adb_items": SLIDES}
MESSAGES = {
    "native": {"title": "Your order is on its way", "subtitle": "Parcel 3 of 3", "badge": 3, "sound": "default",
               "body": f"Anna will be {PLACE}", "category": "DELIVERY", "thread_id": "orders",
               "data": {"screen": "order", "order": "000123"}},
    "amba": {"title": "Your order is on its way", "body": f"Anna will be {PLACE}", "data": {"screen": "order", "order": "000123"},
             "badge": 3, "sound": "default"},
    "imkit": {"messageType": "text", "sender": "Alice", "content": "Shall we meet at eight?", "room": "room-000123", "badge": 3,
              "message": {"_id": "5f8f", "messageType": "text", "message": "Shall we meet at eight?"}, "collapseKey": "room-000123"},
    "powerauth": {"title": "Your order is on its way", "body": f"Anna will be {PLACE}", "badge": 3, "sound": "default",
                  "category": "order", "collapseKey": "order-123", "extras": {"screen": "order", "order": "000123"}},
    "adobe": TEXT | {"adb_sound": "parcel", "adb_image": f"{SHOP}/p.png", "adb_uri": f"{SHOP}/orders/123", "adb_a_type": "WEBURL",
                     "adb_tag": "24", "adb_act": [{"label": "Track", "uri": f"{SHOP}/t", "type": "DEEPLINK"}]},
    # What there is a warning about on Android.
    "adobe, with a warning": {"adb_title": "Your order is on its way", "adb_body": f"Anna will be {PLACE}"},
    "adobe, with colors": TEXT | {"adb_clr_title": "FF0000", "adb_clr_body": "00FF00", "adb_clr_bg": "FFFFFF", "adb_n_count": 3},
    "adobe, remind later": TEXT | {"adb_rem_txt": "Later", "adb_rem_sec": 3600, "adb_sticky": True},
    # The further templates, of which iOS has the carousel and the timer; it does not draw the text of the first.
    "adobe, a carousel": CAROUSEL,
    "adobe, a carousel by hand": CAROUSEL | {"adb_car_mode": "manual"},
    "adobe, a filmstrip": CAROUSEL | {"adb_car_mode": "manual", "adb_car_layout": "filmstrip"},
    "adobe, a timer": TEXT | {"adb_template_type": "timer", "adb_tag": "24", "adb_tmr_dur": 3600, "adb_title_alt": "The sale is over",
                              "adb_body_alt": "Anna sold it all", "adb_body_ex_alt": "Anna sold it all"},
    "adobe, an input box": TEXT | {"adb_template_type": "input", "adb_input_receiver": "com.example.REPLY", "adb_input_txt": "Answer",
                                   "adb_feedback_txt": "Thank you"},
    "adobe, a zero bezel": TEXT | {"adb_template_type": "zb", "adb_col_style": "img", "adb_image": f"{SHOP}/p.png"},
    "adobe, a rating": TEXT | {"adb_template_type": "rate", "adb_rate_unselected_icon": "star", "adb_rate_selected_icon": "star_full",
                               "adb_rate_act": [{"uri": f"{SHOP}/{stars}", "type": "WEBURL"} for stars in range(1, 6)]},
    "adobe, a catalog": {
        "adb_title": "New in the shop", "adb_body": f"Anna will be {PLACE}", "adb_template_type": "cat", "adb_cta_txt": "Buy",
        "adb_cta_clr": "FF0000", "adb_cta_txt_clr": "FFFFFF", "adb_cta_uri": f"{SHOP}/cart", "adb_display": "vertical",
        "adb_items": [{"title": name, "body": f"A {name}", "img": f"{SHOP}/{name}.png", "price": "$5", "uri": f"{SHOP}/{name}"}
                      for name in NAMES]},
    "adobe, icons": {
        "adb_title": "New in the shop", "adb_body": f"Anna will be {PLACE}", "adb_template_type": "icon", "adb_cancel_image": "cross",
        "adb_items": [{"img": f"{SHOP}/{name}.png", "uri": f"{SHOP}/{name}", "type": "WEBURL"} for name in NAMES]},
    "onesignal": {"headings": {"en": "Your order is on its way"}, "contents": {"en": f"Anna will be {PLACE}"},
                  "app_url": "shop://orders/123", "notification_id": "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
                  "data": {"screen": "order", "order": "000123"}},
    "onesignal, with buttons": {
        "headings": {"en": "Your order is on its way"}, "contents": {"en": f"Anna will be {PLACE}"},
        "notification_id": "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "buttons": [{"id": "track", "text": "Track"}],
        "ios_attachments": {"map": "https://shop.example/map.png"}, "android_channel_id": "orders", "android_channel_name": "Orders"},
}

ALERT = {"title": "Your order is on its way", "body": f"Anna will be {PLACE}"}
TRACK = [{"i": "track", "n": "Track"}]
HEADERS = {"apns-push-type": "alert", "apns-priority": "10", "apns-topic": "com.example.app"}
# What no contract of ours writes: the further formats of OneSignal's servers, and errors that the provider answers.
REQUESTS = {
    "onesignal, the new format": {"ios": {"headers": HEADERS, "payload": {
        "aps": {"alert": ALERT, "mutable-content": 1}, "screen": "order",
        "os_data": {"i": "1b9d6bcd", "u": f"{SHOP}/t", "buttons": TRACK, "att": {"map": f"{SHOP}/map.png"}}}}},
    "onesignal, the new format, minified": {"ios": {"headers": HEADERS, "payload": {
        "aps": {"content-available": 1}, "os_data": {"i": "1b9d6bcd", "buttons": {"m": ALERT, "o": TRACK, "s": "chime.wav"}}}}},
    "onesignal, the original format, minified": {
        "ios": {"headers": HEADERS, "payload": {
            "aps": {"content-available": 1}, "custom": {"i": "1b9d6bcd"}, "m": ALERT, "o": TRACK, "at": {"map": f"{SHOP}/map.png"}}},
        "android": {"message": {"token": "abc", "data": {
            "custom": json.dumps({"i": "1b9d6bcd", "a": {"screen": "order"}}), "title": ALERT["title"], "alert": ALERT["body"],
            "o": json.dumps(TRACK), "pri": "5", "tg": "orders"}}}},
    # What no device shows of Adobe's templates, which OTHER may not judge.
    "adobe, a rating with errors": {"android": {"message": {"token": "abc", "data": {
        "adb_version": "1", "adb_template_type": "rate", "adb_title": ALERT["title"], "adb_body": ALERT["body"],
        "adb_rate_act": json.dumps([{"type": "OPENAPP"}] * 2)}}}},
    "adobe, a catalog with errors": {"android": {"message": {"token": "abc", "data": {
        "adb_version": "1", "adb_template_type": "cat", "adb_title": ALERT["title"], "adb_body": ALERT["body"],
        "adb_cta_txt": "Buy", "adb_cta_clr": "FF0000", "adb_cta_txt_clr": "FFFFFF", "adb_cta_uri": f"{SHOP}/cart",
        "adb_display": "vertical", "adb_items": json.dumps([{"title": "lamp", "body": "A lamp", "price": "$5"}] * 3)}}}},
    "native, with an error": {
        "ios": {"headers": HEADERS | {"apns-priority": "7"}, "payload": {"aps": {"alert": ALERT, "badge": 3}, "screen": "order"}},
        "android": {"message": {"token": "abc", "notification": ALERT, "data": {"screen": "order", "order": 123}}}},
}


def written(program, name):
    """The requests that a message is written as, by platform; those of REQUESTS as they are."""
    if name in REQUESTS:
        return REQUESTS[name]
    render = [program, "render", "--contract", name.split(",")[0], "--topic", "com.example.app", "-"]
    message = json.dumps(MESSAGES[name]).encode()
    rendering = json.loads(subprocess.run(render, input=message, stdout=subprocess.PIPE, check=True).stdout)
    return {"ios": rendering["apns"], "android": rendering["fcm"]}


def write_requests(program, folder, name, count):
    """Files of the requests of a message; the folder for each platform."""
    folders = {}
    for platform, request in written(program, name).items():
        text = json.dumps(request, ensure_ascii=False, separators=(",", ":"))
        folders[platform] = f"{folder}/{name.replace(' ', '-')}-{platform}"
        os.makedirs(folders[platform])
        for index in range(count):
            with open(f"{folders[platform]}/{index:06}.json", "w", encoding="utf-8") as file:
                file.write(text.replace("Anna", f"Anna {index}").replace("Alice", f"Alice {index}"))
    return folders


def summary(program, folder):
    """How many findings a program has, as it says it."""
    check = subprocess.run([program, "check", folder], stdout=subprocess.PIPE)
    return check.stdout.splitlines()[-1].decode().partition(": ")[2]


def contracts(program, other, folder, count):
    """The check of what every contract writes, beside another binary's check of the same files."""
    programs = [program] + ([other] if other else [])
    for name in [*MESSAGES, *REQUESTS]:
        for platform, requests in write_requests(program, folder, name, count).items():
            rounds = [[run([binary, "check", requests])["cpu"] for binary in programs] for _ in range(6)][1:]
            cpu = [min(times) for times in zip(*rounds)]
            line = {"contract": name, "platform": platform, "files": count, "cpu": cpu[0]}
            if other:
                said = [summary(binary, requests) for binary in programs]
                line |= {"beside": cpu[1], "ratio": round(cpu[0] / cpu[1], 2), "says": said[0], "beside_says": said[1]}
            print(json.dumps(line), flush=True)
            shutil.rmtree(requests)


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
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program")
    parser.add_argument("share", type=float, nargs="?", default=1)
    parser.add_argument("--beside", metavar="OTHER")
    parser.add_argument("--only", choices=["contracts"])
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    other = os.path.abspath(arguments.beside) if arguments.beside else None
    share = arguments.share
    with tempfile.TemporaryDirectory() as folder:
        contracts(program, other, folder, int(8_000 * share))
        if arguments.only:
            return
        files(program, f"{folder}/files", int(100_000 * share))
        audience(program, folder, [int(10_000 * share), int(1_000_000 * share)])


if __name__ == "__main__":
    main()
