internal import HTTPServer

/// The files with which a site's visitors subscribe: the module of its pages and the service worker, at paths that stay.
///
/// Pages of other origins load them, so that they have other headers than the dashboard's: they hold no secret, do nothing
/// by themselves, and what they ask of the API is decided there (``SiteOrigins``).
enum SiteFiles {
  /// Where the worker is; the module is beside it.
  static let worker = "/web/worker.js"

  /// Whether a path is that of such a file.
  static func has(_ path: String) -> Bool { path.hasPrefix("/web/") }

  /// The headers beside type and validator.
  static func headers(_ path: String) -> [(name: String, value: String)] {
    var headers = [
      ("X-Content-Type-Options", "nosniff"), ("Access-Control-Allow-Origin", "*"),
      ("Cross-Origin-Resource-Policy", "cross-origin"), ("Referrer-Policy", "no-referrer"),
    ]
    // Behind the site's own proxy the worker may have the whole site as its scope; a page of another origin cannot register
    // it in any case.
    if path == worker { headers.append(("Service-Worker-Allowed", "/")) }
    return headers
  }
}
