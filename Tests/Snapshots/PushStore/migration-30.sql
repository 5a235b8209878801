CREATE INDEX devices_carried ON devices(app, kind) WHERE kind IN (10, 11);
