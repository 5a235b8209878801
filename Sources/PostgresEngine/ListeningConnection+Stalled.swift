package import StoreModel

extension ListeningConnection {
  /// Ends the transaction of a writer who was stopped, or cut off, within a statement.
  ///
  /// While the server waits for rows of a COPY, for the rest of statements that belong together, or for somebody to take the rows of
  /// a result, none of its bounds holds: neither that of the statement nor that of a transaction that is left alone. Only ending the
  /// process does, which the same role may ask for.
  package func endStalledWriter() throws(StoreError) {
    let lock = PostgresConnection.writerLock
    _ = try ask(
      """
      SELECT pg_terminate_backend(a.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
        AND l.classid = \(lock >> 32) AND l.objid = \(lock & 0xffff_ffff)
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND a.usename = current_user AND a.state = 'active' AND a.wait_event_type = 'Client'
        AND a.query_start < clock_timestamp() - interval '\(PostgresConnection.idleMs) milliseconds'
      """)
  }
}
