import PushPayload

/// What is checked of the times in a message: when to remind, and when a timer ends.
extension Adobe {
  static func checkRemindLater(_ message: Message, _ context: WriteContext, _ report: inout Report) {
    let hasTime = message.hasReminderTime
    if message.remindText != nil && !hasTime {
      report.add(
        rule: "adobe-remind-pair", severity: .warning, field: "adb_rem_txt",
        message: "“remind later” needs adb_rem_ts or adb_rem_sec beside adb_rem_txt; without it there is no such button"
      )
    } else if message.remindText == nil && hasTime {
      let time = message.remindTime != nil ? "adb_rem_ts" : "adb_rem_sec"
      report.add(
        rule: "adobe-remind-pair", severity: .warning, field: time,
        message: "“remind later” needs adb_rem_txt, the label of its button; without it there is no such button")
    } else if message.remindText == "" {
      addEmptyReminder(FieldPath(members: "adb_rem_txt"), &report)
    }
    let counts = message.remindSeconds.map { $0 > 0 && Int32(exactly: $0) != nil } ?? false
    if message.remindTime != nil && counts {
      report.add(
        rule: "adobe-time-ignored", severity: .warning, field: "adb_rem_ts",
        message: "adb_rem_sec is there too and is taken instead; keep one")
    } else if let time = message.remindTime, Int64(time) <= context.now ?? 0 {
      report.add(
        rule: "adobe-time-past", severity: .warning, field: "adb_rem_ts",
        message: "the time has passed, so the notification is removed and not shown again")
    }
  }

  static func checkTimes(_ message: Message, _ context: WriteContext, _ report: inout Report) {
    guard message.template == .timer else { return }
    if let seconds = message.timerSeconds, seconds <= 0 {
      report.add(
        rule: "adobe-time-past", severity: .warning, field: "adb_tmr_dur",
        message: seconds < 0
          ? "less than 0 seconds are over when the push arrives: iOS shows what comes after the end, Android nothing"
          : "0 seconds are over at once, so the notification shows what comes after the end")
    }
    guard let end = message.timerEnd else { return }
    if message.timerSeconds != nil {
      report.add(
        rule: "adobe-time-ignored", severity: .warning, field: "adb_tmr_end",
        message: "adb_tmr_dur is there too and is taken instead; keep one")
    } else if end <= Double(context.now ?? 0) {
      report.add(
        rule: "adobe-time-past", severity: .warning, field: "adb_tmr_end",
        message:
          "the time has passed: iOS shows what comes after the end; Android does only in place of a notification "
          + "with the same adb_tag that is still there, and else nothing")
    }
  }
}
