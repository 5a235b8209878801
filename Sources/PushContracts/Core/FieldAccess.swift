public import Basics
import PushPayload
public import WireJSON

/// The type of a field with the way to it in the message struct: what a row needs to decode, write and read the field.
///
/// Make one with the factory for the type, from a getter and a setter: `.string({ $0.title }, { $0.title = $1 })`.
///
/// The factories are always inlined: then the compiler sees the getter inside the closure that writes, reads the field
/// in place, and no reference is counted on the way from the message to the bytes. In the WebAssembly module, where all that is
/// inlined is downloaded, they never are.
public struct FieldAccess<Message: Sendable>: Sendable {
  /// Writes key and value when there is a value, and nothing otherwise.
  ///
  /// Message and context are passed by address: large structs passed by value would be copied at every call.
  typealias Emit =
    @Sendable (
      Lent<Message>, Lent<WriteContext>, JSONKey, inout JSONWriter
    ) -> Void
  /// Takes a value into a message; returns nil, or why not.
  typealias Take = @Sendable (inout Message, JSONValue) -> Mismatch?

  /// Takes a value of a document in which no object has a name twice; returns false where there is something to say of it.
  typealias TakeNode = @Sendable (inout Message, JSONDocument, JSONNode) -> Bool

  /// The JSON type in the message.
  let type: FieldType
  /// The value as a property of the message; nil when absent.
  let property: @Sendable (Message) -> JSONValue?
  /// Whether ``property`` has a value, which is not made for it.
  let isThere: @Sendable (Lent<Message>) -> Bool
  /// The value as it is written, before the slot's form is applied; nil when absent.
  var wire: @Sendable (Lent<Message>, Lent<WriteContext>) -> JSONValue? {
    didSet { (wireText, wireWhole) = (nil, nil) }
  }
  /// Takes a value of the JSON type.
  var take: Take { didSet { (direct, takeNode) = (.absent, nil) } }
  /// ``take`` without a value that is made for it; nil where it has another way of taking values.
  var takeNode: TakeNode?
  /// Takes the value from the text of a `.text` slot.
  var takeText: Take { didSet { directText = .absent } }
  /// Writes the value with its own type.
  var emit: Emit
  /// Writes the value as a string.
  var emitText: Emit
  /// Writes the value in the form that is its type's own: `true` as 1, seconds as `"60s"`; nil for other types.
  var emitSpecial: Emit?
  /// True when something is written also where ``isThere`` says that there is no value, such as a default.
  var writesAbsent = false
  /// The members of an object field, for slots that spread them.
  var members: (@Sendable (Lent<Message>) -> JSONObject?)?
  /// Whether a text that is there is blank; nil for types that are no text.
  var isBlank: (@Sendable (Lent<Message>) -> Bool)?
  /// What ``wire`` has where that is a text, without making a value of it; nil for what has none such.
  var wireText: (@Sendable (Lent<Message>, Lent<WriteContext>) -> String?)?
  /// The same for a whole number.
  var wireWhole: (@Sendable (Lent<Message>, Lent<WriteContext>) -> WholeNumber?)?
  /// How ``take`` takes a value where the property is that value as it is.
  ///
  /// Another way of taking values has none until it says so.
  var direct = DirectForm.absent
  /// The same for ``takeText``.
  var directText = DirectForm.absent
}

extension FieldAccess {
  /// Whether a text that is not empty is written.
  var hasText: Slot<Message>.Condition {
    if let wireText { return { wireText($0, $1)?.isEmpty == false } }
    let wire = wire
    return { wire($0, $1)?.string?.isEmpty == false }
  }
}

// MARK: Scalars

