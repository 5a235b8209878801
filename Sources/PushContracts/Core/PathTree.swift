import PushPayload

/// A slot in a row table: which field, and which of its slots on the platform.
struct SlotIndex: Sendable, Hashable {
  var field: Int
  var slot: Int
}

/// The keys of one platform's payload as a tree, in the order they are written; `*` holds the spread members.
///
/// Writing flattens it into a ``WriteProgram``, reading prepares it as a ``ReadTree``.
struct PathTree: Sendable {
  /// The step that represents the members of an object field.
  static let members = "*"

  /// The key, or `*`.
  var name: String
  /// The rows whose value is here.
  var slots: [SlotIndex] = []
  /// The rows that are also read from here when their own slot is empty.
  var alsoRead: [SlotIndex] = []
  /// What is below, in order.
  var children: [PathTree] = []

  /// Builds the tree of one platform: first the listed order, then every row.
  init<Message>(fields: [Field<Message>], slots: (Field<Message>) -> [Slot<Message>], order: [String]) {
    self.init(name: "")
    for path in order { insert(PathTree.steps(of: path)[...]) { _ in } }
    for (row, field) in fields.enumerated() {
      for (index, slot) in slots(field).enumerated() where !slot.isHeader && slot.form != .merged {
        let slotIndex = SlotIndex(field: row, slot: index)
        insert(PathTree.steps(of: slot.path)[...]) { $0.slots.append(slotIndex) }
        for other in slot.alsoRead { insert(PathTree.steps(of: other)[...]) { $0.alsoRead.append(slotIndex) } }
      }
    }
  }

  private init(name: String) { self.name = name }

  private mutating func insert(_ steps: ArraySlice<String>, _ change: (inout PathTree) -> Void) {
    guard let first = steps.first else { return change(&self) }
    let index: Int
    if let known = children.firstIndex(where: { $0.name == first }) {
      index = known
    } else {
      index = children.count
      children.append(PathTree(name: first))
    }
    children[index].insert(steps.dropFirst(), change)
  }

  /// The member names of a path.
  static func steps(of path: String) -> [String] {
    FieldPath(parsing: path).steps.map { step in
      switch step {
      case .member(let name): name
      case .element(let index): "\(index)"
      }
    }
  }

  /// True when something is written here or below.
  var isWritten: Bool { !slots.isEmpty || children.contains { $0.isWritten } }
}
