extension PushState {
  /// Whether nothing more is sent.
  public var isOver: Bool {
    switch self {
    case .draft, .scheduled, .planned, .sending, .paused: false
    case .cancelled, .sent, .expired, .failed: true
    }
  }
}