extension FieldAccess {
  /// A string.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func string(
    _ get: @escaping @Sendable (Message) -> String?, _ set: @escaping @Sendable (inout Message, String) -> Void
  ) -> FieldAccess {
    string(property: get, wire: { message, _ in get(message.pointee) }, emit: emitString(get), set: set)
  }

  /// A string that is written in another form than it is kept, such as with a default.
  ///
  /// - Parameters:
  ///   - get: the value as a property of the message.
  ///   - set: keeps a value that was decoded or read.
  ///   - wire: the value as it is written.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func string(
    _ get: @escaping @Sendable (Message) -> String?, _ set: @escaping @Sendable (inout Message, String) -> Void,
    wire: @escaping @Sendable (Message) -> String?
  ) -> FieldAccess {
    var access = string(property: get, wire: { message, _ in wire(message.pointee) }, emit: emitString(wire), set: set)
    access.writesAbsent = true
    return access
  }

  /// A string of the send's context, kept in the message when it is read back.
  ///
  /// - Parameters:
  ///   - context: where it is written from.
  ///   - get: where it is kept after reading.
  ///   - set: keeps it.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func contextString(
    _ context: @escaping @Sendable (WriteContext) -> String?, _ get: @escaping @Sendable (Message) -> String?,
    _ set: @escaping @Sendable (inout Message, String) -> Void
  ) -> FieldAccess {
    let emit: Emit = { _, send, key, writer in
      guard let value = context(send.pointee) else { return }
      writer.key(key)
      writer.string(value)
    }
    var access = string(property: get, wire: { _, send in context(send.pointee) }, emit: emit, set: set)
    access.writesAbsent = true
    return access
  }

  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  private static func emitString(_ get: @escaping @Sendable (Message) -> String?) -> Emit {
    { message, _, key, writer in
      guard let value = get(message.pointee) else { return }
      writer.key(key)
      writer.string(value)
    }
  }

  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  private static func string(
    property: @escaping @Sendable (Message) -> String?,
    wire: @escaping @Sendable (Lent<Message>, Lent<WriteContext>) -> String?,
    emit: @escaping Emit, set: @escaping @Sendable (inout Message, String) -> Void
  ) -> FieldAccess {
    let take: Take = { message, value in
      guard case .string(let text) = value else { return Mismatch(FieldType.string.expectation) }
      set(&message, text)
      return nil
    }
    var access = FieldAccess(
      type: .string, property: { property($0).map { .string($0) } }, isThere: { property($0.pointee) != nil },
      wire: { wire($0, $1).map { .string($0) } }, take: take, takeText: take, emit: emit, emitText: emit,
      isBlank: { property($0.pointee)?.isBlank ?? false },
      direct: .string, directText: .string)
    #if !_pointerBitWidth(_32)
      access.wireText = wire
      access.takeNode = { message, document, node in
        guard let text = document.string(node) else { return false }
        set(&message, text)
        return true
      }
    #endif
    return access
  }

  /// An integer.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func integer(
    _ get: @escaping @Sendable (Message) -> WholeNumber?,
    _ set: @escaping @Sendable (inout Message, WholeNumber) -> Void
  ) -> FieldAccess {
    var access = FieldAccess(
      type: .integer, property: { get($0).map { .number(JSONNumber($0)) } }, isThere: { get($0.pointee) != nil },
      wire: { message, _ in get(message.pointee).map { .number(JSONNumber($0)) } },
      take: { message, value in
        guard let number = value.int else { return Mismatch(FieldType.integer.expectation) }
        set(&message, number)
        return nil
      },
      takeText: { message, value in
        guard let number = value.string.flatMap({ WholeNumber($0) }) else { return "an integer in a string" }
        set(&message, number)
        return nil
      },
      emit: { message, _, key, writer in
        guard let value = get(message.pointee) else { return }
        writer.key(key)
        writer.int(value)
      },
      emitText: { message, _, key, writer in
        guard let value = get(message.pointee) else { return }
        writer.key(key)
        writer.text(of: value)
      },
      emitSpecial: { message, _, key, writer in
        guard let value = get(message.pointee) else { return }
        writer.key(key)
        writer.text(of: value, unit: UInt8(ascii: "s"))
      }, direct: .integer)
    #if !_pointerBitWidth(_32)
      access.takeNode = { message, document, node in
        guard let value = document.int(node) else { return false }
        set(&message, value)
        return true
      }
    #endif
    return access
  }

  /// A number that keeps its text.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func number(
    _ get: @escaping @Sendable (Message) -> JSONNumber?,
    _ set: @escaping @Sendable (inout Message, JSONNumber) -> Void
  ) -> FieldAccess {
    var access = FieldAccess(
      type: .number, property: { get($0).map { .number($0) } }, isThere: { get($0.pointee) != nil },
      wire: { message, _ in get(message.pointee).map { .number($0) } },
      take: { message, value in
        guard case .number(let number) = value else { return Mismatch(FieldType.number.expectation) }
        set(&message, number)
        return nil
      },
      takeText: { message, value in
        guard let number = value.string.flatMap({ JSONNumber(text: $0) }) else { return "a number in a string" }
        set(&message, number)
        return nil
      },
      emit: { message, _, key, writer in
        guard let value = get(message.pointee) else { return }
        writer.key(key)
        writer.number(value)
      },
      emitText: { message, _, key, writer in
        guard let value = get(message.pointee) else { return }
        writer.key(key)
        writer.string(value.text)
      }, direct: .number)
    #if !_pointerBitWidth(_32)
      access.takeNode = { message, document, node in
        guard let value = document.number(node) else { return false }
        set(&message, value)
        return true
      }
    #endif
    return access
  }

  /// A boolean.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func boolean(
    _ get: @escaping @Sendable (Message) -> Bool?, _ set: @escaping @Sendable (inout Message, Bool) -> Void
  ) -> FieldAccess {
    var access = FieldAccess(
      type: .boolean, property: { get($0).map { .bool($0) } }, isThere: { get($0.pointee) != nil },
      wire: { message, _ in get(message.pointee).map { .bool($0) } },
      take: { message, value in
        guard let flag = value.bool else { return Mismatch(FieldType.boolean.expectation) }
        set(&message, flag)
        return nil
      },
      takeText: { message, value in
        guard let text = value.string, text == "true" || text == "false" else { return "\"true\" or \"false\"" }
        set(&message, text == "true")
        return nil
      },
      emit: { message, _, key, writer in
        guard let value = get(message.pointee) else { return }
        writer.key(key)
        writer.bool(value)
      },
      emitText: { message, _, key, writer in
        guard let value = get(message.pointee) else { return }
        writer.key(key)
        writer.string(value ? "true" : "false")
      },
      emitSpecial: { message, _, key, writer in
        guard get(message.pointee) == true else { return }
        writer.key(key)
        writer.int(1)
      }, direct: .boolean)
    #if !_pointerBitWidth(_32)
      access.takeNode = { message, document, node in
        guard let value = document.bool(node) else { return false }
        set(&message, value)
        return true
      }
    #endif
    return access
  }
}

