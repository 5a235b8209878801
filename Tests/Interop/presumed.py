"""What the reader of a page has done before its first command, as the page says or takes for granted."""

# The server of docs/jobs/README.md, which most pages begin with.
DEMO = "docs/jobs/README.md"

# The same, with its emulator on another port than the one of `postrider emulate`.
BESIDE = """
export POSTRIDER_EMULATOR_TOKEN=0123456789abcdef
postrider serve --demo --emulator-port 8789 > demo.log 2>&1 &
until grep -q 'Ctrl-C stops' demo.log; do sleep 0.2; done
export POSTRIDER_KEY=$(grep -o 'prk_[A-Za-z0-9_-]*' demo.log | head -n 1)
"""

# Credentials that lead to an emulator, as a file of each form.
CREDENTIALS = """
postrider emulate --port 8790 --out keys > emulator.json &
until [ -s emulator.json ]; do sleep 0.2; done
python3 - <<'END'
import json
read = lambda name: open("keys/" + name).read()
gateway = lambda port: {"host": "127.0.0.1", "port": port, "ca": read("ca.pem")}
account = json.loads(read("service-account.json"))
json.dump({"apns": {"topic": "com.example.shop", "key": read("apns-key.p8"), "key_id": "EMULATEKEY", "team_id": "EMULATETEA", "gateway": gateway(2197)},
           "fcm": {"service_account": account, "gateway": gateway(8443)}}, open("credentials.json", "w"))
json.dump(account | {"token_uri": "https://oauth2.googleapis.com/token"}, open("service-account.json", "w"))
END
"""

