internal import Signing
internal import StoreModel

/// Who sent a request: a program with an API key, or a person who is signed in.
struct Caller: Sendable, Hashable {
  /// Who it is, in logs and lists.
  let author: Author
  /// SHA-256 of the key's text; empty for a person.
  let hash: [UInt8]
  /// The person whose key it is; nil for a machine's key, and for a person.
  let owner: AccountID?
  let scopes: Scope
  /// The one app it is good for; nil means all.
  let app: AppID?
  let expiresAt: Timestamp?
  /// Requests a minute; nil means the server's own rate.
  let ratePerMinute: Int?

  /// A caller from the record of its key; nil when the key may not be used any more.
  init?(_ key: APIKey, hash: [UInt8], now: Timestamp) {
    guard key.revokedAt == nil else { return nil }
    if let expiresAt = key.expiresAt, expiresAt <= now { return nil }
    author = .key(key.id)
    self.hash = hash
    owner = key.account
    scopes = Scope(words: key.scopes)
    app = key.app
    expiresAt = key.expiresAt
    ratePerMinute = key.ratePerMinute
  }

  /// A person, with what they may do in one operation.
  init(account: AccountID, scopes: Scope, app: AppID?) {
    author = .account(account)
    hash = []
    owner = nil
    self.scopes = scopes
    self.app = app
    expiresAt = nil
    ratePerMinute = nil
  }

  /// The key's record; nil for a person.
  var key: APIKeyID? { if case .key(let id) = author { id } else { nil } }
  /// The person; nil for a key.
  var account: AccountID? { if case .account(let id) = author { id } else { nil } }
  /// What distinguishes callers where their requests are stored.
  var mark: String { account.map { "person-\($0)" } ?? key?.description ?? "0" }
}

/// The text of a key, shown once, when it is made: `prk_` and 32 bytes of secret in base64url.
struct APIKeyText: Sendable {
  let text: String

  static let leading = "prk_"
  /// `prk_` and 43 characters.
  static let length = leading.utf8.count + 43
  /// The characters of a key in lists: enough to distinguish keys, too few to guess the rest.
  private static let shownLength = 10

  /// A key from fresh randomness.
  static func random() -> APIKeyText { APIKeyText(secret: SecureRandom.bytes(32)) }

  /// The same key for the same request, so that a repeated request is given one key without the key being stored.
  static func derived(from request: [UInt8], secret: [UInt8]) -> APIKeyText {
    APIKeyText(secret: HMACSHA256.authenticate(Array("api key:".utf8) + request, key: secret))
  }

  /// A key whose text somebody else chose; nil for a text that does not have the form of a key.
  init?(given text: String) {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false
      }
    }
    guard isPlain, APIKeyText.hasForm(Array(text.utf8)[...]) else { return nil }
    self.text = text
  }

  private init(secret: [UInt8]) { text = APIKeyText.leading + Base64URL.encode(secret) }

  /// What is stored of the key.
  var hash: [UInt8] { SHA256.digest(text) }
  /// What lists show of the key.
  var shown: String { String(text.prefix(APIKeyText.shownLength)) }

  /// Whether a text has the form of a key.
  static func hasForm(_ text: ArraySlice<UInt8>) -> Bool {
    text.count == length && text.prefix(leading.utf8.count).elementsEqual(leading.utf8)
  }
}
