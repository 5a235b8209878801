import PushPayload
import Testing
import WireJSON

/// What each builder sends, whole.
struct APNsBuilderTests {
  static let rows: [(name: String, request: APNsRequest, text: String)] = [
    (
      "alert",
      .alert(
        bundleID: "com.example.app", .object(APNsAlert(title: "T", body: "B")), custom: ["screen": "home", "aps": 1],
        options: APNsSendOptions(collapseID: APNsCollapseID("c-1"))),
      #"{"headers":{"apns-push-type":"alert","apns-priority":"10","apns-topic":"com.example.app","#
        + #""apns-collapse-id":"c-1"},"payload":{"aps":{"alert":{"title":"T","body":"B"}},"screen":"home"}}"#
    ),
    (
      "badge", .badge(bundleID: "com.example.app", 0),
      #"{"headers":{"apns-push-type":"alert","apns-priority":"5","apns-topic":"com.example.app"},"#
        + #""payload":{"aps":{"badge":0}}}"#
    ),
    (
      "background", .background(bundleID: "com.example.app", custom: ["sync": true]),
      #"{"headers":{"apns-push-type":"background","apns-priority":"5","apns-topic":"com.example.app"},"#
        + #""payload":{"aps":{"content-available":1},"sync":true}}"#
    ),
    (
      "voip", .voip(bundleID: "com.example.app", payload: ["call": "1"]),
      #"{"headers":{"apns-push-type":"voip","apns-priority":"10","apns-topic":"com.example.app.voip","#
        + #""apns-expiration":"0"},"payload":{"call":"1"}}"#
    ),
    (
      "complication", .complication(bundleID: "com.example.app", payload: [:]),
      #"{"headers":{"apns-push-type":"complication","apns-priority":"10","#
        + #""apns-topic":"com.example.app.complication"},"payload":{}}"#
    ),
    (
      "fileprovider", .fileProvider(bundleID: "com.example.app", payload: [:]),
      #"{"headers":{"apns-push-type":"fileprovider","apns-priority":"10","#
        + #""apns-topic":"com.example.app.pushkit.fileprovider"},"payload":{}}"#
    ),
    (
      "location", .location(bundleID: "com.example.app", payload: [:]),
      #"{"headers":{"apns-push-type":"location","apns-priority":"5","#
        + #""apns-topic":"com.example.app.location-query"},"payload":{}}"#
    ),
    (
      "pushtotalk", .pushToTalk(bundleID: "com.example.app", payload: [:]),
      #"{"headers":{"apns-push-type":"pushtotalk","apns-priority":"10","apns-topic":"com.example.app.voip-ptt","#
        + #""apns-expiration":"0"},"payload":{}}"#
    ),
    (
      "widgets", .widgets(bundleID: "com.example.app"),
      #"{"headers":{"apns-push-type":"widgets","apns-topic":"com.example.app.push-type.widgets"},"#
        + #""payload":{"aps":{"content-changed":true}}}"#
    ),
    (
      "controls", .controls(bundleID: "com.example.app"),
      #"{"headers":{"apns-push-type":"controls","apns-priority":"10","#
        + #""apns-topic":"com.example.app.push-type.controls","apns-expiration":"0"},"#
        + #""payload":{"aps":{"content-changed":true}}}"#
    ),
    (
      "mdm", .mdm(topic: "com.apple.mgmt.External.1", pushMagic: "m"),
      #"{"headers":{"apns-push-type":"mdm","apns-priority":"10","apns-topic":"com.apple.mgmt.External.1"},"#
        + #""payload":{"mdm":"m"}}"#
    ),
    (
      "liveactivity start",
      .liveActivity(
        bundleID: "com.example.app",
        APNsLiveActivityChange.start(
          attributesType: "A", attributes: ["id": 1], contentState: ["n": 1],
          alert: APNsLiveActivityAlert(
            title: .localized(APNsLocalizedText(locKey: "k", locArgs: ["x"])), body: "B", sound: "s"),
          updates: .token
        ).aps(timestamp: 100, staleDate: 200)),
      #"{"headers":{"apns-push-type":"liveactivity","apns-priority":"10","#
        + #""apns-topic":"com.example.app.push-type.liveactivity"},"payload":{"aps":{"timestamp":100,"event":"start","#
        + #""content-state":{"n":1},"attributes-type":"A","attributes":{"id":1},"alert":{"title":{"loc-key":"k","#
        + #""loc-args":["x"]},"body":"B","sound":"s"},"input-push-token":1,"stale-date":200}}}"#
    ),
  ]

  @Test(arguments: rows.map(\.name))
  func theWholeRequestIsWritten(name: String) throws {
    let row = try #require(Self.rows.first { $0.name == name })
    #expect(String(decoding: row.request.json, as: UTF8.self) == row.text)
  }

  @Test func broadcastsAndChannels() throws {
    let aps = APNsLiveActivityChange.end(contentState: nil, dismissalDate: 5).aps(timestamp: 1)
    let broadcast = try #require(APNsBroadcast(bundleID: "com.example.app", channelID: "Y2g=", aps, expiration: .once))
    #expect(broadcast.path == "/4/broadcasts/apps/com.example.app")
    #expect(
      String(decoding: broadcast.request.json, as: UTF8.self)
        == #"{"headers":{"apns-push-type":"liveactivity","apns-priority":"10","apns-expiration":"0","#
        + #""apns-channel-id":"Y2g="},"payload":{"aps":{"timestamp":1,"event":"end","dismissal-date":5}}}"#)
    #expect(APNsBroadcast(bundleID: "a/../b", channelID: "Y2g=", aps, expiration: .once) == nil)

    let create = try #require(APNsChannelRequest(bundleID: "com.example.app", .create(.mostRecent)))
    #expect(create.method == "POST")
    #expect(create.path == "/1/apps/com.example.app/channels")
    #expect(
      String(decoding: create.body, as: UTF8.self) == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
    let list = try #require(APNsChannelRequest(bundleID: "com.example.app", .list))
    #expect([list.method, list.path] == ["GET", "/1/apps/com.example.app/all-channels"])
    let delete = try #require(APNsChannelRequest(bundleID: "com.example.app", .delete(channelID: "Y2g=")))
    #expect(delete.headers == APNsHeaders(channelID: "Y2g="))
    #expect([delete.successStatus, create.successStatus, list.successStatus] == [204, 201, 200])
  }

  @Test func everyKnownPushTypeButMDMHasASuffix() {
    #expect(APNsPushType.known.count == 11)
    #expect(APNsPushType.known.filter { $0.topicSuffix == nil } == [.mdm])
    #expect(APNsPushType(rawValue: "future").topicSuffix == nil)
    #expect(APNsPushType.known.filter { $0.payloadBytesMax != 4096 } == [.voip])
  }

  @Test(arguments: [(1, true), (63, true), (64, true), (65, false), (0, false)])
  func collapseIDsAreMeasuredInBytes(count: Int, isValid: Bool) {
    #expect((APNsCollapseID(String(repeating: "x", count: count)) != nil) == isValid)
    #expect(APNsCollapseID(String(repeating: "é", count: 32)) != nil)
    #expect(APNsCollapseID(String(repeating: "é", count: 33)) == nil)
    #expect(APNsCollapseID("a\nb") == nil)
  }
}
