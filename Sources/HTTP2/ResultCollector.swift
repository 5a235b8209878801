/// Results that ended in the present turn of the loop, in memory that is used again in the next.
///
/// Confined to the loop of its owner.
final class ResultCollector {
  // Unchecked for speed. Sound: the object is confined to one loop, and each access is one append or read that calls
  // nothing which could reach the property again; `deliver` lends `spare`, which only `deliver` touches.
  @exclusivity(unchecked) private var results = HTTP2Results()
  private var spare = HTTP2Results()
  private let wanted: Int

  init(wanted: Int) { self.wanted = wanted }

  var isEmpty: Bool { unsafe results.isEmpty }

  func fail(_ id: UInt64, _ failure: HTTP2Failure) {
    // Many requests fail for one reason when a connection ends.
    if unsafe results.failures.last != failure { unsafe results.failures.append(failure) }
    unsafe results.entries.append(
      HTTP2Results.Entry(
        id: id, status: 0, failure: Int32(results.failures.count - 1), firstHeader: 0, bodyStart: 0, bodyEnd: 0,
        bodyTruncated: false))
  }

  /// Adds the response that a slot holds.
  func respond(_ slot: UnsafeMutablePointer<StreamSlot>, _ headers: UnsafeMutablePointer<(start: Int32, end: Int32)>) {
    let base = unsafe results.bytes.count
    let firstHeader = unsafe results.headerRanges.count
    for index in 0..<wanted {
      let range = unsafe headers[index]
      unsafe results.headerRanges.append(range.start < 0 ? (-1, -1) : (Int(range.start) + base, Int(range.end) + base))
    }
    let count = unsafe Int(slot.pointee.responseCount)
    if count > 0, let bytes = unsafe slot.pointee.response {
      unsafe results.bytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
    }
    unsafe results.entries.append(
      HTTP2Results.Entry(
        id: slot.pointee.id, status: slot.pointee.status, failure: -1, firstHeader: firstHeader,
        bodyStart: base + Int(slot.pointee.bodyStart), bodyEnd: base + count, bodyTruncated: slot.pointee.bodyTruncated)
    )
  }

  /// Hands all results over.
  ///
  /// What ends meanwhile is kept for the next call.
  func deliver(_ sink: (HTTP2Results) -> Void) {
    unsafe swap(&results, &spare)
    sink(spare)
    spare.removeAll()
  }
}
