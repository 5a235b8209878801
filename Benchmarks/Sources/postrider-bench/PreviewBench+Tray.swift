import DevicePreview
import DeviceText
import PushContracts
import PushPayload
import WireJSON

/// Tables of a large app: fifty languages of two thousand keys each, for both platforms.
func largeTables() -> AppTables {
  let languages =
    "en de fr es it pt-BR pt-PT nl sv da nb fi pl cs sk hu ro bg el tr ru uk sr hr sl et lv lt ja ko zh-Hans zh-Hant th vi"
    + " id ms hi bn ta te mr gu kn ml ar he fa ur sw fil"
  var tables = AppTables(developmentLocale: LocaleTag("en"))
  for language in languages.split(separator: " ") {
    var apple = "\"order_title\" = \"Order \(language)\";\n\"order_body\" = \"%1$@ comes at %2$@ (\(language)).\";\n"
    var android =
      "<string name=\"order_title\">Order \(language)</string><string name=\"order_body\">%1$s at %2$s</string>\n"
    for number in 0..<2000 {
      apple += "\"key_\(number)\" = \"Text \(number)\";\n"
      android += "<string name=\"key_\(number)\">Text \(number)</string>\n"
    }
    tables.add(Array(apple.utf8), path: "\(language).lproj/Localizable.strings")
    let folder = language == "en" ? "values" : "values-b+" + language.split(separator: "-").joined(separator: "+")
    tables.add(Array("<resources>\(android)</resources>".utf8), path: "res/\(folder)/strings.xml")
  }
  return tables
}

/// A tray with `count` notifications, every tenth with a collapse id and all in a hundred threads.
private func filledTray(_ count: Int) throws -> (tray: Tray, pushes: [PreviewPush]) {
  var pushes: [PreviewPush] = []
  for number in 0..<1000 {
    let text =
      #"{"aps":{"alert":{"title":"Order \#(number)","body":"It is on its way."},"thread-id":"t\#(number % 100)"}}"#
    pushes.append(
      PreviewPush(
        platform: .ios, payload: try JSON.parse(text), contract: .native,
        collapseID: number % 10 == 0 ? "c\(number)" : nil))
  }
  var tray = Tray(platform: .ios)
  var number = 0
  while tray.items.count < count {
    _ = tray.receive(pushes[number % pushes.count], now: number)
    number += 1
  }
  return (tray, pushes)
}

/// What is done to trays of a hundred, a thousand and ten thousand notifications, each time for one operation.
func trayBench(_ arguments: [String]) throws {
  var rows: [Measurement] = []
  for count in [100, 1000, 10_000] {
    let (tray, pushes) = try filledTray(count)
    var own = tray
    var number = 0
    rows.append(
      Measurement.run("arrival and dismissal in \(count)", count: 10_000) {
        number += 1
        let item = own.receive(pushes[number % 1000], now: number).item ?? 0
        // From somewhere in the middle, so that what stands behind moves up.
        let middle = own.items[own.items.count / 2].id
        if own.items.count > count { _ = own.dismiss(middle) }
        return item
      })
    var replaced = tray
    let again = pushes[0]
    rows.append(
      Measurement.run("replacement in \(count)", count: 10_000) { replaced.receive(again, now: 0).item ?? 0 })
    rows.append(Measurement.run("stacks of \(count)", count: 200) { tray.groups.count })
    rows.append(
      Measurement.run("JSON of \(count), at most 1000", count: 20) {
        JSON.minified(.object(tray.json(limit: 1000))).count
      })
    rows.append(Measurement.run("picture of \(count)", count: 100) { tray.svg().utf8.count })
  }
  printReport("tray", sizes: [("notifications_most", 10_000)], rows)
}
