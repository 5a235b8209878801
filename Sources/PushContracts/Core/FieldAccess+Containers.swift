import PushPayload
public import WireJSON

// Fields that contain other values: arrays, objects, texts by language.

extension FieldAccess {
  /// An array of strings.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func strings(
    _ get: @escaping @Sendable (Message) -> [String]?, _ set: @escaping @Sendable (inout Message, [String]) -> Void
  ) -> FieldAccess {
    var access = json(
      .strings, { get($0).map { .array($0.map { .string($0) }) } }, isThere: { get($0.pointee) != nil },
      { message, value in
        guard case .array(let elements) = value else { return Mismatch(FieldType.strings.expectation) }
        var strings: [String] = []
        for (index, element) in elements.enumerated() {
          guard case .string(let text) = element else {
            return Mismatch("a string", at: FieldPath([.element(index)]), found: element.named)
          }
          strings.append(text)
        }
        set(&message, strings)
        return nil
      },
      emit: { message, writer in
        guard let values = get(message.pointee) else { return }
        writer.beginArray()
        for value in values { writer.string(value) }
        writer.endArray()
      })
    (access.direct, access.directText) = (.strings, .stringsText)
    return access
  }

  /// An array of strings that is written in another form than it is kept, such as with a default.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func strings(
    _ get: @escaping @Sendable (Message) -> [String]?, _ set: @escaping @Sendable (inout Message, [String]) -> Void,
    wire: @escaping @Sendable (Message) -> [String]?
  ) -> FieldAccess {
    let kept = strings(get, set)
    let written = strings(wire, set)
    return FieldAccess(
      type: .strings, property: kept.property, isThere: kept.isThere, wire: written.wire, take: kept.take,
      takeText: kept.takeText, emit: written.emit, emitText: written.emitText, writesAbsent: true, direct: kept.direct,
      directText: kept.directText)
  }

  /// An object, kept as it is.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func object(
    _ get: @escaping @Sendable (Message) -> JSONObject?,
    _ set: @escaping @Sendable (inout Message, JSONObject) -> Void
  ) -> FieldAccess {
    var access = json(
      .object, { get($0).map { .object($0) } }, isThere: { get($0.pointee) != nil },
      { message, value in
        guard case .object(let members) = value else { return Mismatch(FieldType.object.expectation) }
        set(&message, members)
        return nil
      },
      emit: { message, writer in
        if let members = get(message.pointee) { writer.value(.object(members)) }
      })
    access.members = { get($0.pointee) }
    (access.direct, access.directText) = (.object, .objectText)
    #if !_pointerBitWidth(_32)
      access.takeNode = { message, document, node in
        guard document.kind(node) == .object else { return false }
        set(&message, document.uniqueMembers(node))
        return true
      }
    #endif
    return access
  }

  /// A value with a shape of its own, such as a list of buttons.
  ///
  /// - Parameters:
  ///   - type: the JSON type.
  ///   - get: the value as JSON; nil when absent.
  ///   - take: takes the value; returns nil, or why not: what was expected, such as "an array of {label, uri, type}", and where.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func json(
    _ type: FieldType, _ get: @escaping @Sendable (Message) -> JSONValue?,
    _ take: @escaping @Sendable (inout Message, JSONValue) -> Mismatch?
  ) -> FieldAccess {
    json(type, get, isThere: { get($0.pointee) != nil }, take) { message, writer in
      if let value = get(message.pointee) { writer.value(value) }
    }
  }

  /// The same for a value that takes time to make, of a message that is not copied for it.
  ///
  /// - Parameters:
  ///   - type: the JSON type.
  ///   - isThere: whether there is a value.
  ///   - get: the value as JSON; nil when absent.
  ///   - take: takes the value; returns nil, or why not.
  static func json(
    _ type: FieldType, isThere: @escaping @Sendable (Lent<Message>) -> Bool,
    at get: @escaping @Sendable (Lent<Message>) -> JSONValue?, _ take: @escaping Take
  ) -> FieldAccess {
    var access = json(type, { message in lending(message) { get($0) } }, isThere: isThere, take) {
      if isThere($0), let value = get($0) { $1.value(value) }
    }
    access.wire = { message, _ in get(message) }
    return access
  }

  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  private static func json(
    _ type: FieldType, _ get: @escaping @Sendable (Message) -> JSONValue?,
    isThere: @escaping @Sendable (Lent<Message>) -> Bool, _ take: @escaping Take,
    emit: @escaping @Sendable (Lent<Message>, inout JSONWriter) -> Void
  ) -> FieldAccess {
    FieldAccess(
      type: type, property: get, isThere: isThere, wire: { message, _ in get(message.pointee) }, take: take,
      takeText: { message, value in
        guard let text = value.string, let parsed = try? JSON.parse(text) else {
          return Mismatch(type.expectation).asText
        }
        return take(&message, parsed)?.asText
      },
      emit: { message, _, key, writer in
        let mark = writer.mark()
        writer.key(key)
        let before = writer.mark()
        emit(message, &writer)
        if writer.mark() == before { writer.rollback(to: mark) }
      },
      emitText: { message, _, key, writer in
        let mark = writer.mark()
        writer.key(key)
        let before = writer.mark()
        emit(message, &writer)
        if writer.mark() == before { writer.rollback(to: mark) } else { writer.quote(since: before) }
      })
  }
}

// MARK: Texts by language

extension FieldAccess {
  /// A text in several languages, written in the one that the context asks for.
  #if _pointerBitWidth(_32)
    @inline(never)
  #else
    @inline(__always)
  #endif
  public static func texts(
    _ get: @escaping @Sendable (Message) -> LanguageTexts?,
    _ set: @escaping @Sendable (inout Message, LanguageTexts) -> Void
  ) -> FieldAccess {
    let take: Take = { message, value in
      guard let texts = LanguageTexts(value) else { return Mismatch(FieldType.texts.expectation) }
      set(&message, texts)
      return nil
    }
    let emit: Emit = { message, context, key, writer in
      guard let texts = get(message.pointee), let index = texts.index(for: context.pointee.language) else { return }
      writer.key(key)
      writer.string(texts.entries[index].text)
    }
    var access = FieldAccess(
      type: .texts, property: { get($0)?.json }, isThere: { get($0.pointee) != nil },
      wire: { message, context in get(message.pointee)?.text(for: context.pointee.language).map { .string($0) } },
      take: take, takeText: take, emit: emit, emitText: emit,
      isBlank: { get($0.pointee)?.entries.contains { $0.text.isBlank } ?? false })
    #if !_pointerBitWidth(_32)
      access.wireText = { get($0.pointee)?.text(for: $1.pointee.language) }
      access.takeNode = { message, document, node in
        guard let texts = LanguageTexts(document, node) else { return false }
        set(&message, texts)
        return true
      }
    #endif
    return access
  }
}
