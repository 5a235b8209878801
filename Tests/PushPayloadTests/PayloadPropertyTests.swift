import PushPayload
import Testing
import WireJSON

/// Every property writes its own member and reads it back; the whole text is compared.
struct PayloadPropertyTests {
  @Test func apsWritesEveryMember() throws {
    var aps = APS()
    aps.alert = .text("a")
    aps.badge = 0
    aps.sound = .object(APNsSound(criticalName: "s.caf", volume: 2))
    aps.threadID = "t"
    aps.category = "c"
    aps.targetContentID = "w"
    aps.filterCriteria = "f"
    aps.contentAvailable = true
    aps.mutableContent = true
    aps.interruptionLevel = .timeSensitive
    aps.relevanceScore = 0.5
    aps.timestamp = 1
    aps.event = .start
    aps.contentState = ["n": 1]
    aps.staleDate = 2
    aps.dismissalDate = 3
    aps.attributesType = "A"
    aps.attributes = [:]
    aps.inputPushToken = true
    aps.inputPushChannel = "ch"
    aps.contentChanged = true
    aps.urlArgs = ["u"]
    let text =
      #"{"alert":"a","badge":0,"sound":{"critical":1,"name":"s.caf","volume":1},"thread-id":"t","category":"c","#
      + #""target-content-id":"w","filter-criteria":"f","content-available":1,"mutable-content":1,"#
      + #""interruption-level":"time-sensitive","relevance-score":0.5,"timestamp":1,"event":"start","#
      + #""content-state":{"n":1},"stale-date":2,"dismissal-date":3,"attributes-type":"A","attributes":{},"#
      + #""input-push-token":1,"input-push-channel":"ch","content-changed":true,"url-args":["u"]}"#
    #expect(JSON.minifiedText(aps.json) == text)
    let reading = try APNsPayload.read(Array("{\"aps\":\(text)}".utf8))
    #expect(reading.report.isEmpty)
    #expect(reading.model.aps == aps)
    #expect(aps.object.keys == APS.schema.fields.map(\.name))
    aps.contentAvailable = false
    #expect(aps.object["content-available"] == nil)
  }

  @Test func alertWritesEveryMember() {
    var alert = APNsAlert(title: "t", subtitle: "s", body: "b")
    alert.launchImage = "l"
    alert.titleLocKey = "k1"
    alert.titleLocArgs = ["1"]
    alert.subtitleLocKey = "k2"
    alert.subtitleLocArgs = ["2"]
    alert.locKey = "k3"
    alert.locArgs = ["3"]
    alert.sound = "x"
    alert.action = "a"
    alert.actionLocKey = "k4"
    alert.summaryArg = "g"
    alert.summaryArgCount = 4
    #expect(
      JSON.minifiedText(alert.json)
        == #"{"title":"t","subtitle":"s","body":"b","launch-image":"l","title-loc-key":"k1","title-loc-args":["1"],"#
        + #""subtitle-loc-key":"k2","subtitle-loc-args":["2"],"loc-key":"k3","loc-args":["3"],"sound":"x","#
        + #""action":"a","action-loc-key":"k4","summary-arg":"g","summary-arg-count":4}"#)
    #expect(Set(alert.object.keys) == Set(APNsAlert.schema.fields.map(\.name)))
    alert.localizedTitle = APNsLocalizedText(locKey: "k", locArgs: ["x"])
    #expect(alert.title == nil)
    #expect(alert.localizedTitle?.locArgs == ["x"])
  }

  @Test func androidNotificationWritesEveryMember() throws {
    var notification = FCMAndroidNotification()
    notification.title = "t"
    notification.body = "b"
    notification.icon = "i"
    notification.color = FCMHexColor(red: 255, green: 0, blue: 10)
    notification.sound = "default"
    notification.tag = "g"
    notification.clickAction = "c"
    notification.bodyLocKey = "bk"
    notification.bodyLocArgs = ["1"]
    notification.titleLocKey = "tk"
    notification.titleLocArgs = ["2"]
    notification.channelID = "ch"
    notification.ticker = "ti"
    notification.sticky = true
    notification.eventTime = FCMTimestamp(epochSeconds: 1_800_000_000)
    notification.localOnly = false
    notification.notificationPriority = .high
    notification.defaultSound = true
    notification.defaultVibrateTimings = false
    notification.defaultLightSettings = true
    notification.vibrateTimings = [FCMDuration(milliseconds: 2300), FCMDuration(seconds: 1)]
    notification.visibility = .private
    notification.notificationCount = 3
    notification.lightSettings = FCMLightSettings(
      color: FCMColor(FCMHexColor(red: 255, green: 0, blue: 51)), on: FCMDuration(seconds: 1),
      off: FCMDuration(milliseconds: 1))
    notification.image = "https://example.com/i.png"
    notification.proxy = .ifPriorityLowered
    notification.bypassProxyNotification = true
    #expect(notification.object.keys == FCMAndroidNotification.schema.fields.map(\.name))
    #expect(FCMAndroidNotification.schema.mismatches(notification.json).isEmpty)
    #expect(
      JSON.minifiedText(notification.json)
        == ##"{"title":"t","body":"b","icon":"i","color":"#ff000a","sound":"default","tag":"g","click_action":"c","##
        + ##""body_loc_key":"bk","body_loc_args":["1"],"title_loc_key":"tk","title_loc_args":["2"],"##
        + ##""channel_id":"ch","ticker":"ti","sticky":true,"event_time":"2027-01-15T08:00:00Z","local_only":false,"##
        + ##""notification_priority":"PRIORITY_HIGH","default_sound":true,"default_vibrate_timings":false,"##
        + ##""default_light_settings":true,"vibrate_timings":["2.300s","1s"],"visibility":"PRIVATE","##
        + ##""notification_count":3,"light_settings":{"color":{"red":1,"green":0,"blue":0.2,"alpha":1},"##
        + ##""light_on_duration":"1s","light_off_duration":"0.001s"},"image":"https://example.com/i.png","##
        + ##""proxy":"IF_PRIORITY_LOWERED","bypass_proxy_notification":true}"##)
  }

