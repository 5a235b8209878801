internal import GatewayPool
internal import HTTP2
internal import PushPayload
internal import TLS
internal import WireJSON

/// A gateway that a credential names instead of the provider's own: an emulator, a test server, a relay.
///
/// It is the only way to make the server connect to loopback or private addresses for sending.
struct GatewaySetting: Sendable, Hashable {
  let host: String
  let port: UInt16
  /// The trusted certificate authorities, PEM; nil means the system's.
  let authority: String?

  static let schema = Schema.object(
    [
      .required("host", .string("A name or address; loopback and private addresses are allowed here.", max: 253)),
      .required("port", .integer(1...65_535, "The TLS port.")),
      .optional(
        "ca", .string("The certificate authorities that may vouch for it, PEM; the system's by default.", max: 65_536)),
    ], "A gateway instead of the provider's own, for an emulator or a relay.")

  /// What is shown of it.
  static let shown = Schema.object(
    [
      .required("host", .string("A name or address.", max: 253)),
      .required("port", .integer(1...65_535, "The TLS port.")),
      .required("ca", .boolean("Whether it has certificate authorities of its own.")),
    ], "A gateway instead of the provider's own.")

  /// Reads the member `gateway`, whose shape was checked before; nil when there is none, or when it is wrong, which the
  /// report then says.
  init?(_ json: JSONValue?, at field: FieldPath, report: inout Report) {
    guard let json, let host = json["host"]?.string, let port = json["port"]?.int else { return nil }
    guard GatewaySetting.isHost(host) else {
      report.add(
        rule: "credential-gateway", severity: .error, field: field.member("host"),
        message: "expected a host name or an IP address, without scheme, port and path")
      return nil
    }
    self.host = host
    self.port = UInt16(clamping: port)
    authority = json["ca"]?.string
  }

  /// Whether a text consists of what names and addresses are made of; `%` names the interface of a link-local address.
  private static func isHost(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: ":"), UInt8(ascii: "%"):
          true
        default: false
        }
      }
  }

  var trust: TLSTrust { authority.map { .pem(Array($0.utf8)) } ?? .system }

  /// What is shown of it.
  var summary: JSONValue { ["host": .string(host), "port": .number(JSONNumber(port)), "ca": .bool(authority != nil)] }
}
