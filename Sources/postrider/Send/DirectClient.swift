import GatewayPool
import PushContracts
import PushPayload
import PushRules
import WireJSON

/// A client of one provider for the length of a command, as `postrider send` uses it; each is declared in a file of its own.
///
/// What sends is generic over it, so that a send takes no detour.
protocol DirectClient: Sendable {
  /// One message, laid out for the provider.
  associatedtype Message: Sendable
  /// Sends of one message that the client takes at once.
  associatedtype Batch

  /// Whose reasons come back.
  static var service: Explanation.Service { get }
  /// The options that only this provider has.
  static var options: [Option] { get }

  /// A client as the options describe it.
  init(_ arguments: Arguments, _ concurrency: Int) throws

  /// Adds a send to those of the same message, or begins a batch; the kind of recipient is that of the message.
  static func append(_ tag: UInt64, _ recipient: Recipient, _ message: Message, to batches: inout [Batch])

  /// Hands a batch over.
  func submit(_ batch: Batch, to mailbox: OutcomeMailbox) throws(QueueFull)
}

/// How a message is laid out for a provider, with what is to be said of it.
typealias Layout<Message> =
  @Sendable (_ message: JSONValue, _ context: WriteContext, _ duplicates: Report) -> Result<Message, Refusal>

/// Why a message cannot be sent.
struct Refusal: Error { let report: Report }

/// Sends that are submitted together; those of one message that follow each other share a batch of the client.
struct DirectBatches<Client: DirectClient> {
  private let client: Client
  private var batches: [Client.Batch] = []

  init(_ client: Client) { self.client = client }

  mutating func append(_ tag: UInt64, _ recipient: Recipient, _ message: Client.Message) {
    Client.append(tag, recipient, message, to: &batches)
  }

  /// Hands everything to the client.
  ///
  /// There is room: the client holds as many sends as may be under way.
  func submit(to mailbox: OutcomeMailbox) {
    do throws(QueueFull) {
      for batch in batches { try client.submit(batch, to: mailbox) }
    } catch {
      preconditionFailure("more sends were submitted than may be under way: \(error)")
    }
  }
}

extension Recipient {
  /// The token, where the provider knows no other recipients.
  var token: String {
    guard case .token(let token) = self else { preconditionFailure("the recipient of another service") }
    return token
  }
}
