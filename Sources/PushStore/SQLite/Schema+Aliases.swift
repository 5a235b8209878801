extension Schema {
  /// Further ids: of users, each under a label, and of devices.
  ///
  /// Devices that have several activations of a PowerAuth server have them as a property, with spaces between them; from now on
  /// each is a row, so that a device is found by any of them with one search.
  static let aliases = """
    CREATE TABLE aliases(
      app INTEGER NOT NULL, label TEXT NOT NULL, id TEXT NOT NULL, user INTEGER NOT NULL,
      PRIMARY KEY(app, label, id)) WITHOUT ROWID;
    CREATE UNIQUE INDEX aliases_by_user ON aliases(user, label);

    CREATE TABLE device_names(
      app INTEGER NOT NULL, name TEXT NOT NULL, device INTEGER NOT NULL, PRIMARY KEY(app, name)) WITHOUT ROWID;
    CREATE INDEX device_names_by_device ON device_names(device);
    INSERT OR REPLACE INTO device_names
      WITH RECURSIVE parts(app, device, part, rest) AS (
        SELECT k.app, a.device, '', trim(a.value) || ' ' FROM attribute_keys k JOIN device_attributes a ON a.key = k.id
          WHERE k.level = 1 AND k.name = 'properties.powerauth_activations' AND k.type = 1
        UNION ALL
        SELECT app, device, substr(rest, 1, instr(rest, ' ') - 1), substr(rest, instr(rest, ' ') + 1) FROM parts
          WHERE instr(rest, ' ') > 0)
      SELECT app, part, device FROM parts WHERE part <> '' ORDER BY device;
    """
}
