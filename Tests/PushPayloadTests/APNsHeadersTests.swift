import PushPayload
import Testing
import WireJSON

struct APNsHeadersTests {
  @Test func everyHeaderIsWrittenInOneOrder() throws {
    let id = try #require(APNsID("123e4567-e89b-12d3-a456-426614174000"))
    var headers = APNsHeaders(
      pushType: .alert, priority: .immediate, topic: "com.example.app", collapseID: "c-1", expiration: .once, id: id,
      channelID: "dHN0LXNyY2gtY2hubA==", requestID: id)
    headers.extras = [APNsHeader(name: "x-own", value: "1")]
    #expect(headers.fields.map(\.name) == APNsHeaders.names + ["x-own"])
    #expect(
      JSON.minifiedText(.object(headers.json))
        == #"{"apns-push-type":"alert","apns-priority":"10","apns-topic":"com.example.app","#
        + #""apns-collapse-id":"c-1","apns-expiration":"0","apns-id":"123e4567-e89b-12d3-a456-426614174000","#
        + #""apns-channel-id":"dHN0LXNyY2gtY2hubA==","apns-request-id":"123e4567-e89b-12d3-a456-426614174000","#
        + #""x-own":"1"}"#)
    #expect(APNsHeaders(reading: headers.fields) == headers)
  }

  /// Malformed, repeated and unknown fields stay, as text, in `extras`.
  @Test(arguments: [
    ("apns-priority", "high"), ("apns-priority", "05"), ("apns-expiration", "-1"), ("apns-expiration", "1.5"),
    ("apns-id", "123E4567-E89B-12D3-A456-426614174000"), ("apns-id", "x"), ("apns-expiration", "99999999999999999999"),
    ("x-future", "1"),
  ])
  func nothingIsLost(name: String, value: String) {
    let field = APNsHeader(name: name, value: value)
    var headers = APNsHeaders()
    headers.extras = [field]
    #expect(APNsHeaders(reading: [field]) == headers)
  }

  @Test func repeatedFieldsKeepTheFirst() {
    let headers = APNsHeaders(reading: [
      APNsHeader(name: "Apns-Topic", value: "a"), APNsHeader(name: "apns-topic", value: "b"),
    ])
    var expected = APNsHeaders(topic: "a")
    expected.extras = [APNsHeader(name: "apns-topic", value: "b")]
    #expect(headers == expected)
  }

  @Test func jsonHeadersMayBeNumbers() {
    var report = Report()
    let headers = APNsHeaders(
      reading: ["apns-priority": 10, "apns-expiration": "0", "apns-topic": ["x"]], report: &report)
    #expect(headers == APNsHeaders(priority: .immediate, expiration: .once))
    #expect(
      report.findings.map(\.description) == [
        "error apns-header-not-string headers.apns-topic: a header value must be a string or a number; "
          + "write \"apns-topic\": \"…\""
      ])
  }

  @Test(arguments: [
    ("00000000-0000-0000-0000-000000000000", true), ("ffffffff-ffff-ffff-ffff-ffffffffffff", true),
    ("0123456789abcdef0123456789abcdef", false), ("01234567-89ab-cdef-0123-456789abcde", false),
    ("01234567-89ab-cdef-0123-456789abcdef0", false), ("01234567-89ab-cdef-0123-456789abcdeg", false),
    ("01234567-89AB-cdef-0123-456789abcdef", false), ("", false),
  ])
  func onlyCanonicalIDsAreRead(text: String, isCanonical: Bool) {
    #expect(APNsID(text)?.text == (isCanonical ? text : nil))
    #expect((APNsID(anyCase: text.uppercased()) != nil) == (text.utf8.count == 36 && !text.hasSuffix("g")))
  }

  @Test("Of every byte in every position, digits and dashes alone are read")
  func readsDigitsOnly() {
    let text = Array("0a1b2c3d-4e5f-6789-abcd-ef0123456789".utf8)
    let digits = Set("0123456789abcdef".utf8)
    let upper = digits.union("ABCDEF".utf8)
    for position in text.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = text
        changed[position] = byte
        let isDash = text[position] == UInt8(ascii: "-")
        let read = APNsID(anyCaseHeader: changed.span)
        #expect((read != nil) == (isDash ? byte == text[position] : upper.contains(byte)))
        #expect((APNsID(header: changed.span) != nil) == (isDash ? byte == text[position] : digits.contains(byte)))
        if let read {
          #expect(read.text.utf8.elementsEqual(String(decoding: changed, as: UTF8.self).lowercased().utf8))
        }
      }
    }
  }

  @Test func randomIDsAreVersionFour() {
    let id = APNsID(randomHigh: .max, randomLow: .max)
    #expect(id.text == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    #expect(APNsID(randomHigh: 0, randomLow: 0).text == "00000000-0000-4000-8000-000000000000")
  }
}
