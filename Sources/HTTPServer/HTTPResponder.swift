/// The way to answer one request: once, from any thread, now or later.
///
/// Dropping it unanswered answers with a 500.
public final class HTTPResponder: Sendable {
  private let exchange: Exchange

  init(_ exchange: Exchange) { self.exchange = exchange }

  deinit { exchange.answer(fault: .noAnswer, to: nil) }

  /// Answers the request.
  ///
  /// - Returns: `false` when the request was answered before or its time was up; the response is dropped then. `true`
  ///   does not mean that the client received it.
  @discardableResult
  public func respond(_ response: HTTPResponse) -> Bool { exchange.answer(response) }

  /// Runs work that may suspend: on the calling thread until it does, and then on the connection's thread, which never waits for
  /// it.
  public func run(_ body: @escaping @Sendable () async -> Void) {
    Task.immediate(executorPreference: exchange.executor) { await body() }
  }
}
