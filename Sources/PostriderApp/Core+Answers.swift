extension Core {
  /// The app's answer to ``Step/identity(user:refresh:)``; nil when there is no token now.
  package func identified(_ user: String, _ token: String?) {
    if let token {
      identity = (user, token)
    } else if state.user == nil {
      // A person who is gone cannot be asked for again: the server may accept it without.
      leavesUnsigned = true
    } else {
      registrations.failed(surroundings.now, retryAfter: nil, random: surroundings.random)
      surroundings.log("no identity for the user now; the registration waits")
    }
  }

  /// The server's answer to a request; nil when there was none.
  package func answered(_ request: PostriderRequest, _ answer: PostriderAnswer?) {
    let isRegistration = request.events == nil
    let what = isRegistration ? "registration" : "events"
    var verdict = answer?.verdict ?? .later
    if verdict == .done, let answer, !(isRegistration ? accept(request, answer) : count(request, answer)) {
      verdict = .later
    }
    switch verdict {
    case .done: lane(isRegistration) { $0.succeeded() }
    case .later:
      let (now, random) = (surroundings.now, surroundings.random)
      lane(isRegistration) { $0.failed(now, retryAfter: answer?.retryAfter, random: random) }
      surroundings.log("\(what): \(answer.map { "answered \($0.status)" } ?? "no answer"); tried again later")
    case .stop: if let answer { stop(request, answer, what) }
    case .refused:
      lane(isRegistration) { $0.succeeded() }
      refuse(request, answer?.status ?? 0)
    }
  }

  private func lane(_ isRegistration: Bool, _ change: (inout Lane) -> Void) {
    if isRegistration { change(&registrations) } else { change(&events) }
  }

  private func accept(_ request: PostriderRequest, _ answer: PostriderAnswer) -> Bool {
    guard let id = AppJSON.parse(answer.body)?["id"]?.string, !id.isEmpty else { return false }
    // Another server's answer, which the app has left meanwhile.
    guard request.target == state.target else { return true }
    needsFreshIdentity = false
    leavesUnsigned = false
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
      if result == .string("unknown") {
        retryUnknown(name)
      } else {
        queue.remove(name)
        retries[name] = nil
      }
    }
    batchLimit = min(Self.batchMax, batchLimit * 2)
    return true
  }

  /// A notification can arrive before its server has the provider's answer, and so its id.
  private func retryUnknown(_ name: String) {
    var retry = retries[name] ?? Retry()
    guard retry.attempts < Self.unknownPausesMs.count else {
      queue.drop(name)
      retries[name] = nil
      surroundings.log("dropped an event of a notification that the server does not know")
      return
    }
    retry.at = surroundings.now + Self.unknownPausesMs[retry.attempts]
    retry.attempts += 1
    retries[name] = retry
  }

  private func stop(_ request: PostriderRequest, _ answer: PostriderAnswer, _ what: String) {
    let isAboutIdentity = request.events == nil && answer.isAboutIdentity
    if isAboutIdentity {
      // Another user signed in while it was on its way.
      if request.body != registration(state.token ?? "") { return }
      if answer.status == 401, request.identity != nil, !request.isRefreshed {
        needsFreshIdentity = true
        return
      }
    }
    registrations.isStopped = true
    // A refused identity says nothing of the key.
    if !isAboutIdentity { events.isStopped = true }
    needsFreshIdentity = false
    surroundings.log("\(what): answered \(answer.status); stopped until the configuration changes")
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
      retries[name] = nil
      surroundings.log("dropped an event: answered \(status)")
    }
  }
}
