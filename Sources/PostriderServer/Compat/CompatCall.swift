internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// One request to a vendor's interface, on its way through a route.
struct CompatCall: Sendable {
  let call: Call
  let service: Service
  let entry: AppEntry
  let vendor: CompatVendor
  /// The app's id in the vendor's interface.
  let appID: String
  /// What ids of records are made with: it stays when an administrator changes the app's id.
  let idSeed: String
  /// Whether the caller is an older client of the vendor.
  let isOld: Bool

  /// The member, and the parameter, in which vendors' clients name the app.
  static let appMember = "app_id"
  static let otherApp = Problem(.forbidden, "app_id: is not the app of this key")

  var app: AppID { entry.app.id }
  var body: JSONValue { call.body }
  var query: HTTPQuery { call.http.query }
  var now: Timestamp { call.now }

  init(_ call: Call, _ service: Service, _ vendor: CompatVendor) throws(Problem) {
    guard let app = call.caller?.app else { throw Problem(.internalError, "a vendor's route without a key of an app") }
    entry = try service.apps.app(id: app, now: call.now)
    guard let id = vendor.appID(of: entry.app, entry.settings) else {
      throw Problem(.notFound, "this app does not answer here")
    }
    if let member = vendor.appMember, let other = call[member], other.string?.lowercased() != id.lowercased() {
      throw CompatCall.otherApp
    }
    let path = CompatPath(call.http.head, hosts: service.compatHosts)
    (self.call, self.service, self.vendor) = (call, service, vendor)
    (appID, isOld) = (id, path?.isOld ?? false)
    idSeed = entry.app.compat[vendor.rawValue] ?? id
  }

  func ask<Value>(_ body: (any Store) throws(StoreError) -> Value) throws(Problem) -> Value { try service.ask(body) }

  func change<Value: Sendable>(
    _ body: @escaping @Sendable (any Store) throws(StoreError) -> Value
  ) async throws(Problem) -> Value { try await service.change(body) }

  /// The id of a record as the vendor's clients see it.
  func id(_ number: Int64, _ kind: CompatID.Kind) -> String { CompatID.of(number, kind, app: idSeed) }

  /// The number of a record of this app.
  func number(_ text: String, _ kind: CompatID.Kind) -> Int64? { CompatID.number(text, kind, app: idSeed) }

  /// The call of one of our own operations: for this app, with a body that the operation's schema has checked.
  func native(
    _ operation: NativeOperation, _ parameters: [String] = [], _ body: JSONValue = .null,
    idempotency: IdempotencyHeader? = nil, needsSubscriber: Bool = false
  ) throws(Problem) -> Call {
    var report = Report()
    if let schema = operation.route.body, !schema.matches(body, schemas: SchemaTable.byName) {
      schema.check(body, schemas: SchemaTable.byName, into: &report)
      if report.hasErrors { throw Problem(.invalid, report: report) }
    }
    var company = call.company
    company.needsSubscriber = needsSubscriber
    return Call(
      http: call.http, parameters: [entry.app.name] + parameters, caller: call.caller, body: body, report: Report(),
      now: call.now, idempotency: idempotency, company: company)
  }

  /// The name of the user with an id of this interface.
  func userName(ofID id: String) throws(Problem) -> String? {
    guard let number = number(id, .user) else { return nil }
    let after = UserID(rawValue: number - 1)
    let users = try ask { store throws(StoreError) in try store.users(app: app, after: after, limit: 1) }
    return users.first.flatMap { $0.id.rawValue == number ? $0.name : nil }
  }

  func user(named name: String) throws(Problem) -> User? {
    try ask { store throws(StoreError) in try store.user(app: app, named: name) }
  }

  /// Does one of our own operations.
  @discardableResult
  func run(
    _ operation: NativeOperation, _ parameters: [String] = [], _ body: JSONValue = .null,
    idempotency: IdempotencyHeader? = nil
  ) async throws(Problem) -> JSONValue {
    let reply = try await answer(operation, try native(operation, parameters, body, idempotency: idempotency))
    return reply.json.isEmpty ? .null : (try? JSON.parse(reply.json)) ?? .null
  }

  /// The answer of one of our own operations.
  func answer(_ operation: NativeOperation, _ call: Call) async throws(Problem) -> Reply {
    if let shadow = call.shadow, let reply = try shadow.answer(operation, call, service) { return reply }
    switch operation.route.action {
    case .now(let action): return try action(call, service)
    case .write(let action), .long(let action): return try await action(call, service)
    case .upload: throw Problem(.internalError, "\(operation.route.name) takes its body as it arrives")
    }
  }

  /// Sends or plans a push, which has its effect once under a key.
  func createPush(_ body: JSONObject, idempotency: IdempotencyHeader?) async throws(Problem) -> Reply {
    try await answer(.createPush, try native(.createPush, [], .object(body), idempotency: idempotency))
  }
}

/// One of our own operations, which the vendors' interfaces translate to.
struct NativeOperation: Sendable {
  let route: Route

  static let createPush = NativeOperation("createPush")
  static let cancelPush = NativeOperation("cancelPush")
  static let sendPush = NativeOperation("sendPush")
  static let deletePush = NativeOperation("deletePush")
  static let updatePush = NativeOperation("updatePush")
  static let resendPush = NativeOperation("resendPush")
  static let testPush = NativeOperation("testPush")
  static let scheduleForUser = NativeOperation("scheduleForUser")
  static let saveTemplate = NativeOperation("saveTemplate")
  static let deleteTemplate = NativeOperation("deleteTemplate")
  static let updateDevice = NativeOperation("updateDevice")
  static let deleteDevice = NativeOperation("deleteDevice")
  static let leaveInboxMessage = NativeOperation("leaveInboxMessage")
  static let updateUser = NativeOperation("updateUser")
  static let deleteUser = NativeOperation("deleteUser")
  static let startActivity = NativeOperation("startActivity")
  static let updateActivity = NativeOperation("updateActivity")
  static let reportActivityToken = NativeOperation("reportActivityToken")
  static let createSegment = NativeOperation("createSegment")
  static let updateSegment = NativeOperation("updateSegment")
  static let deleteSegment = NativeOperation("deleteSegment")

  private init(_ name: String) {
    guard let route = RouteTable.routes.first(where: { $0.name == name }) else {
      preconditionFailure("the API has no operation \(name)")
    }
    self.route = route
  }
}
