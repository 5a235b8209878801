internal import Signing
internal import WireJSON

/// How things look in the control API.
extension VirtualDevice {
  var json: JSONValue {
    var object: JSONObject = ["provider": .string(provider.rawValue), "token": .string(token)]
    provider.row.describe(self, &object)
    switch registration {
    case .active: object.append("registration", "active")
    case .unregistered(let sinceMs):
      object.append("registration", "unregistered")
      object.append("since_ms", .number(JSONNumber(sinceMs)))
    case .expired(let sinceMs):
      object.append("registration", "expired")
      object.append("since_ms", .number(JSONNumber(sinceMs)))
    }
    object.append("script_steps_left", .number(JSONNumber(script.steps.count)))
    object.append("accepted", .number(JSONNumber(acceptedCount)))
    object.append("kept", .number(JSONNumber(receivedPushes.count)))
    return .object(object)
  }

  /// What it received, oldest first: headers, time, and the payload both as JSON as it was sent and in Base64.
  func writePushes(into writer: inout JSONWriter) {
    let current = Set(currentPushes.map(\.sequence))
    writer.beginArray()
    for push in receivedPushes { push.write(into: &writer, isCurrent: current.contains(push.sequence)) }
    writer.endArray()
  }
}

extension APNsChannel {
  var json: JSONValue {
    [
      "bundle_id": .string(bundleID), "channel_id": .string(id),
      "message_storage_policy": .number(JSONNumber(storagePolicy.rawValue)),
      "broadcasts": .array(
        broadcasts.map { push in
          [
            "time_ms": .number(JSONNumber(push.timeMs)), "id": .string(push.id),
            "payload": (try? JSON.parse(push.payload)) ?? .null,
          ]
        }),
    ]
  }
}

extension ReceivedPush {
  /// Whether the payload can be copied as it was sent: APNs and FCM accept nothing else, browsers any bytes.
  private var isJSON: Bool { (try? JSON.parse(payload)) != nil }

  func write(into writer: inout JSONWriter, isCurrent: Bool) {
    writer.beginObject()
    writer.key("sequence")
    writer.int(sequence)
    writer.key("time_ms")
    writer.int(Int(timeMs))
    writer.key("id")
    writer.string(id)
    writer.key("standing")
    writer.bool(isCurrent)
    writer.key("headers")
    writer.beginObject()
    for (name, value) in headers {
      writer.key(name)
      writer.string(value)
    }
    writer.endObject()
    let payload = self.payload
    writer.key("payload")
    if isJSON { writer.raw(payload) } else { writer.null() }
    writer.key("payload_base64")
    writer.string(Base64.encode(payload))
    if let problem {
      writer.key("problem")
      writer.string(problem)
    }
    writer.endObject()
  }
}

extension EmulatorCounters {
  var json: JSONValue {
    var object = JSONObject()
    for provider in EmulatedProvider.allCases {
      var answers = JSONObject()
      for (status, count) in (self.answers[provider] ?? [:]).sorted(by: { $0.key < $1.key }) {
        answers.append(status == 0 ? "none" : String(status), .number(JSONNumber(count)))
      }
      object.append(
        provider.rawValue,
        [
          "connections": .number(JSONNumber(connections[provider] ?? 0)),
          "requests": .number(JSONNumber(requests[provider] ?? 0)), "answers": .object(answers),
        ])
    }
    return .object(object)
  }
}

extension EmulatorCore.State {
  func summary(nowMs: Int64) -> JSONValue {
    [
      "seed": .number(JSONNumber(faults.seed)), "time_ms": .number(JSONNumber(nowMs)),
      "accepted": .number(JSONNumber(devices.acceptedCount)), "devices": .number(JSONNumber(devices.all.count)),
      "open_connections": .number(JSONNumber(connections.count)), "counters": counters.json,
      "rules": .array(rulesJSON),
    ]
  }

  var rulesJSON: [JSONValue] {
    faults.rules.map { ["name": .string($0.name), "struck": .number(JSONNumber($0.struck))] }
  }
}
