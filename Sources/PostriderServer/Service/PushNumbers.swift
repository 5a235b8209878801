internal import StoreModel
internal import WireJSON

/// The short numbers of pushes, which answers have beside ids because people read them.
struct PushNumbers {
  static func property(_ name: String = "push_number") -> Schema.Property {
    .optional(name, .integer(1...Int.max, "The push's number, for people; absent once the push is deleted."))
  }

  private let numbers: [PushID: Int64]

  init(_ pushes: some Sequence<PushID>, _ service: Service) throws(Problem) {
    let asked = Set(pushes)
    numbers = asked.isEmpty ? [:] : try service.ask { store throws(StoreError) in try store.numbers(of: asked) }
  }

  subscript(push: PushID) -> JSONValue? { numbers[push].map { .number(JSONNumber($0)) } }
}
