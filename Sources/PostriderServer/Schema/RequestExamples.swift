internal import WireJSON

/// A request for each operation that takes one, as the OpenAPI document shows it.
enum RequestExamples {
  /// The example of an operation, by its name.
  static func json(_ operation: String) -> JSONValue? { texts[operation].flatMap { try? JSON.parse($0) } }

  private static let message = #""message":{"title":"Hello {{first_name|there}}","body":"Your order is on its way."}"#
  private static let sale = #""message":{"title":"Spring sale","body":"Today only: everything at half price."}"#
  private static let pro =
    #"{"operator":"AND","conditions":[{"field":"properties.plan","op":"eq","value":"pro"},"#
    + #"{"field":"last_seen_at","op":"within","value":"7d"}]}"#
  private static let credentials =
    #"{"apns":{"topic":"com.example.app","key":"-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n","#
    + #""key_id":"ABC123DEFG","team_id":"DEF123GHIJ"}}"#

  private static let texts: [String: String] = [
    "render":
      #"{"contract":"amba","topic":"com.example.app","message":{"title":"Welcome back!","body":"Your streak is waiting."}}"#,
    "parse": #"{"platform":"ios","payload":{"aps":{"alert":{"title":"Welcome back!"}},"screen":"home"}}"#,
    "check": #"{"contract":"amba","message":{"title":"Welcome back!","body":"Your streak is waiting for you."}}"#,
    "explain": #"{"reason":"Unregistered"}"#,
    "preview": #"{"payload":{"aps":{"alert":{"title":"Welcome back!","body":"Hi"}}},"platform":"ios"}"#,
    "createApp": #"{"name":"demo","title":"Demo","contract":"amba"}"#, "updateApp": #"{"title":"Demo 2"}"#,
    "putCredentials": credentials, "postCredentials": credentials, "checkCredentials": credentials,
    "registerDevice":
      #"{"type":"ios","token":"00fc13adff78512200fc13adff78512200fc13adff78512200fc13adff785122","name":"phone-1","#
      + #""user":"ann","locale":"de-AT","timezone":"Europe/Vienna","app_version":"2.1.0","properties":{"plan":"pro"},"#
      + #""tags":["beta"]}"#,
    "updateDevice": #"{"locale":"de-AT","properties":{"plan":"free","trial_ends":null}}"#,
    "updateUser":
      #"{"email":"ann@example.com","properties":{"first_name":"Ann","since":"2026-11-20T12:00:00Z"},"#
      + #""entitlements":{"premium":true}}"#,
    "createSegment": #"{"name":"active-pros","title":"Active pros","filter":\#(pro)}"#,
    "countFilter": #"{"filter":\#(pro),"sample":5}"#, "updateSegment": #"{"title":"Pros of this week"}"#,
    "setSuppression":
      #"{"quiet_hours":{"from":"22:00","to":"07:00","timezone":"Europe/Vienna"},"#
      + #""frequency_cap":{"pushes":3,"window_seconds":86400}}"#,
    "createPush": #"{"to":{"segment":"active_7d"},"campaign":"spring-sale",\#(sale),"expires_in_seconds":86400}"#,
    "updatePush": #"{"throttle_per_minute":6000}"#,
    "checkPush": #"{"to":{"all":true},\#(message),"values":{}}"#,
    "previewPush": #"{"to":{"user":"ann"},\#(message),"values":{},"svg":true}"#,
    "schedulePush": #"{"send_at_local":"2030-01-31T09:00:00","timezone":"Europe/Vienna"}"#,
    "saveView": #"{"query":{"query":"sale","kind":"campaign","state":"sent"}}"#,
    "approvePush": #"{"asked_at":"2026-11-20T12:00:00.000Z"}"#,
    "declinePush": #"{"reason":"The price in the title is last year's."}"#,
    "testPush": #"{"to":{"user":"ann"},\#(sale)}"#,
    "scheduleForUser": #"{\#(message),"values":{},"send_at":"2030-01-31T09:00:00Z"}"#,
    "createSchedule":
      #"{"to":{"all":true},"campaign":"weekly",\#(sale),"repeat":{"every":"week","start":"2030-02-04T09:00:00","#
      + #""timezone":"Europe/Vienna"}}"#,
    "updateSchedule": #"{\#(sale)}"#,
    "saveTemplate":
      #"{\#(message),"locales":{"de":{"title":"Hallo {{first_name|du}}","body":"Deine Bestellung kommt."}},"#
      + #""values":{}}"#,
    "reportEvents":
      #"{"events":[{"type":"opened","apns_id":"a1b2c3d4-e5f6-8788-8000-00000000002a","at":"2026-11-20T12:00:00Z"}]}"#,
    "createWebhook": #"{"url":"https://example.com/hooks/push","types":["delivery.rejected","push.finished"]}"#,
    "updateWebhook": #"{"enabled":false}"#, "replayWebhook": #"{"batches":["17"]}"#,
    "setIdentity": #"{"mode":"required"}"#, "createIdentityKey": #"{"algorithm":"HS256"}"#,
    "resendFailed": #"{"reasons":["no-credential"],"preview":true}"#,
    "putUnseenDevices": #"{"days":270}"#,
    "putRetention": #"{"deliveries_days":90,"events_days":90}"#,
    "putAppRetention": #"{"deliveries_days":30,"events_days":null}"#,
    "createKey": #"{"name":"billing","scopes":["send"],"app":"demo","expires_in_seconds":31536000}"#,
    "rotateKey": #"{"overlap_seconds":3600}"#, "countAudience": #"{"to":{"segment":"active_7d"}}"#,
    "createChannel": #"{"name":"match-17","storage":"most-recent"}"#,
    "leaveInboxMessage":
      #"{"title":"Your statement","summary":"It is ready.","body":"Your statement of October is ready.","push":{\#(message)}}"#,
    "putShadow": #"{"mode":"forward","url":"https://api.onesignal.com","live_percent":10}"#,
    "readInbox": #"{"read":true}"#, "updateInboxMessage": #"{"read":true}"#,
    "startActivity":
      #"{"id":"order-17","to":{"user":"ann"},"attributes_type":"OrderAttributes","attributes":{"order":"order-17"},"#
      + #""content_state":{"minutes":25},"alert":{"title":"Your order","body":"It is on its way."}}"#,
    "updateActivity":
      #"{"event":"update","content_state":{"minutes":10},"stale_date":"2026-11-20T12:10:00Z","priority":5}"#,
    "reportActivityToken": #"{"token":"00fc13adff78512200fc13adff78512200fc13adff78512200fc13adff785122"}"#,
    "createBroadcast":
      #"{"event":"update","content_state":{"home":2,"away":1},"alert":{"title":"Goal!","body":"2:1"},"#
      + #""stale_date":"2026-11-20T12:10:00Z","expires_in_seconds":3600}"#,
    "invitePerson": #"{"email":"ann@example.com","name":"Ann","roles":["sender:demo"]}"#,
    "updatePerson": #"{"roles":["admin"]}"#, "renewInvitation": #"{"expires_in_seconds":86400}"#,
    "showInvitation": #"{"token":"pm5tD-0ujVBYMIG1QZaCMCqdG0sd-T9WdgbBKiOXtfE"}"#,
    "finishOIDC": #"{"state":"pm5tD-0ujVBYMIG1QZaCMCqdG0sd-T9WdgbBKiOXtfE","code":"SplxlOBeZQQYbYS6WxSbIA"}"#,
    "join": #"{"token":"pm5tD-0ujVBYMIG1QZaCMCqdG0sd-T9WdgbBKiOXtfE","password":"correct horse battery staple"}"#,
    "changePassword": #"{"current":"correct horse battery staple","password":"a later, longer password"}"#,
    "preparePasskey": #"{"token":"pm5tD-0ujVBYMIG1QZaCMCqdG0sd-T9WdgbBKiOXtfE"}"#,
    "addPasskey": #"{"name":"Ann's phone","credential":\#(madePasskey)}"#,
    "renamePasskey": #"{"name":"Ann's old phone"}"#,
    "signInWithPasskey": #"{"credential":\#(usedPasskey)}"#,
    "signIn": #"{"key":"prk_pm5tD-0ujVBYMIG1QZaCMCqdG0sd-T9WdgbBKiOXtfE"}"#,
  ]

