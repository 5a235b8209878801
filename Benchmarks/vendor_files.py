"""Made-up exports of other services, as `postrider import` reads them: each row is a device that can be sent to, of a user of its own."""

import csv
import gzip
import json
import os
import uuid

SEEN = "2026-10-20 10:00:00"


def user(number):
    return f"user-{number:07d}"


def token(number):
    """An iPhone's token for even numbers, an Android phone's for odd ones."""
    return f"{number:064x}" if number % 2 == 0 else android(number)


def android(number):
    return f"fMEO1bKqT0:APA91b{number:0120d}"


def onesignal(rows, folder):
    name = os.path.join(folder, "onesignal.csv.gz")
    with gzip.open(name, "wt", compresslevel=1, newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "identifier", "device_type", "external_user_id", "language", "timezone_id", "tags", "notification_types",
                      "created_at", "last_active", "invalid_identifier"])
        for number in range(rows):
            tags = f'{{"plan": "{"pro" if number % 4 else "free"}", "visits": "{number % 50}"}}'
            out.writerow([uuid.UUID(int=number + 1), token(number), number % 2, user(number), "de" if number % 3 else "en",
                          "Europe/Vienna", tags, 1, "2025-05-01 10:00:00", SEEN, "f"])
    return name


def pinpoint(rows, folder):
    name = os.path.join(folder, "pinpoint.ndjson.gz")
    with gzip.open(name, "wt", compresslevel=1) as file:
        for number in range(rows):
            file.write(json.dumps({
                "Id": f"e-{number}", "ChannelType": "GCM" if number % 2 else "APNS", "Address": token(number),
                "EndpointStatus": "ACTIVE", "OptOut": "NONE", "EffectiveDate": "2026-10-20T10:00:00.000Z",
                "User": {"UserId": user(number), "UserAttributes": {"age": [str(number % 90)]}}, "Attributes": {"plan": ["pro"]},
                "Demographic": {"Locale": "de_AT", "Timezone": "Europe/Vienna"}}) + "\n")
    return name


def firebase(rows, folder):
    name = os.path.join(folder, "firebase.csv")
    with open(name, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["token", "uid", "platform", "last_seen", "opt_out"])
        out.writerows([android(number), user(number), "android", "2026-10-20T10:00:00Z", "false"] for number in range(rows))
    return name


def powerauth(rows, folder):
    name = os.path.join(folder, "powerauth.csv")
    with open(name, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "activation_id", "user_id", "app_id", "platform", "push_token", "environment", "timestamp_last_registered",
                      "is_active"])
        out.writerows([number, uuid.UUID(int=number + 1), user(number), 1, "fcm" if number % 2 else "apns", token(number),
                       "" if number % 2 else "production", SEEN, "true"] for number in range(rows))
    return name


EXPORTS = {"onesignal": onesignal, "pinpoint": pinpoint, "firebase": firebase, "powerauth": powerauth}
