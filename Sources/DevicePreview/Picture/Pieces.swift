internal import Basics

/// The pieces that screens of both platforms are made of.
extension Canvas {
  /// The colors of made-up app icons, from top to bottom.
  private static let iconColors: [(String, String)] = [
    ("#ff9f43", "#f0602f"), ("#5b8def", "#3557d6"), ("#35c28e", "#15936b"), ("#b072f0", "#7a3fd6"),
    ("#f2688f", "#cf3468"), ("#3fbbd6", "#1b83b3"), ("#e9b53b", "#cf8315"), ("#7a86a8", "#4a5578"),
  ]

  /// Which made-up icon an app has.
  private static func icon(of name: String) -> Int {
    var hash: UInt32 = 2_166_136_261
    for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return Int(hash % UInt32(iconColors.count))
  }

  /// The gradients of the app's icon, for the definitions of a picture.
  static func iconDefinition(of name: String) -> String {
    let (top, bottom) = iconColors[icon(of: name)]
    return gradient("pr-icon-\(icon(of: name))", [top, bottom])
  }

  /// A gradient from top to bottom.
  static func gradient(_ id: String, _ colors: [String]) -> String {
    var text = "<linearGradient id=\"\(id)\" x1=\"0\" y1=\"0\" x2=\"0.25\" y2=\"1\">"
    for (index, color) in colors.enumerated() {
      text += "<stop offset=\"\(index * 100 / max(1, colors.count - 1))%\" stop-color=\"\(color)\"/>"
    }
    return text + "</linearGradient>\n"
  }

  /// A glow in the middle of what it fills.
  static func glow(_ id: String, _ color: String) -> String {
    "<radialGradient id=\"\(id)\"><stop offset=\"0%\" stop-color=\"\(color)\" stop-opacity=\"0.9\"/>"
      + "<stop offset=\"100%\" stop-color=\"\(color)\" stop-opacity=\"0\"/></radialGradient>\n"
  }

  /// The app's icon: its first letter on a color of its own.
  mutating func appIcon(_ name: String, _ x: Int, _ y: Int, size: Int, radius: Int? = nil) {
    let radius = radius ?? size * 23 / 100
    rectangle(x, y, size, size, radius: radius, fill: "url(#pr-icon-\(Canvas.icon(of: name)))")
    let letter = String(name.prefix(1)).uppercased()
    text(
      letter, x, y + size * 69 / 100, room: size, font: .init(size * 54 / 100, 700), fill: "#ffffff", align: .center)
  }

  /// A badge on the upper corner of an icon.
  mutating func badge(_ number: WholeNumber, _ x: Int, _ y: Int) {
    let text = number > 999 ? "999+" : number.description
    let width = max(22, 12 + text.utf8.count * 9)
    rectangle(x - width / 2, y - 11, width, 22, radius: 11, fill: "#f5382d")
    self.text(text, x - width / 2, y + 5, room: width, font: .init(14, 600), fill: "#ffffff", align: .center)
  }

  /// A placeholder of a picture that is on the network: nothing is fetched.
  mutating func picture(_ address: String, _ x: Int, _ y: Int, _ w: Int, _ h: Int, radius: Int = 0) {
    rectangle(x, y, w, h, radius: radius, fill: "url(#pr-picture)")
    let side = min(44, min(w, h) * 3 / 5)
    let left = x + (w - side) / 2
    let top = y + (h - side) / 2 - (h > 90 ? 10 : 0)
    rectangle(left, top, side, side * 4 / 5, radius: max(2, side / 8), fill: "#ffffff", opacity: 55)
    circle(left + side / 3, top + side / 4, radius: max(2, side / 9), fill: "#ffd76b")
    if side >= 30 {
      path("M2 32 L14 18 L22 26 L30 15 L42 30", left, top, width: side, stroke: "#5d7fb8", thickness: 3)
    }
    guard h > 90, w > 110 else { return }
    text(
      Canvas.fileName(address), x + 12, y + h - 14, room: w - 24, font: .init(12), fill: "#33435f", align: .center,
      direction: .leftToRight)
  }

  /// The last part of an address, without what is asked for behind it.
  private static func fileName(_ address: String) -> String {
    var path = Substring(address)
    if let end = path.firstIndex(where: { $0 == "?" || $0 == "#" }) { path = path[..<end] }
    let parts = path.split(separator: "/")
    let name = parts.last.map { String($0) } ?? address
    return name.count > 40 ? String(name.prefix(39)) + "…" : name
  }
}