// MARK: Other forms of a value

extension FieldAccess {
  /// The same field, whose value has another form in a header, where it is there.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public func header(_ value: @escaping @Sendable (Message, WriteContext) -> JSONValue?) -> FieldAccess {
    var access = self
    let isThere = isThere
    access.wire = { isThere($0) ? value($0.pointee, $1.pointee) : nil }
    return access
  }

  /// The same field, whose value has another form where it is there and written with its own type.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public func form(_ get: @escaping @Sendable (Message) -> JSONValue?) -> FieldAccess {
    var access = self
    let isThere = isThere
    access.emit = { message, _, key, writer in
      guard isThere(message), let value = get(message.pointee) else { return }
      writer.key(key)
      writer.value(value)
    }
    return access
  }

  /// The same field, whose value has another form where it is there and written as JSON text in a string.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public func text(_ get: @escaping @Sendable (Message) -> JSONValue?) -> FieldAccess {
    var access = self
    let isThere = isThere
    access.emitText = { message, _, key, writer in
      guard isThere(message), let value = get(message.pointee) else { return }
      writer.key(key)
      writer.textValue(value)
    }
    return access
  }
}

extension FieldAccess {
  /// The same field, whose text is written in another form.
  func written(_ form: @escaping @Sendable (String) -> String?) -> FieldAccess {
    let text = wire
    var access = writing { text($0, $1)?.string.flatMap(form) }
    access.writesAbsent = writesAbsent
    return access
  }

  /// The same field, which is written with another text, such as a default.
  func writing(_ text: @escaping @Sendable (Lent<Message>) -> String?) -> FieldAccess {
    writing { message, _ in text(message) }
  }

  private func writing(
    _ text: @escaping @Sendable (Lent<Message>, Lent<WriteContext>) -> String?
  ) -> FieldAccess {
    var access = self
    access.wire = { text($0, $1).map { .string($0) } }
    #if !_pointerBitWidth(_32)
      access.wireText = text
    #endif
    let emit: Emit = { message, context, key, writer in
      guard let value = text(message, context) else { return }
      writer.key(key)
      writer.string(value)
    }
    (access.emit, access.emitText, access.writesAbsent) = (emit, emit, true)
    return access
  }
}

// MARK: Values that are written only

