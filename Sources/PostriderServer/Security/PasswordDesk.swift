internal import HTTPServer
internal import PushStore
internal import Signing

/// Hashes and verifies passwords, on threads of its own: each takes a tenth of a second and 32 MiB.
final class PasswordDesk: Sendable {
  /// Passwords worked on at once, so that sign-ins take 64 MiB at most.
  static let threadsMax = 2
  /// Passwords worked on or waiting at once; more are refused with a request to retry.
  static let waitingMax = 64
  /// The shortest password, in characters.
  static let lengthMin = 12
  /// The longest one.
  static let lengthMax = 200

  private let cost: PasswordHash.Cost
  /// For emails that nobody has, so that the time says nothing of who is here.
  private let decoy: PasswordHash
  private let work = WorkerThreads("password", threads: threadsMax, requests: waitingMax)

  init(cost: PasswordHash.Cost) {
    self.cost = cost
    decoy = PasswordHash(decoyOf: cost)
  }

  /// What is stored of a new password.
  func hash(_ password: String) async throws(Problem) -> [UInt8] {
    let cost = cost
    return try await work.run { () async throws(Problem) in
      do throws(SigningError) { return try PasswordHash(of: Array(password.utf8), cost: cost).bytes } catch {
        throw Problem(.internalError, error.description)
      }
    }
  }

  /// Whether a password is the one that is stored; with nil for none it takes as long and is never right.
  func verify(_ password: String, _ stored: [UInt8]?) async throws(Problem) -> Bool {
    let known = stored.flatMap { PasswordHash(bytes: $0) }
    let hash = known ?? decoy
    return try await work.run { () async throws(Problem) in
      do throws(SigningError) { return try hash.verifies(Array(password.utf8)) && known != nil } catch {
        throw Problem(.internalError, error.description)
      }
    }
  }
}
