internal import PushContracts
internal import WireJSON

/// Members of “create notification” that nobody knows, and that may have been meant to decide who gets a message, when, or
/// whether at all: without a refusal everyone would get it at once.
enum OneSignalUnknown {
  /// The members of a message.
  private static let ofMessage: Set<String> = {
    let rows = Contracts.mappingTable(.onesignal)?.rows ?? []
    return Set(rows.flatMap { [$0.field] + $0.aliases })
  }()

  static func refuse(_ body: JSONObject) throws(Problem) {
    for (name, value) in body
    where !OneSignalFields.isBesideMessage(name) && !ofMessage.contains(name) && mayAsk(name, value) {
      if let near = ResemblingNames.nearest(name, in: OneSignalFields.ofPush) {
        throw OneSignalErrors.refusal(
          String(name.prefix(100)), "is not a member of this request; did you mean \(near)?")
      }
      guard ResemblingNames.mayDecide(name) else { continue }
      throw OneSignalErrors.refusal(
        String(name.prefix(100)),
        "is not a member of this request, and nobody is sent a message that it may have been meant to withhold; leave it out"
      )
    }
  }

  /// Whether a value asks for something: a switch does so when it is off, too.
  private static func mayAsk(_ name: String, _ value: JSONValue) -> Bool {
    if value.isNull || value.array?.isEmpty == true || value.object?.isEmpty == true { return false }
    return value.bool != false || ResemblingNames.isSwitch(name)
  }
}
