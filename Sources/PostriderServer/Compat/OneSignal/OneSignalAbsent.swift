internal import HTTPServer
internal import WireJSON

/// OneSignal's operations that are not here, each with the reason its refusal gives.
enum OneSignalAbsent {
  static let routes: [Route] = rows.map { method, path, name, reason in
    // A body is taken and not read, so that whatever is sent gets the same refusal.
    OneSignalRoutes.route(method, path, name, "Not here: \(reason)", pace: .absent) { _ throws(Problem) in
      throw Problem(.invalid, "\(method.rawValue) \(path): \(reason)")
    }
  }

  private static let templates = "templates are of one app; save it for the other one, too"
  private static let journeys = "there are no journeys"
  private static let email = "there is no e-mail"
  private static let keys = "keys are made with our own API, /v1/keys"
  private static let apps = "apps are made with our own API, /v1/apps"
  private static let sessions = "sessions and purchases are not stored"

  private static let rows: [(HTTPMethod, String, String, String)] = [
    (.post, "/templates/{template_id}/copy_to_app", "CopyTemplateToApp", templates),
    (.post, "/templates/{template_id}/copy_to_app_id", "CopyTemplateToAppID", templates),
    (.get, "/apps/{app_id}/journeys", "ViewJourneys", journeys),
    (.post, "/apps/{app_id}/journeys", "CreateJourney", journeys),
    (.get, "/apps/{app_id}/journeys/{journey_id}", "ViewJourney", journeys),
    (.patch, "/apps/{app_id}/journeys/{journey_id}", "UpdateJourney", journeys),
    (.delete, "/apps/{app_id}/journeys/{journey_id}", "DeleteJourney", journeys),
    (.post, "/apps/{app_id}/journeys/{journey_id}/duplicate", "DuplicateJourney", journeys),
    (.get, "/apps/{app_id}/journeys/{journey_id}/stats", "ViewJourneyStats", journeys),
    (.patch, "/apps/{app_id}/journeys/{journey_id}/nodes/{node_id}", "UpdateJourneyNode", journeys),
    (.get, "/apps/{app_id}/email_analytics/provider_metrics", "GetEmailProviderMetrics", email),
    (
      .get, "/apps/{app_id}/email_analytics/provider_metrics_timeseries", "GetEmailProviderMetricsTimeseries", email
    ),
    (.get, "/apps/{app_id}/email_analytics/delivery_metrics", "GetEmailReputation", email),
    (.post, "/apps/{app_id}/notifications/{notification_id}/unsubscribe", "UnsubscribeEmailWithToken", email),
    (.get, "/apps/{app_id}/auth/tokens", "ViewAPIKeys", keys),
    (.post, "/apps/{app_id}/auth/tokens", "CreateAPIKey", keys),
    (.patch, "/apps/{app_id}/auth/tokens/{token_id}", "UpdateAPIKey", keys),
    (.delete, "/apps/{app_id}/auth/tokens/{token_id}", "DeleteAPIKey", keys),
    (.post, "/apps/{app_id}/auth/tokens/{token_id}/rotate", "RotateAPIKey", keys),
    (.get, "/apps", "GetApps", apps), (.post, "/apps", "CreateApp", apps),
    (.get, "/apps/{app_id}", "GetApp", apps), (.put, "/apps/{app_id}", "UpdateApp", apps),
    (.get, "/organizations/{organization_id}/audit_logs", "ListAuditLogs", "the audit log is /v1/apps/{app}/audit"),
    (.post, "/apps/{app_id}/custom_events", "CreateCustomEvents", "there are no events of your own"),
    (.post, "/players/{player_id}/on_session", "NewSession", sessions),
    (.post, "/players/{player_id}/on_purchase", "NewPurchase", sessions),
    (.post, "/players/{player_id}/on_focus", "NewFocus", sessions),
  ]
}
