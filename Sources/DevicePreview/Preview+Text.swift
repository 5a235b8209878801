import PushContracts
import PushPayload

extension Preview {
  /// The preview as plain text for a terminal, with nothing in it that a terminal would obey.
  public var text: String {
    var lines = ["\(notification.platform.rawValue) · \(locale) · \(notification.contract.rawValue)"]
    if let silence = notification.silence { lines.append("  nothing is shown: \(silence)") }
    for surface in surfaces { append(surface, to: &lines) }
    for (name, value) in details { lines.append("  \(name): " + InertText(value).line) }
    for button in notification.isSilent ? [] : notification.buttons {
      let link = button.link.map { $0.isEmpty ? "" : " → " + InertText($0).line } ?? ""
      lines.append("  button: [\(InertText(button.label).line)] \(button.effect.rawValue)\(link)")
    }
    // Why nothing is shown has been said above.
    for finding in report.findings where finding.rule != PreviewRule.silent.rawValue {
      lines.append("  " + InertText(finding.description).line)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func append(_ surface: SurfaceText, to lines: inout [String]) {
    lines.append("  \(surface.surface.title)")
    for line in surface.title.lines { lines.append("    \(line)") }
    for line in surface.subtitle.lines { lines.append("    \(line)") }
    for line in surface.body.lines { lines.append("    \(line)") }
  }

  private var details: [(String, String)] {
    var details: [(String, String)] = []
    if notification.isNothing { return [] }
    switch notification.badge {
    case .none: break
    case .set(let number): details.append(("badge", number.description))
    case .add(let number): details.append(("badge", number < 0 ? number.description : "+\(number)"))
    }
    if let sound = notification.sound { details.append(("sound", sound)) }
    if notification.isSilent { return details }
    let texts = [
      ("image", notification.image), ("large icon", notification.largeIcon),
      ("group", notification.group), ("replaces", notification.replacementKey), ("category", notification.category),
      ("channel", notification.channel), ("template", notification.template),
      ("instead of the template", notification.askedTemplate), ("tap opens", notification.link),
    ]
    for (name, text) in texts {
      if let text { details.append((name, text)) }
    }
    return details + (notification.layout?.details ?? [])
  }
}

extension InertText {
  /// The text on one line.
  var line: String { InertText.string(scalars.map { $0 == "\n" ? " " : $0 }[...]) }
}
