import PushPayload
import WireJSON

extension Adobe {
  /// How the elements of a list are taken from JSON and written into it.
  struct ListKind<Element: Sendable>: Sendable {
    /// The members an element may have.
    let members: [String]
    /// The members without which an element is nothing.
    let needed: [String]
    /// What was expected, for a message that has something else.
    let expectation: String
    /// An element as JSON; the text stands for an absent uri, nil leaves it out.
    let json: @Sendable (Element, String?) -> JSONObject
    /// An element of a message or payload; nil when something it needs is missing.
    ///
    /// The members are texts; a kind of link is not looked at here.
    let element: @Sendable (ListMembers) -> Element?
    /// The kind of link of an element.
    let type: @Sendable (Element) -> LinkType?

    /// The elements of a message: every member known and a string, everything needed there, every kind of link known.
    ///
    /// Throws where the list is not so.
    func strict(_ values: [JSONValue]) throws(Mismatch) -> [Element] {
      var elements: [Element] = []
      for (index, value) in values.enumerated() {
        let place = FieldPath([.element(index)])
        let object = try value.stringMembers(members, at: place)
        for name in needed where object[name]?.string?.isEmpty ?? true {
          let found = object[name] == nil ? "nothing" : "an empty string"
          throw Mismatch("a string with text", at: place.member(name), found: found)
        }
        guard let element = element(ListMembers(object)) else { throw Mismatch(expectation) }
        if let type = type(element), !LinkType.known.contains(type) {
          let known = LinkType.known.map { $0.rawValue }.joined(separator: ", ")
          throw Mismatch("one of " + known, at: place.member("type"), found: type.rawValue)
        }
        elements.append(element)
      }
      return elements
    }
  }

  /// The members of an element as texts.
  struct ListMembers {
    let object: JSONObject

    init(_ object: JSONObject) { self.object = object }

    func text(_ name: String) -> String? { object[name]?.scalarText }

    /// A text that must not be empty.
    func needed(_ name: String) -> String? {
      guard let text = text(name), !text.isEmpty else { return nil }
      return text
    }

    var type: LinkType? { text("type").map { LinkType(rawValue: $0) } }
  }
}

extension Adobe.Button {
  static let list = Adobe.ListKind<Adobe.Button>(
    members: ["label", "uri", "type"], needed: ["label", "type"],
    expectation: "an array of objects with label, uri and type (WEBURL, DEEPLINK, DISMISS or OPENAPP)",
    json: { button, absent in
      var object: JSONObject = ["label": .string(button.label)]
      if let uri = button.uri ?? absent { object.append("uri", .string(uri)) }
      object.append("type", .string(button.type.rawValue))
      return object
    },
    element: { members in
      guard let label = members.needed("label"), let type = members.type else { return nil }
      return Adobe.Button(label: label, uri: members.text("uri"), type: type)
    }, type: { $0.type })
}

extension Adobe.Rating {
  static let list = Adobe.ListKind<Adobe.Rating>(
    members: ["uri", "type"], needed: ["type"],
    expectation: "an array of objects with uri and type (WEBURL, DEEPLINK, DISMISS or OPENAPP)",
    json: { rating, absent in
      var object = JSONObject()
      if let uri = rating.uri ?? absent { object.append("uri", .string(uri)) }
      object.append("type", .string(rating.type.rawValue))
      return object
    },
    element: { members in members.type.map { Adobe.Rating(uri: members.text("uri"), type: $0) } },
    type: { $0.type })
}

extension Adobe.Item {
  static let list = Adobe.ListKind<Adobe.Item>(
    members: ["img", "txt", "title", "body", "price", "uri", "type"], needed: [],
    expectation: "an array of objects with img, txt, title, body, price, uri and type as strings",
    json: { item, _ in
      var object = JSONObject()
      let members = [
        ("img", item.image), ("txt", item.text), ("title", item.title), ("body", item.body), ("price", item.price),
        ("type", item.type?.rawValue), ("uri", item.uri),
      ]
      for (name, value) in members {
        if let value { object.append(name, .string(value)) }
      }
      return object
    },
    element: { members in
      Adobe.Item(
        image: members.text("img"), text: members.text("txt"), title: members.text("title"),
        body: members.text("body"), price: members.text("price"), uri: members.text("uri"), type: members.type)
    }, type: { $0.type })
}

// MARK: Reading

extension Adobe {
  /// Reads a list as the library on the device does.
  struct ListReader {
    let key: String
    let path: FieldPath
    /// What becomes of the notification when the list cannot be read, as the end of a sentence.
    let consequence: String
    /// True when one element that is not an object voids the whole list.
    let isAllOrNothing: Bool
    var report = Report()
    /// For each element that was read, its place in the list.
    var places: [FieldPath] = []

    init(_ key: String, at path: FieldPath, consequence: String, isAllOrNothing: Bool) {
      self.key = key
      self.path = path
      self.consequence = consequence
      self.isAllOrNothing = isAllOrNothing
    }

    /// The elements behind the text of a data value.
    mutating func elements(of value: JSONValue?) -> [JSONValue]? {
      guard let text = value?.string else { return Optional.none }
      do {
        let parsed = try JSON.parse(text)
        if let array = parsed.array { return array }
        add("adobe-list-unreadable", path, "expected a JSON array, found \(parsed.named); \(consequence)")
      } catch {
        add("adobe-list-unreadable", path, "the text is not JSON: \(error.description); \(consequence)")
      }
      return Optional.none
    }

    mutating func read<Element>(_ values: [JSONValue], _ kind: ListKind<Element>, needs: String) -> [Element]? {
      var elements: [Element] = []
      for (index, value) in values.enumerated() {
        let place = path.element(index)
        guard let object = value.object else {
          add(
            "adobe-list-element", place,
            "expected an object, found \(value.named); "
              + (isAllOrNothing ? consequence : "it is skipped"))
          if isAllOrNothing { return Optional.none }
          continue
        }
        for (name, _) in object where !kind.members.contains(name) {
          report.add(
            rule: "key-unknown", severity: .note, field: place.member(name),
            message: "adobe does not name this member, so it is in no typed property")
        }
        guard let element = kind.element(ListMembers(object)) else {
          add("adobe-list-skipped", place, "\(needs) is missing, so it is skipped")
          continue
        }
        elements.append(element)
        places.append(place)
      }
      return elements
    }

    mutating func add(_ rule: String, _ place: FieldPath, _ message: String) {
      report.add(rule: rule, severity: .warning, field: place, message: message)
    }
  }
}
