extension Core {
  /// The app's answer to ``Step/identity(user:refresh:)``; nil when there is no token now.
  package func identified(_ user: String, _ token: String?) {
    // The server may accept without a token that somebody signs out.
    if token != nil || state.user == nil {
      identity = (user, token)
    } else if user == state.user {
      registrations.failed(surroundings.now, retryAfter: nil, random: surroundings.random)
      surroundings.log("no identity for the user now; the registration waits")
    }
  }

  /// The server's answer to a request; nil when there was none.
  package func answered(_ request: PostriderRequest, _ answer: PostriderAnswer?) {
    let isRegistration = request.events == nil
    let (what, lane) = isRegistration ? ("registration", \Core.registrations) : ("events", \Core.events)
    var verdict = answer?.verdict ?? .later
    if verdict == .done, let answer, !(isRegistration ? accept(request, answer) : count(request, answer)) {
      verdict = .later
    }
    // What a server or a key that the app has left meanwhile is answered says nothing of the next request.
    let isCurrent = request.target == configuration?.target && request.key == configuration?.key
    switch verdict {
    case _ where verdict != .done && !isCurrent: break
    case .done: self[keyPath: lane].succeeded()
    case .later:
      self[keyPath: lane].failed(surroundings.now, retryAfter: answer?.retryAfter, random: surroundings.random)
      surroundings.log("\(what): \(answer.map { "answered \($0.status)" } ?? "no answer"); tried again later")
    case .stop: if let answer { stop(request, answer, what) }
    case .refused:
      self[keyPath: lane].succeeded()
      refuse(request, answer?.status ?? 0)
    }
  }

  private func accept(_ request: PostriderRequest, _ answer: PostriderAnswer) -> Bool {
    guard let id = AppJSON.parse(answer.body)?["id"]?.string, !id.isEmpty else { return false }
    // Another server's answer, which the app has left meanwhile.
    guard request.target == state.target else { return true }
    (needsFreshIdentity, isRenamed) = (false, false)
    state.owner = request.user
    state.device = id
    state.accepted = request.body
    state.acceptedAt = surroundings.now
    save()
    return true
  }

  private func count(_ request: PostriderRequest, _ answer: PostriderAnswer) -> Bool {
    guard let names = request.events, let results = AppJSON.parse(answer.body)?["results"]?.array,
      results.count == names.count
    else { return false }
    for (name, result) in zip(names, results) {
      if result == .string("unknown") { retryUnknown(name) } else { queue.remove(name) }
    }
    batchLimit = min(Self.batchMax, batchLimit * 2)
    return true
  }

  /// A notification can arrive before its server has the provider's answer, and so its id.
  private func retryUnknown(_ name: String) {
    let made = EventQueue.attempts(name).made
    if made < Self.unknownPausesMs.count,
      queue.postpone(name, attempts: made + 1, until: surroundings.now + Self.unknownPausesMs[made])
    {
      return
    }
    queue.drop(name)
    surroundings.log("dropped an event of a notification that the server does not know")
  }

  private func stop(_ request: PostriderRequest, _ answer: PostriderAnswer, _ what: String) {
    // A refused identity says nothing of the key.
    if request.events == nil, answer.problem.hasPrefix("identity-") { return refuseIdentity(request, answer) }
    registrations.isStopped = true
    events.isStopped = true
    surroundings.log("\(what): answered \(answer.status); stopped until the configuration changes")
  }

  private func refuseIdentity(_ request: PostriderRequest, _ answer: PostriderAnswer) {
    // Another user signed in while it was on its way.
    if request.body != registration(state.token ?? "") { return }
    if configuration?.identity == nil {
      registrations.isStopped = true
      surroundings.log("registration: answered \(answer.status); stopped until another user signs in")
      return
    }
    if answer.problem == "identity-mismatch", !isRenamed {
      // The name is that of another user's device. Under a new one, the device is this user's by its token.
      isRenamed = true
      (state.name, state.device) = (surroundings.newName, nil)
      return save()
    }
    let isFirst = answer.status == 401 && request.identity != nil && !request.isRefreshed
    needsFreshIdentity = needsFreshIdentity || request.identity != nil
    if isFirst { return }
    registrations.failed(surroundings.now, retryAfter: answer.retryAfter, random: surroundings.random)
    surroundings.log("registration: answered \(answer.status); tried again later with another identity")
  }

  private func refuse(_ request: PostriderRequest, _ status: Int) {
    guard let names = request.events else {
      refused = request.body
      surroundings.log("registration: answered \(status); not sent again until it changes")
      return
    }
    if names.count > 1 {
      // One event spoils the batch: halves find it, and the others are delivered.
      batchLimit = max(1, names.count / 2)
    } else if let name = names.first {
      queue.drop(name)
      surroundings.log("dropped an event: answered \(status)")
    }
  }
}
