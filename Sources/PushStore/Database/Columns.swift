internal import StoreModel

extension Statement {
  /// The author in a column, or nil.
  func author(_ column: Int32) -> Author? { isNull(column) ? nil : Author(stored: int64(column)) }
}

extension KindInEnvironment {
  /// Reads a kind and an environment from two columns of a row; nil for a kind that is not known.
  init?(_ row: borrowing Statement, from column: Int32) {
    guard let kind = DeviceKind(rawValue: UInt8(truncatingIfNeeded: row.int(column))) else { return nil }
    let environment = DeviceEnvironment(rawValue: UInt8(truncatingIfNeeded: row.int(column + 1)))
    self.init(kind, environment ?? .production)
  }
}

/// How statements find a device by its token: with `token >= ? AND token <= ?`.
enum TokenRange {
  /// The first and the last token that are the same device: the token itself, and of a browser all that begin with its
  /// endpoint and a space; whoever gives an endpoint alone means its device.
  static func bounds(_ token: String) -> (first: String, last: String) {
    let identity = WebAddress.identity(of: token)
    // The character behind the space: no part of a token is sorted between them.
    let isBrowser = identity.utf8.count < token.utf8.count || token.hasPrefix("https://")
    return isBrowser ? (identity + " ", identity + "!") : (token, token)
  }

  /// SQL for ``WebAddress/identity(of:)``.
  static func identity(_ expression: String) -> String {
    "substr(\(expression), 1, instr(\(expression) || ' ', ' ') - 1)"
  }
}
