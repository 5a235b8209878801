import Signing
import Testing
import WebPush
import WireJSON

/// What is read of a subscription, a VAPID key and a message before anything is sent.
@Suite struct SubscriptionTests {
  private static let p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
  private static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

  @Test(
    "An endpoint is taken apart",
    arguments: [
      ("https://fcm.googleapis.com/fcm/send/abc:DEF-_", "https://fcm.googleapis.com", "/fcm/send/abc:DEF-_"),
      (
        "https://updates.push.services.mozilla.com:443/wpush/v2/x", "https://updates.push.services.mozilla.com",
        "/wpush/v2/x"
      ),
      ("HTTPS://Web.Push.Apple.com/Q?a=b", "https://web.push.apple.com", "/Q?a=b"),
      ("https://ntfy.example:8443?up=1", "https://ntfy.example:8443", "/?up=1"),
      ("https://[2001:DB8::1]:444/up", "https://[2001:db8::1]:444", "/up"),
      ("https://192.0.2.1", "https://192.0.2.1", "/"),
    ]) func endpoints(url: String, origin: String, path: String) throws
  {
    let endpoint = try WebPushEndpoint(url)
    #expect((endpoint.origin, endpoint.path) == (origin, path))
    let known = endpoint.url == url || endpoint.url == "https://web.push.apple.com/Q?a=b"
    #expect(known || endpoint.url == "https://[2001:db8::1]:444/up", "\(endpoint.url)")
    #expect(!endpoint.description.contains("send"), "an endpoint's path is a secret")
  }

  @Test(
    "What is no endpoint is refused",
    arguments: [
      "", "https://", "http://push.example/x", "ftp://push.example/x", "push.example/x", "https:///x", "https://a b/x",
      "https://user@push.example/x", "https://push.example/x#f", "https://push.example:0/x",
      "https://push.example:99999/x",
      "https://push.example:/x", "https://push.example:8a/x", "https://pu\u{e9}sh.example/x", "https://push.example/\n",
      "https://[::1/x", "https://push.example/\"x", "https://" + String(repeating: "a", count: 3000),
    ]) func wrongEndpoints(url: String)
  {
    let error = #expect(throws: WebPushError.self) { try WebPushEndpoint(url) }
    if url.count < 3_000 {
      let remedies = ["; take the endpoint of the browser's PushSubscription", "; remove "]
      #expect(remedies.contains { error?.message.contains($0) == true }, "\(String(describing: error))")
    }
  }

