internal import PushStore
internal import WireJSON

/// What a request for a part of the credentials leaves as it was: the settings around the credential that it does not name.
///
/// The credential itself, such as a key or a service account, is always the one that is given. A setting that is null goes.
enum CredentialKeeping {
  /// What is declared of a provider.
  private struct Row {
    /// The settings that stay.
    let settings: [String]
    /// What stays as long as the account is the same.
    var ofAccount: [String] = []
    /// The account of a setting.
    var account: @Sendable (JSONValue) -> JSONValue? = { _ in nil }
  }

  private static func row(_ provider: Provider) -> Row {
    switch provider {
    case .apns: Row(settings: ["topics", "gateway", "proxy"])
    case .fcm:
      Row(settings: ["gateway", "proxy"], ofAccount: ["project_id"]) { $0["service_account"]?["client_email"] }
    case .web: Row(settings: ["padding", "declarative", "url", "origins", "gateway", "proxy"])
    case .hms: Row(settings: ["gateway", "proxy"], ofAccount: ["project_id"]) { $0["client_id"] }
    }
  }

  /// The members of a part that may be null.
  static func settings(of provider: Provider) -> [String] { row(provider).settings + row(provider).ofAccount }

  /// What a request gives, with what is saved of what it does not name.
  static func whole(_ given: JSONValue, saved: JSONValue?, _ provider: Provider) -> JSONValue {
    guard var object = given.object else { return given }
    let row = row(provider)
    if let saved {
      let isSameAccount = row.account(saved) == row.account(given)
      for name in row.settings + (isSameAccount ? row.ofAccount : []) where object[name] == nil {
        if let known = saved[name] { object[name] = known }
      }
    }
    return .object(JSONObject(object.filter { !$0.value.isNull }.map { ($0.key, $0.value) }))
  }
}
