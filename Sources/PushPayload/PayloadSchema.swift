internal import Basics
public import WireJSON

/// One member a provider documents.
public struct PayloadField: Sendable, Hashable {
  /// The member's name as Apple or Google writes it (`loc-key`, `channel_id`).
  public let key: JSONKey
  /// Its type.
  public let type: PayloadType
  /// The lowerCamelCase spelling that proto3 JSON takes as well; nil when there is none or it is the same.
  public let camelName: String?
  /// What is lost when the value has another type and the device ignores it (Apple), such as “the badge does not change”;
  /// nil where the provider refuses it (Google).
  public let loss: String?

  /// Declares a member.
  @inline(never)
  public init(_ key: JSONKey, _ type: PayloadType, loss: String? = nil) {
    self.key = key
    self.type = type
    self.camelName = PayloadField.lowerCamelCase(key.name)
    self.loss = loss
  }

  /// The member's name as text.
  public var name: String { key.name }

  /// `title_loc_key` → `titleLocKey`; nil for a name without underscores.
  public static func lowerCamelCase(_ name: String) -> String? {
    var bytes: [UInt8] = []
    var isAfterUnderscore = false
    var isChanged = false
    for byte in name.utf8 {
      if byte == UInt8(ascii: "_") {
        isAfterUnderscore = true
        isChanged = true
      } else {
        bytes.append(isAfterUnderscore && byte >= 0x61 && byte <= 0x7A ? byte - 0x20 : byte)
        isAfterUnderscore = false
      }
    }
    return isChanged ? String(decoding: bytes, as: UTF8.self) : nil
  }
}

/// The documented members of one object: the table that typed access, type checks, schema tests and docs share.
public final class PayloadSchema: Sendable {
  /// Whose object it is, and so whose reading of types counts.
  public enum Provider: Sendable, Hashable {
    /// Apple: types are exact.
    case apns
    /// Google: proto3 JSON, where `null` means absent and numbers may be strings.
    case fcm

    /// What is declared of a provider's objects.
    struct Row {
      /// Whether they are proto3 JSON: `null` means absent, numbers may be strings, values of enumerations their positions,
      /// and names are written in lowerCamelCase as well.
      let isProto3: Bool
      /// Whether what does not fit is ignored rather than refused.
      let isLenient: Bool
      /// The rules that a mismatch breaks: a wrong type, a name and a value that are not documented.
      let rules: (type: String, name: String, value: String)
      /// What is said before and after the name of an object without the member.
      let unknown: (before: String, after: String)
    }

    /// The providers, one row each.
    var row: Row {
      switch self {
      case .apns:
        Row(
          isProto3: false, isLenient: true, rules: ("apns-field-type", "apns-unknown-key", "apns-enum-unknown"),
          unknown: ("Apple documents no such member of ", ""))
      case .fcm:
        Row(
          isProto3: true, isLenient: false, rules: ("fcm-field-type", "fcm-unknown-field", "fcm-enum-unknown"),
          unknown: ("", " has no such field"))
      }
    }
  }

  /// The provider's name of the object: `aps`, `alert`, `AndroidConfig`.
  public let name: String
  /// Whose object it is.
  public let provider: Provider
  /// Whether it is read as proto3 JSON.
  let isProto3: Bool
  /// True when unknown members are the app's own (the root of an APNs payload), false when they are suspicious.
  public let isOpen: Bool
  /// The members.
  public let fields: [PayloadField]
  /// The names and the kinds of plain types apart from the fields, because the walk over a clean message looks at nothing
  /// else; behind one reference, because every global with a schema would be a copy of their arrays.
  private final class Names: Sendable {
    let keys: JSONKeyTable
    /// The lowerCamelCase spellings that proto3 JSON takes as well, and the fields they are of.
    let camelKeys: JSONKeyTable
    let camelFields: [Int]
    let plainKinds: [JSONKind?]

    init(_ fields: [PayloadField], _ provider: Provider) {
      keys = JSONKeyTable(fields.map { $0.key })
      var spellings: [(key: JSONKey, field: Int)] = []
      for (index, field) in fields.enumerated() where provider.row.isProto3 {
        if let name = field.camelName, let key = JSONKey(keeping: name) { spellings.append((key, index)) }
      }
      camelKeys = JSONKeyTable(spellings.map { $0.key })
      camelFields = spellings.map { $0.field }
      plainKinds = fields.map { $0.type.plainKind }
    }
  }

  private let names: Names
  var keys: JSONKeyTable { names.keys }
  var plainKinds: [JSONKind?] { names.plainKinds }

  /// Declares an object.
  @inline(never)
  public init(_ name: String, _ provider: Provider, isOpen: Bool = false, _ fields: [PayloadField]) {
    self.name = name
    self.provider = provider
    isProto3 = provider.row.isProto3
    self.isOpen = isOpen
    self.fields = fields
    names = Names(fields, provider)
  }

  /// The field of this name, in either spelling.
  public func field(_ name: String) -> PayloadField? {
    fields.first { $0.name.hasSameBytes(as: name) || $0.camelName?.hasSameBytes(as: name) == true }
  }

  /// The index of the field that a member's name node names, and whether it is spelled in lowerCamelCase.
  func index(of name: JSONNode, in document: JSONDocument) -> (index: Int, isCamel: Bool)? {
    if let index = document.index(of: name, in: keys) { return (index, false) }
    return document.index(of: name, in: names.camelKeys).map { (names.camelFields[$0], true) }
  }
}

extension PayloadSchema: Hashable {
  /// Schemas are equal when they are the same declaration.
  public static func == (left: PayloadSchema, right: PayloadSchema) -> Bool { left === right }

  /// Feeds the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