  @Test("Each wrong member of a subscription is named") func wrongMembers() throws {
    let good: JSONObject = [
      "endpoint": "https://push.example/x", "expirationTime": .null,
      "keys": ["p256dh": .string(Self.p256dh), "auth": .string(Self.auth)],
    ]
    #expect(try WebPushSubscription(.object(good)).auth.count == 16)
    #expect(
      try WebPushSubscription(endpoint: "https://push.example/x", p256dh: Self.p256dh + "=", auth: Self.auth + "==")
        .auth.count == 16)
    var compressed = try #require(Base64URL.decode(Self.p256dh))
    compressed[0] = 3
    let keys = good["keys"]
    let rows: [(field: String, JSONValue)] = [
      ("", .array([])), ("", .null),
      ("endpoint", ["keys": keys ?? .null]), ("endpoint", ["endpoint": 5, "keys": keys ?? .null]),
      ("keys.p256dh", ["endpoint": "https://push.example/x"]),
      ("keys.p256dh", ["endpoint": "https://push.example/x", "keys": ["p256dh": "!", "auth": .string(Self.auth)]]),
      ("keys.p256dh", ["endpoint": "https://push.example/x", "keys": ["p256dh": "AAAA", "auth": .string(Self.auth)]]),
      (
        "keys.p256dh",
        [
          "endpoint": "https://push.example/x",
          "keys": ["p256dh": .string(Base64URL.encode(compressed)), "auth": .string(Self.auth)],
        ]
      ),
      ("keys.auth", ["endpoint": "https://push.example/x", "keys": ["p256dh": .string(Self.p256dh)]]),
      ("keys.auth", ["endpoint": "https://push.example/x", "keys": ["p256dh": .string(Self.p256dh), "auth": "BTBZ"]]),
    ]
    for (field, json) in rows {
      let error = #expect(throws: WebPushError.self) { try WebPushSubscription(json) }
      #expect(error?.field == field, "\(json)")
    }
  }

  @Test("A complete name of this machine, with a point at its end, is as private as without")
  func completeNames() throws {
    for url in ["https://localhost./x", "https://127.0.0.1./x", "https://foo.localhost./x", "https://10.0.0.1/x"] {
      #expect(try WebPushEndpoint(url).namesPrivateAddress, "\(url)")
    }
    #expect(try !WebPushEndpoint("https://push.example.com./x").namesPrivateAddress)
  }

  @Test("A VAPID key is read from PEM and from the text of other generators, and gives the same public key") func keys()
    throws
  {
    let key = try VAPIDKey.generate()
    let short = #expect(throws: WebPushError.self) { try VAPIDKey(file: Array("AAAA".utf8)) }
    #expect(short?.message.contains("expected 32 bytes in Base64URL, found 3") == true, "\(String(describing: short))")
    #expect(try VAPIDKey(file: Array(key.pem().utf8)).publicText == key.publicText)
    #expect(Base64URL.decode(key.publicText)?.count == 65)
    #expect(!"\(key)".contains("PRIVATE"))
    let other = try VAPIDKey(file: Array("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94\n".utf8))
    #expect(other.publicText == Self.p256dh)
    for wrong in ["", "AAAA", "-----BEGIN PRIVATE KEY-----\n", String(repeating: "A", count: 43)] {
      #expect(throws: WebPushError.self) { try VAPIDKey(file: Array(wrong.utf8)) }
    }
  }

  @Test("A token says for whom, until when and from whom, and its signature is that of the key") func token() throws {
    let key = try VAPIDKey.generate()
    let header = try key.authorization(
      audience: "https://push.example", subject: VAPIDSubject("mailto:a@b.example"), expires: 1_770_000_000)
    #expect(header.hasPrefix("vapid t=") && header.hasSuffix(",k=\(key.publicText)"))
    let jws = try JWS.split(String(header.dropFirst(8).prefix { $0 != "," }))
    #expect(String(decoding: jws.header, as: UTF8.self) == #"{"typ":"JWT","alg":"ES256"}"#)
    #expect(
      String(decoding: jws.claims, as: UTF8.self)
        == #"{"aud":"https://push.example","exp":1770000000,"sub":"mailto:a@b.example"}"#)
    #expect(try jws.verify(ECPublicKey(point: #require(Base64URL.decode(key.publicText)))))
    for wrong in [
      "", "a@b.example", "mailto:", "mailto:@b", "mailto:a@", "http://b.example", "https://", "mailto:a b@c",
    ] {
      #expect(throws: WebPushError.self) { try VAPIDSubject(wrong) }
    }
  }

  @Test("A campaign's id is its topic where it can be one, and otherwise a text that follows from it") func topics()
    throws
  {
    #expect(WebPushTopic(campaign: "winback-1").text == "winback-1")
    for campaign in ["", "sale 1", String(repeating: "a", count: 33), "Größe"] {
      let topic = WebPushTopic(campaign: campaign).text
      #expect(topic.utf8.count == 32 && topic == WebPushTopic(campaign: campaign).text)
      #expect((try? WebPushTopic(topic)) != nil)
    }
    #expect(WebPushTopic(campaign: "sale 1") != WebPushTopic(campaign: "sale 2"))
    for wrong in ["", "a b", String(repeating: "a", count: 33), "é"] {
      #expect(throws: WebPushError.self) { try WebPushTopic(wrong) }
    }
  }

  @Test("A message that is too long or lives too long is refused before anything is sent") func limits() throws {
    #expect(try WebPushMessage(payload: [UInt8](repeating: 0x20, count: 3993)).payload.count == 3993)
    #expect(throws: WebPushError.self) { try WebPushMessage(payload: [UInt8](repeating: 0x20, count: 3994)) }
    #expect(throws: WebPushError.self) { try WebPushMessage(payload: [], ttl: WebPushMessage.ttlMax + 1) }
  }
}
