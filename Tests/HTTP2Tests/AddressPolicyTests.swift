import Testing

@testable import HTTP2

@Suite struct AddressPolicyTests {
  @Test(arguments: [
    "17.57.144.1", "142.250.1.1", "8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.1", "100.63.255.255", "100.128.0.1",
    "192.0.1.1", "223.255.255.255", "2620:149::1", "2a00:1450:4001::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
    "2002:808:808::1", "2001:200::1",
  ])
  func publicAddresses(text: String) throws {
    let address = try #require(try SocketAddress.lookUp(text, port: 443, numericOnly: true).get().first)
    #expect(HTTP2AddressPolicy.publicOnly.allows(address))
  }

  @Test(arguments: [
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.19.255.255",
    "198.51.100.7", "203.0.113.7", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "ff02::1",
    "2001:db8::1", "3fff::1", "2001::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:7f00:1::1",
    "127.1", "2130706433", "0x7f000001",
  ])
  func otherAddresses(text: String) throws {
    let address = try #require(try SocketAddress.lookUp(text, port: 443, numericOnly: true).get().first)
    #expect(!HTTP2AddressPolicy.publicOnly.allows(address))
    #expect(HTTP2AddressPolicy.any.allows(address))
  }
}
