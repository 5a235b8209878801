internal import PushPayload

/// The topics that a credential uses instead of those in the push.
///
/// Development builds often have a bundle id of their own, and a push is sent to both builds.
public struct TopicChange: Sendable, Hashable {
  private let pairs: [[String]]

  /// Nothing changes unless `others` has a topic at the index of one of `written`.
  ///
  /// - Parameters:
  ///   - written: the topics in the push.
  ///   - others: their replacements, index by index.
  public init(_ written: [String] = [], by others: [String] = []) {
    pairs = zip(written, others).filter { $0 != $1 }.map { [$0, $1] }
  }

  /// Whether every topic stays as it is.
  var isEmpty: Bool { pairs.isEmpty }

  /// What follows a bundle id in the topics of some push types.
  private static let suffixes = APNsPushType.known.compactMap(\.topicSuffix)

  /// The topic to send with.
  func applied(to topic: String) -> String {
    for pair in pairs where topic.hasPrefix(pair[0]) {
      let suffix = String(topic.dropFirst(pair[0].count))
      if Self.suffixes.contains(suffix) { return pair[1] + suffix }
    }
    return topic
  }
}
