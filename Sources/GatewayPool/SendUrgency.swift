/// Which of two queues a batch waits in.
public enum SendUrgency: Sendable, Hashable {
  /// Goes before every waiting ``bulk`` send: a message that a person waits for.
  case urgent
  /// Goes in the order of submission.
  case bulk
}
