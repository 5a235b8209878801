internal import HTTPServer
internal import Signing
internal import WireJSON

/// A vendor whose REST interface an app can answer to, so that a backend changes the address it calls and nothing else.
enum CompatVendor: String, Sendable, CaseIterable {
  case oneSignal = "onesignal"

  /// Every route of every vendor.
  static let routes: [Route] = allCases.flatMap(\.routes)

  /// The routes of the interface, with `/compat/VENDOR` before the vendor's own paths.
  var routes: [Route] {
    switch self {
    case .oneSignal: OneSignalRoutes.routes
    }
  }

  /// The words that the vendor's clients send before the key in `Authorization`; the scheme's name has no case.
  var authorizationSchemes: [String] {
    switch self {
    case .oneSignal: ["key", "basic", "bearer"]
    }
  }

  /// What older clients of the vendor put before each path.
  var oldPrefix: [String] {
    switch self {
    case .oneSignal: ["api", "v1"]
    }
  }

  /// A refusal in the vendor's form.
  func response(to problem: Problem) -> HTTPResponse {
    switch self {
    case .oneSignal: OneSignalErrors.response(to: problem)
    }
  }
}

/// Where a vendor's interface is served: below `/compat/VENDOR`, or at the vendor's own paths on a host name of its own.
struct CompatPath: Sendable {
  let vendor: CompatVendor
  /// The segments as the vendor's routes have them.
  let segments: [String]

  /// Nil for a request that is none of a vendor's interface.
  init?(_ head: HTTPRequestHead, hosts: [String: CompatVendor]) {
    let segments = head.target.segments
    if !hosts.isEmpty, let name = head.headers.first("Host"), let vendor = hosts[CompatPath.name(ofHost: name)] {
      self.init(vendor, segments[...])
    } else if segments.count >= 2, segments[0] == "compat", let vendor = CompatVendor(rawValue: segments[1]) {
      self.init(vendor, segments[2...])
    } else {
      return nil
    }
  }

  private init(_ vendor: CompatVendor, _ path: ArraySlice<String>) {
    self.vendor = vendor
    let isOld = path.starts(with: vendor.oldPrefix)
    segments = ["compat", vendor.rawValue] + (isOld ? path.dropFirst(vendor.oldPrefix.count) : path)
  }

  /// The name of a `Host` header without the port.
  static func name(ofHost host: String) -> String {
    guard let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy(\.isNumber) else {
      return host.lowercased()
    }
    return host[..<colon].lowercased()
  }
}

/// Ids in the form of a UUID, as vendors' clients expect them.
enum CompatID {
  /// What an id is of; the same number of two kinds has two ids.
  enum Kind: String, Sendable { case push, device, segment, systemSegment, user }

  /// A UUID of version 4.
  static func random() -> String {
    var bytes = SecureRandom.bytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return text(bytes)
  }

  /// The UUID (version 8) of a record: its number, and a mark that depends on the app and the kind of record.
  static func of(_ number: Int64, _ kind: Kind, app: String) -> String {
    var bytes = mark(number, kind, app)
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes.append(UInt8(truncatingIfNeeded: number >> 56))
    bytes.append(0x80)
    for shift in stride(from: Int64(48), through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
    return text(bytes)
  }

  /// The number of a record of this app and kind; nil for every other text.
  static func number(_ text: String, _ kind: Kind, app: String) -> Int64? {
    guard isUUID(text) else { return nil }
    var number: Int64 = 0
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    for place in Array(14..<16) + Array(18..<32) {
      guard let digit = hexValue(digits[place]) else { return nil }
      number = number << 4 | Int64(digit)
    }
    // Records count from zero; a caller can make the mark of any number.
    return number >= 0 && of(number, kind, app: app) == text.lowercased() ? number : nil
  }

  /// Whether a text has the form of a UUID.
  static func isUUID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    return bytes.indices.allSatisfy { place in
      [8, 13, 18, 23].contains(place) ? bytes[place] == UInt8(ascii: "-") : hexValue(bytes[place]) != nil
    }
  }

  private static func mark(_ number: Int64, _ kind: Kind, _ app: String) -> [UInt8] {
    Array(SHA256.digest("\(app) \(kind.rawValue) \(number)").prefix(7))
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (place, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(place) { text.append(UInt8(ascii: "-")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
