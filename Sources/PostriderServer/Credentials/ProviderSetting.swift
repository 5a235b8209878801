internal import Delivery
internal import GatewayPool
internal import HTTP2
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// One part of an app's credentials, read and checked, and everything that the server does with it: a type for each
/// provider, listed in ``CredentialSlot``.
protocol ProviderSetting: Sendable {
  /// The name of ``schema`` in the table of shapes.
  static var schemaName: String { get }
  /// What a request gives.
  static var schema: Schema { get }
  /// What is shown of it.
  static func shown(for slot: CredentialSlot) -> Schema
  /// What a request leaves as it was when it does not name it.
  static var kept: StoredSettings { get }
  /// What is sealed for a request whose shape was checked, with what is saved.
  ///
  /// - Parameter saved: opens what is saved; only who keeps something of it besides settings does.
  static func sealable(
    _ request: JSONValue, saved: () throws(Problem) -> JSONValue?, rotates: Bool, at field: FieldPath
  ) throws(Problem) -> JSONValue

  /// Checks and reads what is sealed.
  init(_ json: JSONValue, for slot: CredentialSlot, at field: FieldPath, report: inout Report) throws(Problem)

  /// The store's name for its kind.
  var kind: String { get }
  /// What is shown of it: everything except secrets.
  var summary: JSONObject { get }

  /// A client for it.
  func sender(_ parts: SenderParts) throws(Problem) -> any Sender
  /// Asks the provider whether it takes the credential; `answer` is called once.
  func probe(
    through proxy: HTTP2Proxy?, threads: GatewayThreads, answer: @escaping @Sendable (CredentialProbe.Verdict) -> Void)
}

extension ProviderSetting {
  static func sealable(
    _ request: JSONValue, saved: () throws(Problem) -> JSONValue?, rotates: Bool, at field: FieldPath
  ) throws(Problem) -> JSONValue { request }
}

/// What a client is made with besides its credential.
struct SenderParts {
  /// The proxy that the server is started with.
  let proxy: HTTP2Proxy?
  let threads: GatewayThreads
  /// What pushes are written with, and what the credential is for instead.
  let topics: TopicChange
  /// Where lost connections are noted.
  let losses: ConnectionLossLog
}

/// What a request for a part of the credentials leaves as it was: the settings around the credential that it does not name.
///
/// The credential itself, such as a key or a service account, is always the one that is given. A setting that is null goes.
struct StoredSettings: Sendable {
  /// The settings that stay.
  let settings: [String]
  /// What stays as long as the account is the same.
  var ofAccount: [String] = []
  /// The account of a setting.
  var account: @Sendable (JSONValue) -> JSONValue? = { _ in nil }

  /// What a request gives, with what is saved of what it does not name.
  func whole(_ given: JSONValue, saved: JSONValue?) -> JSONValue {
    guard var object = given.object else { return given }
    if let saved {
      let isSameAccount = account(saved) == account(given)
      for name in settings + (isSameAccount ? ofAccount : []) where object[name] == nil {
        if let known = saved[name] { object[name] = known }
      }
    }
    return .object(JSONObject(object.filter { !$0.value.isNull }.map { ($0.key, $0.value) }))
  }
}
