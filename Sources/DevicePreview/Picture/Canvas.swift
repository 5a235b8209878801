/// Writes the elements of an SVG picture; every text is escaped here and nowhere else.
///
/// Nothing that is drawn comes from a payload but texts and colors: no address is fetched, no markup passes.
struct Canvas {
  /// Where a text is in its room; `natural` is where its own direction begins, as on Android.
  enum Alignment { case leading, trailing, center, natural }

  /// How a text is set.
  struct Font {
    let size: Int
    let weight: Int

    init(_ size: Int, _ weight: Int = 400) { (self.size, self.weight) = (size, weight) }
  }

  /// The elements so far.
  private(set) var elements = ""
  /// The width of the panel, for mirroring.
  let width: Int
  /// True when the interface runs from right to left: x counts from the right.
  let isMirrored: Bool

  init(width: Int, isMirrored: Bool) {
    self.width = width
    self.isMirrored = isMirrored
  }

  /// A rectangle with round corners.
  mutating func rectangle(
    _ x: Int, _ y: Int, _ w: Int, _ h: Int, radius: Int = 0, fill: String, opacity: Int = 100,
    stroke: (color: String, opacity: Int)? = nil
  ) {
    let left = isMirrored ? width - x - w : x
    elements += "<rect x=\"\(left)\" y=\"\(y)\" width=\"\(w)\" height=\"\(h)\""
    if radius > 0 { elements += " rx=\"\(radius)\"" }
    elements += " fill=\"\(fill)\"" + Canvas.opacity("fill-opacity", opacity)
    if let stroke { elements += " stroke=\"\(stroke.color)\"" + Canvas.opacity("stroke-opacity", stroke.opacity) }
    elements += "/>\n"
  }

  /// The lowest part of a rectangle with round corners.
  mutating func lowerEdge(
    _ x: Int, _ y: Int, _ w: Int, _ h: Int, radius: Int, fill: String, opacity: Int = 100
  ) {
    let left = isMirrored ? width - x - w : x
    elements += "<svg x=\"\(left)\" y=\"\(y)\" width=\"\(w)\" height=\"\(h)\"><rect y=\"\(h - radius * 2)\""
    elements += " width=\"\(w)\" height=\"\(radius * 2)\" rx=\"\(radius)\" fill=\"\(fill)\""
    elements += Canvas.opacity("fill-opacity", opacity) + "/></svg>\n"
  }

  /// A circle.
  mutating func circle(_ x: Int, _ y: Int, radius: Int, fill: String, opacity: Int = 100) {
    let center = isMirrored ? width - x : x
    elements += "<circle cx=\"\(center)\" cy=\"\(y)\" r=\"\(radius)\" fill=\"\(fill)\""
    elements += Canvas.opacity("fill-opacity", opacity) + "/>\n"
  }

  /// A path of our own, moved to a point; it is not mirrored in itself.
  mutating func path(_ data: StaticString, _ x: Int, _ y: Int, width own: Int, stroke: String, thickness: Int = 2) {
    let left = isMirrored ? width - x - own : x
    elements += "<path transform=\"translate(\(left) \(y))\" d=\"\(data)\" fill=\"none\" stroke=\"\(stroke)\""
    elements += " stroke-width=\"\(thickness)\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>\n"
  }

  /// A line of text on its base line, within the room from `x` on.
  ///
  /// - Parameter direction: the direction of the text itself; that of the interface when nil.
  mutating func text(
    _ text: String, _ x: Int, _ y: Int, room: Int, font: Font, fill: String, align: Alignment = .leading,
    direction: TextDirection? = nil
  ) {
    let size = font.size
    let left = isMirrored ? width - x - room : x
    let own = direction ?? (isMirrored ? .rightToLeft : .leftToRight)
    let interface: TextDirection = align == .natural ? own : isMirrored ? .rightToLeft : .leftToRight
    let atLeft = (align != .trailing) == (interface == .leftToRight)
    // What an estimate got wrong ends at the edge of the room: an inner picture clips what goes beyond it.
    elements += "<svg x=\"\(left)\" y=\"\(y - size * 5 / 4)\" width=\"\(room)\" height=\"\(size * 7 / 4)\">"
    let anchorX: Int
    let anchor: String
    if align == .center {
      anchorX = room / 2
      anchor = "middle"
    } else {
      anchorX = atLeft ? 0 : room
      anchor = atLeft == (own == .leftToRight) ? "start" : "end"
    }
    elements += "<text x=\"\(anchorX)\" y=\"\(size * 5 / 4)\" font-size=\"\(size)\" fill=\"\(fill)\""
    if font.weight != 400 { elements += " font-weight=\"\(font.weight)\"" }
    if anchor != "start" { elements += " text-anchor=\"\(anchor)\"" }
    if own == .rightToLeft { elements += " direction=\"rtl\"" }
    elements += ">" + Canvas.marked(text) + "</text></svg>\n"
  }

  /// Elements that are made already.
  mutating func append(_ other: Canvas, x: Int, y: Int) {
    elements += "<g transform=\"translate(\(x) \(y))\">\n\(other.elements)</g>\n"
  }

  private static func opacity(_ name: String, _ percent: Int) -> String {
    guard percent < 100 else { return "" }
    return " \(name)=\"0.\(percent < 10 ? "0" : "")\(percent)\""
  }

  /// The text as content of an element, with runs of emoji in the fonts that have them.
  ///
  /// Left to itself, a renderer may take a font of black and white symbols for them.
  private static func marked(_ text: String) -> String {
    let scalars = InertText(text).scalars
    guard scalars.contains(where: { CharacterWidth.isEmoji($0.value) }) else { return escaped(text) }
    var marked = ""
    var start = 0
    while start < scalars.count {
      let isEmoji = CharacterWidth.isEmoji(scalars[start].value)
      var end = start + 1
      while end < scalars.count {
        let value = scalars[end].value
        guard (CharacterWidth.isEmoji(value) || (isEmoji && CharacterWidth.continuesEmoji(value))) == isEmoji else {
          break
        }
        end += 1
      }
      let run = escaped(InertText.string(scalars[start..<end]))
      marked += isEmoji ? "<tspan font-family=\"\(Board.emojiFonts)\">\(run)</tspan>" : run
      start = end
    }
    return marked
  }

  /// The text as character data: no markup, no entity, nothing that XML forbids.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count)
    for scalar in InertText(text).scalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\n": escaped += " "
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
