internal import HTTPServer

/// Where a vendor's interface is served: below `/compat/VENDOR`, or at the vendor's own paths on a host name of its own.
struct CompatPath: Sendable {
  let vendor: CompatVendor
  /// The segments as the vendor's routes have them.
  let segments: [String]
  /// The key, for clients that have it in their base address; it is not in `segments`.
  let key: String?
  /// Whether the path has what older clients of the vendor put before it.
  let isOld: Bool

  /// Nil for a request that is none of a vendor's interface.
  init?(_ head: HTTPRequestHead, hosts: [String: CompatVendor]) {
    let segments = head.target.segments
    if !hosts.isEmpty, let name = head.headers.first("Host"), let vendor = hosts[CompatPath.name(ofHost: name)] {
      self.init(vendor, segments[...])
    } else if segments.count >= 2, segments[0] == "compat", let vendor = CompatVendor(rawValue: segments[1]) {
      self.init(vendor, segments[2...])
    } else {
      return nil
    }
  }

  private init(_ vendor: CompatVendor, _ path: ArraySlice<String>) {
    self.vendor = vendor
    var path = path
    // What only begins like a key is treated as one too, and refused as one: it may be a key with a typing error.
    if let first = path.first, first.hasPrefix(APIKeyText.leading) {
      key = first
      path = path.dropFirst()
    } else {
      key = nil
    }
    isOld = path.starts(with: vendor.oldPrefix)
    segments = ["compat", vendor.rawValue] + (isOld ? path.dropFirst(vendor.oldPrefix.count) : path)
  }

  /// The name of a `Host` header without the port.
  static func name(ofHost host: String) -> String {
    var name = host[...]
    if let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy(\.isNumber) { name = host[..<colon] }
    // The name of a zone's root is the same name.
    return (name.hasSuffix(".") ? name.dropLast() : name).lowercased()
  }
}