# By page: whether that server runs, and further commands.
PRESUMED = {
    # The commands of its quick start are those that the server prints, which MainJobTests runs.
    "README.md": (True, ""),
    "docs/api.md": (True, """
KEY=$POSTRIDER_KEY CLIENT_KEY=$POSTRIDER_KEY
postrider devices register 5a5a --type ios-live-activity-start --user ann
echo '{"type":"ios","token":"b0b0"}' > devices.ndjson
printf 'type,token\\nios,b1b1\\n' > devices.csv"""),
    "docs/apps.md": (True, "postrider apps create shop --contract native"),
    "docs/cli.md": (True, """
echo "$POSTRIDER_KEY" > demo.key; chmod 600 demo.key; unset POSTRIDER_KEY POSTRIDER_APP
echo '{"message": {"title": "Hello", "body": "World"}}' > request.json
printf '{"type":"ios","token":"c0c0"}\\n{"type":"ios","token":"not a token"}\\n' > devices.ndjson"""),
    "docs/compat.md": (True, """
postrider apps update demo --onesignal-app-id 84cfc487-8b8b-4e80-a013-3d194ac0dd75 --imkit --amba
KEY=$(postrider keys create vendors --scope compat --app demo --json | jq -r .key)"""),
    "docs/emulator.md": (False, BESIDE + """
mkdir -p MyApp/de.lproj; echo '"hello" = "Hallo";' > MyApp/de.lproj/Localizable.strings"""),
    "docs/fcm-tokens.md": (True, """
SERVER=http://127.0.0.1:8787 KEY=$POSTRIDER_KEY
postrider apps create shop --contract native"""),
    "docs/huawei.md": (False, BESIDE + """
SERVER=http://127.0.0.1:8787 KEY=$POSTRIDER_KEY
postrider apps create shop --contract native"""),
    "docs/identity.md": (True, ""),
    "docs/jobs/ci.md": (False, ""),
    # Keys of the providers' forms: the emulator's.
    "docs/jobs/your-app.md": (True, """
postrider emulate --port 8790 --out given > given.json &
until [ -s given.json ]; do sleep 0.2; done
kill %%; cp given/apns-key.p8 AuthKey.p8
python3 -c 'import json; json.dump(json.load(open("given/service-account.json")) | {"token_uri": "https://oauth2.googleapis.com/token"}, open("service-account.json", "w"))'"""),
    "docs/leaving/firebase.md": (True, CREDENTIALS + """
export POSTRIDER_APP=shop
cat > tokens.csv <<'END'
token,uid,platform,last_seen,mood
fMEO1bKqT0:APA91bMadeUpForThisPage1,alice,android,2026-11-20T08:15:00Z,good
fMEO1bKqT1:APA91bMadeUpForThisPage2,null,android,,good
d23f0824128b2f330c5c7fd0a6a3d23f0824128b2f330c5c7fd0a6a3d23f0824,carla,android,2026-11-20T08:15:00Z,good
END"""),
    "docs/leaving/onesignal.md": (True, CREDENTIALS + """
export POSTRIDER_APP=shop
gzip > users.csv.gz <<'END'
id,identifier,device_type,external_user_id,language,timezone,timezone_id,game_version,notification_types,last_active,invalid_identifier,ad_id,badge_count
7c9e6679-7425-40de-944b-e07fc1f90ae1,d23f0824128b2f330c5c7fd0a6a3d23f0824128b2f330c5c7fd0a6a3d23f0824,0,alice,de,3600,Europe/Vienna,2.10,1,2026-11-20 08:15:00,f,a,0
7c9e6679-7425-40de-944b-e07fc1f90ae2,fMEO1bKqT0:APA91bMadeUpForThisPage1,1,bruno,pt,0,Europe/Lisbon,2.9,-2,2026-10-02 21:40:11,f,a,0
7c9e6679-7425-40de-944b-e07fc1f90ae3,e23f0824128b2f330c5c7fd0a6a3d23f0824128b2f330c5c7fd0a6a3d23f0824,0,carla,en,0,Europe/London,2.9,1,2026-03-01 00:00:00,t,a,0
7c9e6679-7425-40de-944b-e07fc1f90ae4,fMEO1bKqT0:APA91bMadeUpForThisPage2,1,,en,3600,,2.10,1,2026-11-18 04:00:00,f,a,0
7c9e6679-7425-40de-944b-e07fc1f90ae5,https://fcm.googleapis.com/fcm/send/made-up,5,dora,en,0,Europe/London,,1,2026-11-18 04:00:00,f,a,0
7c9e6679-7425-40de-944b-e07fc1f90ae6,emil@example.com,11,emil,en,0,Europe/London,,1,2026-11-18 04:00:00,f,a,0
7c9e6679-7425-40de-944b-e07fc1f90ae7,,1,fritz,en,0,Europe/London,2.9,1,2026-11-18 04:00:00,f,a,0
END
postrider vapid create onesignal-vapid.txt"""),
    "docs/leaving/pinpoint.md": (True, """
postrider apps create shop --contract native
export POSTRIDER_APP=shop
gzip > endpoints.ndjson.gz <<'END'
{"Id":"e-1","ChannelType":"APNS","Address":"8d116ece1738f7d93d9c172411e20b8f6b0d549b6f03675a1600a35a099950d8","EndpointStatus":"ACTIVE","OptOut":"NONE","CohortId":"7","CreationDate":"2025-05-01T17:31:01.000Z","EffectiveDate":"2026-10-20T19:03:29.000Z","User":{"UserId":"alice","UserAttributes":{"plan":["pro"]}},"Attributes":{"likes":["jazz","rock"]},"Metrics":{"level":6,"age":41},"Demographic":{"Locale":"en_US","Timezone":"America/Los_Angeles","AppVersion":"1.0","Make":"apple","Model":"iPhone","Platform":"ios","PlatformVersion":"18.1"}}
{"Id":"e-2","ChannelType":"GCM","Address":"fMEO1bKqT0:APA91bMadeUpForThisPage1","EndpointStatus":"ACTIVE","OptOut":"ALL","CohortId":"8","EffectiveDate":"2026-10-20T19:03:29.000Z"}
{"Id":"e-3","ChannelType":"GCM","Address":"fMEO1bKqT0:APA91bMadeUpForThisPage2","EndpointStatus":"INACTIVE","OptOut":"NONE","CohortId":"9","EffectiveDate":"2026-10-20T19:03:29.000Z"}
{"Id":"e-4","ChannelType":"EMAIL","Address":"ann@example.com","EndpointStatus":"ACTIVE","OptOut":"NONE","CohortId":"9","EffectiveDate":"2026-10-20T19:03:29.000Z"}
END"""),
    "docs/leaving/powerauth.md": (True, CREDENTIALS + """
export POSTRIDER_APP=bank
cat > devices.csv <<'END'
id,activation_id,user_id,app_id,platform,push_token,environment,timestamp_last_registered,is_active
1,49414e31-f3df-4cea-87e6-f214ca3b8411,ann,1,ios,d23f0824128b2f330c5c7fd0a6a3d23f0824128b2f330c5c7fd0a6a3d23f0824,production,2026-11-20 08:15:00,true
2,49414e31-f3df-4cea-87e6-f214ca3b8412,bob,1,android,fMEO1bKqT0:APA91bMadeUpForThisPage1,,2026-11-20 08:15:00,true
3,49414e31-f3df-4cea-87e6-f214ca3b8413,cy,1,android,fMEO1bKqT0:APA91bMadeUpForThisPage2,,2026-11-20 08:15:00,false
END"""),
    "docs/operations.md": (True, ""),
    "docs/preview.md": (False, r"""
mkdir MyApp
text() { mkdir -p "MyApp/$1.lproj"; printf '"order_title" = "%s";\n' "$2" > "MyApp/$1.lproj/Localizable.strings"
  [ -z "$3" ] || printf '"order_body" = "%s";\n' "$3" >> "MyApp/$1.lproj/Localizable.strings"; }
printf '// swift-tools-version: 6.0\nlet package = Package(name: "MyApp", defaultLocalization: "en")\n' > MyApp/Package.swift
text en "Your order is on its way" "%1\$@ will be at your door at %2\$@."
text ar "طلبك في الطريق" "سيصل %1\$@ إلى بابك في الساعة %2\$@."
text de "Deine Bestellung ist unterwegs und kommt heute noch bei dir an" "%1\$@ ist um %2\$@ Uhr da."
text fr "Votre commande arrive" ""
text ja "ご注文の商品を配達中です" "%1\$@が%2\$@にお届けします。"
echo '{"aps": {"alert": {"title-loc-key": "order_title", "loc-key": "order_body", "loc-args": ["Anna", "14:00"]}}}' > payload.json
echo '{"adb_version": "1", "adb_title": "Game request", "adb_body": "Shall we play a game?"}' > message.json"""),
    "docs/templates.md": (False, """
cat > text.liquid <<'END'
{% if cart.items.size == 0 %}{% abort %}{% endif -%}
{{ first_name | default: "Hello" }}, {{ cart.items | map: "title" | join: " and " }} for {{ cart.items | sum: "price" }} €
END
echo '{"first_name": "Ann", "cart": {"items": [{"title": "Scarf", "price": 19.9}, {"title": "Hat", "price": 25}]}}' > ann.json"""),
    "docs/web-push.md": (True, """
SERVER=http://127.0.0.1:8787 KEY=$POSTRIDER_KEY
postrider apps create shop --contract native"""),
}
