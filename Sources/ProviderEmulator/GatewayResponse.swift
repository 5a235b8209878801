/// One response of a gateway, in buffers that are reused.
public struct GatewayResponse: Sendable {
  /// A header field whose name is a literal; the value is part of `values`.
  struct Field: Sendable {
    var name: StaticString
    var range: Range<Int>
  }

  /// The status code.
  public internal(set) var status = 200
  /// The body.
  public internal(set) var body: [UInt8] = []
  /// Whether this is an APNs acceptance: status 200, no body, `apns-id` and perhaps `apns-unique-id`, nothing else.
  var isAPNsAcceptance = false
  private(set) var fields: [Field] = []
  private var values: [UInt8] = []

  /// An empty response with status 200.
  public init() {}

  /// Forgets everything and keeps the memory.
  mutating func reset() {
    status = 200
    isAPNsAcceptance = false
    body.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
  }

  mutating func add(_ name: StaticString, _ value: some Collection<UInt8>) {
    let start = values.count
    values.append(contentsOf: value)
    fields.append(Field(name: name, range: start..<values.count))
  }

  mutating func add(_ name: StaticString, _ value: StaticString) {
    unsafe add(name, UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
  }

  mutating func add(_ name: StaticString, text: String) { add(name, text.utf8) }

  mutating func append(_ text: StaticString) {
    unsafe body.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ text: String) { body.append(contentsOf: text.utf8) }

  /// The header fields in order, as text.
  public var headers: [(name: String, value: String)] {
    fields.map { ("\($0.name)", String(decoding: values[$0.range], as: UTF8.self)) }
  }

  /// The value of a header; nil when it is absent.
  public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// The values of the header fields, in order.
  var valueSlices: [ArraySlice<UInt8>?] { fields.map { values[$0.range] } }
}
