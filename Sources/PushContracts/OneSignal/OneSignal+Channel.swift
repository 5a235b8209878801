internal import Basics
import PushPayload
import WireJSON

extension OneSignal {
  /// What keeps Android from showing a notification in the channel that the SDK makes of `chnl`.
  struct ChannelFault {
    /// Where in `chnl` it is.
    let path: [String]
    let message: String
    /// `error` where nothing is shown to anybody.
    var severity = Severity.warning
  }

  /// The channel that the SDK takes where `chnl` names none, or one that Android keeps for itself.
  static let fallbackChannel = "fcm_fallback_notification_channel"

  /// The channel id that Android keeps for itself.
  private static let systemChannel = "miscellaneous"

  /// The channel that the app made, of `oth_chnl`; an empty text names none.
  static func appChannel(_ value: JSONValue?) -> String? {
    value.map { $0.androidText }.flatMap { $0.isEmpty ? Optional.none : $0 }
  }

  /// The id of the channel that the SDK makes for an id in `chnl`.
  static func madeChannel(_ id: String?) -> String { id == systemChannel ? fallbackChannel : id ?? fallbackChannel }

  /// The faults of a channel: an id that is replaced, names that Android refuses, and languages that cannot be read.
  ///
  /// Name and group name come from the object of the device's language in `langs`, where there is one, and from `chnl`
  /// itself for every other language. The SDK goes on without a channel that Android refuses for its empty name, and
  /// without any channel where it fails, and from version 8 on Android shows nothing of a channel that is not there.
  /// Source: OneSignal's SDK for Android, `NotificationChannelManager.createChannel` and
  /// `NotificationDisplayBuilder.getBaseOneSignalNotificationBuilder`; Android, `PreferencesHelper.createNotificationChannel`
  /// and `createNotificationChannelGroup`, which up to the first releases of Android 13 lets an empty name pass.
  static func channelFaults(_ channel: JSONObject) -> [ChannelFault] {
    var faults: [ChannelFault] = []
    if channel["id"]?.string == systemChannel {
      let message =
        "Android keeps this channel for itself, so OneSignal's SDK uses \(fallbackChannel) instead"
      faults.append(ChannelFault(path: ["id"], message: message))
    }
    let languages = channel["langs"]?.object ?? [:]
    let others = languages.isEmpty ? "" : " to people of other languages than those of langs"
    let severity = lacksGroupName(channel) ? Severity.error : .warning
    addNames(of: channel, to: others, at: [], group: channel["grp_id"].map { _ in severity }, &faults)
    for (language, value) in languages {
      let path = ["langs", language]
      guard let texts = value.object else {
        let message =
          "expected an object, found \(value.named); OneSignal's SDK then names no channel, and Android shows nothing to "
          + "people of this language"
        faults.append(ChannelFault(path: path, message: message))
        continue
      }
      addNames(
        of: texts, to: " to people of this language", at: path, group: channel["grp_id"].map { _ in severity }, &faults
      )
    }
    return faults
  }

  /// True for a channel in a group that has no name in any language, so that it is made for nobody.
  static func lacksGroupName(_ channel: JSONObject) -> Bool {
    guard channel["grp_id"] != nil, isUnnamed(channel) else { return false }
    return (channel["langs"]?.object ?? [:]).allSatisfy { $0.value.object.map(isUnnamed) ?? true }
  }

  private static func isUnnamed(_ texts: JSONObject) -> Bool { texts["grp_nm"].map { $0.string == "" } ?? true }

  private static func addNames(
    of texts: JSONObject, to people: String, at path: [String], group: Severity?, _ faults: inout [ChannelFault]
  ) {
    if let group, isUnnamed(texts) {
      let message =
        "a channel's group needs a name, which later builds of Android 13 and later versions demand: there nothing is "
        + "shown\(people)"
      faults.append(ChannelFault(path: path + ["grp_nm"], message: message, severity: group))
    }
    if texts["nm"]?.string == "" {
      let message =
        "Android makes no channel with an empty name, and shows nothing\(people) unless an earlier push made the channel"
      faults.append(ChannelFault(path: path + ["nm"], message: message))
    }
  }

