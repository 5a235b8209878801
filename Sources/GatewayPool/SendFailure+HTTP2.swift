package import HTTP2

extension SendFailure {
  /// Names the failure of one request on a connection.
  init(_ failure: HTTP2Failure) {
    self.init(
      failure.processing == .notProcessed ? .notProcessed : .unknown, Cause(failure.reason),
      failure.reason.description)
  }
}

extension SendFailure.Cause {
  init(_ reason: HTTP2FailureReason) {
    switch reason {
    case .deadline: self = .requestTimeout
    case .reset(.refusedStream): self = .refusedStream
    case .reset: self = .streamReset
    case .goAway: self = .goAway
    case .connectionClosed(let reason): self.init(reason)
    case .queueFull, .draining: self = .closed
    case .invalidRequest: self = .invalidRequest
    case .invalidResponse: self = .protocolViolation
    }
  }

  init(_ reason: HTTP2CloseReason) {
    switch reason {
    case .requested, .loopStopped: self = .closed
    case .lookupFailed: self = .nameLookup
    case .addressRefused: self = .addressRefused
    case .connectFailed: self = .connect
    case .connectTimeout, .pingTimeout, .settingsTimeout: self = .silence
    case .proxyRefused, .proxyUnavailable: self = .proxy
    case .tlsFailed: self = .tls
    case .noALPN: self = .noHTTP2
    case .goAway: self = .goAway
    case .closedByPeer, .broken: self = .connectionLost
    case .protocolError: self = .protocolViolation
    }
  }
}

extension HTTP2CloseReason {
  /// Whether a retry soon cannot help.
  ///
  /// A wrong certificate or a port for another protocol stays wrong until an operator changes something.
  package var isLasting: Bool {
    switch self {
    case .tlsFailed, .noALPN, .proxyRefused, .addressRefused: true
    default: false
    }
  }
}
