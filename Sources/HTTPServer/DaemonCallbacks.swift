internal import CMicroHTTPD

/// The library's C callbacks.
///
/// The context of each is a `ServingContext`, which outlives the daemon.
enum DaemonCallbacks {
  static func options() -> postrider_http_options {
    var options = postrider_http_options()
    options.on_connection = { context, connection, slot, event in
      DaemonCallbacks.connectionChanged(context, connection, slot, event)
    }
    options.on_target = { context, target, connection in
      guard let context, let target, let connection, let record = DaemonCallbacks.record(of: connection)
      else { return nil }
      let serving = DaemonCallbacks.serving(context)
      let exchange = serving.core.begin(
        target: target, on: record, handle: ConnectionHandle(pointer: connection, thread: serving.waker))
      return Unmanaged.passRetained(exchange).toOpaque()
    }
    options.on_request = { context, _, _, method, _, data, size, slot in
      guard let context, let method, let size, let state = slot?.pointee else { return .NO }
      let exchange = Unmanaged<Exchange>.fromOpaque(state).takeUnretainedValue()
      let piece = UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : size.pointee)
      size.pointee = 0
      return DaemonCallbacks.serving(context).core.advance(exchange, method: method, piece: piece)
    }
    options.on_completed = { context, _, slot, _ in
      guard let context, let slot, let state = slot.pointee else { return }
      slot.pointee = nil
      DaemonCallbacks.serving(context).core.end(Unmanaged<Exchange>.fromOpaque(state).takeRetainedValue())
    }
    return options
  }

  private static func serving(_ context: UnsafeMutableRawPointer) -> ServingContext {
    Unmanaged<ServingContext>.fromOpaque(context).takeUnretainedValue()
  }

  private static func connectionChanged(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ event: MHD_ConnectionNotificationCode
  ) {
    guard let context, let connection, let slot else { return }
    if event == .CONNECTION_NOTIFY_STARTED {
      let socket = postrider_connection_socket(connection)
      slot.pointee = Unmanaged.passRetained(serving(context).core.connectionOpened(socket: socket)).toOpaque()
    } else if let state = slot.pointee {
      slot.pointee = nil
      serving(context).core.registry.remove(Unmanaged<Connection>.fromOpaque(state).takeRetainedValue())
    }
  }

  private static func record(of connection: OpaquePointer) -> Connection? {
    guard let state = postrider_connection_state(connection) else { return nil }
    return Unmanaged<Connection>.fromOpaque(state).takeUnretainedValue()
  }
}
