internal import StoreModel

/// Changes as the text of a notification: whose they are, then a word for each.
///
/// A letter says what it is, numbers in base 36 follow it. What this version does not know is `everything`.
enum SharedChangeText {
  /// PostgreSQL takes less than 8000 bytes.
  static let bytesMax = 7_900
  /// Notifications of one transaction; what is more is announced in one word.
  static let textsMax = 16

  /// What is sent of a transaction.
  static func texts(_ changes: Set<SharedChange>, _ recall: LeaseRecall, from instance: Int64) -> [String] {
    let sender = number(instance)
    var words = changes.compactMap(word)
    words += recall.devices.map { "d" + number($0.rawValue) }
    words += recall.deliveries.map { "l" + number($0.rawValue) }
    var texts: [String] = []
    var text = sender
    for word in words {
      if text.utf8.count + 1 + word.utf8.count > bytesMax {
        texts.append(text)
        text = sender
      }
      text += " " + word
    }
    if text.utf8.count > sender.utf8.count { texts.append(text) }
    if texts.count > textsMax { return [sender + " e"] }
    return texts
  }

  /// What a notification says; nil when it is one's own.
  static func changes(_ text: String, to instance: Int64) -> [SharedChange]? {
    let words = text.split(separator: " ")
    guard let sender = words.first, sender != number(instance) else { return words.isEmpty ? [.everything] : nil }
    var recall = LeaseRecall()
    var changes: [SharedChange] = []
    for word in words.dropFirst() {
      let key = Int64(word.dropFirst(), radix: 36)
      switch (word.first, key) {
      case ("w", _): changes.append(.work)
      case ("p", let key?): changes.append(.push(PushID(rawValue: key)))
      case ("d", let key?): recall.devices.insert(DeviceID(rawValue: key))
      case ("l", let key?): recall.deliveries.insert(DeliveryID(rawValue: key))
      case ("L", _): changes.append(.leases)
      case ("a", _): changes.append(.apps)
      case ("c", let key?): changes.append(.credentials(AppID(rawValue: key)))
      case ("k", _): changes.append(.keys)
      case ("o", _): changes.append(.people)
      case ("h", _): changes.append(.webhooks)
      case ("s", _): changes.append(.schedules)
      case ("r", _): changes.append(.retention)
      default: changes.append(.everything)
      }
    }
    if !recall.isEmpty { changes.append(.recall(recall)) }
    return changes
  }

  private static func word(_ change: SharedChange) -> String? {
    switch change {
    case .work: "w"
    case .push(let id): "p" + number(id.rawValue)
    case .recall: nil
    case .leases: "L"
    case .apps: "a"
    case .credentials(let id): "c" + number(id.rawValue)
    case .keys: "k"
    case .people: "o"
    case .webhooks: "h"
    case .schedules: "s"
    case .retention: "r"
    case .everything: "e"
    }
  }

  private static func number(_ value: Int64) -> String { String(value, radix: 36) }
}

/// What a transaction has changed that other nodes keep in memory.
struct ChangeNotes {
  private var changes: Set<SharedChange> = []
  private var recall = LeaseRecall()

  mutating func add(_ change: SharedChange) {
    if case .recall(let more) = change { recall.formUnion(more) } else { changes.insert(change) }
  }

  mutating func removeAll() {
    changes.removeAll(keepingCapacity: true)
    recall = LeaseRecall()
  }

  /// Sends it with the transaction that is open: others hear of it when that is kept, and only then.
  mutating func write(to db: borrowing Connection, from instance: Int64) throws(StoreError) {
    guard !changes.isEmpty || !recall.isEmpty else { return }
    for text in SharedChangeText.texts(changes, recall, from: instance) {
      let notify = try db.prepare("SELECT pg_notify('postrider', ?1)")
      notify.bind(1, text)
      while try notify.step() {}
    }
    removeAll()
  }
}

extension WriterContext {
  /// Tells other nodes with the commit of this transaction; of a file there are none.
  mutating func note(_ change: SharedChange) {
    if isShared { notes.add(change) }
  }
}
