internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// The REST API of Amba that has to do with pushes, below `/compat/amba`, both generations of its paths: each request is
/// translated to operations of our own, and its answer back.
enum AmbaRoutes {
  static let routes: [Route] = AmbaCampaigns.routes + AmbaSends.routes + AmbaUsers.routes + AmbaAbsent.routes

  typealias Work = @Sendable (CompatCall) async throws(Problem) -> JSONValue?

  /// A route of the vendor's; the work returns the data of the answer, nil for an answer without content.
  static func route(
    _ method: HTTPMethod, _ path: String, _ name: String, _ about: String,
    _ traits: CompatVendor.Traits = CompatVendor.Traits(), body: Schema? = nil, _ work: @escaping Work
  ) -> Route {
    CompatVendor.amba.route(
      method, path, name, about, traits, body: body
    ) { c async throws(Problem) in
      guard let data = try await work(c) else { return .noContent }
      return Reply(traits.status, ["data": data])
    }
  }

  /// The two paths of an operation: that of the guides, and that of the reference, which names the project.
  static func both(
    _ guide: String, _ reference: String, _ name: String, _ make: (_ path: String, _ name: String) -> Route
  ) -> [Route] {
    [make("/admin" + guide, name), make("/admin/projects/{project_id}" + reference, name + "OfProject")]
  }

  static func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

  /// A time; null for none.
  static func time(_ time: Timestamp?) -> JSONValue { time.map { .string(TimeText.text($0)) } ?? .null }
}
