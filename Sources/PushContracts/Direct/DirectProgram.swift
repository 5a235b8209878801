import PushPayload
import WireJSON

/// What one platform's payload of a contract may hold and where it goes in the answer, compiled once from the contract's rows.
///
/// It lies in plain memory that is never freed: the plans of the contracts are made once, and reading one counts no references.
final class DirectProgram: Sendable {
  /// The keys of one object in the payload, and what is below each.
  struct Node: Sendable {
    let keys: JSONKeyTable
    let children: Lasting<Node>
    let slots: Lasting<Slot>
    let alsoRead: Lasting<Slot>
    /// The rows that take all keys without one of their own; nil where such a key is unknown.
    let spread: Lasting<Slot>?
    /// Where ``DirectProgram/restKeys`` has the keys, for a node with ``spread``.
    let spreadIndex: Int32
    /// The row, where a string goes to one and to none else; -1 where not.
    let stringRow: Int32

    init(
      keys: JSONKeyTable, children: [Node], slots: [Slot], alsoRead: [Slot], spread: [Slot]?, spreadIndex: Int32
    ) {
      (self.keys, self.children, self.spreadIndex) = (keys, Lasting(children), spreadIndex)
      (self.slots, self.alsoRead, self.spread) = (Lasting(slots), Lasting(alsoRead), spread.map { Lasting($0) })
      let isOne = slots.count == 1 && alsoRead.isEmpty && slots[0].fixed == nil && slots[0].isProperty
      stringRow = isOne && slots[0].form == .string ? Int32(slots[0].row) : -1
    }

    /// True when keys are below.
    var hasChildren: Bool { !children.isEmpty || spread != nil }
  }

  /// A slot of a row.
  struct Slot: Sendable {
    let row: Int
    let form: DirectForm
    /// The JSON text of the value that is always here.
    let fixed: Lasting<UInt8>?
    /// False for what is written and never read.
    let isProperty: Bool
  }

  /// A row that is shown as a property; nothing of a row that is not.
  struct Row: Sendable {
    let label: JSONFragment
    /// The shared member that the row fills, or the part of one; -1 for none.
    let member: Int8
  }

  let platform: DirectPlatform
  /// Whether all values of an app's data are texts.
  let dataIsText: Bool
  /// The outermost node alone.
  private let top: Lasting<Node>
  /// Where its children have what is below `message`; nil for APNs.
  private let messageIndex: Int?
  /// For each node that takes all keys without a row, the keys with one.
  let restKeys: Lasting<JSONKeyTable>
  /// By the field's index.
  let rows: Lasting<Row>

  /// The shared members, in their order; what is behind them are parts of the localized ones.
  static let silent = member("silent")
  static let link = member("link")
  static let collapse = member("collapse")
  static let category = member("category")
  static let actions = member("actions")
  /// `title_loc`, `subtitle_loc`, `body_loc`.
  static let localized = member("title_loc")..<FieldRole.commonMembers.count
  /// The members and their parts: a key and arguments for each of the three.
  static let memberCount = localized.upperBound + localized.count * 2
  private static func member(_ name: String) -> Int { FieldRole.commonMembers.firstIndex(of: name) ?? 0 }

  /// The most rows of a contract, and the most members: as many as ``DirectReading`` has bits for.
  static let rowsMax = 128
  static let membersMax = 64

  /// The names of the members, and which of them are the localized ones.
  let memberLabels = DirectProgram.labels
  let localized = DirectProgram.localized
  let silent = DirectProgram.silent
  private static let labels = Lasting(
    FieldRole.commonMembers.compactMap { JSONKey(keeping: $0) }.map { JSONFragment($0) })

  private init(_ platform: Platform, root: Node, restKeys: [JSONKeyTable], rows: [Row]) {
    self.platform = DirectPlatform.all[platform]
    dataIsText = platform.traits.dataIsText
    messageIndex = root.keys.keys.firstIndex { $0 == "message" }
    top = Lasting([root])
    self.restKeys = Lasting(restKeys)
    self.rows = Lasting(rows)
  }

  /// The outermost node.
  var root: Lent<Node> { top[lent: 0] }
  /// What is below `message`; nil for APNs.
  var message: Lent<Node>? { messageIndex.map { root.pointee.children[lent: $0] } }

  /// Compiles the rows; nil when there are too many, or a name needs an escape.
  ///
  /// Not an initializer: Embedded Swift has no generic ones of classes.
  static func compiled<Message: Sendable>(
    fields: [Field<Message>], tree: PathTree, _ platform: Platform
  ) -> DirectProgram? {
    guard fields.count <= rowsMax, memberCount <= membersMax else { return nil }
    func slot(_ index: SlotIndex) -> Slot {
      let field = fields[index.field]
      let slot = field.slots[platform][index.slot]
      var fixed: Lasting<UInt8>?
      if case .fixed(let value) = field.source { fixed = Lasting(JSON.minified(value)) }
      return Slot(
        row: index.field, form: (slot.access ?? field.access).directForm(in: slot.form), fixed: fixed,
        isProperty: field.isProperty)
    }
    var rests: [JSONKeyTable] = []
    guard let root = node(tree, &rests, slot) else { return nil }
    var rows: [Row] = []
    for field in fields {
      guard let key = JSONKey(keeping: field.name) else { return nil }
      rows.append(Row(label: JSONFragment(key), member: field.isProperty ? member(of: field.role) : -1))
    }
    return DirectProgram(platform, root: root, restKeys: rests, rows: rows)
  }

  /// The shared member, or the part of one, that a row of a role fills; -1 for none.
  private static func member(of role: FieldRole?) -> Int8 {
    guard let role else { return -1 }
    let parts: [FieldRole] = [
      .titleLocKey, .titleLocArgs, .subtitleLocKey, .subtitleLocArgs, .bodyLocKey, .bodyLocArgs,
    ]
    let index =
      FieldRole.commonMembers.firstIndex(of: role.rawValue)
      ?? parts.firstIndex(of: role).map { localized.upperBound + $0 }
    return Int8(index ?? -1)
  }

  private static func node(
    _ tree: PathTree, _ rests: inout [JSONKeyTable], _ slot: (SlotIndex) -> Slot
  ) -> Node? {
    var keys: [JSONKey] = []
    var children: [Node] = []
    var spread: [Slot]?
    for child in tree.children {
      if child.name == PathTree.members {
        spread = child.slots.map(slot)
        continue
      }
      guard let key = JSONKey(keeping: child.name), let node = node(child, &rests, slot)
      else {
        return nil
      }
      keys.append(key)
      children.append(node)
    }
    guard keys.count <= DirectBits.max else { return nil }
    let table = JSONKeyTable(keys)
    let spreadIndex = Int32(rests.count)
    if spread != nil { rests.append(table) }
    return Node(
      keys: table, children: children, slots: tree.slots.map(slot), alsoRead: tree.alsoRead.map(slot), spread: spread,
      spreadIndex: spreadIndex)
  }
}

extension Array {
  /// The row of a field, for what a contract does beside its rows.
  func row<Message>(_ name: String) -> Int where Element == Field<Message> {
    firstIndex { $0.isProperty && $0.name == name } ?? 0
  }
}

extension FieldAccess {
  /// How a value in a slot of this form is taken.
  func directForm(in form: SlotForm) -> DirectForm {
    switch form {
    case .same: direct == .seconds ? .absent : direct
    case .text: directText
    case .flag: direct == .boolean ? .flag : .absent
    case .members, .memberTexts: direct == .object ? .rest : .absent
    case .seconds: direct == .seconds ? .secondsText : .absent
    case .merged: .absent
    }
  }
}
