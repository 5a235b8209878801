package import StoreModel

/// Receives the sends of pushes that are traced.
///
/// Called on the pipeline's thread, so that each function returns at once.
package protocol DeliveryTracing: Sendable {
  /// Whether a push is traced; asked once for each batch.
  func traces(_ push: PushID) -> Bool

  /// Deliveries of a traced push were leased.
  func leased(_ push: PushID, count: Int, attempt: Int)

  /// Deliveries of a traced push were handed to a sender.
  func handed(_ push: PushID, tags: [UInt64])

  /// Whether any of the deliveries that were handed over has no answer yet; asked once for each batch of answers.
  var awaitsAnswers: Bool { get }

  /// A delivery has its answer, whether or not it is traced.
  func answered(_ tag: UInt64, _ send: TracedSend)
}

/// One send and its end, as a trace shows it.
package struct TracedSend: Sendable {
  package let delivery: DeliveryID
  package let provider: Provider
  package let environment: DeviceEnvironment
  package let attempt: Int
  package let outcome: SendOutcome

  init(_ flight: Flight, _ outcome: SendOutcome) {
    delivery = flight.delivery
    provider = flight.provider
    environment = flight.environment
    attempt = flight.attempt
    self.outcome = outcome
  }
}
