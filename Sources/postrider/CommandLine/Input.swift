import Glibc
import PushContracts
import PushCore
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

  /// What the content of a file is called in an error.
  static func name(_ path: String?) -> String { path.map { $0 == "-" ? "standard input" : $0 } ?? "standard input" }

  /// A JSON error with the name of the file in front, in the form editors understand.
  static func explain(_ error: JSONError, in path: String?) -> String {
    let name = name(path)
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
  static let connection =
    [
      Option(name: "--ca", value: "FILE", help: "The certificate authority that vouches for the gateway, PEM.")
    ] + Egress.options + [
      Option(
        name: "--timeout", value: "SECONDS",
        help: "How long to wait for a connection and for an answer, 1 to 600; 30 unless given.")
    ]
}

extension Arguments: OptionSource {
  /// The options whose values are one text each time they are given, under the name that a list of them has.
  private static let lists = ["options": "--option", "rules": "--rule", "locales": "--locale"]

  func spelled(_ name: String) -> String {
    Self.lists[name] ?? "--" + name.split(separator: "_").joined(separator: "-")
  }

  func text(_ name: String) -> String? { value(spelled(name)) }

  func texts(_ name: String) -> [String] { all(spelled(name)) }

  func isOn(_ name: String) -> Bool { has(spelled(name)) }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(CoreError) -> Int? {
    guard text(name) != nil else { return nil }
    let option = spelled(name)
    do throws(Exit) { return try integer(option, in: range, default: 0) } catch {
      throw .usage(error.message, option: option, fix: "give a number from \(range.lowerBound) to \(range.upperBound)")
    }
  }

  /// The time that `--now` gives, or the clock's; nil for `--now none`.
  func now() throws(CoreError) -> Int64? {
    if value("--now") == "none" { return nil }
    return try integer("now", in: 0...253_402_300_799).map { Int64($0) } ?? WallClock.seconds
  }
}

extension Exit {
  /// Runs a part of the core, whose errors end the program.
  static func reporting<Value>(_ body: () throws(CoreError) -> Value) throws(Exit) -> Value {
    do throws(CoreError) { return try body() } catch {
      switch error.kind {
      case .usage: throw .usage(error.what)
      case .unreadable: throw .unreadable(error.what)
      case .unknown: throw Exit(status: .invalid, message: error.what)
      }
    }
  }
}
