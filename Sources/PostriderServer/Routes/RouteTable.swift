/// Every route of the API, in the order of the documentation.
enum RouteTable {
  static let routes: [Route] = subjects.flatMap { $0 }

  /// The same with the interfaces of other vendors, as the server has them.
  static let withVendors: [Route] = routes + CompatVendor.routes

  private static let subjects: [[Route]] = [
    ContractRoutes.routes,
    ExplainRoutes.routes,
    PreviewRoutes.routes,
    AppRoutes.routes,
    CredentialRoutes.routes,
    WebPushRoutes.routes,
    DeviceFileRoutes.routes,
    DeviceRoutes.routes,
    UserRoutes.routes, InboxRoutes.routes,
    SegmentRoutes.routes,
    SuppressionRoutes.routes,
    PushRoutes.routes,
    PushCheckRoutes.routes, PushPreviewRoutes.routes,
    PushControlRoutes.routes,
    ScheduledPushRoutes.routes, FailedRoutes.routes, ApprovalRoutes.routes,
    ViewRoutes.routes, CalendarRoutes.routes, ResultRoutes.routes, TimelineRoutes.routes,
    TestPushRoutes.routes,
    UserScheduledPushRoutes.routes,
    ScheduleRoutes.routes,
    ChannelRoutes.routes, BroadcastRoutes.routes, ActivityRoutes.routes,
    TemplateRoutes.routes,
    DeliveryRoutes.routes,
    EventRoutes.routes,
    RecordRoutes.routes,
    WebhookRoutes.routes,
    IdentityRoutes.routes,
    RetentionRoutes.routes, UnseenRoutes.routes,
    ShadowRoutes.routes,
    AuditRoutes.routes,
    KeyRoutes.routes, PeopleRoutes.routes, SessionListRoutes.routes,
    HeldRoutes.routes,
    NodeRoutes.routes, OperationRoutes.routes,
    ContractTableRoutes.routes,
    OverviewRoutes.routes,
    SessionRoutes.routes, OwnAccountRoutes.routes, PasskeyRoutes.routes, OIDCRoutes.routes,
  ]
}
