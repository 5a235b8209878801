internal import StoreModel

/// A value that a parameter of a statement can have.
protocol SQLValue {
  func bind(to statement: borrowing Statement, at index: Int32)
}

extension Int64: SQLValue {
  func bind(to statement: borrowing Statement, at index: Int32) { statement.bind(index, self) }
}

extension Int: SQLValue {
  func bind(to statement: borrowing Statement, at index: Int32) { statement.bind(index, self) }
}

extension Bool: SQLValue {
  func bind(to statement: borrowing Statement, at index: Int32) { statement.bind(index, self) }
}

extension Double: SQLValue {
  func bind(to statement: borrowing Statement, at index: Int32) { statement.bind(index, self) }
}

extension String: SQLValue {
  func bind(to statement: borrowing Statement, at index: Int32) { statement.bind(index, self) }
}

extension Timestamp: SQLValue {
  func bind(to statement: borrowing Statement, at index: Int32) { statement.bind(index, self) }
}

extension RowID: SQLValue {
  func bind(to statement: borrowing Statement, at index: Int32) { statement.bind(index, self) }
}

extension AttributeValue: SQLValue {
  func bind(to statement: borrowing Statement, at index: Int32) { statement.bind(index, self) }
}

extension Array: SQLValue where Element == UInt8 {
  func bind(to statement: borrowing Statement, at index: Int32) { statement.bind(index, self) }
}

extension Optional: SQLValue where Wrapped: SQLValue {
  func bind(to statement: borrowing Statement, at index: Int32) {
    if let self { self.bind(to: statement, at: index) } else { statement.bind(index, Int64?.none) }
  }
}

/// Binds the first parameters in their order.
///
/// One overload for each count: a parameter pack would be iterated at run time, for every row that is written.
extension Statement {
  func bindAll<A: SQLValue, B: SQLValue>(_ a: A, _ b: B) {
    a.bind(to: self, at: 1)
    b.bind(to: self, at: 2)
  }

  func bindAll<A: SQLValue, B: SQLValue, C: SQLValue>(_ a: A, _ b: B, _ c: C) {
    bindAll(a, b)
    c.bind(to: self, at: 3)
  }

  func bindAll<A: SQLValue, B: SQLValue, C: SQLValue, D: SQLValue>(_ a: A, _ b: B, _ c: C, _ d: D) {
    bindAll(a, b, c)
    d.bind(to: self, at: 4)
  }

  func bindAll<A: SQLValue, B: SQLValue, C: SQLValue, D: SQLValue, E: SQLValue>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
  ) {
    bindAll(a, b, c, d)
    e.bind(to: self, at: 5)
  }

  func bindAll<A: SQLValue, B: SQLValue, C: SQLValue, D: SQLValue, E: SQLValue, F: SQLValue>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) {
    bindAll(a, b, c, d, e)
    f.bind(to: self, at: 6)
  }

  func bindAll<A: SQLValue, B: SQLValue, C: SQLValue, D: SQLValue, E: SQLValue, F: SQLValue, G: SQLValue>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
  ) {
    bindAll(a, b, c, d, e, f)
    g.bind(to: self, at: 7)
  }

  func bindAll<
    A: SQLValue, B: SQLValue, C: SQLValue, D: SQLValue, E: SQLValue, F: SQLValue, G: SQLValue, H: SQLValue
  >(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
  ) {
    bindAll(a, b, c, d, e, f, g)
    h.bind(to: self, at: 8)
  }
}
