public import PushPayload

/// Fields of vendors' requests that decide who gets a push, when and how often.
///
/// No payload carries them: where a push is created, other members of that request decide the same.
public enum DeliveryField {
  /// The rule that such a field breaks: a warning where a message is only written, an error where it is sent.
  public static let rule = "delivery-field"

  /// Turns the warnings into errors: a push that ignored such a field would reach people it is not meant for, or at the
  /// wrong time.
  public static func refuse(in report: inout Report) {
    for index in report.findings.indices where report.findings[index].rule == rule {
      if report.findings[index].severity == .warning { report.findings[index].severity = .error }
    }
  }

  /// Reports a field; false when the name belongs to none.
  static func add(_ name: String, of contract: ContractName = .native, to report: inout Report) -> Bool {
    guard let member = ownMember(for: name, contract) ?? member(for: name) else { return false }
    report.add(
      rule: rule, severity: .warning, field: FieldPath(members: name),
      message: "no payload carries it; take it out of the message, and create the push with \(member)")
    return true
  }

  /// What decides the same in a request that creates a push; nil for every other name.
  public static func member(for name: String) -> String? {
    switch name {
    case "included_segments", "segment_id", "segment": "to.segment"
    case "excluded_segments": "to.exclude_segments"
    case "filters", "filter": "to.filter"
    case "include_aliases", "include_external_user_ids", "userId", "user_id", "app_user_id", "users", "clients":
      "to.users"
    case "include_subscription_ids", "include_player_ids", "activationId", "devices": "to.devices"
    case "include_ios_tokens", "include_android_reg_ids", "registration_ids", "device_token", "tokens":
      "to.tokens"
    case "to": "to"
    case "appId": "the app in the path"
    case "send_after", "scheduled_at", "send_at": "send_at"
    case "delayed_option": "send_at_time_of_day or send_at_last_active"
    case "delivery_time_of_day", "send_at_time_of_day": "send_at_time_of_day"
    case "send_at_last_active": "send_at_last_active"
    case "delivery_mode", "local_date", "local_time", "send_at_local": "send_at_local"
    case "throttle_rate_per_minute", "throttle_per_minute": "throttle_per_minute"
    case "idempotency_key": "the header Idempotency-Key"
    case "expires_in_seconds": "expires_in_seconds"
    default: laterMember(for: name)
    }
  }

  private static func laterMember(for name: String) -> String? {
    #if _pointerBitWidth(_32)
      return nil
    #else
      switch name {
      case "ttl", "expiry", "expires_at": return "expires_in_seconds"
      case "campaign", "campaignId": return "campaign"
      case "dry_run", "validate_only": return "POST …/pushes/check, which sends nothing"
      default: return name.hasPrefix("exclude") ? "to.exclude_segments" : name.hasPrefix("include") ? "to" : nil
      }
    #endif
  }

  /// The same for names that mean something else in other contracts: members of the one vendor's request.
  private static func ownMember(for name: String, _ contract: ContractName) -> String? {
    #if _pointerBitWidth(_32)
      // The module for browsers is bounded in size, and creates no push.
      return nil
    #else
      return switch contract {
      case .onesignal:
        switch name {
        case "external_id": "the header Idempotency-Key"
        case "custom_data": "values"
        case "tags": "to.filter"
        case "enable_frequency_cap": "urgent"
        case "channel_for_external_user_ids": "to.users"
        default: isSwitch(name) ? "a condition on platform in to.filter" : nil
        }
      case .powerauth:
        switch name {
        case "attributes": "silent in the message"
        case "mode": "POST …/pushes, and read its counts with GET …/pushes/{push}"
        default: nil
        }
      case .imkit: name == "topic" ? name : nil
      case .amba: name == "provider" ? "to.tokens" : nil
      default: nil
      }
    #endif
  }

  /// Whether a name is that of a switch of OneSignal's for a platform: `isIos`, `isAnyWeb`.
  private static func isSwitch(_ name: String) -> Bool {
    name.hasPrefix("is") && name.utf8.dropFirst(2).first.map { (0x41...0x5A).contains($0) } ?? false
  }
}
