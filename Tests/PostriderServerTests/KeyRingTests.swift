import PushStore
import Signing
import StoreModel
import TestSupport
import Testing

@testable import PostriderServer

/// A key is hashed once: by its hash it is found among those remembered, and in the store.
@Suite(.timeLimit(.minutes(5))) struct KeyRingTests {
  @Test("A hash that only begins like one that is remembered is no key")
  func wholeHash() throws {
    let fixture = try ServerFixture()
    let (ring, now) = (fixture.server.service.keys, fixture.server.service.now)
    let hash = SHA256.digest(Array(fixture.admin.utf8))
    // Twice: from the store, and from memory.
    for _ in 0..<2 { #expect(try ring.caller(hash: hash, now: now)?.hash == hash) }
    for index in [0, 7, 8, hash.count - 1] {
      var other = hash
      other[index] ^= 1
      #expect(try ring.caller(hash: other, now: now) == nil)
    }
    // It was not forgotten for one of these, which have its place.
    #expect(try ring.caller(hash: hash, now: now)?.hash == hash)
  }
}
