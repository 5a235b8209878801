internal import StoreModel

/// The transaction that is open on the writer's thread while ``SQLStore/change(_:completion:)`` runs its operations: they
/// read and write in it.
///
/// `@unchecked Sendable` is sound: it is bound around the operations only, on the writer's thread, and the pointer leads to the
/// context that this thread holds for as long.
///
/// `@safe`: the pointer is used only while the operations run, as above.
@safe final class OpenChange: @unchecked Sendable {
  @TaskLocal static var current: OpenChange?

  private let store: ObjectIdentifier
  private let readers: ObjectIdentifier
  private let context: UnsafeMutablePointer<WriterContext>

  private init(_ store: SQLStore, _ context: UnsafeMutablePointer<WriterContext>) {
    self.store = ObjectIdentifier(store)
    readers = ObjectIdentifier(store.readers)
    unsafe self.context = unsafe context
  }

  /// Runs operations of a store in its open transaction.
  static func run<Output>(
    _ store: SQLStore, _ context: inout WriterContext, _ body: (SQLStore) throws(StoreError) -> Output
  ) throws(StoreError) -> Output {
    let result = unsafe withUnsafeMutablePointer(to: &context) { pointer -> Result<Output, StoreError> in
      unsafe OpenChange.$current.withValue(OpenChange(store, pointer)) {
        Result { () throws(StoreError) in try body(store) }
      }
    }
    return try result.get()
  }

  /// The open transaction, when it is one of this store.
  static func of(_ store: SQLStore) -> OpenChange? {
    guard let open = current, open.store == ObjectIdentifier(store) else { return nil }
    return open
  }

  /// The open transaction, when its store reads through these.
  static func of(_ readers: Readers) -> OpenChange? {
    guard let open = current, open.readers == ObjectIdentifier(readers) else { return nil }
    return open
  }

  func write<Output>(_ change: (inout WriterContext) throws(StoreError) -> Output) throws(StoreError) -> Output {
    try unsafe change(&context.pointee)
  }

  func read<Output>(_ body: (borrowing Connection) throws(StoreError) -> Output) throws(StoreError) -> Output {
    try unsafe body(context.pointee.db)
  }
}
