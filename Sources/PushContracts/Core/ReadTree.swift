internal import Basics
import WireJSON

/// The keys of one platform's payload as a reader walks them: every key is found at once, and every row is one reference.
final class ReadTree<Message: Sendable>: Sendable {
  /// The rows whose value is here.
  let slots: [SlotReader<Message>]
  /// The rows that are also read from here when their own slot is empty.
  let alsoRead: [SlotReader<Message>]
  /// True when keys are below.
  let hasChildren: Bool
  /// Where all keys without a row of their own are taken.
  let spread: ReadTree?
  private let children: [ByteKey: ReadTree]

  /// Prepares a tree of slots.
  init(_ tree: PathTree, _ reader: (SlotIndex) -> SlotReader<Message>) {
    slots = tree.slots.map(reader)
    alsoRead = tree.alsoRead.map(reader)
    hasChildren = !tree.children.isEmpty
    var children: [ByteKey: ReadTree] = [:]
    for child in tree.children { children[ByteKey(child.name)] = ReadTree(child, reader) }
    spread = children.removeValue(forKey: ByteKey(PathTree.members))
    self.children = children
  }

  /// What is below a key.
  func child(_ name: String) -> ReadTree? { children[ByteKey(name)] }
}

/// A slot of a row with what reading it needs.
final class SlotReader<Message: Sendable>: Sendable {
  /// The row's index.
  let field: Int
  /// The value that is always here; nil for a row of the message.
  let fixed: JSONValue?
  /// True for a row that is a property of the message.
  let isProperty: Bool
  /// True to read a value in the other form, too.
  let isLenient: Bool
  private let form: SlotForm
  private let takeValue: FieldAccess<Message>.Take
  private let takeText: FieldAccess<Message>.Take

  /// Prepares a slot of a row.
  init(_ index: SlotIndex, of field: Field<Message>, _ slot: Slot<Message>) {
    self.field = index.field
    if case .fixed(let value) = field.source { fixed = value } else { fixed = Optional.none }
    isProperty = field.isProperty
    isLenient = slot.lenient
    form = slot.form
    let access = slot.access ?? field.access
    takeValue = access.take
    takeText = access.takeText
  }

  /// Takes a value in the other form of the two: text where a value was expected, and the value itself where text was.
  func takeOther(_ message: inout Message, _ value: JSONValue) -> Mismatch? {
    form == .text ? takeValue(&message, value) : takeText(&message, value)
  }

  /// Takes a value in this slot's form; returns nil, or why not.
  func take(_ message: inout Message, _ value: JSONValue) -> Mismatch? {
    switch form {
    case .same, .members, .memberTexts, .merged: return takeValue(&message, value)
    case .text: return takeText(&message, value)
    case .flag:
      if let flag = value.bool { return takeValue(&message, .bool(flag)) }
      guard let number = value.int, number == 0 || number == 1 else { return "the number 1" }
      return takeValue(&message, .bool(number == 1))
    case .seconds:
      guard let text = value.string, text.utf8.last == UInt8(ascii: "s"), let seconds = WholeNumber(text.dropLast())
      else {
        return "whole seconds such as \"3600s\""
      }
      return takeValue(&message, .number(JSONNumber(seconds)))
    }
  }
}
