"""Registers a device, sends to everyone and follows the push to its end: send.py URL KEY APP"""

import sys

from postrider_client import Client, PostriderError
from postrider_client.models import RegisterDeviceBody


def main(url: str, key: str, app: str) -> int:
    with Client(url, key) as client:
        client.register_device(
            app,
            RegisterDeviceBody(type_="android", token="demo-android:APA91bDemoDemoDemoDemoDemoDemoDemoDemo", opt_out=True),
        )
        try:
            push = client.create_push(
                app,
                {"message": {"title": "Welcome back!", "body": "Your streak is waiting for you."}, "to": {"all": True}},
            )
        except PostriderError as error:
            print(error, *(f"{finding.field}: {finding.message}" for finding in error.report), sep="\n", file=sys.stderr)
            return 1
        for state in client.stream_push(app, push.id):
            print(f"{state.state}: {state.counts.accepted} accepted of {state.counts.targeted}")
        for delivery in client.iter_deliveries(app, push.id, state="rejected"):
            print(f"{delivery.id}: {delivery.reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
