internal import Basics

/// Where traces are sent, and which requests are traced.
public struct TracingSetting: Sendable {
  /// The address that spans are posted to.
  public let url: String
  /// Header fields of each request, such as a key of the collector; never logged.
  public let headers: [(name: String, value: String)]
  /// The share of sends without a `traceparent` of their caller that is traced, 0 to 1.
  public let rate: Double
  /// A PEM file with the authorities that may vouch for the collector; nil means the system's.
  public let authorities: String?
  /// What names this server to the collector.
  public let resource: [(name: String, value: String)]
}

/// Why a setting of tracing cannot be used; it repeats no value of a header.
public struct TracingSettingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was expected where, and what to do.
  public let description: String
}

extension TracingSetting {
  /// What the standard variables of OpenTelemetry are called.
  public enum Variable: String, Sendable, CaseIterable {
    case endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
    case tracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
    case headers = "OTEL_EXPORTER_OTLP_HEADERS"
    case tracesHeaders = "OTEL_EXPORTER_OTLP_TRACES_HEADERS"
    case certificate = "OTEL_EXPORTER_OTLP_CERTIFICATE"
    case protocolName = "OTEL_EXPORTER_OTLP_PROTOCOL"
    case serviceName = "OTEL_SERVICE_NAME"
    case resource = "OTEL_RESOURCE_ATTRIBUTES"
    case rate = "OTEL_TRACES_SAMPLER_ARG"
  }

  /// Header fields, and attributes of the resource, at most.
  private static let pairsMax = 32
  private static let urlBytesMax = 2_048

  /// The setting that options and environment make together; nil when neither names a collector.
  ///
  /// - Parameters:
  ///   - base: the collector's address as an option gives it; `/v1/traces` is added, as to `OTEL_EXPORTER_OTLP_ENDPOINT`.
  ///   - rate: the share as an option gives it.
  ///   - environment: reads a variable.
  public init?(
    base: String?, rate: String?, environment: (Variable) -> String?
  ) throws(TracingSettingError) {
    // All in any case: what is secret leaves the environment when it is read.
    var values: [Variable: String] = [:]
    for variable in Variable.allCases {
      if let value = environment(variable), !value.isEmpty { values[variable] = value }
    }
    let fields = values[.tracesHeaders].map { (Variable.tracesHeaders, $0) } ?? values[.headers].map { (.headers, $0) }
    guard let url = try Self.address(base: base, values) else {
      guard rate == nil else {
        throw TracingSettingError(
          description: "--trace-rate without --otlp: name the collector that the traces are sent to")
      }
      return nil
    }
    if let name = values[.protocolName], name == "grpc" {
      throw TracingSettingError(
        description: "\(Variable.protocolName.rawValue): spans are sent by OTLP over HTTP, not gRPC; name the"
          + " collector's port for HTTP, usually 4318, and set http/json or nothing")
    }
    self.url = url
    headers = try fields.map { (field) throws(TracingSettingError) in try Self.pairs(field.1, field.0) } ?? []
    self.rate = try Self.share(rate ?? values[.rate], rate == nil ? Variable.rate.rawValue : "--trace-rate")
    authorities = values[.certificate]
    var resource =
      try values[.resource].map { (text) throws(TracingSettingError) in try Self.pairs(text, .resource) } ?? []
    resource.removeAll { $0.name == "service.name" && values[.serviceName] != nil }
    if !resource.contains(where: { $0.name == "service.name" }) {
      resource.insert(("service.name", values[.serviceName] ?? "postrider"), at: 0)
    }
    self.resource = resource
  }

  private static func address(base: String?, _ values: [Variable: String]) throws(TracingSettingError) -> String? {
    let (text, name, isWhole): (String, String, Bool)
    if let base {
      (text, name, isWhole) = (base, "--otlp", false)
    } else if let whole = values[.tracesEndpoint] {
      (text, name, isWhole) = (whole, Variable.tracesEndpoint.rawValue, true)
    } else if let base = values[.endpoint] {
      (text, name, isWhole) = (base, Variable.endpoint.rawValue, false)
    } else {
      return nil
    }
    let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    let bytes = text.utf8
    guard parts.count == 2, parts[0] == "http" || parts[0] == "https", !parts[1].isEmpty, parts[1].first != "/",
      bytes.count <= urlBytesMax, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      !text.contains(where: { "@?#".contains($0) })
    else {
      throw TracingSettingError(
        description: "\(name): expected the collector's address, such as http://127.0.0.1:4318 or"
          + " https://otel.example.com, without user, query and fragment; keys go into \(Variable.headers.rawValue)")
    }
    guard !isWhole else { return text }
    return (text.last == "/" ? String(text.dropLast()) : text) + "/v1/traces"
  }

  private static func share(_ text: String?, _ name: String) throws(TracingSettingError) -> Double {
    guard let text else { return 1 }
    guard let share = Double(text), (0...1).contains(share) else {
      throw TracingSettingError(
        description: "\(name) takes a number from 0 to 1, such as 0.01 for one send of a hundred")
    }
    return share
  }

  /// Reads `name=value,name=value` with percent-encoded values, as OpenTelemetry writes headers and attributes.
  private static func pairs(
    _ text: String, _ variable: Variable
  ) throws(TracingSettingError) -> [(name: String, value: String)] {
    let parts = text.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
    guard parts.count <= pairsMax else {
      throw TracingSettingError(description: "\(variable.rawValue) has more than \(pairsMax) pairs; leave some out")
    }
    return try parts.enumerated().map { (index, part) throws(TracingSettingError) in
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
      guard sides.count == 2, isToken(sides[0]), let value = PercentEncoding.decode(sides[1]),
        value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
      else {
        throw TracingSettingError(
          description: "\(variable.rawValue), pair \(index + 1): expected name=value, with characters such as commas"
            + " percent-encoded in the value")
      }
      return (String(sides[0]), String(decoding: value, as: UTF8.self))
    }
  }

  private static func isToken(_ name: Substring) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}

extension Substring {
  /// Without spaces at both ends.
  fileprivate var trimmed: Substring {
    var text = drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }
}
