/// The form of a field's value on the wire: a small closed set.
public enum SlotForm: String, Sendable, Hashable {
  /// With its own JSON type.
  case same
  /// As a string: strings as they are, numbers and booleans as their text, arrays and objects as JSON text.
  case text
  /// `true` as the number 1; `false` leaves the key out.
  case flag
  /// An object's members, each with its own JSON type, beside the keys of the object.
  case members
  /// An object's members, each coerced to a string by the contract's policy, beside the keys of the object.
  case memberTexts
  /// A whole number of seconds as a duration: `3600` as `"3600s"`.
  case seconds
  /// The provider's own object, merged over what the other rows write (see ``ProviderObjects``).
  case merged
}

/// Where a field is written on one platform, and in which form.
public struct Slot<Message: Sendable>: Sendable {
  /// Where the value goes: a path in the payload, or the name of an `apns-*` header.
  ///
  /// Paths are such as `aps.alert.title` and `message.data.adb_uri`; a last step `*` represents an object's members.
  public var path: String
  /// True when it is an APNs request header.
  public var isHeader: Bool
  /// The form of the value there.
  public var form: SlotForm
  /// Other paths the value is read from when its own is empty (older shapes, plain strings).
  public var alsoRead: [String]
  typealias Condition = @Sendable (Lent<Message>, Lent<WriteContext>) -> Bool
  /// When false for a message, the value is not carried here; nil carries it always.
  var condition: Condition?
  /// The option that the slot is used only with, or only without; nil for any other.
  var option: (name: String, isOn: Bool)?
  /// ``condition`` without its ``option``.
  var bareCondition: Condition?
  /// The condition in words, for tables and reports; empty without one.
  public var conditionText: String
  /// True to read a value that is not in the slot's form but can be understood: numeric text for a number, an array for
  /// its JSON text.
  public var lenient: Bool
  /// The value's form in this slot when it differs from the field's own; nil uses the field's.
  var access: FieldAccess<Message>?

  /// A slot in the payload.
  @inline(never)
  public static func at(_ path: String, _ form: SlotForm = .same, alsoRead: [String] = [], lenient: Bool = false)
    -> Self
  {
    Slot(
      path: path, isHeader: false, form: form, alsoRead: alsoRead, condition: nil, conditionText: "", lenient: lenient)
  }

  /// The slots of a provider's own object, which is merged over what the other rows write.
  @inline(never)
  static func merged(_ path: String, isHeader: Bool = false) -> Self {
    Slot(
      path: path, isHeader: isHeader, form: .merged, alsoRead: [], condition: nil, conditionText: "", lenient: false)
  }

  /// An APNs request header.
  @inline(never)
  public static func header(_ name: String) -> Self {
    Slot(path: name, isHeader: true, form: .text, alsoRead: [], condition: nil, conditionText: "", lenient: false)
  }

  /// The same slot, where the value is written and read in a form of its own, such as another order of a color's
  /// digits or a default of one platform.
  @inline(never)
  public func carrying(_ access: FieldAccess<Message>) -> Self {
    var slot = self
    slot.access = access
    return slot
  }

  /// The same slot, used only when a condition holds.
  ///
  /// - Parameters:
  ///   - text: the condition in words, such as `not silent`.
  ///   - condition: the test.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public func when(_ text: String, _ condition: @escaping @Sendable (Message, WriteContext) -> Bool) -> Self {
    var slot = self
    slot.condition = { condition($0.pointee, $1.pointee) }
    slot.conditionText = text
    return slot
  }

  /// The same slot, used only when a condition holds that is passed by address, so that a large message is not copied for it.
  @inline(never)
  func when(
    _ text: String, at condition: @escaping @Sendable (Lent<Message>, Lent<WriteContext>) -> Bool
  ) -> Self {
    var slot = self
    (slot.condition, slot.conditionText) = (condition, text)
    return slot
  }

  /// The same slot, used only with an option or only without it, and when a condition holds.
  ///
  /// The option comes first: with the usual options a message is not looked at for the slots of others.
  @inline(never)
  func when(
    _ text: String, _ option: String, is isOn: Bool, _ condition: @escaping @Sendable (Lent<Message>) -> Bool
  ) -> Self {
    var slot = self
    slot.condition = { $1.pointee.has(option) == isOn && condition($0) }
    (slot.option, slot.bareCondition) = ((option, isOn), { message, _ in condition(message) })
    slot.conditionText = text
    return slot
  }

  /// True when it is the members of an object and not one key.
  var isMembers: Bool { form == .members || form == .memberTexts }
}
