import PushStore
import StoreModel
import TestEngines
import TestSupport
import Testing

/// What a registration changes on whose behalf: the owner of each device that it would change decides.
@Suite(.onBothEngines, .timeLimit(.minutes(1))) final class PrincipalTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  func register(
    _ token: String, name: String? = nil, user: String? = nil, as principal: Principal = .trusted
  ) throws -> RegisteredDevice {
    var device = DeviceRegistration(app: fixture.app, token: token, kind: .ios, name: name, user: user)
    device.principal = principal
    return try fixture.store.registerDevices([device], now: fixture.now)[0]
  }

  func isRefused(_ body: () throws -> RegisteredDevice) -> Bool {
    do {
      _ = try body()
      return false
    } catch { return (error as? StoreError)?.code == .notPermitted }
  }

  func owner(_ token: String) throws -> String? { try fixture.store.device(app: fixture.app, token: token)?.user }

  @Test("A client changes devices of nobody and of its user, and a refused batch changes nothing") func ownersStay()
    throws
  {
    _ = try register("a", name: "anns", user: "ann")
    _ = try register("n", name: "nobodys")
    for principal in [Principal.client(user: nil), .client(user: "bob")] {
      #expect(isRefused { try register("a", as: principal) })
      #expect(isRefused { try register("x", name: "anns", as: principal) })
      #expect(isRefused { try register("x", user: "ann", as: principal) })
      #expect(isRefused { try register("x", name: "anns", user: "bob", as: principal) })
      // The named device is nobody's, and the one with the token, which would go, is ann's.
      #expect(isRefused { try register("a", name: "nobodys", as: principal) })
      #expect(try owner("a") == "ann" && owner("x") == nil)
      #expect(try fixture.store.device(app: fixture.app, named: "nobodys")?.token == "n")
    }
    let batch = ["y", "a"].map { token in
      var device = DeviceRegistration(app: fixture.app, token: token, kind: .ios)
      device.principal = .client(user: nil)
      return device
    }
    #expect(throws: StoreError.self) { _ = try fixture.store.registerDevices(batch, now: fixture.now) }
    #expect(try fixture.store.device(app: fixture.app, token: "y") == nil)
    #expect(try fixture.store.user(app: fixture.app, named: "bob") == nil)
    // Its own user's, also to sign out.
    #expect(try !register("a2", name: "anns", user: "ann", as: .client(user: "ann")).created)
    #expect(try !register("a2", as: .client(user: "ann")).created)
    #expect(try owner("a2") == nil)
    #expect(try !register("n2", name: "nobodys", as: .client(user: nil)).created)
    #expect(try !register("n2", user: "bob", as: .client(user: "bob")).created)
    #expect(try owner("n2") == "bob")
  }

  @Test("A verified user takes over the device whose push token they have, and no other") func takenOver() throws {
    let ann = try register("a", name: "anns", user: "ann").id
    let bob = Principal.client(user: "bob")
    #expect(isRefused { try register("b", name: "anns", user: "bob", as: bob) })
    #expect(try register("a", name: "anns", user: "bob", as: bob).id == ann)
    #expect(try owner("a") == "bob")
    // An earlier token is nobody's proof.
    _ = try register("a3", name: "anns", user: "bob", as: bob)
    #expect(try register("a", user: "ann", as: .client(user: "ann")).created)
    #expect(try owner("a3") == "bob")
    // A named device takes the token of another one, which is its former life.
    _ = try register("c", user: "carl")
    #expect(try register("c", name: "anns", user: "bob", as: bob).id == ann)
    #expect(try owner("c") == "bob")
  }

  @Test("Users whose names look alike are different users") func lookalikes() throws {
    let (composed, decomposed) = ("Ren\u{E9}", "Rene\u{301}")
    #expect(composed == decomposed)
    _ = try register("a", user: composed)
    #expect(isRefused { try register("a", as: .client(user: decomposed)) })
    #expect(isRefused { try register("b", user: composed, as: .client(user: decomposed)) })
    #expect(try !register("a", as: .client(user: composed)).created)
  }

  @Test("Tokens are asked for only when a key verifies them, and keys go with their app") func identities() throws {
    let store = fixture.store
    let key = NewIdentityKey(app: fixture.app, name: "k", algorithm: .hs256, material: Array("sealed".utf8))
    #expect(throws: StoreError.self) {
      _ = try store.setIdentityMode(.required, app: fixture.app, now: fixture.now)
    }
    let made = try store.createIdentityKey(key, now: fixture.now)
    #expect(throws: StoreError.self) { _ = try store.createIdentityKey(key, now: fixture.now) }
    let set = try store.setIdentityMode(.optional, app: fixture.app, now: fixture.now)
    #expect(set.mode == .optional && set.keys == [made])
    #expect(try store.identity(app: fixture.app) == set)
    try store.deleteApp(fixture.app)
    #expect(try store.identity(app: fixture.app) == AppIdentity())
    #expect(throws: StoreError.self) { _ = try store.createIdentityKey(key, now: fixture.now) }
  }
}
