/// One request that nghttp2 knows.
///
/// `@safe`: the batch is retained when the slot is taken and released when it is freed, once each.
@safe struct StreamSlot {
  /// Keeps the request's bytes alive; released when the stream is closed.
  var batch: Unmanaged<BatchStorage>?
  var id: UInt64 = 0
  var deadline: Int64 = 0
  var body: UnsafePointer<UInt8>?
  var bodyLeft = 0
  /// The request's index in the batch.
  var entry: Int32 = 0
  var streamID: Int32 = 0
  var status: Int32 = 0
  /// The next free slot, or -1.
  var nextFree: Int32 = -1
  var bodyStart: Int32 = 0
  /// Header values and body as they come in; the memory stays with the slot.
  var response: UnsafeMutablePointer<UInt8>?
  var responseCount: Int32 = 0
  var responseCapacity: Int32 = 0
  /// Bytes of header fields so far, as SETTINGS_MAX_HEADER_LIST_SIZE counts them.
  var headerBytes: Int32 = 0
  /// Its HEADERS have been written: the server may know of it.
  var sent = false
  /// The server has reset the stream.
  var wasReset = false
  /// The request has its result; the slot is in use until nghttp2 closes the stream.
  var finished = false
  /// The response is complete.
  var ended = false
  var bodyTruncated = false
  /// The response breaks the protocol; the stream is being reset.
  var broken = false

  /// The server has begun to answer.
  var hasAnswer: Bool { status != 0 }
}

/// The requests of one connection that nghttp2 knows, found by index; free ones are linked.
///
/// Confined to the loop of its owner. A pointer to a slot is valid until the next `take`.
///
/// `@safe`: slots are found by the index that `take` gave; the memory lives as long as the object.
@safe final class StreamSlots {
  private(set) var slots: UnsafeMutablePointer<StreamSlot>
  /// For each slot, `wanted` pairs of start and end in its response memory.
  private(set) var headers: UnsafeMutablePointer<(start: Int32, end: Int32)>
  private(set) var capacity = 0
  private(set) var used = 0
  private let wanted: Int
  private var firstFree: Int32 = -1

  /// Response memory above this size is given back when its stream ends, in bytes.
  private static let keptResponseBytes = 4096

  init(wanted: Int) {
    self.wanted = wanted
    unsafe slots = .allocate(capacity: 0)
    unsafe headers = .allocate(capacity: 0)
    grow(to: 128)
  }

  deinit {
    for index in 0..<capacity {
      unsafe slots[index].batch?.release()
      unsafe slots[index].response?.deallocate()
    }
    unsafe slots.deallocate()
    unsafe headers.deallocate()
  }

  func take() -> Int {
    if firstFree < 0 { grow(to: capacity * 2) }
    let index = Int(firstFree)
    firstFree = unsafe slots[index].nextFree
    used += 1
    return index
  }

  /// Lets go of the slot's request.
  func free(_ index: Int) {
    let slot = unsafe slots + index
    unsafe slot.pointee.batch?.release()
    unsafe slot.pointee.batch = nil
    unsafe slot.pointee.streamID = 0
    if unsafe slot.pointee.responseCapacity > Int32(StreamSlots.keptResponseBytes) {
      unsafe slot.pointee.response?.deallocate()
      unsafe slot.pointee.response = nil
      unsafe slot.pointee.responseCapacity = 0
    }
    unsafe slot.pointee.nextFree = firstFree
    firstFree = Int32(index)
    used -= 1
  }

  /// The wanted headers of a slot.
  func headers(of index: Int) -> UnsafeMutablePointer<(start: Int32, end: Int32)> { unsafe headers + index * wanted }

  func clearHeaders(of index: Int) {
    for column in 0..<wanted { unsafe headers[index * wanted + column] = (-1, -1) }
  }

  /// Adds bytes to the slot's response.
  func append(_ index: Int, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
    let slot = unsafe slots + index
    let needed = unsafe Int(slot.pointee.responseCount) + count
    if unsafe needed > Int(slot.pointee.responseCapacity) { unsafe growResponse(slot, to: needed) }
    guard let start = unsafe slot.pointee.response else { return }
    unsafe (start + Int(slot.pointee.responseCount)).update(from: bytes, count: count)
    unsafe slot.pointee.responseCount = Int32(needed)
  }

  private func growResponse(_ slot: UnsafeMutablePointer<StreamSlot>, to needed: Int) {
    let size = max(256, needed * 2)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    if let old = unsafe slot.pointee.response {
      unsafe larger.update(from: old, count: Int(slot.pointee.responseCount))
      unsafe old.deallocate()
    }
    unsafe slot.pointee.response = unsafe larger
    unsafe slot.pointee.responseCapacity = Int32(size)
  }

  private func grow(to size: Int) {
    let larger = UnsafeMutablePointer<StreamSlot>.allocate(capacity: size)
    unsafe larger.moveInitialize(from: slots, count: capacity)
    for index in capacity..<size {
      unsafe (larger + index).initialize(to: StreamSlot())
      unsafe larger[index].nextFree = index + 1 < size ? Int32(index + 1) : firstFree
    }
    firstFree = Int32(capacity)
    unsafe slots.deallocate()
    unsafe slots = unsafe larger
    let moreHeaders = UnsafeMutablePointer<(start: Int32, end: Int32)>.allocate(capacity: size * wanted)
    unsafe moreHeaders.update(from: headers, count: capacity * wanted)
    unsafe headers.deallocate()
    unsafe headers = unsafe moreHeaders
    capacity = size
  }
}
