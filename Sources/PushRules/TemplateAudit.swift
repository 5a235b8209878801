/// The worst case of a template over an audience, found while the audience streams by.
public struct TemplateAudit: Sendable {
  /// The largest message for a platform.
  public struct Worst: Sendable, Hashable {
    /// The limit and its parts.
    public let budget: PushTemplate.Budget
    /// The size of the largest message, in bytes; the size without values before any recipient was seen.
    public internal(set) var bytes: Int
    /// Who gets it.
    public internal(set) var recipient: String
    /// The recipient's row, from 1; 0 before any was seen.
    public internal(set) var row: Int
    /// How many messages are over the limit.
    public internal(set) var overCount: Int

    /// True when every message keeps the limit.
    public var fits: Bool { bytes <= budget.bytesMax }
  }

  /// The template.
  public let template: PushTemplate
  /// The worst case for each platform.
  public private(set) var worst: [Worst]
  /// How many recipients were seen.
  public private(set) var rows = 0
  /// How many recipients had no value, for each placeholder of the template.
  public private(set) var missing: [Int]

  /// Begins an audit.
  public init(_ template: PushTemplate) {
    self.template = template
    worst = template.budgets.map {
      Worst(budget: $0, bytes: $0.fixedBytes, recipient: "", row: 0, overCount: 0)
    }
    missing = template.placeholders.map { _ in 0 }
  }

  /// Counts one recipient.
  public mutating func add(_ row: AudienceRow) {
    rows += 1
    var values: [String: String] = [:]
    for (index, name) in template.placeholders.enumerated() {
      if let value = row.value(name) { values[name] = value } else { missing[index] += 1 }
    }
    for index in worst.indices {
      let bytes = worst[index].budget.bytes { values[$0] }
      if bytes > worst[index].budget.bytesMax { worst[index].overCount += 1 }
      if bytes > worst[index].bytes || worst[index].row == 0 {
        worst[index].bytes = bytes
        worst[index].recipient = row.recipient
        worst[index].row = row.number
      }
    }
  }
}
