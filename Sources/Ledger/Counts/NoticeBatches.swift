package import StoreModel

/// The webhook notices of a transaction, in the batches in which they are sent.
package struct NoticeBatches: Sendable {
  /// A webhook, as far as queueing needs to know it.
  package struct Listener: Sendable {
    package let id: WebhookID
    /// One bit for each kind of notice that it wants.
    package let mask: UInt32

    package init(id: WebhookID, mask: UInt32) {
      self.id = id
      self.mask = mask
    }

    package func wants(_ kind: NoticeKind) -> Bool { mask & 1 << UInt32(kind.rawValue) != 0 }
  }

  /// What a batch is of: the batches of a push are sent to a webhook in their order.
  package struct Key: Hashable, Sendable {
    package let webhook: WebhookID
    package let push: PushID
  }

  /// Notices in one batch.
  package static let noticesMax = 500

  private var batches: [Key: [[Notice]]] = [:]
  private var order: [Key] = []

  package init() {}

  /// Whether there is nothing to write.
  package var isEmpty: Bool { order.isEmpty }

  /// The batches, those of one key in the order in which they came.
  package var all: [(key: Key, notices: [Notice])] {
    order.flatMap { key in (batches[key] ?? []).map { (key, $0) } }
  }

  /// Adds notices about a push for each listener that wants them.
  package mutating func add(_ notices: [Notice], push: PushID, to listeners: [Listener]) {
    for listener in listeners {
      let key = Key(webhook: listener.id, push: push)
      for notice in notices where listener.wants(notice.kind) {
        if batches[key] == nil {
          order.append(key)
          batches[key] = [[]]
        }
        if let last = batches[key]?.last, last.count >= Self.noticesMax { batches[key]?.append([]) }
        let index = (batches[key]?.count ?? 1) - 1
        batches[key]?[index].append(notice)
      }
    }
  }

  package mutating func removeAll() {
    batches.removeAll()
    order.removeAll()
  }
}
