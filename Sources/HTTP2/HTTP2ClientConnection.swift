/// Watches one client connection.
///
/// Its functions are called on the connection's loop.
public protocol HTTP2ClientObserver: AnyObject, Sendable {
  /// Something happened to the connection.
  func connection(_ connection: HTTP2ClientConnection, event: HTTP2ConnectionEvent)

  /// Requests ended: all that did during one turn of the loop.
  ///
  /// Each submitted request ends exactly once, and before `closed` is reported; those that are submitted later than
  /// that end at once as `notProcessed`.
  func connection(_ connection: HTTP2ClientConnection, finished results: HTTP2Results)
}

/// What happens to a client connection, in this order: `ready`, then the others, `closed` last.
public enum HTTP2ConnectionEvent: Sendable {
  /// TLS is done and `h2` is chosen: requests are being sent. Says which address was reached.
  case ready(address: String)
  /// The server's SETTINGS came or changed. Says how many streams may be open now, the own limits applied.
  case settings(HTTP2Settings, streams: Int)
  /// The connection takes no new streams: the server said so, or `requestLimit` is reached. Requests that were not
  /// processed end as `notProcessed`.
  case goAway(HTTP2GoAway)
  /// A PING was answered.
  case pong(roundTrip: Duration)
  /// The end; nothing follows.
  case closed(HTTP2CloseReason)
}

/// A client's connection to one server: TLS with verification, HTTP/2 with ALPN, confined to one event loop.
///
/// Every request that is submitted ends in exactly one result, whatever the server or the network does. All functions
/// may be called from any thread.
public final class HTTP2ClientConnection: Sendable {
  /// The loop that the connection lives on.
  public let loop: EventLoop
  /// Where it goes.
  public let configuration: HTTP2ClientConfiguration
  private let core: ClientCore

  /// Makes a connection that does nothing until `start`.
  ///
  /// Once started or given requests it lives, and keeps the observer, until `closed` is reported.
  public init(loop: EventLoop, configuration: HTTP2ClientConfiguration, observer: any HTTP2ClientObserver) {
    self.loop = loop
    self.configuration = configuration
    core = ClientCore(loop: loop, configuration: configuration, observer: observer)
  }

  /// Begins to connect.
  ///
  /// Requests may be submitted before.
  public func start() { onLoop { core, connection in core.start(connection) } }

  /// Hands requests over.
  ///
  /// They are sent as soon as the connection is ready and a stream is free, in order.
  ///
  /// Called on the loop, say from `finished`, it costs no lock and no wake-up.
  public func submit(_ batch: consuming HTTP2RequestBatch) {
    let storage = batch.storage
    if loop.isCurrent { return core.submit(storage, self) }
    let accepted = loop.execute { self.core.submit(storage, self) }
    if !accepted { core.refuse(storage, self) }
  }

  /// Limits the open streams from now on, within what the server allows; used while a server has not accepted the
  /// first token yet, or to slow down.
  public func setStreamLimit(_ limit: Int) { onLoop { core, _ in core.setStreamLimit(limit) } }

  /// Sends a PING; `pong` follows, or the connection ends with `pingTimeout`.
  public func ping() { onLoop { core, _ in core.ping() } }

  /// Takes no new requests, lets the submitted ones end, then closes.
  public func drain() { onLoop { core, _ in core.drain() } }

  /// Closes at once; open requests end as `unknown`, waiting ones as `notProcessed`.
  public func close() { onLoop { core, _ in core.close(.requested) } }

  private func onLoop(_ work: @escaping @Sendable (ClientCore, HTTP2ClientConnection) -> Void) {
    if loop.isCurrent { return work(core, self) }
    loop.execute { work(self.core, self) }
  }
}
