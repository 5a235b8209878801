/// The layouts of templates, drawn into the width of a card.
extension TemplateLayout {
  /// How high it is; 0 when nothing is drawn.
  func height(width: Int) -> Int {
    switch self {
    case .timer(let timer): timer.hasEnded ? 0 : 40
    case .carousel: width * 9 / 16 + 36
    case .input: 48
    case .zeroBezel: 0
    case .rating: 40
    case .catalog(let catalog): catalog.isVertical ? 156 : 92 + 66
    case .icons: 52
    }
  }
}

extension Canvas {
  /// Draws a layout; `ground` is the color of the card when the payload sets one.
  mutating func draw(
    _ layout: TemplateLayout, x: Int, y: Int, width: Int, _ palette: Palette, on ground: ShownColor?
  ) {
    let text = ground.map { $0.isDark ? "#f5f5f7" : "#101114" } ?? palette.text
    let faint = ground.map { $0.isDark ? "#c9ccd6" : "#4a4d55" } ?? palette.faint
    switch layout {
    case .timer(let timer):
      guard !timer.hasEnded else { return }
      self.text(
        timer.clock, x, y + 24, room: width, font: .init(24, 600), fill: timer.color?.hex ?? text,
        direction: .leftToRight)
    case .carousel(let items, let isFilmstrip, _):
      draw(items, isFilmstrip: isFilmstrip, x, y, width, text: text, faint: faint)
    case .input(let hint, _, _):
      rectangle(x, y, width, 40, radius: 20, fill: faint, opacity: 12, stroke: (faint, 35))
      fitted(hint, x + 18, y + 26, room: width - 70, size: 14, fill: faint)
      circle(x + width - 22, y + 20, radius: 14, fill: palette.accent)
      path("M0 5 L5 0 L10 5 M5 0 L5 12", x + width - 27, y + 14, width: 10, stroke: palette.card)
    case .zeroBezel: return
    case .rating(let rating):
      let step = min(56, width / max(1, rating.count))
      for index in 0..<rating.count {
        if index < rating.chosen {
          circle(x + index * step + step / 2, y + 18, radius: 18, fill: palette.accent, opacity: 30)
        }
        path(
          "M14 2 L17.5 10 L26 10.8 L19.6 16.4 L21.5 25 L14 20.5 L6.5 25 L8.4 16.4 L2 10.8 L10.5 10 Z",
          x + index * step + (step - 28) / 2, y + 4, width: 28, stroke: palette.accent)
      }
    case .catalog(let catalog): draw(catalog, x, y, width, palette, colors: (text, faint))
    case .icons(let items, _):
      let step = min(60, (width - 48) / max(1, items.count))
      for (index, item) in items.enumerated() {
        picture(item.image, x + index * step, y + 4, min(44, step - 6), min(44, step - 6), radius: 12)
      }
      path("M0 0 L12 12 M12 0 L0 12", x + width - 22, y + 20, width: 12, stroke: faint)
    }
  }

  /// The first picture with its caption; a film strip shows its neighbors.
  private mutating func draw(
    _ items: [LayoutItem], isFilmstrip: Bool, _ x: Int, _ y: Int, _ width: Int, text: String, faint: String
  ) {
    let height = width * 9 / 16
    guard let first = items.first else { return }
    if isFilmstrip {
      let side = width / 5
      if let last = items.last { picture(last.image, x, y + height / 8, side, height * 3 / 4, radius: 10) }
      picture(items[items.count > 1 ? 1 : 0].image, x + width - side, y + height / 8, side, height * 3 / 4, radius: 10)
      picture(first.image, x + side + 8, y, width - 2 * side - 16, height, radius: 12)
    } else {
      picture(first.image, x, y, width, height, radius: 14)
      for (left, path) in [(x + 12, "M7 0 L0 7 L7 14" as StaticString), (x + width - 26, "M0 0 L7 7 L0 14")] {
        circle(left + 6, y + height / 2, radius: 14, fill: "#000000", opacity: 30)
        // Arrows point outwards in both directions of writing.
        self.path(path, left + (isMirrored ? 2 : 3), y + height / 2 - 7, width: 7, stroke: "#ffffff")
      }
    }
    let dots = items.count * 12
    for index in 0..<items.count {
      circle(
        x + width - dots + index * 12 + 6, y + height + 18, radius: 3, fill: faint, opacity: index == 0 ? 100 : 40)
    }
    if let title = first.title {
      fitted(title, x, y + height + 23, room: width - dots - 12, size: 14, weight: 500, fill: text)
    }
  }

  /// The products as small pictures, the chosen one with its texts, and the button.
  private mutating func draw(
    _ catalog: CatalogLayout, _ x: Int, _ y: Int, _ width: Int, _ palette: Palette,
    colors: (text: String, faint: String)
  ) {
    let (items, isVertical, button) = (catalog.items, catalog.isVertical, catalog.button)
    let side = isVertical ? 46 : min(84, (width - 20) / max(1, items.count))
    for (index, item) in items.enumerated() {
      let left = isVertical ? x : x + index * (side + 10)
      let top = isVertical ? y + index * (side + 7) : y
      if index == catalog.chosen {
        rectangle(left - 3, top - 3, side + 6, side + 6, radius: 14, fill: palette.accent, opacity: 80)
      }
      picture(item.image, left, top, side, side, radius: 11)
    }
    guard items.indices.contains(catalog.chosen) else { return }
    let first = items[catalog.chosen]
    let left = isVertical ? x + side + 18 : x
    let top = isVertical ? y : y + side + 8
    let room = x + width - left
    let buttonWidth = button == nil ? 0 : min(130, room / 2)
    let own = isVertical ? room : room - buttonWidth - 10
    if let title = first.title { fitted(title, left, top + 16, room: own, size: 14, weight: 600, fill: colors.text) }
    if let body = first.body { fitted(body, left, top + 36, room: own, size: 13, fill: colors.faint) }
    if let price = first.price { fitted(price, left, top + 57, room: own, size: 14, weight: 600, fill: colors.text) }
    guard let button else { return }
    let origin = isVertical ? (left, top + 92) : (x + width - buttonWidth, top + 22)
    let ground = button.color?.hex ?? palette.accent
    let label = button.labelColor?.hex ?? (button.color.map { $0.isDark ? "#ffffff" : "#101114" } ?? palette.card)
    rectangle(origin.0, origin.1, buttonWidth, 36, radius: 18, fill: ground)
    fitted(
      button.label, origin.0 + 8, origin.1 + 23, room: buttonWidth - 16, size: 14, weight: 600, fill: label, .center)
  }

  /// A text on one line, with an ellipsis when it does not fit.
  mutating func fitted(
    _ text: String, _ x: Int, _ y: Int, room: Int, size: Int, weight: Int = 400, fill: String,
    _ align: Alignment = .leading
  ) {
    let lines = TextLines(
      InertText(text), width: room * 1000 / size * 15 / 16, linesMax: 1, keepsLineFeeds: false)
    self.text(
      lines.lines.first ?? "", x, y, room: room, font: .init(size, weight), fill: fill, align: align,
      direction: lines.direction)
  }
}
