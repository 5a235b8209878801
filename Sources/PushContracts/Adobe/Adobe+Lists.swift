import PushPayload
import WireJSON

extension Adobe {
  /// How the elements of a list are taken from JSON and written into it.
  struct ListKind<Element: Sendable>: Sendable {
    /// The members an element may have.
    let members: [String]
    /// What was expected, for a message that has something else.
    let expectation: String
    /// An element as JSON; the text represents an absent uri, nil leaves it out.
    let json: @Sendable (Element, String?) -> JSONObject
    /// Writes what ``json`` is, with an empty text for an absent uri; nil where it is written from there.
    var write: (@Sendable (Element, inout JSONWriter) -> Void)?
    /// An element of a message; what it lacks is empty, and the check says what a device makes of that.
    let element: @Sendable (ListMembers) -> Element

    #if !_pointerBitWidth(_32)
      /// The elements of a message that is a document; nil where they are not so.
      func elements(_ document: JSONDocument, _ node: JSONNode) -> [Element]? {
        guard document.kind(node) == .array else { return nil }
        var elements: [Element] = []
        elements.reserveCapacity(document.count(node))
        for value in document.elements(of: node) {
          guard document.kind(value) == .object else { return nil }
          var unknown: [String] = []
          for (name, member) in document.members(of: value) {
            if !members.contains(where: { document.isString(name, $0) }) {
              unknown.append(document.string(name) ?? "")
            } else if document.kind(member) != .string {
              return nil
            }
          }
          elements.append(element(ListMembers(document, value, unknown: unknown)))
        }
        return elements
      }
    #endif

    /// The elements of a message: objects whose known members are strings.
    ///
    /// Throws where the list is not so.
    func elements(_ values: [JSONValue]) throws(Mismatch) -> [Element] {
      var elements: [Element] = []
      for (index, value) in values.enumerated() {
        func path() -> FieldPath { FieldPath([.element(index)]) }
        guard case .object(let object) = value else { throw Mismatch("an object", at: path(), found: value.named) }
        var unknown: [String] = []
        for (name, member) in object {
          if !members.contains(name) {
            unknown.append(name)
          } else if member.string == nil {
            throw Mismatch("a string", at: path().member(name), found: member.named)
          }
        }
        elements.append(element(ListMembers(object, unknown: unknown)))
      }
      return elements
    }
  }

  /// The members of an element as texts.
  struct ListMembers {
    private enum Source {
      case object(JSONObject)
      case node(JSONDocument, JSONNode)
    }

    private let source: Source
    /// The names that no library reads.
    var unknown: [String] = []

    init(_ object: JSONObject, unknown: [String] = []) {
      source = .object(object)
      self.unknown = unknown
    }

    /// The members of an object of a document, of which those that are asked for are strings.
    init(_ document: JSONDocument, _ node: JSONNode, unknown: [String]) {
      source = .node(document, node)
      self.unknown = unknown
    }

    func text(_ name: String) -> String? {
      switch source {
      case .object(let object): object[name]?.scalarText
      case .node(let document, let node): document.member(of: node, name).flatMap { document.string($0) }
      }
    }

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
    write: { button, writer in
      writer.literal("{\"label\":")
      writer.string(button.label)
      writer.literal("\"uri\":")
      writer.string(button.uri ?? "")
      if !button.type.rawValue.isEmpty {
        writer.literal("\"type\":")
        writer.string(button.type.rawValue)
      }
      writer.endObject()
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
