internal import HTTPServer
internal import Signing
internal import StoreModel
internal import Synchronization

/// Hashes and verifies passwords, on threads of its own: each takes a tenth of a second and 32 MiB.
final class PasswordDesk: Sendable {
  /// Passwords worked on at once, so that sign-ins take 64 MiB at most.
  static let threadsMax = 2
  /// Passwords worked on or waiting at once; more are refused with a request to retry.
  static let waitingMax = 64
  /// Those of one network among them: whoever keeps signing in, with the right password too, leaves room for others.
  static let waitingPerNetworkMax = 16
  /// The shortest password, in characters.
  static let lengthMin = 12
  /// The longest one.
  static let lengthMax = 200

  private let cost: PasswordHash.Cost
  /// For emails that nobody has, so that the time says nothing of who is here.
  private let decoy: PasswordHash
  private let work = WorkerThreads("password", threads: threadsMax, requests: waitingMax)

  private let waiting = Mutex<[[UInt8]: Int]>([:])

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
  ///
  /// - Parameter network: of whoever asks.
  func verify(_ password: String, _ stored: [UInt8]?, from network: [UInt8]) async throws(Problem) -> Bool {
    try enter(network)
    defer { leave(network) }
    let known = stored.flatMap { PasswordHash(bytes: $0) }
    let hash = known ?? decoy
    return try await work.run { () async throws(Problem) in
      do throws(SigningError) { return try hash.verifies(Array(password.utf8)) && known != nil } catch {
        throw Problem(.internalError, error.description)
      }
    }
  }

  /// Counts a password of a network; throws when it has too many.
  func enter(_ network: [UInt8]) throws(Problem) {
    let isFull = waiting.withLock { waiting in
      guard waiting[network, default: 0] < PasswordDesk.waitingPerNetworkMax else { return true }
      waiting[network, default: 0] += 1
      return false
    }
    guard isFull else { return }
    throw Problem(
      .busy,
      "\(PasswordDesk.waitingPerNetworkMax) passwords from your network are being checked; try again in a second",
      headers: [("Retry-After", "1")])
  }

  func leave(_ network: [UInt8]) {
    waiting.withLock { waiting in
      let left = waiting[network, default: 1] - 1
      waiting[network] = left > 0 ? left : nil
    }
  }
}
