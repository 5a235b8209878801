internal import Basics
package import StoreModel

/// What devices have reported of some deliveries, and what further reports add to it: each thing counts once.
package struct DeviceReports: Sendable {
  /// Something that had not been reported.
  package struct Addition: Equatable, Sendable {
    package let kind: EventKind
    /// The button's name, as it is kept; empty for the other kinds.
    package let action: String
    /// Whether the delivery counts for its kind now; one that counts as acted on has more buttons.
    package let isFirst: Bool
  }

  /// Buttons counted by name of one push; what comes from outside must not grow without end.
  package static let actionsPerPushMax = 100
  /// Buttons recorded of one delivery.
  package static let actionsPerDeliveryMax = 20
  /// The name under which further buttons of a push are counted.
  package static let otherAction = "other"

  private struct Report: Hashable {
    let delivery: DeliveryID
    let kind: EventKind
    let action: ByteKey
  }

  private var known: Set<Report> = []
  private var actions: [DeliveryID: Int] = [:]
  private var names: [PushID: Set<ByteKey>] = [:]

  package init() {}

  /// Notes what is kept already.
  package mutating func note(_ kind: EventKind, _ action: String, of delivery: DeliveryID) {
    guard known.insert(Report(delivery: delivery, kind: kind, action: ByteKey(action))).inserted else { return }
    if kind == .action { actions[delivery, default: 0] += 1 }
  }

  /// Notes a button that a push counts by name already.
  package mutating func note(action: String, of push: PushID) { names[push, default: []].insert(ByteKey(action)) }

  /// Takes a report, with all that it implies.
  package mutating func add(
    _ kind: EventKind, _ action: String, of delivery: DeliveryID, in push: PushID
  ) -> [Addition] {
    kind.implied.compactMap { implied in
      if implied == .action { return act(action, delivery, push) }
      let report = Report(delivery: delivery, kind: implied, action: ByteKey(""))
      return known.insert(report).inserted ? Addition(kind: implied, action: "", isFirst: true) : nil
    }
  }

  private mutating func act(_ action: String, _ delivery: DeliveryID, _ push: PushID) -> Addition? {
    let before = actions[delivery, default: 0]
    guard before < Self.actionsPerDeliveryMax else { return nil }
    let others = names[push, default: []]
    let isCounted = others.contains(ByteKey(action)) || others.count < Self.actionsPerPushMax
    let name = isCounted ? action : Self.otherAction
    let report = Report(delivery: delivery, kind: .action, action: ByteKey(name))
    guard known.insert(report).inserted else { return nil }
    actions[delivery] = before + 1
    note(action: name, of: push)
    return Addition(kind: .action, action: name, isFirst: before == 0)
  }
}
