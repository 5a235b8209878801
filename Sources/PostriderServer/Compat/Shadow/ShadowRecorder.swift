internal import StoreModel
internal import Synchronization

/// Stores records of requests, many in one commit, while no request waits for it.
final class ShadowRecorder: Sendable {
  private struct State: Sendable {
    var waiting: [NewShadowRequest] = []
    var isWriting = false
    var dropped = 0
  }

  /// Records that wait for the store; further ones are dropped, and counted.
  static let waitingMax = 2_000
  private static let batchMax = 500

  private let store: any Store
  private let log: Log
  private let state = Mutex(State())

  init(store: any Store, log: Log) { (self.store, self.log) = (store, log) }

  /// Records that were dropped since the start.
  var dropped: Int { state.withLock { $0.dropped } }

  func record(_ request: NewShadowRequest) {
    state.withLock { state in
      guard state.waiting.count < ShadowRecorder.waitingMax else { return state.dropped += 1 }
      state.waiting.append(request)
    }
    writeNext()
  }

  private func writeNext() {
    let batch = state.withLock { state -> [NewShadowRequest] in
      guard !state.isWriting, !state.waiting.isEmpty else { return [] }
      state.isWriting = true
      let batch = Array(state.waiting.prefix(ShadowRecorder.batchMax))
      state.waiting.removeFirst(batch.count)
      return batch
    }
    guard !batch.isEmpty else { return }
    store.addShadowRequests(batch) { [weak self] result in
      guard let self else { return }
      if case .failure(let error) = result {
        log(
          .error, "shadow not recorded", ["requests": .int(batch.count), "detail": .text(error.description)])
        state.withLock { $0.dropped += batch.count }
      }
      state.withLock { $0.isWriting = false }
      writeNext()
    }
  }
}
