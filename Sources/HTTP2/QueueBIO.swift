internal import COpenSSL

/// An OpenSSL BIO that appends what is written to a ``ByteQueue``, so that many records reach the socket in one call.
enum QueueBIO {
  /// Makes one.
  ///
  /// The queue must outlive it; the channel owns both and frees the BIO first.
  static func make(_ queue: ByteQueue) -> OpaquePointer? {
    let bio = unsafe BIO_new(method)
    unsafe BIO_set_data(bio, Unmanaged.passUnretained(queue).toOpaque())
    unsafe BIO_set_init(bio, 1)
    return unsafe bio
  }

  // Safe: written once, by the initializer of a static property, and only read by OpenSSL afterwards.
  nonisolated(unsafe) private static let method: OpaquePointer? = {
    let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "postrider queue")
    unsafe BIO_meth_set_write(method) { bio, bytes, count in
      guard let data = unsafe BIO_get_data(bio), let bytes = unsafe bytes, count > 0 else { return 0 }
      unsafe Unmanaged<ByteQueue>.fromOpaque(data)._withUnsafeGuaranteedRef { queue in
        unsafe bytes.withMemoryRebound(to: UInt8.self, capacity: Int(count)) { unsafe queue.append($0, Int(count)) }
      }
      return count
    }
    unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    return unsafe method
  }()
}
