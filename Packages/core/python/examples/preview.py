"""What a push to a German phone looks like, and what is wrong with it:  python preview.py [MESSAGE.json]"""

import json
import pathlib
import sys

import postrider

message = pathlib.Path(sys.argv[1]).read_bytes() if len(sys.argv) > 1 else json.dumps(
    {"title": "Parcel on its way", "body": "It arrives today.", "badg": 1})
try:
    for finding in postrider.check(message, contract="native", topic="com.example.app")["findings"]:
        print("{line}:{column} {severity} {rule}: {message}".format(**finding))
    for shown in postrider.preview(message, contract="native", topic="com.example.app", locales=["de"])["previews"]:
        print(shown["platform"], *(shown[name]["text"] for name in ("title", "body") if name in shown), sep=" / ")
    rendering = postrider.render(message, contract="native", topic="com.example.app")
    print(json.dumps(rendering["apns"]["payload"]))
except postrider.PostriderError as error:
    sys.exit(f"{error.what}\n{error.fix}")
