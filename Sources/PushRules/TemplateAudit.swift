public import Liquid
internal import WireJSON

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
  /// How many recipients get nothing, because a text in Liquid reached `{% abort %}`.
  public private(set) var abortedCount = 0
  /// How many recipients get nothing, because a text in Liquid fails on their values, and the first of them.
  public private(set) var failedCount = 0
  /// The row of the first recipient on whose values a text failed, and why.
  public private(set) var firstFailure: (row: Int, error: LiquidError)?
  private var renderers: [LiquidRenderer]
  /// The texts in Liquid of one recipient.
  private var texts: [String] = []
  /// What only texts in Liquid read.
  private let readByPrograms: Set<String>

  /// Begins an audit.
  public init(_ template: PushTemplate) {
    self.template = template
    worst = template.budgets.map {
      Worst(budget: $0, bytes: $0.fixedBytes, recipient: "", row: 0, overCount: 0)
    }
    missing = template.placeholders.map { _ in 0 }
    renderers = template.programs.map { LiquidRenderer($0) }
    let plain = Set(template.budgets.flatMap { $0.placeholders })
    readByPrograms = Set(template.programs.flatMap { $0.inputs.map(MessageText.name) }).subtracting(plain)
  }

  /// Counts one recipient.
  public mutating func add(_ row: AudienceRow) {
    rows += 1
    var values: [String: String] = [:]
    for name in template.placeholders { if let value = row.value(name) { values[name] = value } }
    let unread = render(row, values)
    // Who gets nothing misses nothing.
    guard texts.count == renderers.count else { return }
    for (index, name) in template.placeholders.enumerated() {
      if readByPrograms.contains(name) ? unread.contains(name) : values[name] == nil { missing[index] += 1 }
    }
    for index in worst.indices {
      let bytes = worst[index].budget.bytes(texts: texts) { values[$0] }
      if bytes > worst[index].budget.bytesMax { worst[index].overCount += 1 }
      if bytes > worst[index].bytes || worst[index].row == 0 {
        worst[index].bytes = bytes
        worst[index].recipient = row.recipient
        worst[index].row = row.number
      }
    }
  }
  /// Renders the texts in Liquid; returns what they miss.
  ///
  /// There are fewer texts than programs when the recipient gets nothing.
  private mutating func render(_ row: AudienceRow, _ values: [String: String]) -> Set<String> {
    var unread: Set<String> = []
    texts.removeAll(keepingCapacity: true)
    for index in renderers.indices {
      let inputs = template.programs[index].inputs
      renderers[index].begin()
      for (number, input) in inputs.enumerated() {
        if let json = row.json(input.name), json.array != nil || json.object != nil {
          renderers[index].set(number, json)
        } else if let value = values[MessageText.name(input)] {
          renderers[index].set(number, value, isProperty: true)
        }
      }
      switch renderers[index].render() {
      case .rendered: texts.append(renderers[index].text)
      case .aborted:
        abortedCount += 1
        return unread
      case .failed(let failure), .undefined(let failure):
        failedCount += 1
        if firstFailure == nil { firstFailure = (row.number, failure.error(in: template.programs[index].source)) }
        return unread
      }
      unread.formUnion(renderers[index].missing.map(MessageText.name))
    }
    return unread
  }
}
