/// A value at its address, lent for the time of a call, or for good by ``Lasting``.
///
/// Rows and rules take messages this way. A large struct as a parameter of a closure, `borrowing` or not, is copied at every
/// call: closures that only look for the texts of a message of 24 then run 2.6 times the instructions.
///
/// `@safe`: the lender keeps the value there, unchanged, until the call that it is lent for returns, and nobody keeps what is
/// lent: it is handed on as a parameter, alone or in a ``MessageAddress``, and no closure that outlives the call has it.
@usableFromInline
@safe struct Lent<Value> {
  @usableFromInline let address: UnsafePointer<Value>

  @inlinable
  init(at address: UnsafePointer<Value>) { unsafe self.address = unsafe address }

  /// The value; to look at a part of it copies nothing else.
  @inlinable
  @inline(__always)
  var pointee: Value { unsafeAddress { unsafe address } }
}

/// Lends a value for the time of a call.
@inlinable
@inline(__always)
func lending<Value, Result>(_ value: Value, _ body: (Lent<Value>) -> Result) -> Result {
  unsafe withUnsafePointer(to: value) { unsafe body(Lent(at: $0)) }
}
