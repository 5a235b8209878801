// The module for browsers is bounded in size; only emulators have Live Activities.
#if !(_pointerBitWidth(_32))
  import PushPayload
  import WireJSON

  extension Tray {
    /// The tray as a picture, with Live Activities above the notifications, as the lock screen has them.
    public func svg(_ appearance: Appearance, live: LiveScreen) -> String {
      guard !live.activities.isEmpty else { return svg(appearance) }
      return TrayBoard(self, appearance, lead: LivePicture(live, appName: device.appName, .ios(appearance)).draw())
        .draw()
    }
  }

  /// Draws Live Activities.
  ///
  /// The app's own views are its code: a card shows the values that they are made of.
  struct LivePicture {
    /// The most activities that are drawn.
    static let picturedMax = 4
    private static let valuesMax = 5
    private static let lineHeight = 20
    private static let width = 393

    private let live: LiveScreen
    private let appName: String
    private let palette: Palette
    private var canvas = Canvas(width: LivePicture.width, isMirrored: false)

    init(_ live: LiveScreen, appName: String, _ palette: Palette) {
      self.live = live
      self.appName = appName
      self.palette = palette
    }

    consuming func draw() -> (canvas: Canvas, height: Int) {
      var y = 0
      for activity in live.sorted.prefix(Self.picturedMax) {
        card(activity, y: y)
        y += height(of: activity) + 8
      }
      return (canvas, y)
    }

    /// What is shown: the alert of the last push that had one, then the content's values.
    private func lines(_ activity: LiveActivity) -> [(name: String?, value: String)] {
      let alert = [activity.alert?.title, activity.alert?.body].compactMap { $0 }.map {
        (name: String?.none, value: $0)
      }
      let values = activity.contentState.prefix(Self.valuesMax).map { key, value in
        (name: String?.some(key), value: value.string ?? JSON.minifiedText(value))
      }
      return alert + values
    }

    private func height(of activity: LiveActivity) -> Int { 54 + lines(activity).count * Self.lineHeight }

    private mutating func card(_ activity: LiveActivity, y: Int) {
      let height = height(of: activity)
      canvas.rectangle(8, y + 3, 377, height, radius: 22, fill: "#000000", opacity: 7)
      canvas.rectangle(
        8, y, 377, height, radius: 22, fill: palette.card, opacity: 94, stroke: (palette.edge, palette.edgeOpacity))
      canvas.appIcon(appName, 22, y + 12, size: 22, radius: 6)
      canvas.fitted(activity.type ?? appName, 52, y + 28, room: 230, size: 13, weight: 600, fill: palette.text)
      let tint = activity.state == .active ? palette.accent : palette.faint
      canvas.fitted(activity.state.rawValue, 289, y + 28, room: 80, size: 13, fill: tint, .trailing)
      var line = y + 56
      for (name, value) in lines(activity) {
        if let name {
          canvas.fitted(name, 26, line, room: 130, size: 14, fill: palette.faint)
          canvas.fitted(value, 164, line, room: 205, size: 14, weight: 600, fill: palette.text, .trailing)
        } else {
          canvas.fitted(value, 26, line, room: 343, size: 15, weight: 600, fill: palette.text)
        }
        line += Self.lineHeight
      }
    }
  }
#endif
