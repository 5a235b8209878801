internal import StoreModel

extension PostriderServer {
  /// The first key is made when there is none at all, so that a revoked last key is not replaced behind one's back.
  ///
  /// Returns the text of a generated key; one that was given is known to whoever gave it, and is shown nowhere.
  static func makeFirstKey(_ service: Service, given: APIKeyText?) throws(Problem) -> String? {
    guard try service.ask({ store throws(StoreError) in try store.keys() }).isEmpty else {
      if let given { try warnIfUnusable(given, service) }
      return nil
    }
    let (text, now) = (given ?? .random(), service.now)
    let new = NewAPIKey(
      app: nil, name: "first", scopes: Scope.admin.names.joined(separator: " "), prefix: text.shown, hash: text.hash)
    // In one change: several servers may start on an empty database at once.
    let made = try Service.wait { () async throws(Problem) in
      try await service.change { store throws(StoreError) -> APIKey? in
        try store.keys().isEmpty ? try store.createKey(new, now: now) : nil
      }
    }
    guard let made else {
      if let given { try warnIfUnusable(given, service) }
      return nil
    }
    service.log(.info, "key created", ["id": .text(made.id.description), "scopes": .text(made.scopes)])
    return given == nil ? text.text : nil
  }

  /// An operator who changes the given key later finds out why it does not work.
  private static func warnIfUnusable(_ given: APIKeyText, _ service: Service) throws(Problem) {
    let record = try service.ask { store throws(StoreError) in try store.key(hash: given.hash) }
    let caller = record.flatMap { Caller($0, hash: given.hash, now: service.now) }
    guard caller?.scopes.contains(.admin) != true else { return }
    service.log(
      .warning, "given admin key not used",
      [
        "detail": .text(
          "the data folder already has API keys, and this is not a valid admin key among them; a key is accepted at the"
            + " first start only; postrider keys recover creates another one")
      ])
  }
}
