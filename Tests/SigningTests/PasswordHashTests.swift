import Basics
import Testing

@testable import struct Signing.PasswordHash

@Suite("Passwords, hashed with scrypt")
struct PasswordHashTests {
  /// What the tests of the server take: a thousandth of the real cost.
  static let light = PasswordHash.Cost(logN: 5, r: 8, p: 1)

  /// RFC 7914 section 12; of each digest the first half, which is that of 32 bytes.
  @Test(
    "scrypt, RFC 7914 examples",
    arguments: [
      ("", "", UInt8(4), UInt8(1), UInt8(1), "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"),
      (
        "pleaseletmein", "SodiumChloride", UInt8(14), UInt8(8), UInt8(1),
        "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
      ),
    ])
  func vectors(password: String, salt: String, logN: UInt8, r: UInt8, p: UInt8, digest: String) throws {
    let cost = PasswordHash.Cost(logN: logN, r: r, p: p)
    let found = try PasswordHash.digest(Array(password.utf8), salt: Array(salt.utf8), cost: cost)
    #expect(Hex.encode(found) == digest)
  }

  @Test("A password is verified by what was stored of it, and no other is") func verifies() throws {
    let hash = try PasswordHash(of: Array("correct horse".utf8), cost: Self.light)
    let read = try #require(PasswordHash(bytes: hash.bytes))
    #expect(read == hash)
    #expect(try read.verifies(Array("correct horse".utf8)))
    for other in ["", "correct hors", "correct horse ", "Correct horse"] {
      #expect(try !read.verifies(Array(other.utf8)), "\(other)")
    }
    // Another salt each time.
    #expect(try PasswordHash(of: Array("correct horse".utf8), cost: Self.light).bytes != hash.bytes)
    #expect(try !PasswordHash(decoyOf: Self.light).verifies([]))
  }

  @Test("What is no hash, or asks for more memory than any does, is not read") func refusesOthers() throws {
    let bytes = try PasswordHash(of: [1], cost: Self.light).bytes
    for (index, value) in [(0, UInt8(2)), (1, 0), (1, 18), (2, 0), (2, 17), (3, 0), (3, 17)] {
      var changed = bytes
      changed[index] = value
      #expect(PasswordHash(bytes: changed) == nil, "\(index) \(value)")
    }
    #expect(PasswordHash(bytes: []) == nil && PasswordHash(bytes: bytes + [0]) == nil)
  }

  @Test("The real cost is 32 MiB, three times") func standard() throws {
    let hash = try PasswordHash(of: Array("correct horse".utf8))
    #expect(Array(hash.bytes.prefix(4)) == [1, 15, 8, 3])
    #expect(try hash.verifies(Array("correct horse".utf8)))
  }
}
