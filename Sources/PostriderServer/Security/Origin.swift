internal import HTTPServer

/// Whether a request comes from the dashboard's own page.
enum Origin {
  /// False when the browser says that another site's page sent it.
  ///
  /// Browsers set both headers and pages cannot: `Sec-Fetch-Site` (W3C Fetch Metadata), and `Origin` of older ones.
  static func isOwn(_ headers: HTTPHeaders) -> Bool {
    if let site = headers.first("Sec-Fetch-Site") { return site == "same-origin" || site == "none" }
    guard let origin = headers.first("Origin") else { return true }
    guard let host = headers.first("Host"), let scheme = origin.firstRange(of: "://") else { return false }
    return origin[scheme.upperBound...] == host
  }
}
