import DevicePreview
import DeviceText
import PushContracts
import PushPayload
import WireJSON

private let localized = #"""
  {"aps":{"alert":{"title-loc-key":"order_title","loc-key":"order_body","loc-args":["Anna","14:00"]},
  "badge":3,"sound":"parcel.caf","thread-id":"orders"},"screen":"order"}
  """#
private let localizedAndroid = #"""
  {"message":{"android":{"notification":{"title_loc_key":"order_title","body_loc_key":"order_body",
  "body_loc_args":["Anna","14:00"],"tag":"orders"}},"data":{"screen":"order"}}}
  """#
private let tables = #"""
  "order_title" = "Deine Bestellung ist unterwegs";
  "order_body" = "%1$@ ist gegen %2$@ bei dir. Tippe, um den Weg auf der Karte zu verfolgen.";
  """#
private let adobe = #"""
  {"message":{"data":{"adb_version":"1","adb_template_type":"basic","adb_title":"game request",
  "adb_body":"shall we play a game?","adb_sound":"bingBong","adb_image":"https://chess.example/board.png",
  "adb_uri":"https://chess.example/games","adb_a_type":"WEBURL","adb_tag":"24",
  "adb_act":"[{\"label\":\"accept\",\"uri\":\"https://chess.example/552\",\"type\":\"DEEPLINK\"}]",
  "adb_body_ex":"Bob wants to play a game of chess with you. Click 'accept' to start!"}}}
  """#

/// Previews of pushes whose payload is parsed already, without and with a picture.
func previewBench(_ arguments: [String]) throws {
  var strings = AppTables(developmentLocale: LocaleTag("en"))
  strings.add(Array(tables.utf8), path: "de.lproj/Localizable.strings")
  let german = PreviewDevice(locales: ["de-AT"], tables: strings)
  let english = PreviewDevice()
  let push = { (platform: Platform, text: String, contract: ContractName?) throws in
    PreviewPush(platform: platform, payload: try JSON.parse(text), contract: contract)
  }
  let table = try push(.ios, localized, .native)
  let one = try push(.ios, oneSignalPayload, .onesignal)
  let template = try push(.android, adobe, .adobe)
  let unknown = try push(.ios, oneSignalPayload, nil)
  precondition(Preview(table, on: german).notification.title?.text == "Deine Bestellung ist unterwegs")
  precondition(Preview(template, on: english).notification.buttons.count == 1)
  var tray = Tray(platform: .ios, device: german)
  let large = largeTables()
  let last = PreviewDevice(locales: ["fil-PH"], tables: large)
  let android = try push(.android, localizedAndroid, .native)
  precondition(Preview(table, on: last).notification.title?.text == "Order fil")
  precondition(Preview(android, on: last).notification.title?.text == "Order fil")
  printReport(
    "preview", sizes: [("payload_bytes", localized.utf8.count)],
    [
      Measurement.run("native ios by localization keys", count: 40_000) {
        Preview(table, on: german).surfaces.count
      },
      Measurement.run("the same of 50 languages", count: 20_000) { Preview(table, on: last).surfaces.count },
      Measurement.run("native android of 50 languages", count: 20_000) { Preview(android, on: last).surfaces.count },
      Measurement.run("all 50 languages checked", count: 200) {
        LocaleCheck.all(table, on: last).count
      },
      Measurement.run("onesignal ios", count: 40_000) { Preview(one, on: english).surfaces.count },
      Measurement.run("onesignal ios, recognized", count: 40_000) { Preview(unknown, on: english).surfaces.count },
      Measurement.run("adobe android", count: 20_000) { Preview(template, on: english).surfaces.count },
      Measurement.run("onesignal ios with JSON", count: 20_000) {
        JSON.minified(.object(Preview(one, on: english).json)).count
      },
      Measurement.run("onesignal ios with SVG", count: 5_000) { Preview(one, on: english).svg().utf8.count },
      Measurement.run("arrival in a tray", count: 40_000) { tray.receive(table, now: 0).item ?? 0 },
    ])
}
