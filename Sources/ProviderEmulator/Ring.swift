/// The last so many elements of a sequence: adding to a full ring drops the oldest.
struct Ring<Element: Sendable>: Sendable {
  private var slots: [Element] = []
  private var oldest = 0
  let capacity: Int

  init(capacity: Int) { self.capacity = max(0, capacity) }

  var count: Int { slots.count }

  mutating func append(_ element: Element) {
    if slots.count < capacity {
      slots.append(element)
    } else if capacity > 0 {
      slots[oldest] = element
      oldest = (oldest + 1) % capacity
    }
  }

  mutating func removeAll() {
    slots.removeAll()
    oldest = 0
  }

  /// From the oldest to the newest.
  var elements: [Element] { Array(slots[oldest...]) + slots[..<oldest] }
}