  @Test func messageWritesEveryPart() throws {
    var android = FCMAndroidConfig()
    android.collapseKey = "k"
    android.priority = FCMAndroidPriority(rawValue: "high")
    android.ttl = FCMDuration(seconds: FCMDuration.timeToLiveMax)
    android.restrictedPackageName = "com.example.app"
    android.data = ["x": "y"]
    android.notification = FCMAndroidNotification()
    android.fcmOptions = FCMAndroidOptions(object: ["analytics_label": "a"])
    android.directBootOk = true
    android.bandwidthConstrainedOk = true
    android.restrictedSatelliteOk = false
    #expect(android.object.keys == FCMAndroidConfig.schema.fields.map(\.name))
    #expect(android.priority?.canonical == .high)

    var remote = FCMAndroidRemoteNotification()
    remote.notification = FCMAndroidNotificationV2(object: ["id": 7])
    remote.mutableContent = true
    remote.useAsV1DataMessage = true
    #expect(remote.object.keys == FCMAndroidRemoteNotification.schema.fields.map(\.name))
    var second = FCMAndroidConfigV2()
    second.remoteNotification = remote
    second.backgroundSync = FCMAndroidBackgroundSync()
    #expect(JSON.minifiedText(second.json).hasSuffix(#""use_as_v1_data_message":true},"background_sync":{}}"#))

    var apns = FCMApnsConfig()
    apns.headers = ["apns-priority": "5"]
    apns.payload = APNsPayload(aps: APS(), custom: ["aps": 1, "k": 2])
    apns.fcmOptions = FCMApnsOptions(object: ["image": "https://example.com/i.png"])
    apns.liveActivityToken = "lat"
    #expect(
      JSON.minifiedText(apns.json)
        == #"{"headers":{"apns-priority":"5"},"payload":{"aps":{},"k":2},"#
        + #""fcm_options":{"image":"https://example.com/i.png"},"live_activity_token":"lat"}"#)

    var webpush = FCMWebpushConfig()
    webpush.headers = ["TTL": "60"]
    webpush.data = ["a": "b"]
    webpush.notification = FCMWebNotification(object: ["title": "t", "own": 1])
    webpush.fcmOptions = FCMWebpushOptions(object: ["link": "https://example.com"])
    #expect(webpush.object.keys == FCMWebpushConfig.schema.fields.map(\.name))
  }

  @Test func webNotificationHasButtons() throws {
    var notification = FCMWebNotification()
    var button = FCMWebAction()
    button.action = "open"
    button.title = "Open"
    button.icon = "https://example.com/i.png"
    notification.vibrate = [100, 50]
    notification.actions = [button]
    #expect(
      JSON.minifiedText(notification.json)
        == #"{"vibrate":[100,50],"actions":[{"action":"open","title":"Open","icon":"https://example.com/i.png"}]}"#)
    #expect(FCMWebAction.schema.fields.map(\.name) == button.object.keys)
    let wrong = #"{"actions":[{"title":5,"own":1},"x"]}"#
    let found = try FCMWebNotification.read(Array(wrong.utf8)).report.findings.map { "\($0.rule) \($0.field)" }
    #expect(found == ["fcm-field-type actions[0].title", "fcm-field-type actions[1]"])
  }

  @Test func aMessageHasOneTarget() {
    var message = FCMMessage(target: .token("t"), notification: FCMNotification(title: "T", body: "B"))
    #expect(
      String(decoding: message.request().body, as: UTF8.self)
        == #"{"message":{"token":"t","notification":{"title":"T","body":"B"}}}"#)
    message.target = .topic("news")
    #expect(
      JSON.minifiedText(message.json) == #"{"topic":"news","notification":{"title":"T","body":"B"}}"#)
    message.object["condition"] = "x"
    #expect(message.target == nil)
    message.target = .fid("f")
    #expect(message.request(validateOnly: true).target == .fid("f"))
    message.target = nil
    #expect(JSON.minifiedText(message.json) == #"{"notification":{"title":"T","body":"B"}}"#)
  }
}

extension PayloadSchema {
  func mismatches(_ value: JSONValue) -> [PayloadMismatch] {
    var document = JSONDocument()
    guard (try? document.parse(JSON.minified(value))) != nil else { return [] }
    return mismatches(in: document, at: document.root)
  }
}
