// The module for browsers is bounded in size; only emulators have trays of browsers.
#if !(_pointerBitWidth(_32))
  public import Basics
  import PushContracts
  public import WireJSON

  /// The notifications of one site in one browser, from their arrival to the click.
  ///
  /// Like ``Tray`` it knows no clock and no network. A tag replaces the notification that has it, and moves it to the front.
  public struct BrowserTray: Sendable {
    /// A notification.
    public struct Item: Sendable {
      /// Counts all notifications of the tray, from 1.
      public let id: Int
      /// What it shows.
      public let preview: BrowserPreview
      /// The push's id, as its content has it; nil when it has none.
      public let pushID: String?
      /// When it was shown, in seconds since 1970.
      public let shownTime: WholeNumber
      /// How many notifications it replaced, one after the other.
      public let replacedCount: Int
    }

    /// What the worker receives of a click.
    public struct Click: Sendable {
      /// The notification's number.
      public var item: Int
      /// The push's id.
      public var pushID: String?
      /// The button; nil for the notification itself.
      public var action: String?
      /// What it opens; nil for the site.
      public var link: String?
      /// The message's own data.
      public var data: JSONValue?
    }

    /// The most notifications; the oldest makes room.
    public static let itemsMax = 1_000
    /// The most notifications that a picture shows.
    public static let picturedMax = 6

    /// The name of the site.
    public var siteName: String
    /// The notifications, oldest first.
    public private(set) var items: [Item] = []
    /// The number on the site's icon.
    public private(set) var badge: WholeNumber = 0
    private var lastID = 0

    /// An empty tray.
    public init(siteName: String) { self.siteName = siteName }

    /// A content arrives.
    public mutating func receive(_ content: JSONValue, now: WholeNumber) -> TrayChange {
      let preview = BrowserPreview(content: content, siteName: siteName)
      if let badge = preview.notification.appBadge { self.badge = WholeNumber(max(badge, 0)) }
      var replaced: Item?
      if let tag = preview.notification.tag, let index = items.firstIndex(where: { $0.preview.notification.tag == tag })
      {
        replaced = items.remove(at: index)
      }
      if items.count >= Self.itemsMax { items.removeFirst() }
      lastID += 1
      items.append(
        Item(
          id: lastID, preview: preview, pushID: Self.pushID(of: content), shownTime: now,
          replacedCount: replaced.map { $0.replacedCount + 1 } ?? 0))
      guard let replaced else { return TrayChange(.shown, item: lastID) }
      return TrayChange(.replaced, item: lastID, reason: "it replaced \(replaced.id)")
    }

    /// A click on a notification, or on one of its buttons that a browser draws; nil when there is no such one.
    public mutating func click(_ id: Int, action: String? = nil) -> Click? {
      guard let item = items.first(where: { $0.id == id }) else { return nil }
      let notification = item.preview.notification
      let drawn = item.preview.screens.first?.actions ?? []
      let pressed = action.flatMap { id in drawn.first { $0.id == id } }
      guard action == nil || pressed != nil else { return nil }
      _ = dismiss(id)
      let link = (pressed?.link ?? notification.link).flatMap { Self.opens($0) ? $0 : nil }
      return Click(item: id, pushID: item.pushID, action: action, link: link, data: notification.data)
    }

    /// The id by which the worker reports a push: 1 to 19 digits; nil where the content has none.
    package static func pushID(of content: JSONValue) -> String? {
      guard let text = content["push"]?.string, (1...19).contains(text.utf8.count),
        text.utf8.first != UInt8(ascii: "0"),
        text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
      else { return nil }
      return text
    }

    /// Whether the worker opens a link.
    ///
    /// It does for `http`, `https` and what is relative to the site, and opens the site for others.
    private static func opens(_ link: String) -> Bool {
      // The URL Standard: white space and control characters around a link do not count, tabs and line feeds nowhere.
      let text = link.utf8.drop { $0 <= 0x20 }.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
      guard let first = text.first, isLetter(first), let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
        return true
      }
      let scheme = text[..<colon]
      let isScheme = scheme.allSatisfy { byte in
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(byte)
      }
      let name = scheme.map { $0 | 0x20 }
      return !isScheme || name == Array("http".utf8) || name == Array("https".utf8)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Takes a notification away; false when there is none.
    public mutating func dismiss(_ id: Int) -> Bool {
      guard let index = items.firstIndex(where: { $0.id == id }) else { return false }
      items.remove(at: index)
      return true
    }

    /// Takes all away; the number on the icon stays.
    public mutating func clear() { items.removeAll() }

    /// The tray as ``Tray/json(limit:)`` has it: browsers do not stack.
    public func json(limit: Int = BrowserTray.itemsMax) -> JSONObject {
      let shown = items.reversed().prefix(limit)
      var group: JSONObject = ["stacked": false, "count": .number(JSONNumber(items.count))]
      group.append("items", .array(shown.map { .object($0.json) }))
      return [
        "badge": .number(JSONNumber(badge)), "count": .number(JSONNumber(items.count)), "silent": 0,
        "groups": shown.isEmpty ? [] : [.object(group)], "reminders": [],
      ]
    }

    /// The tray as a picture: the newest notifications on a computer.
    public func svg(_ appearance: Appearance = .light) -> String {
      BrowserBoard.tray(
        items.suffix(Self.picturedMax).reversed().map { $0.preview }, count: items.count, siteName, appearance)
    }
  }

  extension BrowserTray.Item {
    /// `{item, shown, push_id, replaced, notification}`.
    public var json: JSONObject {
      var object: JSONObject = ["item": .number(JSONNumber(id)), "shown": .number(JSONNumber(shownTime))]
      object.add("push_id", pushID)
      if replacedCount > 0 { object.append("replaced", .number(JSONNumber(replacedCount))) }
      object.append("notification", .object(preview.json))
      return object
    }
  }

  extension BrowserTray.Click {
    /// `opened`, or `action` for a button.
    public var type: String { action == nil ? "opened" : "action" }

    /// `{type, item, action, effect, link, data, push_id}`.
    public var json: JSONObject {
      var object: JSONObject = ["type": .string(type), "item": .number(JSONNumber(item))]
      object.add("action", action)
      object.append("effect", "web")
      object.add("link", link)
      object.append("data", data ?? [:])
      object.add("push_id", pushID)
      return object
    }
  }
#endif
