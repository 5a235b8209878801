/// An array in memory that is never freed, for what is made once: reading it counts no references.
///
/// `@safe`: the memory is filled before anyone has its address, never written again and never freed, and an index is checked;
/// where that takes too long, whoever reads says why there is such an element.
@safe struct Lasting<Element: Sendable>: RandomAccessCollection, @unchecked Sendable {
  private let start: UnsafePointer<Element>
  let endIndex: Int

  var startIndex: Int { 0 }

  init(_ elements: [Element]) {
    let copy = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
    _ = unsafe UnsafeMutableBufferPointer(start: copy, count: elements.count).initialize(from: elements)
    unsafe start = UnsafePointer(copy)
    endIndex = elements.count
  }

  @inline(__always)
  subscript(index: Int) -> Element { self[lent: index].pointee }

  /// An element at its address.
  @inline(__always)
  subscript(lent index: Int) -> Lent<Element> {
    precondition(index >= 0 && index < endIndex, "there is no such element")
    return unsafe self[unchecked: index]
  }

  /// The same for an index that is known to be one.
  @unsafe @inline(__always)
  subscript(unchecked index: Int) -> Lent<Element> {
    assert(index >= 0 && index < endIndex, "there is no such element")
    return unsafe Lent(at: start + index)
  }

  /// Hands over the memory.
  @inline(__always)
  func withElements<Result>(_ body: (UnsafeBufferPointer<Element>) -> Result) -> Result {
    unsafe body(UnsafeBufferPointer(start: start, count: endIndex))
  }
}
