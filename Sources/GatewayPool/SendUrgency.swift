/// Which of two queues a batch waits in.
public enum SendUrgency: Sendable, Hashable {
  /// Sent before every waiting ``bulk`` send: a transactional message.
  case urgent
  /// Goes in the order of submission.
  case bulk
}
