internal import CPQ

/// The numbers of the types that the store's statements have, from PostgreSQL's catalog, where they never change.
enum PostgresType {
  /// Stands for the type of a parameter that a statement does not have, though it has later ones; it is sent as null.
  static let unused: Oid = 0
  static let bool: Oid = 16
  static let bytea: Oid = 17
  static let int8: Oid = 20
  static let int2: Oid = 21
  static let int4: Oid = 23
  static let text: Oid = 25
  static let float8: Oid = 701
  static let varchar: Oid = 1043
  static let int8Array: Oid = 1016
  static let textArray: Oid = 1009
  static let numeric: Oid = 1700
  static let jsonb: Oid = 3802
}

/// The value of a parameter in binary form.
enum PostgresValue {
  case null
  /// Bytes of a number as they lie in memory, and how many of them count.
  case fixed(UInt64, Int32)
  case bytes([UInt8])

  /// The bytes it has on the wire.
  var byteCount: Int {
    switch self {
    case .null: 0
    case .fixed(_, let count): Int(count)
    case .bytes(let bytes): bytes.count
    }
  }

  /// A whole number as the server takes it; nil when the type cannot hold it.
  init?(_ value: Int64, as type: Oid) {
    switch type {
    case PostgresType.int8: self = .fixed(UInt64(bitPattern: value).bigEndian, 8)
    case PostgresType.int4:
      guard let small = Int32(exactly: value) else { return nil }
      self = .fixed(UInt64(UInt32(bitPattern: small).bigEndian), 4)
    case PostgresType.int2:
      guard let small = Int16(exactly: value) else { return nil }
      self = .fixed(UInt64(UInt16(bitPattern: small).bigEndian), 2)
    case PostgresType.bool: self = .fixed(value == 0 ? 0 : 1, 1)
    case PostgresType.unused: self = .null
    case PostgresType.float8: self.init(Double(value), as: type)
    case PostgresType.jsonb: self = .bytes(JSONScalar.encoded(value))
    default: return nil
    }
  }

  /// A number with a fraction.
  init?(_ value: Double, as type: Oid) {
    switch type {
    case PostgresType.float8: self = .fixed(value.bitPattern.bigEndian, 8)
    case PostgresType.jsonb: self = .bytes(JSONScalar.encoded(value))
    default: return nil
    }
  }

  init?(_ value: String, as type: Oid) {
    switch type {
    case PostgresType.text, PostgresType.varchar: self = .bytes(Array(value.utf8))
    case PostgresType.jsonb: self = .bytes(JSONScalar.encoded(value))
    case PostgresType.unused: self = .null
    default: return nil
    }
  }

  /// An array of one dimension, without nulls.
  static func array(_ values: [Int64]) -> [UInt8] {
    let head = arrayHead(values.count, of: PostgresType.int8)
    return unsafe [UInt8](unsafeUninitializedCapacity: head.count + values.count * 12) { buffer, count in
      let whole = UnsafeMutableRawBufferPointer(buffer)
      unsafe whole.copyBytes(from: head)
      for (index, value) in values.enumerated() {
        unsafe whole.storeBytes(of: Int32(8).bigEndian, toByteOffset: head.count + index * 12, as: Int32.self)
        unsafe whole.storeBytes(of: value.bigEndian, toByteOffset: head.count + index * 12 + 4, as: Int64.self)
      }
      count = whole.count
    }
  }

  static func array(_ texts: [String]) -> [UInt8] {
    var bytes = arrayHead(texts.count, of: PostgresType.text)
    for text in texts {
      add(Int32(text.utf8.count), to: &bytes)
      bytes += text.utf8
    }
    return bytes
  }

  /// Dimensions, whether there are nulls, the type of the elements; then the length and the first index.
  private static func arrayHead(_ count: Int, of type: Oid) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in [count == 0 ? 0 : 1, 0, Int32(type)] + (count == 0 ? [] : [Int32(count), 1]) {
      add(number, to: &bytes)
    }
    return bytes
  }

  private static func add(_ number: Int32, to bytes: inout [UInt8]) {
    unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }
}

/// One value of a result in binary form.
///
/// `@safe`: it is read within the call that made it, while the statement keeps the result.
@safe struct PostgresCell {
  let type: Oid
  /// The server's bytes, which live as long as the result; none for a null.
  let bytes: UnsafeRawBufferPointer

  var int64: Int64 {
    switch type {
    case PostgresType.int8: whole(Int64.self)
    case PostgresType.int4: Int64(whole(Int32.self))
    case PostgresType.int2: Int64(whole(Int16.self))
    case PostgresType.bool: unsafe bytes.first == 1 ? 1 : 0
    case PostgresType.numeric: numeric
    case PostgresType.float8: Int64(exactly: double.rounded(.towardZero)) ?? 0
    case PostgresType.jsonb: unsafe JSONScalar.int64(bytes)
    case PostgresType.text, PostgresType.varchar: Int64(text) ?? 0
    default: 0
    }
  }

  var double: Double {
    switch type {
    case PostgresType.float8: Double(bitPattern: UInt64(bitPattern: whole(Int64.self)))
    case PostgresType.jsonb: unsafe JSONScalar.double(bytes)
    default: Double(int64)
    }
  }

  /// Whether it is a number that is no whole one.
  var isReal: Bool {
    unsafe type == PostgresType.float8 || type == PostgresType.jsonb && JSONScalar.isReal(bytes)
  }

  var text: String {
    switch type {
    case PostgresType.text, PostgresType.varchar, PostgresType.bytea: unsafe String(decoding: bytes, as: UTF8.self)
    case PostgresType.jsonb: unsafe JSONScalar.text(bytes)
    default: unsafe bytes.isEmpty ? "" : String(int64)
    }
  }

  private func whole<Number: FixedWidthInteger>(_: Number.Type) -> Number {
    guard unsafe bytes.count == MemoryLayout<Number>.size else { return 0 }
    return unsafe Number(bigEndian: bytes.loadUnaligned(as: Number.self))
  }

  /// A sum of whole numbers: digits to the base of 10,000 behind four numbers (how many digits, the power of the first, the
  /// sign, decimals).
  private var numeric: Int64 {
    guard unsafe bytes.count >= 8 else { return 0 }
    func short(_ index: Int) -> Int64 {
      unsafe Int64(Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self)))
    }
    let (count, weight) = (Int(short(0)), Int(short(1)))
    guard count >= 0, unsafe bytes.count >= 8 + 2 * count, weight >= 0 else { return 0 }
    var value: Int64 = 0
    for power in 0...weight {
      let (product, over) = value.multipliedReportingOverflow(by: 10_000)
      if over { return .max }
      value = product &+ (power < count ? short(4 + power) : 0)
    }
    return short(2) == 0x4000 ? -value : value
  }
}
