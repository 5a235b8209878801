/// The revisions of the Model Context Protocol that are spoken, and what each of them has.
enum MCPVersion: String, Sendable, CaseIterable, Comparable {
  case november2024 = "2024-11-05"
  case march2025 = "2025-03-26"
  case june2025 = "2025-06-18"
  case november2025 = "2025-11-25"
  /// Without a handshake: every request says its revision and what the client can do.
  case july2026 = "2026-07-28"

  /// The newest that is agreed on by `initialize`.
  static let newestOfHandshake = MCPVersion.november2025

  static func < (left: MCPVersion, right: MCPVersion) -> Bool { left.rawValue < right.rawValue }

  /// The one that `initialize` answers with: what the client asked for, else the newest.
  static func agreed(_ asked: String) -> MCPVersion {
    MCPVersion(rawValue: asked).flatMap { $0.hasHandshake ? $0 : nil } ?? newestOfHandshake
  }

  /// Whether `initialize` opens the session.
  var hasHandshake: Bool { self < .july2026 }
  /// Whether several messages may come in one array; only this revision has that.
  var hasBatches: Bool { self == .march2025 }
  /// Whether tools say what they do to the world.
  var hasAnnotations: Bool { self >= .march2025 }
  /// Whether results have a form that is declared, and tools a title.
  var hasStructure: Bool { self >= .june2025 }
  /// Whether the server may ask the person through the client.
  var hasQuestions: Bool { self >= .june2025 }
  /// Whether a question says that it is a form.
  var namesForms: Bool { self >= .november2025 }
}