  /// What older versions of the SDK make of `pri` 1 beside `chnl`; nil for another priority.
  ///
  /// Source: OneSignal's SDK for Android, `NotificationChannelManager.priorityToImportance` before there was a
  /// `NotificationPriorityMapper`.
  static func priorityFault(_ priority: WholeNumber?) -> String? {
    guard priority == 1 else { return nil }
    return "versions of OneSignal's SDK without its NotificationPriorityMapper give the channel of this priority no "
      + "importance, and Android shows nothing of it there; use 2"
  }

  static let channelRule = "onesignal-channel"
}

// MARK: Where the faults are said

extension OneSignal {
  /// The fields of a message that are written into `chnl`, with their names there.
  private static let channelFields = [
    ("id", "android_channel_id"), ("nm", "android_channel_name"), ("grp_nm", "android_channel_group_name"),
    ("langs", "android_channel_languages"),
  ]

  /// Whether a message has a part of a channel; most have none, for which the parts are not copied.
  private static func hasChannel(_ message: Lent<Message>) -> Bool {
    message.pointee.androidChannel.id != nil || message.pointee.androidChannel.name != nil
      || message.pointee.androidChannel.description != nil || message.pointee.androidChannel.groupID != nil
      || message.pointee.androidChannel.groupName != nil || message.pointee.androidChannel.languages != nil
  }

  /// Says what Android would refuse of the channel of a message; a channel of the app's own comes first.
  static func checkChannel(_ message: Lent<Message>, _ context: WriteContext, _ report: inout Report) {
    guard hasChannel(message), appChannel(message.pointee.existingAndroidChannelID.map { .string($0) }) == nil,
      let channel = message.pointee.androidChannel.wire
    else { return }
    // A push that shows nothing loses nothing.
    let isShown = message.pointee.contents?.isEmpty(for: context.language) == false
    for fault in channelFaults(channel) {
      let severity = isShown ? fault.severity : .warning
      let field = channelFields.first { $0.0 == fault.path[0] }?.1 ?? ""
      report.add(
        rule: channelRule, severity: severity,
        field: fault.path.dropFirst().reduce(FieldPath(members: field)) { $0.member($1) }, message: fault.message)
    }
    if let fault = priorityFault(message.pointee.priority) {
      report.add(rule: channelRule, severity: .warning, field: "priority", message: fault)
    }
  }
}

extension OneSignal.Channel {
  /// The members of `chnl`; nil without any.
  var wire: JSONObject? {
    if id == nil, name == nil, description == nil, groupID == nil, groupName == nil, languages == nil { return nil }
    var object = JSONObject()
    for (name, text) in [("id", id), ("nm", name), ("dscr", description), ("grp_id", groupID), ("grp_nm", groupName)] {
      if let text { object.append(name, .string(text)) }
    }
    if let languages { object.append("langs", .object(languages)) }
    return object.isEmpty ? nil : object
  }
}

extension AndroidReader {
  /// Says what Android refuses of the channel in `chnl`; a channel of the app's own comes first.
  mutating func reportChannel(_ priority: WholeNumber?) {
    guard OneSignal.appChannel(bundle["oth_chnl"]) == nil, let channel = channelMembers else { return }
    if let languages = channel["langs"], languages.object == nil { return }
    let path = path("chnl")
    for fault in OneSignal.channelFaults(channel) {
      report.add(
        rule: OneSignal.channelRule, severity: fault.severity, field: fault.path.reduce(path) { $0.member($1) },
        message: fault.message)
    }
    if let fault = OneSignal.priorityFault(priority) {
      report.add(rule: OneSignal.channelRule, severity: .warning, field: self.path("pri"), message: fault)
    }
  }
}
