import DeviceText
import TestSupport
import Testing
import WireJSON

@Suite("devicetext vectors")
struct DeviceTextVectorTests {
  static let folder = "\(Files.packageRoot)/Vectors/devicetext"

  static func names() throws -> [String] { try Files.list(folder).filter { $0.hasSuffix(".json") }.sorted() }

  func choices(_ value: JSONValue?) throws -> AppleTextChoices {
    var choices = AppleTextChoices()
    if let first = value?["first"]?.string { choices.first = try #require(.init(rawValue: first)) }
    if let text = value?["missing_argument"]?.string { choices.missingArgument = try #require(.init(rawValue: text)) }
    return choices
  }

  @Test("each case gives the text it expects", arguments: try names())
  func vector(_ name: String) throws {
    let vector = try JSON.parse(Files.read("\(Self.folder)/\(name)"))
    let platform = try #require(vector["platform"]?.string.flatMap(DevicePlatform.init(rawValue:)))
    var strings = AppStrings(
      platform: platform, developmentLocale: vector["development"]?.string.flatMap { LocaleTag($0) })
    for (path, content) in try #require(vector["files"]?.object) {
      #expect(strings.add(Array(try #require(content.string).utf8), path: path), "\(path)")
    }
    let languages = try #require(vector["languages"]?.array).map { try #require(LocaleTag($0.string ?? "")) }
    let field = try #require(vector["text"])
    let text = PushText(
      plain: field["plain"]?.string, key: field["key"]?.string,
      arguments: field["arguments"]?.array?.compactMap(\.string),
      missingKey: field["missing"]?.string == "plain" ? .plainText : .platform, apple: try choices(field["choices"]))
    let resolved = strings.resolve(text, preferred: languages)
    var found: JSONObject = [:]
    if let text = resolved.text { found["text"] = .string(text) }
    found["source"] = .string(resolved.source.rawValue)
    if let locale = resolved.locale { found["locale"] = .string("\(locale)") }
    found["problems"] = .array(resolved.problems.map { .string($0.rule.rawValue) })
    if !strings.problems.isEmpty {
      found["file_problems"] = .array(strings.problems.map { .string($0.rule.rawValue) })
    }
    #expect(JSON.minifiedText(.object(found)) == vector["expect"].map(JSON.minifiedText))
  }
}
