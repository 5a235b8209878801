import DeviceText
import Testing

@Suite struct AppStringsTests {
  private func tag(_ text: String) throws -> LocaleTag { try #require(LocaleTag(text)) }

  @Test func iOSResolvesAKeyInTheBestLanguage() throws {
    var strings = AppStrings(platform: .ios, developmentLocale: try tag("en"))
    strings.add(Array(#""im_loc_text" = "%1$@: %2$@";"#.utf8), path: "App/en.lproj/Localizable.strings")
    strings.add(Array(#""im_loc_text" = "%2$@ (von %1$@)";"#.utf8), path: "App/de.lproj/Localizable.strings")
    let text = strings.resolve("im_loc_text", ["Alice", "Hello"], preferred: [try tag("de-AT")])
    #expect(text.text == "Hello (von Alice)")
    #expect(text.locale == (try tag("de")))
    #expect(text.problems == [])
  }

  @Test func androidResolvesAKeyInTheBestLanguage() throws {
    var strings = AppStrings(platform: .android)
    let english = #"<resources><string name="im_loc_text">%1$s: %2$s</string></resources>"#
    let german = #"<resources><string name="im_loc_text">%2$s (von %1$s)</string></resources>"#
    strings.add(Array(english.utf8), path: "app/res/values/strings.xml")
    strings.add(Array(german.utf8), path: "app/res/values-de-rDE/strings.xml")
    let text = strings.resolve("im_loc_text", ["Alice", "Hello"], preferred: [try tag("de-AT")])
    #expect(text.text == "Hello (von Alice)")
    #expect(text.locale == (try tag("de-DE")))
    #expect(text.problems == [])
    #expect(strings.resolve("im_loc_text", ["Alice"], preferred: [try tag("fr")]).source == .nothing)
    #expect(strings.resolve("im_loc_text", nil, preferred: [try tag("fr")]).text == "%1$s: %2$s")
  }
}
