import Glibc
import PushContracts
import PushPayload
import System
import WireJSON

/// What commands read: JSON from a file or from standard input.
enum Input {
  /// The bytes of a file, or of standard input for `-` and nil.
  static func bytes(_ path: String?) throws(Exit) -> [UInt8] { try Terminal.read(path) }

  /// A JSON document and its duplicate names; what is wrong with it is said with file, line and column.
  static func reportingJSON(_ path: String?) throws(Exit) -> (value: JSONValue, duplicates: [JSONDuplicate]) {
    let content = try Terminal.read(path)
    do throws(JSONError) { return try JSON.parseReporting(content) } catch {
      throw .unreadable(explain(error, in: path))
    }
  }

  /// A JSON document, whose duplicate keys are reported.
  static func json(_ path: String?, report: inout Report) throws(Exit) -> JSONValue {
    let (value, duplicates) = try reportingJSON(path)
    for duplicate in duplicates { report.add(duplicate) }
    return value
  }

  /// A JSON error with the name of the file in front, in the form editors understand.
  static func explain(_ error: JSONError, in path: String?) -> String {
    let name = path.map { $0 == "-" ? "standard input" : $0 } ?? "standard input"
    return error.isTooLarge ? "\(name): \(error)" : "\(name):\(error.line):\(error.column): not JSON: \(error)"
  }
}

/// The wall clock.
enum WallClock {
  /// Seconds since 1970-01-01 UTC.
  static var seconds: Int64 { SystemClock.wallSeconds() }
}

extension Option {
  /// `--contract NAME`.
  static let contract = Option(
    name: "--contract", value: "NAME", help: "The payload contract.", choices: Contracts.names.map(\.rawValue))
  /// `--format FORMAT`.
  static let format = Option(
    name: "--format", value: "FORMAT", help: "How to print; json unless given.", choices: ["json", "text"])
  /// `--option NAME`.
  static let contractOption = Option(
    name: "--option", value: "NAME", help: "Switches on an option of the contract.", repeats: true)
  /// `--platform PLATFORM`.
  static let platform = Option(
    name: "--platform", value: "PLATFORM", help: "One platform only; absent, both.",
    choices: Platform.allCases.map(\.rawValue))
  /// How a gateway is reached.
  static let connection = [
    Option(name: "--ca", value: "FILE", help: "The certificate authority that vouches for the gateway, PEM."),
    Option(name: "--proxy", value: "HOST:PORT", help: "An HTTP proxy on the way, asked with CONNECT."),
    Option(
      name: "--timeout", value: "SECONDS",
      help: "How long to wait for a connection and for an answer, 1 to 600; 30 unless given."),
  ]
}

extension Arguments {
  /// The platform that was asked for.
  func platform() -> Platform? { value("--platform").flatMap(Platform.init(rawValue:)) }

  /// The push type that was given; a usage error for one that Apple does not document, and for a payload for Android.
  func pushType() throws(Exit) -> APNsPushType? {
    guard let type = value("--push-type").map(APNsPushType.init(rawValue:)) else { return nil }
    guard APNsPushType.known.contains(type) else {
      let known = APNsPushType.known.map(\.rawValue)
      let hint = Nearest.match(type.rawValue, among: known).map { "did you mean \($0)?" }
      throw .usage(
        "--push-type: no push type “\(type.rawValue)”; " + (hint ?? "there are \(known.joined(separator: ", "))"))
    }
    guard platform() != .android else {
      throw .usage("--push-type is for APNs payloads; leave out --platform android")
    }
    return type
  }

  /// The contract that was asked for.
  func contract(required: Bool) throws(Exit) -> ContractName? {
    if required { return ContractName(rawValue: try self.required("--contract")) }
    return value("--contract").map(ContractName.init(rawValue:))
  }
}
