import Testing
import WireJSON

@testable import postrider

@Suite("Tables and details") struct TableTests {
  private static let values: [JSONValue] = [
    ["id": "1", "user": "Åsa", "counts": ["accepted": 12], "tags": ["vip", "beta"]],
    ["id": "22", "user": "山田さん", "counts": ["accepted": 3], "note": "never \u{1B}[31mred"],
  ]
  private static let columns = ["id", "user", "counts.accepted", "tags", "note"]

  @Test("on a terminal: aligned, numbers to the right, wide letters counted, nothing reaches the terminal as a command")
  func aligned() {
    #expect(
      Table(Self.columns, of: Self.values).text(width: 80) == """
        id  user      accepted  tags       note
         1  Åsa             12  vip, beta
        22  山田さん         3             never [31mred

        """)
  }

  @Test("a narrow terminal takes from the widest columns")
  func narrow() {
    let text = Table(Self.columns, of: Self.values).text(width: 40)
    #expect(
      text == """
        id  user     accept…  tags      note
         1  Åsa           12  vip, be…
        22  山田さ…        3            never […

        """)
  }

  @Test("a terminal has no room for empty columns and parts of seconds")
  func brief() {
    let values: [JSONValue] = [["id": "1", "at": "2026-11-21T08:00:00.123Z", "text": "2026-11-21T08:00:00.123ZZ"]]
    #expect(
      Table(["id", "gone", "at", "text"], of: values).text(width: 80) == """
        id  at                    text
         1  2026-11-21T08:00:00Z  2026-11-21T08:00:00.123ZZ

        """)
  }

  @Test("for programs: tabs, whole values")
  func tabs() {
    #expect(
      Table(Self.columns, of: Self.values).text(width: nil)
        == "id\tuser\taccepted\ttags\tnote\n1\tÅsa\t12\tvip, beta\t\n22\t山田さん\t3\t\tnever [31mred\n")
  }

  @Test("one thing: its members by path, the report left out")
  func details() throws {
    let value = try JSON.parse(
      #"{"id":"1","counts":{"a":1,"b":0},"list":[{"x":true},{"x":null}],"tags":["q"],"report":[{"rule":"r"}]}"#)
    #expect(
      Details(value).text(width: 80) == """
        id        1
        counts.a  1
        counts.b  0
        tags      q

        list:
        x
        yes


        """)
    #expect(
      Details(value).text(width: nil) == "id\t1\ncounts.a\t1\ncounts.b\t0\nlist[0].x\tyes\nlist[1].x\t\ntags\tq\n")
  }

  @Test("a text of several lines is printed as it is, so that a key can be copied")
  func blocks() throws {
    let pem = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n"
    let value: JSONValue = ["id": "1", "secret": .string(pem), "evil": "a\n\u{1B}[31mb"]
    #expect(Details(value).text(width: 80) == "id  1\n\nsecret:\n\(pem)\nevil:\na\n[31mb\n")
    #expect(Details(value).text(width: nil).hasPrefix("id\t1\n\nsecret:\n\(pem)"))
  }

  @Test("cutting counts columns, not letters", arguments: [(4, "山…"), (5, "山田…"), (8, "山田さん"), (1, "…")])
  func cuts(width: Int, expected: String) {
    #expect(Cell.cut("山田さん", to: width) == expected)
    #expect(Cell.width(expected) <= width)
  }
}
