import PushContracts
import PushPayload
import TestSupport
import Testing
import WireJSON

/// One file of the public corpus in `Vectors/`; its README describes the form.
struct Vector: Sendable, CustomTestStringConvertible {
  let path: String
  let json: JSONValue

  var testDescription: String { path }

  static let folder = Files.packageRoot + "/Vectors"

  /// Every vector of every contract; other folders of the corpus have runners of their own.
  static let all: [Vector] = {
    var vectors: [Vector] = []
    for contract in Contracts.names.map(\.rawValue) {
      for name in (try? Files.list("\(folder)/\(contract)")) ?? [] where name.hasSuffix(".json") {
        let path = "\(contract)/\(name)"
        guard let bytes = try? Files.read("\(folder)/\(path)") else { continue }
        vectors.append(Vector(path: path, json: (try? JSON.parse(bytes)) ?? .null))
      }
    }
    return vectors
  }()

  /// What this library makes of the vector, in the form of its `expect` member.
  func actual() -> JSONValue? {
    if json["raw"] != nil || json["raw_text"] != nil { return reading() }
    return writing()
  }

  private func writing() -> JSONValue? {
    guard let message = json["message"], let contract = json["contract"]?.string else { return nil }
    let platforms = json["platform"]?.string.flatMap { Platform(rawValue: $0) }.map { [$0] } ?? Platform.allCases
    let rendering = Contracts.render(
      ContractName(rawValue: contract), message: message, context: context, platforms: platforms)
    guard let (json, repeated) = try? JSON.parseReporting(rendering.json), var object = json.object else { return nil }
    guard repeated.isEmpty else { return .string("names that stand twice: \(repeated.map(\.pointer))") }
    object["report"] = Vector.withoutMessages(object["report"])
    return .object(object)
  }

  private func reading() -> JSONValue? {
    guard let platform = json["platform"]?.string.flatMap({ Platform(rawValue: $0) }) else { return nil }
    let contract = json["contract"]?.string.map { ContractName(rawValue: $0) }
    let raw = json["raw_text"]?.string.map { Array($0.utf8) } ?? json["raw"].map { JSON.minified($0) }
    guard let raw, let parsed = try? Contracts.parse(platform: platform, raw: raw, contract: contract, state: state),
      var object = parsed.json.object
    else { return nil }
    object.removeValue(forKey: "reason")
    object["report"] = Vector.withoutMessages(object["report"])
    return .object(object)
  }

  private var state: DeviceState? { json["context"]?["badge"]?.int.map { DeviceState(badge: $0) } }

  private var context: WriteContext {
    let json = json["context"]
    var context = WriteContext(topic: json?["topic"]?.string, campaign: json?["campaign"]?.string)
    // `topic` is the APNs topic here; an FCM topic is named `fcm_topic`.
    for key in FCMTarget.keys where key != "topic" {
      if let target = json?[key]?.string.flatMap({ FCMTarget(key: key, value: $0) }) { context.target = target }
    }
    if let topic = json?["fcm_topic"]?.string { context.target = .topic(topic) }
    context.apnsID = json?["apns_id"]?.string.flatMap { APNsID($0) }
    context.now = json?["now"]?.int.map { Int64($0) }
    context.language = json?["language"]?.string
    context.options = json?["options"]?.array?.compactMap(\.string) ?? []
    return context
  }

  /// The sentences are for people and may get better; rule, severity and field are the contract.
  static func withoutMessages(_ report: JSONValue?) -> JSONValue {
    .array(
      (report?.array ?? []).map { finding in
        var object = finding.object ?? [:]
        object.removeValue(forKey: "message")
        return .object(object)
      })
  }
}
