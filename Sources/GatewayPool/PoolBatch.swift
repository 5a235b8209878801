package import HTTP2

/// One submitted batch of sends, as the pool sees it: something that writes requests and reads answers.
///
/// Handed to one pool and from then on touched on that pool's loop only.
package protocol PoolBatch: AnyObject, Sendable {
  /// How many sends it holds.
  var count: Int { get }
  /// Which queue it waits in.
  var urgency: SendUrgency { get }
  /// After this second since 1970 nothing of it is sent any more.
  var notAfter: Int64? { get }
  /// About how many bytes one of its requests has of its own: path, headers that differ, and body. Saves growing.
  var requestBytes: Int { get }

  /// Whether one of its sends was taken back (``SendRecall``).
  func isRecalled(_ entry: Int) -> Bool

  /// What its requests have in common, with this authorization.
  func template(_ authorization: PoolAuthorization) throws(SendFailure) -> HTTP2RequestTemplate

  /// Adds the request of one send.
  func write(
    _ entry: Int, _ template: HTTP2RequestTemplate, slot: UInt64, timeout: Duration, to wire: inout HTTP2RequestBatch)

  /// Takes the answer to one send: stores its outcome, or requests one retry.
  func answered(_ entry: Int, _ response: HTTP2Response, in results: HTTP2Results, _ attempt: PoolAttempt)
    -> AnswerVerdict

  /// Takes the failure of one send.
  func failed(_ entry: Int, _ failure: SendFailure)

  /// Hands the outcomes kept so far to the caller.
  func flush()
}

/// The authorization that requests carry.
package struct PoolAuthorization: Sendable, Hashable {
  /// Changes whenever the header does.
  package let generation: Int
  /// The value of the `authorization` header; `nil` when the client certificate authenticates the sender.
  package let header: String?

  /// Names an authorization.
  package init(generation: Int, header: String?) {
    self.generation = generation
    self.header = header
  }
}

/// What is known of the request that an answer belongs to.
package struct PoolAttempt: Sendable, Hashable {
  /// The generation of the authorization it carried.
  package let generation: Int
  /// Whether a fresh token has been tried for it already.
  package let wasReauthorized: Bool
  /// Whether it has been sent again once already.
  package let wasResent: Bool
  /// The monotonic clock.
  package let now: Duration
}

/// What becomes of a send after its answer.
package enum AnswerVerdict: Sendable, Hashable {
  /// Its outcome is kept. `isProof`: the answer shows that the credential is good.
  case done(isProof: Bool)
  /// Nothing was processed because the token was refused; it is retried once with the current token.
  case reauthorize
  /// Nothing was processed because the connection is unusable; it is retried once over another.
  case reconnect
  /// Its outcome is kept, and the connection is of no more use.
  case doneAndReconnect
}

/// Gives a pool the authorization of its requests.
///
/// Touched on the pool's loop only.
package protocol PoolCredential: AnyObject, Sendable {
  /// What requests carry now.
  ///
  /// - Parameters:
  ///   - now: the monotonic clock.
  ///   - wall: seconds since 1970.
  func gate(now: Duration, wall: Int64) -> CredentialGate
}

/// Whether requests can go out.
package enum CredentialGate: Sendable, Hashable {
  /// They can, with this.
  case open(PoolAuthorization)
  /// Not yet. The credential calls the pool when that changes; `detail` says what is missing, for sends that time out.
  case wait(detail: String)
  /// They cannot, and waiting does not help.
  case refuse(SendFailure)
}