extension FieldAccess {
  /// A string computed from the message and its context.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func derivedString(
    _ get: @escaping @Sendable (Message, WriteContext) -> String?
  ) -> FieldAccess {
    derivedString(at: { get($0.pointee, $1.pointee) })
  }

  /// The same, computed from a message that is not copied for it.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  @_disfavoredOverload
  static func derivedString(
    at get: @escaping @Sendable (Lent<Message>, Lent<WriteContext>) -> String?
  ) -> FieldAccess {
    let emit: Emit = { message, context, key, writer in
      guard let value = get(message, context) else { return }
      writer.key(key)
      writer.string(value)
    }
    var access = derived(.string, { get($0, $1).map { .string($0) } }, emit: emit, emitText: emit)
    #if !_pointerBitWidth(_32)
      access.wireText = { get($0, $1) }
    #endif
    return access
  }

  /// An integer computed from the message and its context.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func derivedInteger(
    _ get: @escaping @Sendable (Message, WriteContext) -> WholeNumber?
  ) -> FieldAccess {
    derivedInteger(at: { get($0.pointee, $1.pointee) })
  }

  /// The same, computed from a message that is not copied for it.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  @_disfavoredOverload
  static func derivedInteger(
    at get: @escaping @Sendable (Lent<Message>, Lent<WriteContext>) -> WholeNumber?
  ) -> FieldAccess {
    var access = derived(
      .integer, { get($0, $1).map { .number(JSONNumber($0)) } },
      emit: { message, context, key, writer in
        guard let value = get(message, context) else { return }
        writer.key(key)
        writer.int(value)
      },
      emitText: { message, context, key, writer in
        guard let value = get(message, context) else { return }
        writer.key(key)
        writer.text(of: value)
      },
      emitSpecial: { message, context, key, writer in
        guard let value = get(message, context) else { return }
        writer.key(key)
        writer.text(of: value, unit: UInt8(ascii: "s"))
      })
    #if !_pointerBitWidth(_32)
      access.wireWhole = { get($0, $1) }
    #endif
    return access
  }

  /// A boolean computed from the message and its context.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func derivedBoolean(
    _ get: @escaping @Sendable (Message, WriteContext) -> Bool
  ) -> FieldAccess {
    derivedBoolean(at: { get($0.pointee, $1.pointee) })
  }

  /// The same, computed from a message that is not copied for it.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  @_disfavoredOverload
  static func derivedBoolean(
    at get: @escaping @Sendable (Lent<Message>, Lent<WriteContext>) -> Bool
  ) -> FieldAccess {
    derived(
      .boolean, { .bool(get($0, $1)) },
      emit: { message, context, key, writer in
        writer.key(key)
        writer.bool(get(message, context))
      },
      emitText: { message, context, key, writer in
        writer.key(key)
        writer.string(get(message, context) ? "true" : "false")
      },
      emitSpecial: { message, context, key, writer in
        guard get(message, context) else { return }
        writer.key(key)
        writer.int(1)
      })
  }

  /// A value computed from the message and its context.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func derivedJSON(
    _ type: FieldType, _ get: @escaping @Sendable (Message, WriteContext) -> JSONValue?
  ) -> FieldAccess {
    derived(
      type, { get($0.pointee, $1.pointee) },
      emit: { message, context, key, writer in
        guard let value = get(message.pointee, context.pointee) else { return }
        writer.key(key)
        writer.value(value)
      },
      emitText: { message, context, key, writer in
        guard let value = get(message.pointee, context.pointee) else { return }
        writer.key(key)
        writer.textValue(value)
      })
  }

  /// The same value in every message.
  static func fixed(_ value: JSONValue) -> FieldAccess {
    let bytes = JSON.minified(value)
    var quoted = JSONWriter(capacity: 64)
    quoted.textValue(value)
    let text = quoted.bytes
    return derived(
      FieldType(of: value), { _, _ in value },
      emit: { _, _, key, writer in
        writer.key(key)
        writer.raw(bytes)
      },
      emitText: { _, _, key, writer in
        writer.key(key)
        writer.raw(text)
      })
  }

  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  private static func derived(
    _ type: FieldType,
    _ wire: @escaping @Sendable (Lent<Message>, Lent<WriteContext>) -> JSONValue?,
    emit: @escaping Emit, emitText: @escaping Emit, emitSpecial: Emit? = nil
  ) -> FieldAccess {
    FieldAccess(
      type: type, property: { _ in nil }, isThere: { _ in false }, wire: wire, take: { _, _ in nil },
      takeText: { _, _ in nil }, emit: emit,
      emitText: emitText, emitSpecial: emitSpecial, writesAbsent: true)
  }
}
