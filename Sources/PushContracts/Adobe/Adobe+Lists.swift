import PushPayload
import WireJSON

extension Adobe {
  /// How the elements of a list are taken from JSON and written into it.
  struct ListKind<Element: Sendable>: Sendable {
    /// The members an element may have.
    let members: [String]
    /// What was expected, for a message that has something else.
    let expectation: String
    /// An element as JSON; the text stands for an absent uri, nil leaves it out.
    let json: @Sendable (Element, String?) -> JSONObject
    /// An element of a message; what it lacks is empty, and the check says what a device makes of that.
    let element: @Sendable (ListMembers) -> Element

    /// The elements of a message: objects whose known members are strings.
    ///
    /// Throws where the list is not so.
    func elements(_ values: [JSONValue]) throws(Mismatch) -> [Element] {
      var elements: [Element] = []
      for (index, value) in values.enumerated() {
        let place = FieldPath([.element(index)])
        guard case .object(let object) = value else { throw Mismatch("an object", at: place, found: value.named) }
        for (name, member) in object where members.contains(name) && member.string == nil {
          throw Mismatch("a string", at: place.member(name), found: member.named)
        }
        let unknown = object.map { $0.0 }.filter { !members.contains($0) }
        elements.append(element(ListMembers(object, unknown: unknown)))
      }
      return elements
    }
  }

  /// The members of an element as texts.
  struct ListMembers {
    let object: JSONObject
    /// The names that no library reads.
    var unknown: [String] = []

    init(_ object: JSONObject, unknown: [String] = []) {
      self.object = object
      self.unknown = unknown
    }

    func text(_ name: String) -> String? { object[name]?.scalarText }

    var type: LinkType? { text("type").map { LinkType(rawValue: $0) } }
  }
}

extension Adobe.Button {
  static let list = Adobe.ListKind<Adobe.Button>(
    members: ["label", "uri", "type"],
    expectation: "an array of objects with label, uri and type (WEBURL, DEEPLINK, DISMISS, OPENAPP or NONE)",
    json: { button, absent in
      var object: JSONObject = ["label": .string(button.label)]
      if let uri = button.uri ?? absent { object.append("uri", .string(uri)) }
      // A button that was given no kind is left out on the device, one with an empty kind is not.
      if !button.type.rawValue.isEmpty { object.append("type", .string(button.type.rawValue)) }
      return object
    },
    element: { members in
      var button = Adobe.Button(
        label: members.text("label") ?? "", uri: members.text("uri"), type: members.type ?? Adobe.LinkType(rawValue: "")
      )
      button.unknownMembers = members.unknown
      return button
    })
}

extension Adobe.Rating {
  static let list = Adobe.ListKind<Adobe.Rating>(
    members: ["uri", "type"],
    expectation: "an array of objects with uri and type (WEBURL, DEEPLINK, DISMISS, OPENAPP or NONE)",
    json: { rating, absent in
      var object = JSONObject()
      if let uri = rating.uri ?? absent { object.append("uri", .string(uri)) }
      if !rating.type.rawValue.isEmpty { object.append("type", .string(rating.type.rawValue)) }
      return object
    },
    element: { members in
      var rating = Adobe.Rating(uri: members.text("uri"), type: members.type ?? Adobe.LinkType(rawValue: ""))
      rating.unknownMembers = members.unknown
      return rating
    })
}

extension Adobe.Item {
  static let list = Adobe.ListKind<Adobe.Item>(
    members: ["img", "txt", "title", "body", "price", "uri", "type"],
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
      var item = Adobe.Item(
        image: members.text("img"), text: members.text("txt"), title: members.text("title"),
        body: members.text("body"), price: members.text("price"), uri: members.text("uri"), type: members.type)
      item.unknownMembers = members.unknown
      return item
    })
}
