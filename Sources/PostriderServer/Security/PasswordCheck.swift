internal import HTTPServer

extension Service {
  /// Whether a password is the one that is stored of a person; counted as an attempt to sign in unless it is, or nobody had
  /// time to look at it.
  func isPassword(
    _ password: String, _ stored: [UInt8]?, of email: String?, _ call: Call
  ) async throws(Problem) -> Bool {
    let peer = call.http.head.peer
    let subjects = SignInLimit.subjects(peer, email: email)
    try await signIns.begin(subjects, now: call.now)
    let isRight: Bool
    do throws(Problem) { isRight = try await passwords.verify(password, stored, from: peer.network) } catch {
      signIns.succeeded(subjects)
      throw error
    }
    if isRight { signIns.succeeded(subjects) }
    return isRight
  }
}
