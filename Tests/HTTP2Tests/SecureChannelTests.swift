import COpenSSL
import Glibc
import Signing
import Synchronization
import TLS
import Testing

@testable import HTTP2

/// Takes what a channel reports, and does to `errno` and OpenSSL's queue what real owners may do.
///
/// `@unchecked Sendable`: touched on the loop only, but for the locked state.
private final class SpoilingOwner: SecureChannelOwner, @unchecked Sendable {
  struct State {
    var isOpen = false
    var received: [UInt8] = []
    var end: String?
  }

  let state = Mutex(State())
  var channel: SecureChannel?

  func channelOpened() { state.withLock { $0.isOpen = true } }

  func channelReceived(_ bytes: UnsafeBufferPointer<UInt8>) {
    state.withLock { $0.received += bytes }
    errno = 0
    OpenSSLQueue.clear()
  }

  func channelDrained() {}

  func channelEnded(_ end: SecureChannel.End) { state.withLock { $0.end = "\(end)" } }

  func wait(_ condition: (State) -> Bool) -> Bool {
    for _ in 0..<5000 {
      if state.withLock({ condition($0) }) { return true }
      usleep(1000)
    }
    return false
  }
}

@Suite(.timeLimit(.minutes(1))) struct SecureChannelTests {
  /// Two channels that have shaken hands over a connected pair of sockets, each on its own loop.
  private struct Ends {
    let near: SpoilingOwner
    let far: SpoilingOwner
    let nearLoop: EventLoop
    let farLoop: EventLoop
    let farDescriptor: Int32

    init() throws {
      let listener = try Socket.listen(
        on: try #require(try? SocketAddress.lookUp("127.0.0.1", port: 0, numericOnly: true).get().first))
      let address = try #require(Socket.localAddress(listener))
      let nearDescriptor = try Socket.open(for: address)
      try Socket.connect(nearDescriptor, to: address)
      var accepted: Int32 = -1
      for _ in 0..<2000 where accepted < 0 {
        if let (descriptor, _) = Socket.accept(listener) { accepted = descriptor } else { usleep(1000) }
      }
      Socket.close(listener)
      farDescriptor = accepted
      near = SpoilingOwner()
      far = SpoilingOwner()
      nearLoop = try EventLoop(name: "near")
      farLoop = try EventLoop(name: "far")
      let client = try TLSContext.client(trust: TestCertificate.shared.trust)
      let server = try TLSContext.server(identity: TestCertificate.shared.identity)
      let rows = [(near, nearLoop, nearDescriptor, client), (far, farLoop, accepted, server)]
      for (owner, loop, descriptor, context) in rows {
        loop.execute {
          let channel = try? SecureChannel(loop: loop, descriptor: descriptor, context: context, owner: owner)
          if !context.isServer { channel?.expect(serverName: "localhost") }
          owner.channel = channel
          try? channel?.start()
        }
      }
      #expect(near.wait { $0.isOpen } && far.wait { $0.isOpen })
    }

    /// Lets the far end write, then do something to its socket, before the near end reads any of it.
    func strike(_ work: @escaping @Sendable (SecureChannel, Int32) -> Void) {
      let isStruck = Atomic(false)
      let box = Box(isStruck)
      nearLoop.execute { for _ in 0..<5000 where !box.flag.load(ordering: .acquiring) { usleep(1000) } }
      let (owner, descriptor) = (far, farDescriptor)
      farLoop.execute {
        guard let channel = owner.channel else { return }
        let bytes = Array("last words".utf8)
        bytes.withUnsafeBufferPointer { if let start = $0.baseAddress { channel.write(start, $0.count) } }
        channel.flush()
        work(channel, descriptor)
        usleep(20_000)
        box.flag.store(true, ordering: .releasing)
      }
    }

    func stop() {
      nearLoop.shutdown()
      farLoop.shutdown()
    }
  }

  private final class Box: Sendable {
    let flag: Atomic<Bool>
    init(_ flag: consuming Atomic<Bool>) { self.flag = flag }
  }

  /// The reason for the end is taken before the owner gets the last bytes, since what the owner does may change it.
  @Test func aResetKeepsItsNameWhateverTheOwnerDoes() throws {
    let ends = try Ends()
    ends.strike { channel, _ in channel.close(abruptly: true) }
    #expect(ends.near.wait { $0.end != nil })
    let state = ends.near.state.withLock { $0 }
    #expect(String(decoding: state.received, as: UTF8.self) == "last words")
    #expect(state.end == #"broken("Connection reset by peer")"#)
    ends.stop()
  }

  @Test func aBrokenRecordKeepsItsNameWhateverTheOwnerDoes() throws {
    let ends = try Ends()
    ends.strike { _, descriptor in
      let garbage = [UInt8](repeating: 0xEE, count: 64)
      _ = garbage.withUnsafeBytes { $0.baseAddress.map { Socket.send(descriptor, $0, 64) } }
    }
    #expect(ends.near.wait { $0.end != nil })
    let state = ends.near.state.withLock { $0 }
    #expect(String(decoding: state.received, as: UTF8.self) == "last words")
    #expect(state.end?.contains("broken") == true && state.end?.contains("no further detail") == false, "\(state)")
    ends.stop()
  }
}