  /// What browsers send of a passkey, shortened: the ids and signatures of real ones are longer.
  private static let madePasskey =
    #"{"id":"q83vEjRWeJA","type":"public-key","response":{"clientDataJSON":"eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0","#
    + #""attestationObject":"o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YUA"}}"#
  private static let usedPasskey =
    #"{"id":"q83vEjRWeJA","type":"public-key","response":{"clientDataJSON":"eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0","#
    + #""authenticatorData":"SZYN5YgOjGh0NBcP","signature":"MEUCIQDk","userHandle":"VGhlIGhhbmRsZQ"}}"#

  /// The answer of an operation in a form that is no JSON, or nil.
  static func answer(_ operation: String, _ type: String) -> String? {
    guard type != "application/json", let (csv, other) = answers[operation] else { return nil }
    return type.hasPrefix("text/csv") ? csv : other
  }

  private static let answers: [String: (csv: String, other: String)] = [
    "exportDevices": (
      "id,type,token,environment,name,user,locale,timezone,app_version,tags,opt_out,opt_out_categories,properties,state,"
        + "state_reason,state_at,created_at,registered_at\r\n",
      #"{"id":"12","type":"android","token":"bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1","environment":"production","#
        + #""state":"active","state_at":"2026-11-20T12:00:00.000Z","created_at":"2026-11-20T12:00:00.000Z","#
        + #""registered_at":"2026-11-20T12:00:00.000Z","user":"ann"}"# + "\n"
    ),
    "exportDeliveries": (
      "id,push,device,user,type,state,provider,status,reason,meaning,apns_id,message_name,attempts,unknowns,at,not_before,"
        + "received_at,opened_at,actions\r\n",
      #"{"id":"43","push":"42","device":"12","user":"ann","type":"ios","state":"accepted","provider":"apns","status":200,"#
        + #""apns_id":"a1b2c3d4-e5f6-8788-8000-00000000002a","attempts":1,"unknowns":0,"#
        + #""at":"2026-11-20T12:00:00.000Z"}"# + "\n"
    ),
    "exportResults": (
      ResultRoutes.header,
      #"{"id":"42","number":7,"campaign":"spring-sale","state":"sent","start_at":"2026-11-20T12:00:00.000Z","#
        + #""targeted":1000,"accepted":990,"rejected":10,"expired":0,"cancelled":0,"unknown":0,"received":800,"opened":99,"#
        + #""action":0,"acceptance_rate":0.99,"open_rate":0.1}"# + "\n"
    ),
    "watchPush": ("", "event: progress\ndata: {\"id\":\"42\",\"state\":\"sending\"}\n\n"),
    "metrics": ("", "postrider_rows_purged_total{table=\"events\"} 0\n"),
  ]

  /// Bodies of requests that are no JSON, by content type.
  static let files: [String: String] = [
    "application/x-ndjson": #"{"type":"android","token":"bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1","user":"ann"}"#
      + "\n",
    "text/csv": "type,token,user,tags\nandroid,bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1,ann,beta;vip\n",
  ]
}
