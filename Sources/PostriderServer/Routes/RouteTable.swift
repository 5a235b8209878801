/// Every route of the API, in the order of the documentation.
enum RouteTable {
  static let routes: [Route] =
    ContractRoutes.routes + PreviewRoutes.routes + AppRoutes.routes + CredentialRoutes.routes + DeviceRoutes.routes
    + PushRoutes.routes + PushControlRoutes.routes + KeyRoutes.routes + OperationRoutes.routes
}
