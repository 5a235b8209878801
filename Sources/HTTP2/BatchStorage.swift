internal import System

/// The memory of one batch: its requests and one block with all their bytes.
///
/// `@unchecked Sendable`: while it is built it has one owner, the noncopyable ``HTTP2RequestBatch``; `submit` consumes
/// that owner, and from then on nothing is written, so it may be read by the loop that holds it.
///
/// `@safe`: requests name their bytes by offsets into the block, which lives as long as the object.
@safe final class BatchStorage: @unchecked Sendable {
  /// One request.
  ///
  /// Its bytes lie in the block from `start`: path, then the values, then the body.
  struct Entry {
    var template: Int32
    var firstLength: Int32
    var id: UInt64
    var timeout: Int64
    var start: Int
    var bodyStart: Int
    var pathLength: Int32
    var bodyLength: Int32
    var hasBody: Bool
    var valueCount: UInt8
  }

  enum Part { case path, body }

  /// The most bytes one path, value or body may have; more makes the request invalid.
  static let partLimit = Int(Int32.max)
  /// Marks a variable header that is left out.
  static let absent: Int32 = -1

  // `@exclusivity(unchecked)`, for speed, is sound here: there is one owner at a time, and each access is one append or
  // one read that calls nothing which could reach the property again.
  @exclusivity(unchecked) private(set) var templates: [HTTP2RequestTemplate] = []
  @exclusivity(unchecked) private(set) var entries: [Entry] = []
  /// The lengths of the variable values, `valueCount` of them for each request.
  @exclusivity(unchecked) private(set) var valueLengths: [Int32] = []
  private(set) var bytes: UnsafeMutablePointer<UInt8>
  private var used = 0
  private var capacity: Int
  @exclusivity(unchecked) private var current: Entry?

  init(requests: Int, bytes count: Int) {
    unsafe entries.reserveCapacity(requests)
    capacity = max(256, count)
    unsafe bytes = .allocate(capacity: capacity)
  }

  deinit { unsafe bytes.deallocate() }

  func begin(_ template: HTTP2RequestTemplate, id: UInt64, timeout: Int64) {
    if unsafe current != nil { end() }
    if unsafe templates.last !== template { unsafe templates.append(template) }
    let entry = unsafe Entry(
      template: Int32(templates.count - 1), firstLength: Int32(valueLengths.count), id: id, timeout: timeout,
      start: used, bodyStart: used, pathLength: 0, bodyLength: 0, hasBody: false, valueCount: 0)
    unsafe current = entry
    let prefix = template.pathPrefix
    if prefix.count > 0 { unsafe append(UnsafeBufferPointer(start: prefix.start, count: prefix.count), to: .path) }
  }

  func append(_ piece: UnsafeBufferPointer<UInt8>, to part: Part) {
    unsafe precondition(current != nil, "call begin() before the parts of a request")
    switch part {
    case .path:
      unsafe precondition(
        current?.valueCount == 0 && current?.hasBody == false, "the path comes before values and body")
      unsafe current?.pathLength.add(piece.count)
    case .body:
      if unsafe current?.hasBody == false { unsafe current?.bodyStart = used }
      unsafe current?.bodyLength.add(piece.count)
      unsafe current?.hasBody = true
    }
    unsafe copy(piece)
  }

  func value(_ piece: UnsafeBufferPointer<UInt8>) {
    addLength(Int32(clamping: piece.count))
    unsafe copy(piece)
  }

  func noValue() { addLength(BatchStorage.absent) }

  func end() {
    guard let entry = unsafe current else { return }
    unsafe entries.append(entry)
    unsafe current = nil
  }

  private func addLength(_ length: Int32) {
    unsafe precondition(current?.hasBody == false, "values come after begin() and path(), before body()")
    unsafe precondition(
      Int(current?.valueCount ?? 0) < templates[templates.count - 1].block.variableCount,
      "the template names fewer variable headers than values are given")
    unsafe valueLengths.append(length)
    unsafe current?.valueCount += 1
  }

  private func copy(_ piece: UnsafeBufferPointer<UInt8>) {
    guard let base = piece.baseAddress, piece.count > 0 else { return }
    if used + piece.count > capacity { grow(to: used + piece.count) }
    unsafe (bytes + used).update(from: base, count: piece.count)
    used += piece.count
  }

  private func grow(to needed: Int) {
    let larger = max(needed, capacity * 2)
    let block = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    unsafe block.update(from: bytes, count: used)
    unsafe bytes.deallocate()
    unsafe bytes = unsafe block
    capacity = larger
  }
}

extension Int32 {
  /// Adds a length, up to the largest number.
  fileprivate mutating func add(_ length: Int) { self = Int32(clamping: Int(self) + length) }
}
