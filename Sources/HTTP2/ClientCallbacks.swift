internal import CNGHTTP2

/// nghttp2's callbacks of a client session; each hands over to the session behind the user data.
enum ClientCallbacks {
  // Safe: made once, by the initializer of a static property, and only read by nghttp2, which copies it.
  nonisolated(unsafe) static let table: OpaquePointer? = {
    var table: OpaquePointer?
    unsafe nghttp2_session_callbacks_new(&table)
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(table) { _, frame, user in
      guard let frame = unsafe frame, let user = unsafe user else { return 0 }
      unsafe user.withObject(ClientSession.self) { unsafe $0.received(frame) }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_header_callback(table) {
      _, frame, name, nameCount, value, valueCount, _, user in
      guard let frame = unsafe frame, let user = unsafe user else { return 0 }
      let isFine = unsafe user.withObject(ClientSession.self) {
        unsafe $0.header(
          frame.pointee.hd.stream_id, UnsafeBufferPointer(start: name, count: nameCount),
          UnsafeBufferPointer(start: value, count: valueCount))
      }
      return isFine ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(table) { _, _, stream, bytes, count, user in
      guard let bytes = unsafe bytes, let user = unsafe user else { return 0 }
      unsafe user.withObject(ClientSession.self) { unsafe $0.data(stream, bytes, count) }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(table) { _, stream, code, user in
      unsafe user?.withObject(ClientSession.self) { $0.closed(stream, code) }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_send_data_callback(table) { _, _, header, count, source, user in
      guard let header = unsafe header, let source = unsafe source, let user = unsafe user else {
        return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
      }
      return unsafe user.withObject(ClientSession.self) { unsafe $0.sendBody(Int(source.pointee.fd), header, count) }
    }
    unsafe setProblemCallbacks(table)
    return unsafe table
  }()

  private static func setProblemCallbacks(_ table: OpaquePointer?) {
    unsafe nghttp2_session_callbacks_set_on_frame_not_send_callback(table) { _, frame, error, user in
      guard let frame = unsafe frame, let user = unsafe user,
        unsafe frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue)
      else { return 0 }
      unsafe user.withObject(ClientSession.self) { unsafe $0.notSent(frame.pointee.hd.stream_id, error) }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(table) { _, frame, error, user in
      guard let frame = unsafe frame, let user = unsafe user else { return 0 }
      unsafe user.withObject(ClientSession.self) { unsafe $0.invalid(frame.pointee.hd.stream_id, error) }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_error_callback2(table) { _, _, text, count, user in
      guard let text = unsafe text, let user = unsafe user else { return 0 }
      let words = unsafe UnsafeRawBufferPointer(start: text, count: count)
      unsafe user.withObject(ClientSession.self) { unsafe $0.complain(words) }
      return 0
    }
    unsafe SessionCallbacks.refuseInvalidFields(table)
  }

  /// The next piece of a request's body.
  static let readBody: nghttp2_data_source_read_callback = { _, _, _, limit, flags, source, user in
    guard let flags = unsafe flags, let source = unsafe source, let user = unsafe user else {
      return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
    }
    return unsafe user.withObject(ClientSession.self) { unsafe $0.nextBody(Int(source.pointee.fd), limit, flags) }
  }
}
