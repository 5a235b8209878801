/// How rendered payloads are kept in one value: for each, the mask of device kinds, the token's offset (all ones for none), the
/// headers and the body; counts and lengths are 32-bit little-endian.
enum PayloadCoding {
  static func encode(_ payloads: [RenderedPayload]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(payloads.reduce(64) { $0 + $1.body.count + 256 })
    put(UInt32(payloads.count), &bytes)
    for payload in payloads {
      put(mask(payload.kinds), &bytes)
      put(payload.tokenOffset.map { UInt32($0) } ?? .max, &bytes)
      put(UInt32(payload.headers.count), &bytes)
      for header in payload.headers {
        put(Array(header.name.utf8), &bytes)
        put(Array(header.value.utf8), &bytes)
      }
      put(payload.body, &bytes)
    }
    return bytes
  }

  static func decode(_ bytes: [UInt8]) -> [RenderedPayload]? {
    var reader = Reader(bytes: bytes)
    guard let count = reader.number() else { return nil }
    var payloads: [RenderedPayload] = []
    for _ in 0..<count {
      guard let mask = reader.number(), let offset = reader.number(), let headerCount = reader.number() else {
        return nil
      }
      var headers: [RenderedPayload.Header] = []
      for _ in 0..<headerCount {
        guard let name = reader.run(), let value = reader.run() else { return nil }
        headers.append(.init(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
      }
      guard let body = reader.run() else { return nil }
      payloads.append(
        RenderedPayload(
          kinds: kinds(mask), headers: headers, body: Array(body), tokenOffset: offset == .max ? nil : Int(offset)))
    }
    return payloads
  }

  /// One bit per kind of device.
  static func mask(_ kinds: [DeviceKind]) -> UInt32 { kinds.reduce(0) { $0 | 1 << UInt32($1.rawValue) } }

  static func kinds(_ mask: UInt32) -> [DeviceKind] {
    DeviceKind.allCases.filter { mask & 1 << UInt32($0.rawValue) != 0 }
  }

  private static func put(_ number: UInt32, _ bytes: inout [UInt8]) {
    for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  private static func put(_ value: [UInt8], _ bytes: inout [UInt8]) {
    put(UInt32(value.count), &bytes)
    bytes.append(contentsOf: value)
  }

  private struct Reader {
    let bytes: [UInt8]
    var place = 0

    mutating func number() -> UInt32? {
      guard bytes.count - place >= 4 else { return nil }
      defer { place += 4 }
      return (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32($1 * 8) }
    }

    mutating func run() -> ArraySlice<UInt8>? {
      guard let count = number(), bytes.count - place >= Int(count) else { return nil }
      defer { place += Int(count) }
      return bytes[place..<place + Int(count)]
    }
  }
}
