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
