package import Delivery
package import StoreModel

// MARK: - Parts that benchmarks reach directly

extension PostriderServer {
  /// What the server keeps.
  package var store: any Store { service.store }
  /// The ways to the providers.
  package var senders: SenderDirectory { service.sending.directory }

  /// Something was put into the store directly that may have to be sent.
  package func wake() { service.sending.wake() }
}
