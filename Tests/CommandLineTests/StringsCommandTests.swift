import TestSupport
import Testing

@Suite("strings")
struct StringsCommandTests {
  private func file(_ path: String, _ content: String, in folder: TemporaryFolder) throws -> String {
    let path = "\(folder.path)/\(path)"
    try Files.write(Array(content.utf8), to: path)
    return path
  }

  @Test("entries and problems of a file, whole")
  func entries() throws {
    let folder = try TemporaryFolder()
    let path = try file("Localizable.strings", "\"a\" = \"b\";\n\"c\" = \"%1$@ d\"\n\"e\";\n", in: folder)
    let result = try Postrider.run("strings", path)
    #expect(result.status == 1)
    #expect(
      result.outputText
        == #"{"files":[{"path":"\#(path)","format":"strings","table":"Localizable","tables":[{"entries":["#
        + #"{"key":"a","value":"b","line":1,"column":1},{"key":"c","value":"%1$@ d","line":2,"column":1},"#
        + #"{"key":"e","value":"e","line":3,"column":1}]}],"problems":[{"rule":"text-syntax","severity":"error","#
        + #""line":3,"column":1,"key":"c","message":"expected ; after the value, found “\"”"}]}]}"# + "\n")
  }

  @Test("what a push makes of an entry, as text")
  func push() throws {
    let folder = try TemporaryFolder()
    let path = try file("table.txt", "\"im_loc_text\" = \"%1$@: %2$@\";", in: folder)
    let result = try Postrider.run(
      "strings", "--as", "strings", "--format", "text", "--format-with", "Alice", "--format-with", "Hello", path)
    #expect(result.status == 0)
    #expect(result.outputText == "\(path):1:1: \"im_loc_text\" → \"Alice: Hello\"\n")
  }

  @Test("an Android format that crashes the app is an error")
  func crash() throws {
    let folder = try TemporaryFolder()
    let path = try file("x.xml", "<resources><string name=\"n\">%d new</string></resources>", in: folder)
    let result = try Postrider.run("strings", "--as", "android-xml", "--format", "text", "--format-with", "3", path)
    #expect(result.status == 1)
    #expect(
      result.outputText == """
        \(path):1:12: "n" → (crash)
        \(path):1:12: error: %d cannot take a text, and the arguments of a push are texts: the app ends; write %s \
        [android-format-crash]

        """)
  }

  @Test("plural forms of numbers")
  func plurals() throws {
    let result = try Postrider.run("strings", "--plural", "--locale", "ru", "--locale", "ja", "1", "2", "5", "1.5")
    #expect(result.status == 0)
    #expect(
      result.outputText == #"{"cldr":"47","plurals":{"ru":{"1":"one","2":"few","5":"many","1.5":"other"},"#
        + #""ja":{"1":"other","2":"other","5":"other","1.5":"other"}}}"# + "\n")
  }

  @Test("wrong words are usage errors")
  func usage() throws {
    for words in [
      ["strings"], ["strings", "x.json"], ["strings", "--plural", "1"], ["strings", "--locale", "?", "a"],
    ] {
      #expect(try Subprocess.run(Postrider.path, words, input: []).status == 2, "\(words)")
    }
  }
}
