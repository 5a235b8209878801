import Glibc
import HTTP2
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct DescriptorLimitTests {
  /// In a process of its own: the limit holds for all of it.
  @Test func aServerWithoutDescriptorsGoesOnWhenThereAreSome() async {
    await #expect(processExitsWith: .success) {
      let pair = try Pair()
      let recorder = Recorder()
      let first = pair.connect(recorder)
      first.submit(pair.batch(1))
      guard recorder.endings(1) == [.response(200, "")] else { exit(1) }
      var taken: [Int32] = []
      var limit = rlimit(rlim_cur: 64, rlim_max: 64)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      while true {
        let descriptor = dup(0)
        if descriptor < 0 { break }
        taken.append(descriptor)
      }
      // One for the client's socket, none for the server's.
      if let last = taken.popLast() { close(last) }
      let waiting = Recorder()
      let second = pair.connect(waiting)
      second.submit(pair.batch(1))
      usleep(150_000)
      guard waiting.record.withLock({ $0.endings.isEmpty }) else { exit(2) }
      for descriptor in taken { close(descriptor) }
      guard waiting.endings(1) == [.response(200, "")] else { exit(3) }
      exit(0)
    }
  }
}
