import Glibc
import TestSupport
import Testing

/// One run of `check` over files: `DIR` represents the folder they are in.
struct CheckCase: Sendable, CustomTestStringConvertible {
  let name: String
  let arguments: [String]
  var input = ""
  var status: Int32 = 0
  var output = ""
  var errors = ""

  var testDescription: String { name }
}

@Suite("check")
struct CheckCommandTests {
  /// The files of every case.
  static let files: [(path: String, content: [UInt8])] = [
    ("push/a.json", Array(#"{"aps":{"alert":"ok"}}"#.utf8)),
    (
      "push/b.json",
      Array("{\n  \"aps\": {\n    \"alert\": \"é\",\n    \"badge\": \"3\",\n    \"sond\": 1\n  }\n}\n".utf8)
    ),
    ("push/notes.txt", Array("not for us".utf8)),
    ("push/.hidden.json", Array("not for us".utf8)),
    ("push/sub/c.json", Array(#"{"message":{"token":"t","data":{"from":"<x>"}}}"#.utf8)),
    ("binary.json", [0xEE, 0x00, 0xFF, 0x1B]),
    ("empty.json", []),
    ("escape.json", Array("{\"aps\":{\"badge\":\"\u{202E}\u{9B}31m<&>\",\"alert\":\"A\"}}".utf8)),
    ("message.json", Array(#"{"title":"Hi","body":"You","titel":1,"data":{"from":"x"}}"#.utf8)),
    (
      "location.json",
      Array(
        (#"{"headers":{"apns-push-type":"location","apns-priority":"5","apns-topic":"com.example.app.location-query"},"#
          + #""payload":{"aps":{}}}"#).utf8)
    ),
    (
      "broadcast.json",
      Array(
        (#"{"headers":{"apns-channel-id":"AAAA","apns-push-type":"liveactivity","apns-priority":"5","apns-expiration":"#
          + #""60"},"payload":{"aps":{"timestamp":1790000000,"event":"update","content-state":{}}}}"#).utf8)
    ),
    ("topic.json", Array(#"{"message":{"topic":"news","data":{"k":"\#(String(repeating: "x", count: 2048))"}}}"#.utf8)),
    ("wide.json", Array(#"{"aps":\#(String(repeating: " ", count: 4075)){"alert":"ok"}}"#.utf8)),
    (
      "vendor/adobe.json",
      Array(
        #"{"message":{"token":"t","data":{"adb_version":"1","adb_template_type":"zb","adb_title":"T"}}}"#.utf8)
    ),
    ("vendor/rest.json", Array(#"{"app_id":"a","contents":{"en":"Hi"}}"#.utf8)),
    ("none/readme.md", []),
    ("template.json", Array(#"{"aps":{"alert":"Hi {{name}}"}}"#.utf8)),
    ("users.csv", Array("id,name\nu-1,Ann\nu-2,\"Bo \"\"x\"\"\"\nu-3\n".utf8)),
    ("nobody.csv", Array("id,name\n".utf8)),
    ("users.ndjson", Array(#"{"user":"u-9","name":"\#(String(repeating: "x", count: 5000))"}"#.utf8)),
    ("broken.ndjson", Array("{\"id\":1}\n{\n".utf8)),
  ]

  static let badge = """
    DIR/push/b.json:4:14: warning apns-field-type: expected a whole number, found a string ("3"); iOS ignores it, so \
    the badge does not change
        at /aps/badge, byte 45
        fix: Write the value with the type the message names.

    """
  static let sond = """
    DIR/push/b.json:5:13: warning apns-unknown-key: Apple documents no such member of aps; check the spelling, or move \
    it to the app's own data
        at /aps/sond, byte 62
        fix: Correct the spelling, or move the member beside aps, where the app’s own data belongs.

    """
  static let from = """
    DIR/push/sub/c.json:1:40: error fcm-data-reserved: "from" is reserved by FCM; rename the key
        at /message/data/from, byte 39
        fix: Rename the key.

    """

  static let text = [
    CheckCase(
      name: "a legal payload", arguments: ["DIR/push/a.json"], output: "1 file checked: nothing to say\n"),
    CheckCase(
      name: "standard input, and the platform decides what it is", arguments: ["--platform", "ios", "-"],
      input: #"{"message":"the app's own"}"#,
      output: """
        standard input:1:1: warning apns-aps-missing: there is no aps, so a device shows nothing; if this is a message \
        of a contract, name the contract
            at byte 0
            fix: Name the contract of a message (--contract), give the push type of a payload (--push-type), or put an \
        FCM message under "message".
        1 file checked: 1 warning

        """),
    CheckCase(
      name: "a directory, in order, hidden and other files passed over", arguments: ["DIR/push"], status: 1,
      output: badge + sond + from + "3 files checked: 1 error, 2 warnings\n"),
    CheckCase(
      name: "rules applied differently",
      arguments: ["--rule", "apns-field-type=off", "--rule", "apns-unknown-key=note", "DIR/push/b.json"],
      output: sond.replacing("warning", with: "note") + "1 file checked: 1 note\n"),
    CheckCase(
      name: "unreadable files do not keep the others from being checked",
      arguments: ["DIR/binary.json", "DIR/empty.json", "DIR/missing.json", "DIR/push/b.json"], status: 3,
      output: """
        DIR/binary.json:1:1: error json-invalid: expected a value, found the byte EE at line 1, column 1 (byte 0)
            at byte 0
            fix: Correct the text at the byte the message names, or shorten what is too large.
        DIR/empty.json:1:1: error json-invalid: expected a value, found the end of the text at line 1, column 1 (byte 0)
            at byte 0
            fix: Correct the text at the byte the message names, or shorten what is too large.

        """ + badge + sond + "4 files checked: 2 errors, 2 warnings, 3 unreadable files\n",
      errors: "postrider: check: cannot open DIR/missing.json: No such file or directory\n"),
    CheckCase(
      name: "text that is no JSON cannot be switched off", arguments: ["--rule", "json-invalid=off", "DIR/empty.json"],
      status: 3,
      output: """
        DIR/empty.json:1:1: error json-invalid: expected a value, found the end of the text at line 1, column 1 (byte 0)
            at byte 0
            fix: Correct the text at the byte the message names, or shorten what is too large.
        1 file checked: 1 error, 1 unreadable file

        """),
    CheckCase(
      name: "a directory without a JSON file is not a success", arguments: ["DIR/none"], status: 3,
      output: "1 file checked: 1 unreadable file\n", errors: "postrider: check: there is no *.json in DIR/none\n"),
    CheckCase(
      name: "what a file says cannot steer the terminal", arguments: ["DIR/escape.json"],
      output: """
        DIR/escape.json:1:17: warning apns-field-type: expected a whole number, found a string \
        ("\\u{202E}\\u{9B}31m<&>"); iOS ignores it, so the badge does not change
            at /aps/badge, byte 16
            fix: Write the value with the type the message names.
        1 file checked: 1 warning

        """),
    CheckCase(
      name: "a message of a contract, in its own fields", arguments: ["--contract", "amba", "DIR/message.json"],
      status: 1,
      output: """
        DIR/message.json:1:36: warning field-unknown: amba has no field titel, so it is left out; did you mean title?
            at /titel, byte 35
            fix: Correct the spelling, or put the value into the data.
        DIR/message.json:1:53: error fcm-data-reserved: the data key from is refused on Android: FCM keeps from, \
        message_type and every name that starts with google or gcm for itself; rename the key
            at /data/from, byte 52
            fix: Rename the key.
        1 file checked: 1 error, 1 warning

        """),
    CheckCase(
      name: "a topic beside a push type", arguments: ["--push-type", "voip", "--topic", "com.example.app", "-"],
      input: #"{"aps":{}}"#, status: 1,
      output: """
        standard input:1:1: error apns-topic-suffix: voip pushes need a topic that ends in .voip, found \
        "com.example.app"; write com.example.app.voip
            at /headers/apns-topic, byte 0
            fix: Append the suffix of the push type to the bundle ID.
        1 file checked: 1 error

        """),
    CheckCase(
      name: "what is known of the surroundings: a certificate, a channel that stores nothing",
      arguments: ["--apns-auth", "certificate", "--channel-storage", "0", "DIR/location.json", "DIR/broadcast.json"],
      status: 1,
      output: """
        DIR/location.json:1:30: error apns-certificate-forbidden: location pushes need token authentication; send with \
        a .p8 key, not a certificate
            at /headers/apns-push-type, byte 29
            fix: Send with a provider token (.p8 key) instead of the certificate.
        DIR/broadcast.json:1:108: error apns-broadcast-expiration: the channel stores nothing, so the expiration is 0, \
        found 60
            at /headers/apns-expiration, byte 107
            fix: Add apns-expiration; use 0 unless the channel stores the most recent message.
        2 files checked: 2 errors

        """),
    CheckCase(
      name: "what is not known is not judged", arguments: ["DIR/location.json", "DIR/broadcast.json"],
      output: "2 files checked: nothing to say\n"),
    CheckCase(
      name: "the other limit of topics", arguments: ["--fcm-topic-bytes", "4096", "DIR/topic.json"],
      output: "1 file checked: nothing to say\n"),
    CheckCase(
      name: "sizes as they are written", arguments: ["DIR/wide.json"], status: 1,
      output: """
        DIR/wide.json:1:1: error apns-payload-too-large: the payload has 4097 bytes, the limit is 4096; minified it has \
        22 and fits; shorten the text or send a reference, 1 byte must go
            at byte 0
            fix: Shorten the text (check --fit), or send a reference and let the app fetch the rest.
        1 file checked: 1 error

        """),
    CheckCase(
      name: "sizes as they are sent", arguments: ["--as-sent", "DIR/wide.json"],
      output: "1 file checked: nothing to say\n"),
    CheckCase(
      name: "a contract's own rule is switched and raised",
      arguments: [
        "--contract", "onesignal", "--platform", "android", "--rule", "onesignal-id-placeholder=off", "--rule",
        "onesignal-color=error", "-",
      ],
      input: #"{"contents":{"en":"x"},"android_accent_color":"red"}"#, status: 1,
      output: """
        standard input:1:47: error onesignal-color: expected eight hexadecimal digits, alpha first, such as FF3700B3
            at /android_accent_color, byte 46
        1 file checked: 1 error

        """),
    CheckCase(
      name: "an explanation of a contract's own rule", arguments: ["--explain", "onesignal-color"],
      output: """
        ### `onesignal-color`

        warning: a color is not eight hexadecimal digits.

        - Source: docs/contracts/onesignal.md

        """),
    CheckCase(
      name: "an explanation", arguments: ["--explain", "apns-payload-empty"],
      output: """
        ### `apns-payload-empty`

        error. The body is one JSON object, which may be empty. For a body that is something else Apple names no \
        reason, and the emulator answers as for no body.

        - Fix: Send a payload such as {"aps": {"alert": "Hi"}}; an update of a pass in Wallet has {}.
        - Example: `an empty body`
        - The provider answers: `PayloadEmpty`
        - Source: Apple, “Handling notification responses from APNs”

        """),
  ]

  static let machine = [
    CheckCase(
      name: "json", arguments: ["--format", "json", "DIR/push", "DIR/missing.json"], status: 3,
      output: #"{"files":4,"errors":1,"warnings":2,"notes":0,"findings":["#
        + #"{"file":"DIR/push/b.json","line":4,"column":14,"byte":45,"rule":"apns-field-type","severity":"warning","#
        + #""field":"aps.badge","message":"expected a whole number, found a string (\"3\"); iOS ignores it, so the "#
        + #"badge does not change","pointer":"/aps/badge","#
        + #""fix":"Write the value with the type the message names."},"#
        + #"{"file":"DIR/push/b.json","line":5,"column":13,"byte":62,"rule":"apns-unknown-key","severity":"warning","#
        + #""field":"aps.sond","message":"Apple documents no such member of aps; check the spelling, or move it to "#
        + #"the app's own data","pointer":"/aps/sond","fix":"Correct the spelling, or move the member beside aps, "#
        + #"where the app’s own data belongs."},"#
        + #"{"file":"DIR/push/sub/c.json","line":1,"column":40,"byte":39,"rule":"fcm-data-reserved","severity":"error","#
        + #""field":"message.data.from","message":"\"from\" is reserved by FCM; rename the key","#
        + #""pointer":"/message/data/from","fix":"Rename the key."}],"#
        + #""unreadable":[{"file":"DIR/missing.json","message":"cannot open DIR/missing.json: No such file or directory"}]}"#
        + "\n",
      errors: "postrider: check: cannot open DIR/missing.json: No such file or directory\n"),
    CheckCase(
      name: "what a vendor's library makes of it", arguments: ["--format", "json", "DIR/vendor"], status: 1,
      output: #"{"files":2,"errors":2,"warnings":0,"notes":0,"findings":["#
        + #"{"file":"DIR/vendor/adobe.json","line":1,"column":32,"byte":31,"rule":"adobe-key-missing","severity":"error","#
        + #""field":"message.data.adb_body","message":"the key is required for zb; the notification is not shown","#
        + #""pointer":"/message/data/adb_body"},"#
        + #"{"file":"DIR/vendor/rest.json","line":1,"column":1,"byte":0,"rule":"document-unrecognized","severity":"error","#
        + #""field":"","message":"this is not a payload or request: it is a request of OneSignal's REST interface; give it "#
        + #"to the contract onesignal","pointer":"","fix":"Do what the message says; otherwise say which kind it is, or "#
        + #"give the document the shape of one."}],"unreadable":[]}"# + "\n"),
    CheckCase(
      name: "sarif", arguments: ["--format", "sarif", "DIR/push/sub", "DIR/missing{1}.json"], status: 3,
      output:
        #"{"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json","#
        + #""version":"2.1.0","runs":[{"tool":{"driver":{"name":"postrider","version":"0.1.0","rules":["#
        + #"{"id":"fcm-data-reserved","shortDescription":{"text":"A data key is not from, not message_type, and does not begin with google. or gcm.notification. (A contract that writes data takes the wider wording: it refuses every name that begins with google or gcm.)"},"help":{"text":"Rename the key. Source: Google, discovery document fcm:v1, revision 20261023."},"#
        + #""defaultConfiguration":{"level":"error"}}]}},"columnKind":"unicodeCodePoints","invocations":["#
        + #"{"executionSuccessful":false,"toolExecutionNotifications":[{"level":"error","#
        + #""message":{"text":"cannot open DIR/missing{{1}}.json: No such file or directory"},"#
        + #""locations":[{"physicalLocation":{"artifactLocation":{"uri":"file://DIR/missing%7B1%7D.json"}}}]}]}],"#
        + #""results":[{"ruleId":"fcm-data-reserved","ruleIndex":0,"level":"error","#
        + #""message":{"text":"\"from\" is reserved by FCM; rename the key"},"locations":[{"physicalLocation":"#
        + #"{"artifactLocation":{"uri":"file://DIR/push/sub/c.json"},"region":{"startLine":1,"startColumn":40}},"#
        + #""logicalLocations":[{"fullyQualifiedName":"/message/data/from","kind":"property"}]}]}]}]}"# + "\n",
      errors: "postrider: check: cannot open DIR/missing{1}.json: No such file or directory\n"),
    CheckCase(
      name: "junit",
      arguments: [
        "--format", "junit", "--rule", "apns-field-type=error", "DIR/push/a.json", "DIR/escape.json", "DIR/empty.json",
      ],
      status: 3,
      output: """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="postrider check" tests="3" failures="1" errors="1">
          <testsuite name="postrider check" tests="3" failures="1" errors="1" skipped="0">
            <testcase classname="postrider.check" name="DIR/push/a.json"/>
            <testcase classname="postrider.check" name="DIR/escape.json">
              <failure message="expected a whole number, found a string \
        (&quot;\\u{202E}\\u{9B}31m&lt;&amp;&gt;&quot;); iOS ignores it, so the badge does not change" \
        type="apns-field-type">DIR/escape.json:1:17: error apns-field-type: expected a whole number, found a string \
        (&quot;\\u{202E}\\u{9B}31m&lt;&amp;&gt;&quot;); iOS ignores it, so the badge does not change
            at /aps/badge, byte 16
            fix: Write the value with the type the message names.
        </failure>
            </testcase>
            <testcase classname="postrider.check" name="DIR/empty.json">
              <error message="expected a value, found the end of the text at line 1, column 1 (byte 0)" \
        type="json-invalid">DIR/empty.json:1:1: error json-invalid: expected a value, found the end of the text at line \
        1, column 1 (byte 0)
            at byte 0
            fix: Correct the text at the byte the message names, or shorten what is too large.
        </error>
            </testcase>
          </testsuite>
        </testsuites>

        """),
  ]

  static let audiences = [
    CheckCase(
      name: "the worst case of a template",
      arguments: ["--template", "DIR/template.json", "--audience", "DIR/users.csv"],
      output: """
        ios: at most 31 of 4096 bytes, for u-2 (row 2); 0 of 3 messages too large
        {{name}} has no value for 1 recipient

        """),
    CheckCase(
      name: "nobody, and nothing to fill in",
      arguments: ["--template", "DIR/push/a.json", "--audience", "DIR/nobody.csv"],
      status: 3, output: "ios: at most 22 of 4096 bytes; 0 of 0 messages too large\n",
      errors: """
        postrider: check: DIR/push/a.json: there is no {{placeholder}} in it, so everyone gets the same
        postrider: check: DIR/nobody.csv: there are no recipients in it

        """),
    CheckCase(
      name: "two jobs at once",
      arguments: ["--fit", "--template", "DIR/template.json", "--audience", "DIR/users.csv"], status: 2,
      errors: """
        postrider: check: --fit is for one document; leave out --template
        postrider: see postrider check --help

        """),
    CheckCase(
      name: "a recipient whose message is too large",
      arguments: ["--template", "DIR/template.json", "--audience", "DIR/users.ndjson", "--format", "json"], status: 1,
      output: #"{"recipients":1,"worst":[{"platform":"ios","bytes":5023,"bytes_max":4096,"recipient":"u-9","row":1,"#
        + #""too_large":1}],"missing":[{"placeholder":"name","recipients":0}]}"# + "\n"),
    CheckCase(
      name: "an audience that cannot be read is named with its line",
      arguments: ["--template", "DIR/template.json", "--audience", "DIR/broken.ndjson"], status: 3,
      errors: "postrider: check: DIR/broken.ndjson: line 2: expected a JSON object; expected a member name in double "
        + "quotes or \"}\", found the end of the text at line 1, column 2 (byte 1)\n"),
    CheckCase(
      name: "an audience of another form",
      arguments: ["--template", "DIR/template.json", "--audience", "DIR/users.xls"],
      status: 2,
      errors: """
        postrider: check: --audience takes a file whose name ends in .csv or .ndjson, not “DIR/users.xls”
        postrider: see postrider check --help

        """),
  ]

  static let usage = [
    ("--rule", "apns-fild-type=off", "--rule: there is no rule “apns-fild-type”; did you mean apns-field-type?"),
    (
      "--rule", "apns-field-type=bad",
      "--rule: rule setting \"apns-field-type=bad\": expected off, note, warning or error after =, found \"bad\""
    ),
    ("--rule", "onesignal-colr=off", "--rule: there is no rule “onesignal-colr”; did you mean onesignal-color?"),
    (
      "--explain", "nothing-like-it",
      "--explain: there is no rule “nothing-like-it”; docs/rules.md lists them, and docs/contracts those of single "
        + "contracts"
    ),
    ("--push-type", "alrt", "--push-type: no push type “alrt”; did you mean alert?"),
    ("--topic", "com.example.app", "--topic needs --push-type, which decides what the topic may be, or --contract"),
    ("--format", "xml", "--format takes one of text, json, sarif, junit, not “xml”"),
  ].map { option, value, error in
    CheckCase(
      name: "\(option) \(value)", arguments: [option, value, "DIR/push/a.json"], status: 2,
      errors: "postrider: check: \(error)\npostrider: see postrider check --help\n")
  }

  @Test("whole output, whole errors, exit status", arguments: text + machine + audiences + usage)
  func runs(_ row: CheckCase) throws {
    let folder = try Self.folder()
    let arguments = ["check"] + row.arguments.map { $0.replacing("DIR", with: folder.path) }
    let result = try Subprocess.run(Postrider.path, arguments, input: Array(row.input.utf8))
    #expect(result.outputText.replacing(folder.path, with: "DIR") == row.output)
    #expect(result.errorText.replacing(folder.path, with: "DIR") == row.errors)
    #expect(result.status == row.status)
  }

  static let body = String(repeating: "👨‍👩‍👧 word ", count: 300)

  @Test(
    "a text is shortened to the limit, or the document is left alone and refused",
    arguments: [
      (#"{"aps":{"alert":{"title":"Hi","body":"\#(body)"}}}"#, 0, "check: shortened aps.alert.body from 7200 to "),
      (
        #"{"aps":{"alert":"Hi"},"x":"\#(body)"}"#, 1,
        "check: its texts cannot be shortened enough: 7229 of 4096 bytes; make the data smaller\n"
      ),
    ])
  func fits(_ document: String, _ status: Int32, _ said: String) throws {
    let result = try Postrider.run("check", "--fit", "-", input: document)
    #expect(result.status == status)
    #expect(result.errorText.hasPrefix("postrider: \(said)"))
    #expect(status == 0 ? result.output.count <= 4097 : result.outputText == document + "\n")
    let again = try Subprocess.run(Postrider.path, ["check", "--push-type", "alert", "-"], input: result.output)
    #expect(again.status == status)
  }

  @Test(
    "severities are colored on a terminal, and nowhere else",
    arguments: [
      ("NO_COLOR= script -qefc 'COMMAND' /dev/null", true),
      ("NO_COLOR=1 script -qefc 'COMMAND' /dev/null", false),
      ("NO_COLOR= script -qefc 'COMMAND | cat' /dev/null", false), ("COMMAND", false),
    ])
  func colors(shell: String, isColored: Bool) throws {
    let folder = try Self.folder()
    let command = "\(Postrider.path) check \(folder.path)/push"
    let shown = try Subprocess.run("sh", ["-c", shell.replacing("COMMAND", with: command)], seconds: 60).outputText
    #expect(shown.contains("\u{1B}[1;31merror\u{1B}[0m fcm-data-reserved: ") == isColored, "\(shown)")
    #expect(shown.contains("\u{1B}[1;33mwarning\u{1B}[0m apns-unknown-key: ") == isColored)
    #expect(shown.contains("\u{1B}") == isColored && shown.contains("3 files checked: 1 error, 2 warnings"))
  }

  private static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in ["push", "push/sub", "none", "vendor"] { _ = mkdir("\(folder.path)/\(name)", 0o755) }
    for (path, content) in files { try Files.write(content, to: "\(folder.path)/\(path)") }
    return folder
  }
}
