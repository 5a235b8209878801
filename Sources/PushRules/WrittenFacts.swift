#if !_pointerBitWidth(_32)
  package import PushPayload
  package import WireJSON

  /// What is known of a request from writing it: whether there is nothing that the rules say of it, or where that is.
  ///
  /// A contract adds every value that it writes. As long as no value is unknown, the request need not be read to be judged:
  /// ``PushChecker/check(_:_:written:)`` and ``PushChecker/check(_:to:written:)``.
  package struct WrittenFacts: Sendable {
    private var bits: UInt32 = 0
    /// Where the names of an icon and of a sound are that are no resources of an app, with their lengths; 0 for none.
    private(set) var icon: (offset: Int, count: Int) = (0, 0)
    private(set) var sound: (offset: Int, count: Int) = (0, 0)

    /// Nothing is written yet.
    package init() {}

    /// Something is written that is not judged here.
    private static let unknown: UInt32 = 1
    /// An alert has a text, or the key of one.
    static let alertText: UInt32 = 1 << 1
    /// A device does something.
    static let effect: UInt32 = 1 << 2
    /// Each text has three bits: itself, the key of its translation, and the arguments of that.
    static let title: UInt32 = 1 << 8
    static let subtitle: UInt32 = 1 << 12
    static let body: UInt32 = 1 << 16
    private static let texts = title | subtitle | body

    /// Something was written by other means, so that the request is to be read.
    package mutating func forget() { bits |= WrittenFacts.unknown }

    /// Keeps what holds with other texts instead of marks, which have escapes: no text with one was judged by its characters.
    ///
    /// - Parameter hasEmptyTexts: whether a text may be empty now.
    package mutating func refill(hasEmptyTexts: Bool) {
      if hasEmptyTexts || icon.count + sound.count > 0 { forget() }
    }

    /// Adds a value.
    ///
    /// - Parameters:
    ///   - slot: what is to know of it.
    ///   - writer: what has written it.
    ///   - mark: where it was before the key.
    ///   - key: its name.
    @inline(__always)
    package mutating func add(
      _ slot: WrittenSlot, _ writer: borrowing JSONWriter, since mark: JSONWriter.Mark, of key: JSONKey
    ) {
      let (value, offset) = unsafe writer.value(since: mark, of: key)
      if value.isEmpty { return }
      switch slot.form {
      case .any: bits |= slot.facts
      case .notNull: unsafe bits |= value[0] == UInt8(ascii: "n") ? 1 : slot.facts
      case .string: unsafe bits |= value[0] == 0x22 ? slot.facts : 1
      case .text: unsafe bits |= value[0] == 0x22 && value.count > 2 ? slot.facts : 1
      case .icon:
        unsafe bits |= WrittenText.isPlain(value) ? slot.facts : 1
        if unsafe !WrittenText.isResource(value) { icon = (offset &+ 1, value.count &- 2) }
      case .sound:
        unsafe bits |= WrittenText.isPlain(value) ? slot.facts : 1
        if unsafe !WrittenText.isResource(value) { sound = (offset &+ 1, value.count &- 2) }
      case .unknown: bits |= 1
      default: unsafe bits |= slot.admits(value) ? slot.facts : 1
      }
    }

    /// Adds a member of an app's data.
    @inline(__always)
    package mutating func add(member name: String, isString: Bool, isNull: Bool, _ members: WrittenMembers) {
      bits |= members.facts(name, isString: isString, isNull: isNull)
    }

    /// Whether the payload of an alert breaks no rule, if its size does not.
    package var isPlainAlert: Bool {
      bits & (WrittenFacts.unknown | WrittenFacts.alertText) == WrittenFacts.alertText && hasPlainTexts
    }

    /// Whether a message to FCM breaks no rule but by what is odd, if its size and target do not.
    package var isPlainMessage: Bool {
      bits & (WrittenFacts.unknown | WrittenFacts.effect) == WrittenFacts.effect && hasPlainTexts
    }

    /// No text is beside the key of its translation, and no arguments are without that.
    private var hasPlainTexts: Bool {
      let plain = bits & WrittenFacts.texts
      let keys = bits.plain & WrittenFacts.texts
      let arguments = bits >> 2 & WrittenFacts.texts
      return plain & keys == 0 && arguments & ~keys == 0
    }
  }

  extension UInt32 {
    /// Of the bit of a text that of its key.
    var key: UInt32 { self << 1 }
    /// Of the bit of a text that of its arguments.
    var arguments: UInt32 { self << 2 }
    /// The bits of keys where those of their texts are.
    fileprivate var plain: UInt32 { self >> 1 }
  }

  extension WrittenSlot {
    /// Whether a value has the slot's form.
    @inline(never)
    fileprivate func admits(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
      switch form {
      case .unknown, .any, .notNull, .string, .text, .icon, .sound: return false
      case .boolean: return unsafe value[0] == UInt8(ascii: "t") || value[0] == UInt8(ascii: "f")
      case .one: return unsafe value.count == 1 && value[0] == UInt8(ascii: "1")
      case .count: return unsafe WrittenText.number(value, 0, value.count) != nil
      case .strings: return unsafe WrittenText.isStrings(value)
      case .choice(let values):
        for index in values.indices where unsafe WrittenText.holds(value, values[index]) { return true }
        return false
      case .timeToLive:
        guard value.count > 3, unsafe value[0] == 0x22, unsafe value[value.count - 2] == UInt8(ascii: "s") else {
          return false
        }
        return unsafe WrittenText.number(value, 1, value.count - 2).map { $0 <= FCMDuration.timeToLiveMax } ?? false
      case .address: return unsafe WrittenText.isAddress(value)
      case .color:
        guard value.count == 9, unsafe value[0] == 0x22, unsafe value[1] == UInt8(ascii: "#") else { return false }
        for index in 2..<8 where unsafe !WrittenText.isHex(value[index]) { return false }
        return true
      case .appleSound: return unsafe WrittenText.isPlain(value) && WrittenText.isPlayable(value)
      }
    }
  }

  /// Looks at values as they are written.
  private enum WrittenText {
    /// Whether a value is a string without escapes.
    static func isPlain(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
      guard unsafe value[0] == 0x22 else { return false }
      // The formatter would join `unsafe` and the name.
      // swift-format-ignore
      for unsafe byte in unsafe value where byte == 0x5C { return false }
      return true
    }

    /// Whether a value is a string that holds a text.
    static func holds(_ value: UnsafeBufferPointer<UInt8>, _ text: [UInt8]) -> Bool {
      guard value.count == text.count + 2, unsafe value[0] == 0x22 else { return false }
      for index in text.indices where unsafe value[index + 1] != text[index] { return false }
      return true
    }

    /// A number of one to nine digits alone; nil for any other.
    static func number(_ value: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
      guard end > start, end - start < 10 else { return nil }
      var number = 0
      for index in start..<end {
        let digit = unsafe value[index] &- 0x30
        guard digit < 10 else { return nil }
        number = number &* 10 &+ Int(digit)
      }
      return number
    }

    static func isHex(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6 }

    /// Whether a value is an array of strings alone.
    static func isStrings(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
      guard unsafe value[0] == UInt8(ascii: "[") else { return false }
      var index = 1
      while index < value.count {
        switch unsafe value[index] {
        case 0x22:
          index &+= 1
          while index < value.count, unsafe value[index] != 0x22 { unsafe index &+= value[index] == 0x5C ? 2 : 1 }
        case UInt8(ascii: ","): break
        case UInt8(ascii: "]"): return index == value.count - 1
        default: return false
        }
        index &+= 1
      }
      return false
    }

    /// Whether an address has a host, and nothing that needs a closer look.
    static func isAddress(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
      for scheme in ["\"https://", "\"http://"] as [StaticString] {
        let count = scheme.utf8CodeUnitCount
        guard value.count > count + 1 else { continue }
        var isSame = true
        for index in 0..<count where unsafe value[index] != scheme.utf8Start[index] { isSame = false }
        guard isSame else { continue }
        switch unsafe value[count] {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return false
        default: break
        }
        for index in count..<value.count
        where unsafe value[index] <= 0x20 || value[index] == 0x7F || value[index] == 0x5C {
          return false
        }
        return true
      }
      return false
    }

    /// Whether a string without escapes can name a resource of an app.
    static func isResource(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
      // Most names have nothing that would need a look.
      for index in 1..<max(1, value.count &- 1) {
        switch unsafe value[index] {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): break
        default:
          return unsafe FCMAndroidNotification.isResourceName(
            String(decoding: value.dropFirst().dropLast(), as: UTF8.self))
        }
      }
      return true
    }

    /// Whether a sound has no file type, or one that iOS plays.
    static func isPlayable(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
      var hasType = false
      // The formatter would join `unsafe` and the name.
      // swift-format-ignore
      for unsafe byte in unsafe value where byte == UInt8(ascii: ".") { hasType = true }
      if !hasType { return true }
      let end: StaticString = ".caf\""
      let rest = value.count - end.utf8CodeUnitCount
      if rest > 1 {
        var isSame = true
        for index in 0..<end.utf8CodeUnitCount where unsafe value[rest + index] != end.utf8Start[index] {
          isSame = false
        }
        if isSame { return true }
      }
      return unsafe APNsSound.unplayableType(of: String(decoding: value.dropFirst().dropLast(), as: UTF8.self)) == nil
    }
  }

  /// What the rules want to know of the members that an app adds to an object which a contract writes.
  package struct WrittenMembers: Sendable {
    private enum Names: Sendable {
      case unknown, inText, apple, android
    }

    private let names: Names
    /// The names that the contract writes there itself.
    private let own: [String]
    /// A bit for the first byte, modulo 64, of each name that needs a look.
    private let firstBytes: UInt64

    /// Members of an object in a string, in which the rules do not look.
    package static let inText = WrittenMembers()

    private init() { (names, own, firstBytes) = (.inText, [], 0) }

    /// What the rules want to know of the members that are added to an object.
    ///
    /// - Parameters:
    ///   - platform: whose request it is.
    ///   - path: the object's path.
    ///   - own: the names of its other members.
    ///   - isAlone: false when the members of two fields are added there.
    package init(_ platform: Platform, _ path: [String], own: [String], isAlone: Bool) {
      self.own = own
      var taken = own
      switch (platform, path.first) {
      case (.ios, nil):
        names = isAlone ? .apple : .unknown
        taken += RuleCheck.apsOnlyKeys.keys.map { $0.name } + ["aps", "mdm"]
      case (.android, "message") where path.count == 2 && path[1] == "data":
        names = isAlone ? .android : .unknown
        taken += ["from", "message_type", "collapse_key", "google", "gcm"]
      default: names = .unknown
      }
      var bits: UInt64 = 0
      for name in taken { bits |= 1 << UInt64((name.utf8.first ?? 0) & 63) }
      firstBytes = bits
    }

    @inline(__always)
    fileprivate func facts(_ name: String, isString: Bool, isNull: Bool) -> UInt32 {
      if names == .inText { return 0 }
      guard names != .unknown, !isNull, names == .apple || isString else { return 1 }
      if firstBytes & 1 << UInt64((name.utf8.first ?? 0) & 63) != 0, !isFree(name) { return 1 }
      return WrittenFacts.effect
    }

    private func isFree(_ name: String) -> Bool {
      for taken in own where taken == name { return false }
      switch names {
      case .unknown, .inText: return false
      case .apple: return name != "aps" && name != "mdm" && RuleCheck.apsOnlyKeys.index(of: name) == nil
      case .android: return FCMNames.reservation(of: name) == .none
      }
    }
  }
#else
  /// One way of judging requests is enough in WebAssembly.
  package struct WrittenFacts: Sendable {
    package init() {}
  }
#endif
