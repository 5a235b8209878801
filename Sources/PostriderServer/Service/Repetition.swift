internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// What a POST that comes again with its `Idempotency-Key` is answered with.
enum Repetition: Sendable {
  /// It changes nothing, or the same thing again has no further effect: it is worked on anew.
  case harmless
  /// The push that it created: the action stores the key and the push in one transaction.
  case push
  /// The first answer. The key is stored with the first change, the answer after it.
  case answer
  /// The first answer, stored after several changes that may be made twice.
  case answerOfSeveral
}

/// A member of an answer that is not stored with it: a secret that is shown once, which a repetition derives from the key again,
/// or what is to be gone with whom it belongs to, which a repetition reads again.
struct DerivedSecret: Sendable {
  let member: String
  /// The text of the answer that is stored without it, or was never stored; nil when the answer had none.
  let text: @Sendable (Call, Service, JSONObject) -> String?
}

extension [DerivedSecret] {
  /// Completes what a repetition is answered with.
  fileprivate func add(to object: inout JSONObject, _ call: Call, _ service: Service) {
    for secret in self { object[secret.member] = secret.text(call, service, object).map { .string($0) } }
  }
}

/// An answer as it is stored: status and location on a line, then the body.
struct StoredAnswer {
  static let header: (name: String, value: String) = ("Idempotent-Replayed", "true")

  static func encode(_ reply: Reply, without secrets: [DerivedSecret]) -> [UInt8] {
    let location = reply.headers.first { $0.name == "Location" }?.value ?? ""
    var json = reply.json
    if !secrets.isEmpty, var object = (try? JSON.parse(json))?.object {
      // Its position is kept, so that a repetition has the members in the same order.
      for secret in secrets where object[secret.member] != nil { object[secret.member] = .null }
      json = JSON.minified(.object(object))
    }
    return Array("\(reply.status) \(location)\n".utf8) + json
  }

  /// The answer; nil for what earlier versions stored.
  static func decode(_ bytes: [UInt8], _ secrets: [DerivedSecret], _ call: Call, _ service: Service) -> Reply? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
    guard let status = words.first.flatMap({ Int($0) }) else { return nil }
    var json = Array(bytes[(end + 1)...])
    if !secrets.isEmpty, var object = (try? JSON.parse(json))?.object {
      secrets.add(to: &object, call, service)
      json = JSON.minified(.object(object))
    }
    var reply = Reply(status, json: json)
    if words.count > 1 { reply.headers.append(("Location", String(words[1]))) }
    reply.headers.append(header)
    return reply
  }
}

/// Keys are looked up before a request is judged, so that a client whose first answer was lost learns of it, whatever
/// changed since: times that passed, templates and credentials that are gone, a draft that was sent.
extension Dispatcher {
  /// What a request that came before is answered with, nil for a new one; throws when the key came with another request.
  func repeated(_ call: Call, _ route: Route) throws(Problem) -> Reply? {
    guard let (key, scope) = try key(call, route) else { return nil }
    let known: KnownRequest?
    do throws(Problem) {
      known = try service.ask { store throws(StoreError) in try store.knownRequest(scope: scope, key: key) }
    } catch {
      // While the store cannot be read, nobody knows whether the request came before, so it is not judged. A key that is
      // not legal is refused by the request itself.
      guard error.kind == .idempotencyMismatch || error.kind.status >= 500 else { return nil }
      throw error
    }
    guard let known else { return nil }
    return try reply(to: call, route, known)
  }

  private func reply(to call: Call, _ route: Route, _ known: KnownRequest) throws(Problem) -> Reply {
    var members: JSONObject = ["replayed": true]
    switch known {
    case .push(let id):
      let push = try service.ask { store throws(StoreError) in try store.push(id) }
      var created = CreatedPush(id: id, replayed: true, targeted: push?.counts.targeted ?? 0)
      created.number = push?.number ?? 0
      return PushRoutes.accepted(created, app: call.parameters.first ?? "", report: call.report)
    case .answer(let bytes):
      if let stored = StoredAnswer.decode(bytes, route.traits.secrets, call, service) { return stored }
    case .created(let id): members = ["id": .string(id), "replayed": true]
    case .createdNamed(let name): members = ["name": .string(name), "replayed": true]
    case .done: break
    }
    route.traits.secrets.add(to: &members, call, service)
    var reply = Reply(route.answers.first?.status ?? 200, .object(members))
    reply.headers.append(StoredAnswer.header)
    return reply
  }

  /// Stores the answer of a request that has a key, then goes on; what it did is durable already.
  func remembered(_ call: Call, _ route: Route, _ reply: Reply, _ next: @escaping @Sendable () -> Void) {
    guard route.repetition == .answer || route.repetition == .answerOfSeveral, reply.status < 300,
      let (key, scope) = try? key(call, route)
    else { return next() }
    onUnstoredAnswer?()
    let log = service.log
    service.store.remember(
      answer: StoredAnswer.encode(reply, without: route.traits.secrets), scope: scope, key: key, now: call.now
    ) { result in
      if case .failure(let error) = result {
        log(
          .error, "answer not stored", ["request": .text(call.http.id.description), "detail": .text(error.description)])
      }
      next()
    }
  }

  /// Runs an action so that its first change stores the request's key.
  /// - Throws: when the store cannot say to which app the key belongs; nothing was done then.
  func keyed(
    _ call: Call, _ route: Route, _ action: () async throws(Problem) -> Reply
  ) async throws(Problem) -> Reply {
    guard route.repetition == .answer, let (key, scope) = try key(call, route) else { return try await action() }
    let keyed = KeyedChange(key: key, scope: scope, now: call.now)
    let result: Result<Reply, Problem> = await KeyedChange.$current.withValue(keyed) {
      do throws(Problem) { return .success(try await action()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// The key as the store knows it, and whose it is; nil when a repetition of the request needs none.
  private func key(_ call: Call, _ route: Route) throws(Problem) -> (key: IdempotencyKey, scope: Int64)? {
    guard route.repetition != .harmless, let header = call.idempotency else { return nil }
    guard route.parameterNames.first == "app" else { return (header.storeKey(call), Dispatcher.everyApp) }
    do throws(Problem) { return (header.storeKey(call), try service.app(call).app.id.rawValue) } catch {
      // The request itself says that there is no such app.
      guard error.kind.status >= 500 else { return nil }
      throw error
    }
  }

  /// The scope of idempotency keys of requests that belong to no app.
  private static let everyApp: Int64 = 0
}
