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

# By page: whether that server runs, and further commands.
PRESUMED = {
    "docs/api.md": (True, "KEY=$POSTRIDER_KEY"),
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
