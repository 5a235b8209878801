import TestSupport
import Testing
import WireJSON

/// `parse`, `check` and `preview` say the same of a document that is given without a contract.
@Suite("parse, check and preview")
struct RawDocumentTests {
  /// A document, how it is looked at, and what the commands say.
  struct Row: Sendable, CustomTestStringConvertible {
    let options: String
    let document: String
    /// The errors and warnings that each command reports; in `parse` a request that a provider refuses is a warning.
    let said: [String]

    init(_ options: String, _ document: String, _ said: String...) {
      self.options = options
      self.document = document
      self.said = said
    }

    var testDescription: String { "\(options) \(document.prefix(100))" }
  }

  private static let legacy = #"{"to":"t","priority":"high","data":{"k":"v"}}"#
  private static let expo = #"{"to":"ExponentPushToken[x]","title":"T","data":{"k":"v"}}"#
  private static let multicast = #"{"tokens":["a","b"],"notification":{"title":"T"}}"#
  private static let envelope = #"{"app_id":"a","contents":{"en":"Hi"},"data":{"k":1},"included_segments":["All"]}"#

  static let rows = [
    // What an Android app is handed.
    Row("--platform android", #"{"gcm.n.e":"1","gcm.n.title":"Hi","google.sent_time":1763600000000}"#),
    Row("--platform android", #"{"k":"v"}"#),
    Row("--platform android", #"{"message":"Hi","title":"T"}"#),
    Row("--platform android", #"{"google.message_id":"1"}"#, "error device-shows-nothing"),
    Row("--platform android", #"{"custom":"{\"i\":\"n\"}","alert":"Hi"}"#),
    Row("--platform android", #"{"custom":"{\"i\":\"n\"}","alert":""}"#, "error device-shows-nothing"),
    Row("--platform android", #"{"data":{"k":"v"},"messageId":"m","from":"1","ttl":60}"#),
    Row("--platform android", legacy, "error fcm-legacy-request"),
    Row("--platform android", #"{"registration_ids":["t"],"notification":{"title":"T"}}"#, "error fcm-legacy-request"),
    // A value that is no string is named, and reaches the app as text.
    Row("--platform android", #"{"from":"1","k":{"a":1}}"#), Row("--platform android", #"{"k":7,"a":"b"}"#),
    Row("--platform android", #"{"data":{"k":7},"messageId":"m"}"#),
    Row("", #"{"from":"1","k":{"a":1}}"#), Row("", #"{"google.sent_time":5,"k":[]}"#),
    // An FCM message without the request around it.
    Row("--platform android", #"{"token":"t","notification":{"title":"T"}}"#, "error fcm-message-missing"),
    Row("--platform android", #"{"topic":"t","data":{"k":"v"}}"#, "error fcm-message-missing"),
    Row("--platform android", #"{"validate_only":false}"#, "error fcm-message-missing"),
    Row("", #"{"validateOnly":true}"#, "error fcm-message-missing"),
    // A request to APNs without one of its objects, and a payload with members of their names.
    Row("", #"{"headers":{"apns-topic":"t"},"payload":null}"#, "error document-unrecognized"),
    Row("--platform ios", #"{"payload":{"aps":{"alert":"Hi"}}}"#, "error document-unrecognized"),
    Row("", #"{"aps":{"alert":"Hi"},"headers":{"apns-push-type":"foo"},"payload":{"aps":{}}}"#),
    Row(
      "--platform android", #"{"token":"t","apns":{"payload":{"aps":{"alert":"Hi"}}}}"#, "error fcm-message-missing"),
    Row("--platform android", #"{"notification":{"title":"T"},"data":{"k":"v"}}"#),
    Row("", #"{"token":"t","notification":{"title":"T"}}"#, "error document-unrecognized"),
    Row("", #"{"topic":"t","data":{"k":"v"}}"#, "error document-unrecognized"),
    Row("", #"{"token":"t","apns":{"payload":{"aps":{"alert":"Hi"}}}}"#, "error document-unrecognized"),
    Row("", #"{"data":{"k":"v"},"android":{"priority":"high"}}"#, "error document-unrecognized"),
    Row("", #"{"data":{"k":"v"}}"#), Row("", #"{"notification":{"title":"T"},"messageId":"m"}"#),
    Row("", #"{"notification":{"title":"T"},"data":{"k":"v"}}"#, "error document-unrecognized"),
    // A request without a target, which FCM refuses, and of which the device decides what is shown.
    Row("", #"{"message":{"notification":{"title":"T"}}}"#, "error fcm-target-missing"),
    Row("--platform android", #"{"message":{"data":{"k":"v"}}}"#, "error fcm-target-missing"),
    Row("", #"{"message":{"token":"","notification":{"title":"T"}}}"#, "error fcm-target-missing"),
    // Data for Android beside a part for Apple devices is a message to FCM, whatever is named.
    Row("", #"{"data":{"k":"v"},"apns":{"payload":{"aps":{"alert":"Hi"}}}}"#, "error document-unrecognized"),
    Row("--platform ios", #"{"data":{"k":"v"},"apns":{"payload":{}}}"#, "error document-unrecognized"),
    Row(
      "--platform android", #"{"token":"t","data":{"k":"v"},"apns":{"payload":{"aps":{"badge":1}}}}"#,
      "error fcm-message-missing"),
    Row("", #"{"apns":{"payload":{"aps":{"alert":"Hi"}}}}"#, "error document-unrecognized"),
    Row("--platform android", #"{"apns":{"headers":{},"payload":{}},"report":[]}"#, "error document-unrecognized"),
    Row("--platform ios", #"{"fcm":{"message":{"token":"t","data":{"k":"v"}}}}"#, "error document-unrecognized"),
    // A request that FCM does not take.
    Row("", #"{"message":[]}"#, "error device-shows-nothing"),
    Row("--platform android", #"{"message":[]}"#, "error device-shows-nothing"),
    Row("--platform android", #"{"message":null}"#, "error device-shows-nothing"),
    // Android's own empty title is none.
    Row("", #"{"message":{"token":"t","notification":{"title":"T"},"android":{"notification":{"title":""}}}}"#),
    // Without a platform.
    Row("", #"{"gcm.n.e":"1","gcm.n.title":"Hi"}"#), Row("", #"{"custom":"{\"i\":\"n\"}","alert":"Hi"}"#),
    Row("", #"{"aps":{"alert":"Hi"}}"#), Row("", #"{"mdm":"M"}"#),
    Row("", #"{"aps":{}}"#, "error device-shows-nothing"),
    Row("", #"{"message":{"token":"t","data":{"k":"v"}}}"#),
    // Documents given by mistake, with a platform and without.
    Row("", legacy, "error document-unrecognized"),
    Row("", envelope, "error document-unrecognized"),
    Row("--platform android", envelope, "error document-unrecognized"),
    Row("--platform ios", envelope, "error document-unrecognized"),
    Row("", #"{"requestObject":{"appId":"a","message":{"body":{"title":"T"}}}}"#, "error document-unrecognized"),
    Row("", #"{"title":"T","body":"B","data":{"k":1}}"#, "error document-unrecognized"),
    Row("", #"{"title":"T","body":"B"}"#, "error document-unrecognized"),
    Row("", #"{"adb_title":"T","adb_body":"B","adb_sticky":true}"#, "error document-unrecognized"),
    Row("", #"{"type":"t","alert":{"loc-key":"K"}}"#, "error document-unrecognized"),
    Row("--platform ios", #"{"type":"t","alert":{"loc-key":"K"}}"#, "error document-unrecognized"),
    Row("--platform android", #"{"silent":true,"extras":{"k":"v"}}"#, "error document-unrecognized"),
    Row("--platform ios", #"{"silent":true,"extras":{"k":"v"}}"#, "error document-unrecognized"),
    Row("", #"{"fcm":{"notification":{"title":"T"}}}"#, "error document-unrecognized"),
    Row("--platform android", #"{"fcm":{"notification":{"title":"T"}}}"#, "error document-unrecognized"),
    Row("--platform ios", #"{"fcm":{"notification":{"title":"T"}}}"#, "error document-unrecognized"),
    // Requests of other services, with a platform and without.
    Row("", expo, "error document-unrecognized"), Row("--platform android", expo, "error document-unrecognized"),
    Row("--platform ios", expo, "error document-unrecognized"),
    Row("", multicast, "error document-unrecognized"),
    Row("--platform android", multicast, "error document-unrecognized"),
    Row("", #"{"default":"Hi","GCM":"{}"}"#, "error document-unrecognized"),
    Row("--platform android", #"{"default":"Hi","GCM":"{}"}"#, "error document-unrecognized"),
    Row("--platform android", #"{"where":{},"data":{"alert":"Hi"}}"#, "error document-unrecognized"),
    Row("", #"{"where":{},"data":{"alert":"Hi"}}"#, "error document-unrecognized"),
    Row("--platform android", #"{"condition":"c","data":{"k":"v"},"priority":"high"}"#, "error fcm-legacy-request"),
    Row("", #"{"condition":"c","data":{"k":"v"},"priority":"high"}"#, "error document-unrecognized"),
    // Nothing says whether it is a request to FCM or the data of an app.
    Row("", #"{"message":"x"}"#, "error document-unrecognized"),
    Row("--platform android", #"{"message":"x"}"#),
    // A push type says what a payload is.
    Row("--push-type voip", #"{"caller":"Ann"}"#),
    Row("--push-type voip", #"{"aps":{}}"#),
    Row("--push-type voip", #"{"title":"T","body":"B"}"#),
    Row("--push-type alert", #"{"aps":{}}"#, "error device-shows-nothing"),
    Row("--push-type background", #"{"aps":{"content-available":1}}"#),
    Row("--push-type background", #"{"aps":{}}"#, "error device-shows-nothing"),
    Row("--push-type liveactivity", #"{"k":1}"#, "error device-shows-nothing"),
    Row("--push-type liveactivity", #"{"aps":{"event":"end","timestamp":1}}"#),
    Row("--push-type mdm", #"{"mdm":"M"}"#), Row("--push-type fileprovider", #"{"container-identifier":"c"}"#),
    Row("--push-type widgets", #"{"aps":{"content-changed":true}}"#),
    Row("--push-type widgets", #"{"aps":{}}"#, "error device-shows-nothing"),
  ]

  /// What FCM refuses whatever is in it, and `parse` reads with a warning.
  private static let refusals = ["fcm-legacy-request", "fcm-message-missing"]

  /// The errors of a command, by one name: what the providers' rules say of a payload that does nothing has others.
  private static func errors(_ command: String, _ row: Row) throws -> (status: Int32, errors: [String], text: String) {
    var arguments = [command] + row.options.split(separator: " ").map(String.init)
    if command == "check" { arguments += ["--format", "json"] }
    let result = try Subprocess.run(Postrider.path, arguments, input: Array(row.document.utf8))
    let json = try JSON.parse(result.output)
    var findings = (json["report"] ?? json["findings"])?.array ?? []
    for preview in json["previews"]?.array ?? [] { findings += preview["report"]?.array ?? [] }
    var errors: [String] = []
    for finding in findings {
      let rule = finding["rule"]?.string ?? ""
      if finding["severity"]?.string == "error" || refusals.contains(rule) { errors.append(rule) }
    }
    return (result.status, errors, result.outputText + result.errorText)
  }

  @Test("one document, one answer", arguments: rows)
  func agree(_ row: Row) throws {
    let expected = row.said.map { String($0.split(separator: " ")[1]) }
    for command in ["parse", "check", "preview"] {
      let (status, errors, text) = try Self.errors(command, row)
      // A provider's refusal is no matter of the device, which is what `parse` reports; a target is none of the picture.
      let isTargetless = expected == ["fcm-target-missing"]
      let isRead = command == "parse" && expected.allSatisfy(Self.refusals.contains)
      if isTargetless && command != "check" {
        #expect(status == 0 && errors.isEmpty, "\(command): \(text)")
        #expect((command == "preview") == text.contains("fcm-target-missing"), "\(command): \(text)")
        continue
      }
      #expect(status == (expected.isEmpty || isRead ? 0 : 1), "\(command): \(text)")
      if expected == ["device-shows-nothing"] {
        #expect(!errors.isEmpty, "\(command): \(text)")
      } else {
        #expect(errors == expected, "\(command): \(text)")
      }
    }
  }

  @Test("what is no payload is said once, and nothing else of it", arguments: ["ios", "android"])
  func unrecognized(_ platform: String) throws {
    for document in [#"{"title":"T","data":{"k":1}}"#, #"{"type":"t","alert":{"loc-key":"K"}}"#, Self.envelope] {
      for command in ["parse", "check", "preview"] {
        var arguments = [command, "--platform", platform]
        if command == "check" { arguments += ["--format", "json"] }
        let result = try Subprocess.run(Postrider.path, arguments, input: Array(document.utf8))
        let json = try JSON.parse(result.output)
        var findings = (json["report"] ?? json["findings"])?.array ?? []
        for preview in json["previews"]?.array ?? [] { findings += preview["report"]?.array ?? [] }
        let worse = findings.filter { $0["severity"]?.string != "note" }.compactMap { $0["rule"]?.string }
        #expect(worse == ["document-unrecognized"], "\(command): \(result.outputText)")
      }
    }
  }

  @Test("what only a client hands over is recognized without a platform", arguments: ["check", "preview"])
  func received(_ command: String) throws {
    for document in [#"{"gcm.n.e":"1","gcm.n.title":"Hi"}"#, #"{"custom":"{\"i\":\"n\"}","alert":"Hi"}"#] {
      let result = try Subprocess.run(Postrider.path, [command], input: Array(document.utf8))
      #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
    }
  }

  @Test("what only a client hands over is a payload beside a contract", arguments: ["gcm.n.e", "gcm.notification.e"])
  func receivedWithContract(_ mark: String) throws {
    let document = #"{"\#(mark)":"1","gcm.n.title":"Hi"}"#
    let result = try Subprocess.run(
      Postrider.path, ["preview", "--contract", "native", "--platform", "android"], input: Array(document.utf8))
    #expect(
      result.status == 0 && result.outputText.contains(#""text":"Hi""#), "\(result.outputText)\(result.errorText)")
  }

  @Test("a file over the size limit is too large, whatever is in it", arguments: ["parse", "check", "preview"])
  func tooLarge(_ command: String) throws {
    let text = #"{"aps":{"alert":""# + String(repeating: "x", count: 16 * 1024 * 1024) + #""}}"#
    let result = try Subprocess.run(Postrider.path, [command], input: Array(text.utf8))
    let said = result.outputText + result.errorText
    #expect(result.status != 0 && said.contains("too large") && !said.contains("not JSON"), "\(said.prefix(500))")
    // The limit is not where the fault is.
    #expect(!said.contains("16777216:") && !said.contains("byte 16777216"), "\(said.prefix(500))")
  }

  @Test("a push type is one of APNs", arguments: ["parse", "check", "preview"])
  func pushType(_ command: String) throws {
    for (arguments, said) in [
      (["--push-type", "voyp"], "no push type “voyp”; did you mean voip?"),
      (["--push-type", "voip", "--platform", "android"], "--push-type is for APNs payloads"),
    ] {
      let result = try Subprocess.run(Postrider.path, [command] + arguments, input: Array("{}".utf8))
      #expect(result.status == 2 && result.errorText.contains(said), "\(result.errorText)")
    }
  }

  @Test("an option that the contract does not have is refused", arguments: ["render", "check", "preview"])
  func unknownOption(_ command: String) throws {
    for (contract, option, said) in [
      ("powerauth", "fcm-tll=60", "powerauth has no option fcm-tll=60; did you mean fcm-ttl?; its options are "),
      ("amba", "nulls", "amba has no option nulls; it has none; leave the option out"),
    ] {
      let arguments = [command, "--contract", contract, "--option", option]
      let result = try Subprocess.run(Postrider.path, arguments, input: Array(#"{"title":"T","body":"B"}"#.utf8))
      #expect(result.status == 1, "\(result.outputText)\(result.errorText)")
      #expect((result.outputText + result.errorText).contains(said), "\(result.outputText)\(result.errorText)")
    }
  }
}
