/// Every route of the API, in the order of the documentation.
enum RouteTable {
  static let routes: [Route] =
    ContractRoutes.routes + AppRoutes.routes + CredentialRoutes.routes + DeviceRoutes.routes + UserRoutes.routes
    + PushRoutes.routes
    + PushControlRoutes.routes + KeyRoutes.routes + OperationRoutes.routes
}
