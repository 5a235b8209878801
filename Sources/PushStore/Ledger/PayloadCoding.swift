internal import StoreModel

/// The encoding of rendered payloads in one value: for each payload, the mask of device kinds, the token's offset (all
/// ones for none), the headers and the body; counts and lengths are 32-bit little-endian.
///
/// The highest bit of the number of payloads marks personal payloads: each is then followed by its language, variant
/// and placeholders, and the values come last. A bit of a placeholder's depth marks one whose fallback is a text in Liquid, the
/// two above it have its need.
enum PayloadCoding {
  private static let personalMark: UInt32 = 0x8000_0000
  private static let templateMark: UInt32 = 0x100
  private static let needShift: UInt32 = 9
  private static let depthMask: UInt32 = 0xFF

  static func encode(_ payloads: [RenderedPayload], personal: [UInt8] = []) -> [UInt8] {
    let isPersonal = !personal.isEmpty || payloads.contains(where: \.isPersonal)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(payloads.reduce(64) { $0 + $1.body.count + 256 })
    put(UInt32(payloads.count) | (isPersonal ? personalMark : 0), &bytes)
    for payload in payloads {
      put(mask(payload.kinds), &bytes)
      put(payload.tokenOffset.map { UInt32($0) } ?? .max, &bytes)
      put(UInt32(payload.headers.count), &bytes)
      for header in payload.headers {
        put(Array(header.name.utf8), &bytes)
        put(Array(header.value.utf8), &bytes)
      }
      put(payload.body, &bytes)
      if isPersonal { putPersonal(payload, &bytes) }
    }
    if isPersonal { put(personal, &bytes) }
    return bytes
  }

  private static func putPersonal(_ payload: RenderedPayload, _ bytes: inout [UInt8]) {
    put(Array((payload.locale ?? "").utf8), &bytes)
    put(payload.variant.map { UInt32($0) } ?? .max, &bytes)
    put(UInt32(payload.placeholders.count), &bytes)
    for placeholder in payload.placeholders {
      put(UInt32(placeholder.offset), &bytes)
      let need = UInt32(placeholder.need.rawValue) << needShift
      put(UInt32(placeholder.depth) | (placeholder.template == nil ? 0 : templateMark) | need, &bytes)
      put(Array(placeholder.name.utf8), &bytes)
      put(Array((placeholder.template ?? placeholder.fallback).utf8), &bytes)
    }
  }

  /// The values that personal payloads are filled with; empty when there are none.
  static func personal(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 4, bytes[3] & 0x80 != 0 else { return [] }
    var reader = Reader(bytes: bytes)
    guard decode(&reader) != nil, let values = reader.run() else { return [] }
    return Array(values)
  }

  static func decode(_ bytes: [UInt8]) -> [RenderedPayload]? {
    var reader = Reader(bytes: bytes)
    return decode(&reader)
  }

  private static func decode(_ reader: inout Reader) -> [RenderedPayload]? {
    guard let mark = reader.number() else { return nil }
    let (count, isPersonal) = (mark & ~personalMark, mark & personalMark != 0)
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
      var payload = RenderedPayload(
        kinds: kinds(mask), headers: headers, body: Array(body), tokenOffset: offset == .max ? nil : Int(offset))
      if isPersonal { guard decodePersonal(&reader, &payload) else { return nil } }
      payloads.append(payload)
    }
    return payloads
  }

  private static func decodePersonal(_ reader: inout Reader, _ payload: inout RenderedPayload) -> Bool {
    guard let locale = reader.run(), let variant = reader.number(), let count = reader.number() else { return false }
    payload.locale = locale.isEmpty ? nil : String(decoding: locale, as: UTF8.self)
    payload.variant = variant == .max ? nil : Int(variant)
    for _ in 0..<count {
      guard let offset = reader.number(), let depth = reader.number(), let name = reader.run(),
        let fallback = reader.run(), Int(offset) <= payload.body.count,
        let need = UInt8(exactly: depth >> needShift).flatMap(RenderedPayload.Need.init(rawValue:))
      else { return false }
      let text = String(decoding: fallback, as: UTF8.self)
      let isTemplate = depth & templateMark != 0
      payload.placeholders.append(
        RenderedPayload.Placeholder(
          offset: Int(offset), name: String(decoding: name, as: UTF8.self), fallback: isTemplate ? "" : text,
          depth: Int(depth & depthMask), template: isTemplate ? text : nil, need: need))
    }
    return true
  }

  /// One bit per kind of device.
  static func mask(_ kinds: [DeviceKind]) -> UInt32 { kinds.reduce(0) { $0 | 1 << UInt32($1.rawValue) } }

  static func kinds(_ mask: UInt32) -> [DeviceKind] {
    DeviceKind.all.filter { mask & 1 << UInt32($0.rawValue) != 0 }
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
    var offset = 0

    mutating func number() -> UInt32? {
      guard bytes.count - offset >= 4 else { return nil }
      defer { offset += 4 }
      return (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32($1 * 8) }
    }

    mutating func run() -> ArraySlice<UInt8>? {
      guard let count = number(), bytes.count - offset >= Int(count) else { return nil }
      defer { offset += Int(count) }
      return bytes[offset..<offset + Int(count)]
    }
  }
}
