extension Schema {
  /// Who wrote a request, whether its push waits only to be stopped, and the second person's decision about it.
  ///
  /// An approval is 1 while it is awaited; the indexes have no other rows, so that they cost other pushes nothing.
  static let approval = """
    ALTER TABLE push_plans ADD COLUMN undo INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE push_plans ADD COLUMN maker TEXT;
    ALTER TABLE push_plans ADD COLUMN approval INTEGER;
    ALTER TABLE push_plans ADD COLUMN approval_devices INTEGER;
    ALTER TABLE push_plans ADD COLUMN approval_recent INTEGER;
    ALTER TABLE push_plans ADD COLUMN approval_above INTEGER;
    ALTER TABLE push_plans ADD COLUMN approval_asked_at INTEGER;
    ALTER TABLE push_plans ADD COLUMN approval_until INTEGER;
    ALTER TABLE push_plans ADD COLUMN approval_by TEXT;
    ALTER TABLE push_plans ADD COLUMN approval_decided_at INTEGER;
    ALTER TABLE push_plans ADD COLUMN approval_reason TEXT;
    CREATE INDEX push_plans_approval_until ON push_plans(approval_until) WHERE approval = 1 AND due_at IS NOT NULL;
    CREATE INDEX push_plans_approval_by_app ON push_plans(app, push) WHERE approval = 1 AND due_at IS NOT NULL;
    ALTER TABLE schedules ADD COLUMN maker TEXT;
    """
}
