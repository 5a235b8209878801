PREPARE released AS SELECT 7
;
PREPARE released AS SELECT app, deliveries_days, events_days, unseen_days FROM retention
;
PREPARE released AS SELECT app, id, metrics FROM webhooks WHERE enabled = 1 ORDER BY id
;
PREPARE released AS SELECT app, name, query FROM saved_views
;
PREPARE released AS SELECT coalesce(max(id), 0) FROM deliveries
;
PREPARE released AS SELECT coalesce(max(id), 0) FROM devices
;
PREPARE released AS SELECT coalesce(max(id), 0) FROM pushes
;
PREPARE released AS SELECT coalesce(sum(in_flight), 0) FROM pushes
;
PREPARE released AS SELECT coalesce(sum(remaining), 0) FROM leases
;
PREPARE released AS SELECT count(*) FROM accounts WHERE removed_at IS NULL
;
PREPARE released AS SELECT count(*) FROM activity_devices
;
PREPARE released AS SELECT count(*) FROM deliveries WHERE state = 5 AND at = id AND attempts = 1
;
PREPARE released AS SELECT count(*) FROM failed_tries
;
PREPARE released AS SELECT count(*) FROM live_pushes
;
PREPARE released AS SELECT count(*) FROM outcomes
;
PREPARE released AS SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()
;
PREPARE released AS SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'postrider'
;
PREPARE released AS SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'postrider_copy'
;
PREPARE released AS SELECT count(*) FROM push_segments
;
PREPARE released AS SELECT count(*) FROM sessions
;
PREPARE released AS SELECT current_setting('server_version_num')::bigint
;
PREPARE released AS SELECT id FROM accounts ORDER BY id
;
PREPARE released AS SELECT id, app, name, scopes, prefix, created_at, expires_at, last_used_at, revoked_at, rate, account
FROM api_keys ORDER BY id
;
PREPARE released AS SELECT id, hash, key, account, started_at, used_at, peer, agent FROM sessions ORDER BY used_at DESC, id DESC
;
PREPARE released AS SELECT id, name, title, settings, created_at, updated_at FROM apps ORDER BY id
;
PREPARE released AS SELECT lane, reason, since, refusals, retry_at FROM stops ORDER BY lane
;
PREPARE released AS SELECT lastval()
;
PREPARE released AS SELECT mark FROM seal
;
PREPARE released AS SELECT max(id) FROM devices
;
PREPARE released AS SELECT min(due) FROM (
  SELECT * FROM (SELECT start_at AS due FROM pushes WHERE state = 2 ORDER BY start_at LIMIT 1) AS starts
  UNION ALL
  SELECT * FROM (SELECT expires_at FROM pushes 
    WHERE state IN (3, 4) AND waiting > 0 AND expires_at IS NOT NULL ORDER BY expires_at LIMIT 1) AS ends) AS changes
;
PREPARE released AS SELECT name, version, started_at, seen_at, (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
  clock_ahead_ms FROM nodes ORDER BY name
;
PREPARE released AS SELECT next FROM sequence
;
PREPARE released AS SELECT node, count(*), sum(remaining) FROM leases GROUP BY node
;
PREPARE released AS SELECT pg_advisory_xact_lock(88318827167745)
;
PREPARE released AS SELECT pg_encoding_to_char(encoding)::text, datcollate::text FROM pg_database WHERE datname = current_database()
;
PREPARE released AS SELECT pg_stat_get_xact_tuples_hot_updated('deliveries'::regclass)::bigint
;
PREPARE released AS SELECT s.id, s.made, s.pushes FROM (SELECT id, made,
  (SELECT count(*) FROM push_plans l JOIN pushes p ON p.id = l.push WHERE l.schedule = schedules.id) AS pushes
  FROM schedules) s
WHERE s.made <> s.pushes
;
PREPARE released AS SELECT trusted FROM clock
;
PREPARE released AS SELECT version FROM postrider
;
PREPARE released(bigint) AS DELETE FROM activities WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM activities WHERE id = $1
;
PREPARE released(bigint) AS DELETE FROM activity_devices WHERE activity = $1
;
PREPARE released(bigint) AS DELETE FROM activity_devices WHERE activity IN (SELECT id FROM activities WHERE app = $1)
;
PREPARE released(bigint) AS DELETE FROM aliases WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM api_keys WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM apps WHERE id = $1
;
PREPARE released(bigint) AS DELETE FROM attribute_keys WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM channels WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM channels WHERE id = $1
;
PREPARE released(bigint) AS DELETE FROM compat WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM credentials WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM credentials WHERE id = $1 RETURNING app
;
PREPARE released(bigint) AS DELETE FROM device_attributes WHERE device = $1
;
PREPARE released(bigint) AS DELETE FROM device_attributes WHERE device IN (SELECT id FROM devices WHERE app = $1)
;
PREPARE released(bigint) AS DELETE FROM device_names WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM device_names WHERE device = $1
;
PREPARE released(bigint) AS DELETE FROM devices WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM devices WHERE id = $1
;
PREPARE released(bigint) AS DELETE FROM earlier_tokens WHERE device = $1
;
PREPARE released(bigint) AS DELETE FROM earlier_tokens WHERE device IN (SELECT id FROM devices WHERE app = $1)
;
PREPARE released(bigint) AS DELETE FROM frequency WHERE subject = -CAST($1 AS BIGINT)
;
PREPARE released(bigint) AS DELETE FROM frequency WHERE subject IN (SELECT -id FROM devices WHERE app = $1)
;
PREPARE released(bigint) AS DELETE FROM frequency WHERE subject IN (SELECT id FROM users WHERE app = $1)
;
PREPARE released(bigint) AS DELETE FROM grants WHERE account = $1
;
PREPARE released(bigint) AS DELETE FROM grants WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM identity WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM identity_keys WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM imports WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM inbox WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM inbox WHERE id = $1
;
PREPARE released(bigint) AS DELETE FROM leases WHERE id = $1
;
PREPARE released(bigint) AS DELETE FROM leases WHERE id = $1 AND remaining <= 0
;
PREPARE released(bigint) AS DELETE FROM live_pushes WHERE kind = 2 AND owner IN (SELECT id FROM channels WHERE app = $1)
;
PREPARE released(bigint) AS DELETE FROM live_pushes WHERE kind = 3 AND owner IN (SELECT id FROM activities WHERE app = $1)
;
PREPARE released(bigint) AS DELETE FROM oidc_links WHERE account = $1
;
PREPARE released(bigint) AS DELETE FROM outbox WHERE id = $1
;
PREPARE released(bigint) AS DELETE FROM outbox WHERE webhook = $1
;
PREPARE released(bigint) AS DELETE FROM outbox WHERE webhook IN (SELECT id FROM webhooks WHERE app = $1)
;
PREPARE released(bigint) AS DELETE FROM passkeys WHERE account = $1
;
PREPARE released(bigint) AS DELETE FROM push_contents WHERE push = $1
;
PREPARE released(bigint) AS DELETE FROM push_plans WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM push_plans WHERE push = $1
;
PREPARE released(bigint) AS DELETE FROM push_segments WHERE push = $1
;
PREPARE released(bigint) AS DELETE FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS DELETE FROM retention WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM saved_views WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM schedules WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM segments WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM segments WHERE id = $1
;
PREPARE released(bigint) AS DELETE FROM sessions WHERE id = $1
;
PREPARE released(bigint) AS DELETE FROM shadow_requests WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM shadow_totals WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM stops WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM stops WHERE lane = $1
;
PREPARE released(bigint) AS DELETE FROM suppression WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM templates WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM unapproved WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM user_attributes WHERE "user" IN (SELECT id FROM users WHERE app = $1)
;
PREPARE released(bigint) AS DELETE FROM users WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM webhooks WHERE app = $1
;
PREPARE released(bigint) AS DELETE FROM webhooks WHERE id = $1
;
PREPARE released(bigint) AS INSERT INTO conditions(name, version, at) VALUES ('\x', 1, $1)
ON CONFLICT(name) DO UPDATE SET version = conditions.version + 1
;
PREPARE released(bigint) AS INSERT INTO purged(push, until, accepted, rejected, expired, cancelled, unknown, events)
VALUES ($1, 0, 0, 0, 0, 0, 0, 1) ON CONFLICT(push) DO UPDATE SET events = 1
;
PREPARE released(bigint) AS SELECT "user", owner, locale, timezone, app_version, kind, token FROM devices WHERE id = $1
;
PREPARE released(bigint) AS SELECT 1 FROM apps WHERE id = $1
;
PREPARE released(bigint) AS SELECT 1 FROM deliveries d JOIN outcomes o ON o.code = d.code
WHERE d.id = $1 AND o.provider = 1 AND o.status = 400 AND o.reason = 'BadDeviceToken'
;
PREPARE released(bigint) AS SELECT CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, count(*) FROM pushes p
JOIN deliveries d ON d.id >= p.id AND d.id < p.id + max(p.reserved, p.targeted) WHERE p.id = $1 GROUP BY s
;
PREPARE released(bigint) AS SELECT CAST($1 AS BIGINT) + n FROM generate_series(1, 3) AS n
;
PREPARE released(bigint) AS SELECT accepted, rejected, expired, cancelled, unknown FROM purged WHERE push = $1
;
PREPARE released(bigint) AS SELECT account FROM api_keys WHERE id = $1
;
PREPARE released(bigint) AS SELECT action FROM push_events WHERE push = $1 AND kind = 4 AND action <> ''
LIMIT 101
;
PREPARE released(bigint) AS SELECT app, class = 2 FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS SELECT app, owner, flags FROM devices WHERE id = $1
;
PREPARE released(bigint) AS SELECT app, role FROM grants WHERE account = $1 ORDER BY id
;
PREPARE released(bigint) AS SELECT approval_asked_at FROM push_plans WHERE push = $1
;
PREPARE released(bigint) AS SELECT c.payloads, p.targeted = 0 AND p.audience_kinds = 0 FROM push_contents c JOIN pushes p ON p.id = c.push
WHERE c.push = $1
;
PREPARE released(bigint) AS SELECT c.push, c.payloads FROM push_contents c JOIN pushes p ON p.id = c.push
WHERE p.app = $1 AND substr(c.payloads, 4, 1) >= '\x80'
;
PREPARE released(bigint) AS SELECT cancelled, in_flight, unknown FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS SELECT class = 2 FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS SELECT count(*) FROM devices WHERE app = $1
;
PREPARE released(bigint) AS SELECT count(*) FROM events WHERE delivery = $1 AND kind = 4
;
PREPARE released(bigint) AS SELECT count(*) FROM passkeys WHERE account = $1
;
PREPARE released(bigint) AS SELECT count(*) FROM pushes WHERE app = $1
;
PREPARE released(bigint) AS SELECT count(*) FROM pushes p  JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted
WHERE p.id = $1 AND p.resent > 0 AND d.unknowns > 0 AND (d.state IN (7, 8)
  OR d.state = 6 AND d.code IN (SELECT code FROM outcomes WHERE status = 0 AND code NOT IN (5, 6, -3, -5)))
;
PREPARE released(bigint) AS SELECT count(*) FROM used_once WHERE kind = $1
;
PREPARE released(bigint) AS SELECT d.attempts, p.throttle, l.local_clock, l.local_zone, v.timezone, l.local_day, v.registered_at
FROM deliveries d
JOIN pushes p ON p.id = (SELECT max(id) FROM pushes WHERE id <= d.id)
LEFT JOIN push_plans l ON l.push = p.id LEFT JOIN devices v ON v.id = d.device WHERE d.id = $1 AND d.state = 3
;
PREPARE released(bigint) AS SELECT d.id FROM pushes p  JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted
WHERE p.id = $1 AND (d.state = 3 OR d.state = 2 AND NOT d.id < p.id + p.cursor)
;
PREPARE released(bigint) AS SELECT d.id FROM pushes p  JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted
WHERE p.id = $1 AND (d.state = 3 OR d.state = 2 AND d.id >= p.id + p.cursor)
;
PREPARE released(bigint) AS SELECT d.id FROM pushes p  JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted
WHERE p.id = $1 AND p.resent > 0 AND d.state = 3 AND d.unknowns > 0
;
PREPARE released(bigint) AS SELECT d.variant, e.kind, e.action FROM deliveries d LEFT JOIN events e ON e.delivery = d.id WHERE d.id = $1
LIMIT 23
;
PREPARE released(bigint) AS SELECT definition FROM segments WHERE id = $1
;
PREPARE released(bigint) AS SELECT device FROM activity_devices WHERE activity = $1
;
PREPARE released(bigint) AS SELECT device FROM activity_devices WHERE activity = $1 ORDER BY device
;
PREPARE released(bigint) AS SELECT device FROM deliveries WHERE id = $1
;
PREPARE released(bigint) AS SELECT ended_at IS NOT NULL FROM schedules WHERE id = $1
;
PREPARE released(bigint) AS SELECT filter FROM push_segments WHERE push = $1
;
PREPARE released(bigint) AS SELECT finished_at IS NOT NULL, app, class = 2, state FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS SELECT id + targeted FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS SELECT id FROM api_keys WHERE account = $1 AND revoked_at IS NULL
;
PREPARE released(bigint) AS SELECT id FROM devices  WHERE app = $1 AND state = 2 ORDER BY id DESC LIMIT 1
;
PREPARE released(bigint) AS SELECT id FROM pushes 
WHERE held_at IS NOT NULL AND state = 4 AND (app = $1 OR $1 IS NULL) ORDER BY id
;
PREPARE released(bigint) AS SELECT id FROM pushes WHERE app = $1 AND (state IN (2, 3, 4) AND waiting + in_flight > 0 OR state = 8) LIMIT 1
;
PREPARE released(bigint) AS SELECT id FROM pushes WHERE id <= $1 ORDER BY id DESC LIMIT 1
;
PREPARE released(bigint) AS SELECT id FROM pushes WHERE id > $1 ORDER BY id LIMIT 1
;
PREPARE released(bigint) AS SELECT id FROM sessions ORDER BY used_at, id LIMIT $1
;
PREPARE released(bigint) AS SELECT id, account, credential, host, handle, key, counter, is_backup_eligible, is_backed_up, name, created_at,
  used_at FROM passkeys WHERE account = $1 ORDER BY id
;
PREPARE released(bigint) AS SELECT id, app, class, name, state, targeted, waiting, in_flight, accepted, rejected, expired, cancelled, unknown,
audience_complete, resent, created_at, start_at, expires_at, finished_at, throttle, unknown_policy, salt,
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 2 AND e.action = ''),
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 3 AND e.action = ''),
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 4 AND e.action = ''), repeats, restored_at,
number, author FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS SELECT id, app, class, name, state, targeted, waiting, in_flight, accepted, rejected, expired, cancelled, unknown,
audience_complete, resent, created_at, start_at, expires_at, finished_at, throttle, unknown_policy, salt,
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 2 AND e.action = ''),
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 3 AND e.action = ''),
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 4 AND e.action = ''), repeats, restored_at,
number, author FROM pushes WHERE id = $1 LIMIT 1
;
PREPARE released(bigint) AS SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes
WHERE id <= $1 ORDER BY id DESC LIMIT 1
;
PREPARE released(bigint) AS SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes WHERE id <= $1 ORDER BY id DESC LIMIT 1
;
PREPARE released(bigint) AS SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS SELECT id, app, environment, bundle, channel, storage, name, created_at FROM channels WHERE id = $1
;
PREPARE released(bigint) AS SELECT id, app, name, "user", bundle, attributes_type, channel, urgent_per_hour, budget_hour, budget_used, stale_at,
  dismissal_at, created_at, ended_at FROM activities WHERE id = $1
;
PREPARE released(bigint) AS SELECT id, app, name, title, definition, created_at, updated_at, author FROM segments WHERE app = $1 ORDER BY name
;
PREPARE released(bigint) AS SELECT id, app, name, title, definition, created_at, updated_at, author FROM segments WHERE id = $1
;
PREPARE released(bigint) AS SELECT id, app, name, token, kind, environment, "user", locale, timezone, app_version, created_at, registered_at,
state, state_reason, state_at FROM devices WHERE id = $1
;
PREPARE released(bigint) AS SELECT id, app, name, token, kind, environment, "user", locale, timezone, app_version, created_at, registered_at,
state, state_reason, state_at FROM devices WHERE id = $1 LIMIT 1
;
PREPARE released(bigint) AS SELECT id, app, provider, kind, environment, settings, sealed, created_at, updated_at
FROM credentials WHERE app = $1 ORDER BY id
;
PREPARE released(bigint) AS SELECT id, app, provider, kind, environment, settings, sealed, created_at, updated_at
FROM credentials WHERE id = $1
;
PREPARE released(bigint) AS SELECT id, app, request, next_at, next_number, made, missed, last_push, problem, created_at, ended_at,
  paused_at, revision, from_at, author, maker
FROM schedules WHERE id = $1
;
PREPARE released(bigint) AS SELECT id, app, state, cursor, targeted, audience_kinds, expires_at, coalesce(gathered_number, id), category,
  urgent, throttle, resumed_at, restored_at IS NOT NULL, class
FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS SELECT id, created_at FROM pushes WHERE id <= $1 ORDER BY id DESC LIMIT 1
;
PREPARE released(bigint) AS SELECT id, definition FROM segments WHERE app = $1
;
PREPARE released(bigint) AS SELECT id, email, name, created_at, invited_until, joined_at, signed_in_at, removed_at FROM accounts WHERE id = $1
;
PREPARE released(bigint) AS SELECT id, name, title, settings, created_at, updated_at FROM apps WHERE id = $1
;
PREPARE released(bigint) AS SELECT id, ranges FROM leases WHERE id > $1 ORDER BY id
;
PREPARE released(bigint) AS SELECT id, request FROM schedules WHERE app = $1
;
PREPARE released(bigint) AS SELECT id, response FROM idempotency WHERE scope = $1 AND length(response) > 0
;
PREPARE released(bigint) AS SELECT id, targeted, waiting, in_flight, accepted, rejected, expired, cancelled, unknown FROM pushes
WHERE id > $1 ORDER BY id LIMIT 1
;
PREPARE released(bigint) AS SELECT issuer, subject, linked_at FROM oidc_links WHERE account = $1
;
PREPARE released(bigint) AS SELECT k.column1 FROM (VALUES (10), (11)) k WHERE EXISTS (
  SELECT 1 FROM devices  WHERE app = $1 AND kind = k.column1 AND kind IN (10, 11))
;
PREPARE released(bigint) AS SELECT k.name, k.type, a.value FROM device_attributes a  JOIN attribute_keys k ON k.id = a.key
WHERE a.device = $1 ORDER BY k.name, k.type = 1, a.value
;
PREPARE released(bigint) AS SELECT k.name, k.type, a.value FROM user_attributes a  JOIN attribute_keys k ON k.id = a.key
WHERE a."user" = $1 ORDER BY k.name, k.type = 1, a.value
;
PREPARE released(bigint) AS SELECT key FROM idempotency WHERE id = $1
;
PREPARE released(bigint) AS SELECT key, value FROM device_attributes WHERE device = $1
;
PREPARE released(bigint) AS SELECT key, value FROM user_attributes WHERE "user" = $1
;
PREPARE released(bigint) AS SELECT kind, action, at FROM events WHERE delivery = $1 ORDER BY kind, action
;
PREPARE released(bigint) AS SELECT kind, action, at FROM events WHERE delivery = $1 ORDER BY kind, action
LIMIT 23
;
PREPARE released(bigint) AS SELECT kind, action, count FROM push_events WHERE push = $1 ORDER BY count DESC, action
;
PREPARE released(bigint) AS SELECT kind, count(*) FROM (SELECT 1 AS kind, id, app, held_at, start_at, waiting + in_flight, name FROM pushes 
  WHERE held_at IS NOT NULL AND state = 4
UNION ALL SELECT 2, l.push, l.app, l.held_at, l.due_at, 0, coalesce(l.key, p.name)
  FROM push_plans l  JOIN pushes p ON p.id = l.push
  WHERE l.held_at IS NOT NULL AND l.due_at IS NOT NULL
UNION ALL SELECT 3, id, app, held_at, NULL, 0, NULL FROM schedules
  WHERE held_at IS NOT NULL AND paused_at IS NOT NULL AND ended_at IS NULL
UNION ALL SELECT 4, id, app, held_at, NULL, queued, url FROM webhooks WHERE held_at IS NOT NULL AND enabled = 1) AS held WHERE app = $1 OR $1 IS NULL GROUP BY kind
;
PREPARE released(bigint) AS SELECT l.request, p.state FROM push_plans l JOIN pushes p ON p.id = l.push WHERE l.push = $1
;
PREPARE released(bigint) AS SELECT label, id FROM aliases WHERE "user" = $1 ORDER BY label
;
PREPARE released(bigint) AS SELECT lane FROM deliveries  WHERE state = 3 AND not_before IS NOT NULL AND lane > $1 ORDER BY lane LIMIT 1
;
PREPARE released(bigint) AS SELECT lane, not_before FROM deliveries 
WHERE state = 3 AND not_before IS NOT NULL AND lane > $1 ORDER BY lane, not_before LIMIT 1
;
PREPARE released(bigint) AS SELECT local_clock, local_zone, local_day FROM push_plans WHERE push = $1 AND local_clock IS NOT NULL
;
PREPARE released(bigint) AS SELECT message FROM push_contents WHERE push = $1
;
PREPARE released(bigint) AS SELECT message, payloads FROM push_contents WHERE push = $1
;
PREPARE released(bigint) AS SELECT mode FROM identity WHERE app = $1
;
PREPARE released(bigint) AS SELECT name FROM accounts WHERE id = $1
;
PREPARE released(bigint) AS SELECT name FROM api_keys WHERE id = $1
;
PREPARE released(bigint) AS SELECT name FROM device_names WHERE device = $1
;
PREPARE released(bigint) AS SELECT name, algorithm, material, created_at FROM identity_keys WHERE app = $1 ORDER BY id
;
PREPARE released(bigint) AS SELECT name, share FROM push_variants WHERE push = $1 ORDER BY variant
;
PREPARE released(bigint) AS SELECT next_at, revision FROM schedules WHERE id = $1
;
PREPARE released(bigint) AS SELECT node, name FROM duties WHERE expires_at > $1 ORDER BY name
;
PREPARE released(bigint) AS SELECT number FROM pushes WHERE id = $1 AND number > 0
;
PREPARE released(bigint) AS SELECT number FROM pushes WHERE id = $1 AND number > 0 LIMIT 1
;
PREPARE released(bigint) AS SELECT p.app, p.targeted, p.audience_kinds, p.audience_position, p.audience_until, p.audience_complete, p.state,
  l.local_clock, l.local_zone, s.filter, l.local_day
FROM pushes p LEFT JOIN push_plans l ON l.push = p.id LEFT JOIN push_segments s ON s.push = p.id WHERE p.id = $1
;
PREPARE released(bigint) AS SELECT p.id, p.app, p.class, p.salt, max(p.start_at, coalesce(p.resumed_at, 0)), p.expires_at, c.payloads,
  p.apns_ids
FROM pushes p JOIN push_contents c ON c.push = p.id WHERE p.id = $1
;
PREPARE released(bigint) AS SELECT p.id, p.app, p.class, p.salt, max(p.start_at, coalesce(p.resumed_at, 0)), p.expires_at, c.payloads,
  p.apns_ids
FROM pushes p JOIN push_contents c ON c.push = p.id WHERE p.id = $1 LIMIT 1
;
PREPARE released(bigint) AS SELECT password FROM accounts WHERE id = $1
;
PREPARE released(bigint) AS SELECT push, app, request, due_at, local_clock, local_zone, "user", key, schedule, problem, held_at, local_day,
  undo, maker, approval, approval_devices, approval_recent, approval_above, approval_asked_at, approval_until, approval_by,
approval_decided_at, approval_reason
FROM push_plans WHERE push = $1
;
PREPARE released(bigint) AS SELECT push, request FROM push_plans WHERE app = $1 AND length(request) > 0
;
PREPARE released(bigint) AS SELECT push_number FROM apps WHERE id = $1
;
PREPARE released(bigint) AS SELECT quiet_from, quiet_to, quiet_zone, cap_pushes, cap_window FROM suppression WHERE app = $1
;
PREPARE released(bigint) AS SELECT recent FROM frequency WHERE subject = $1
;
PREPARE released(bigint) AS SELECT request FROM push_plans WHERE push = $1
;
PREPARE released(bigint) AS SELECT request FROM schedules WHERE id = $1
;
PREPARE released(bigint) AS SELECT restored_at IS NOT NULL FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS SELECT revoked_at, expires_at, CASE WHEN rotated_at IS NULL THEN expires_at ELSE own_end END FROM api_keys
WHERE id = $1
;
PREPARE released(bigint) AS SELECT s.push, s.filter FROM push_segments s JOIN pushes p ON p.id = s.push WHERE p.app = $1
;
PREPARE released(bigint) AS SELECT setval(pg_get_serial_sequence('devices', 'id'), nextval(pg_get_serial_sequence('devices', 'id')) + $1 - 1)
;
PREPARE released(bigint) AS SELECT setval(pg_get_serial_sequence('users', 'id'), nextval(pg_get_serial_sequence('users', 'id')) + $1 - 1)
;
PREPARE released(bigint) AS SELECT state FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS SELECT state, attempts, at FROM deliveries WHERE id = $1
;
PREPARE released(bigint) AS SELECT state, attempts, at FROM deliveries WHERE id = $1 LIMIT 1
;
PREPARE released(bigint) AS SELECT state, unknown_policy, app, restored_at IS NOT NULL, class FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS SELECT targeted, repeats, number FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS SELECT timezone, kind, environment, registered_at FROM devices WHERE id = $1
;
PREPARE released(bigint) AS SELECT token FROM earlier_tokens WHERE device = $1
;
PREPARE released(bigint) AS SELECT token, replaced_at FROM earlier_tokens WHERE device = $1 ORDER BY id DESC
;
PREPARE released(bigint) AS SELECT unknowns > 0 FROM deliveries WHERE id = $1
;
PREPARE released(bigint) AS SELECT variant FROM deliveries WHERE id = $1 AND variant IS NOT NULL
;
PREPARE released(bigint) AS SELECT variant, metric, count FROM variant_counts WHERE push = $1
;
PREPARE released(bigint) AS SELECT vendor, kind, name, count, latest FROM shadow_totals WHERE app = $1
ORDER BY vendor, kind, count DESC, name
;
PREPARE released(bigint) AS SELECT vendor, public_id FROM compat WHERE app = $1 AND enabled = 1
;
PREPARE released(bigint) AS SELECT waiting FROM pushes WHERE id = $1
;
PREPARE released(bigint) AS SELECT webhook FROM outbox WHERE id = $1 AND dead = 0
;
PREPARE released(bigint) AS UPDATE clock SET latest = $1
;
PREPARE released(bigint) AS UPDATE clock SET latest = max(latest, $1) RETURNING latest
;
PREPARE released(bigint) AS UPDATE clock SET trusted = $1
;
PREPARE released(bigint) AS UPDATE deliveries SET device = NULL, target = NULL, provider_id = NULL WHERE id = $1
;
PREPARE released(bigint) AS UPDATE deliveries SET state = 4, not_before = NULL WHERE id = $1 AND state = 3
;
PREPARE released(bigint) AS UPDATE push_plans SET approval = NULL WHERE push = $1 AND approval IS NOT NULL
;
PREPARE released(bigint) AS UPDATE push_plans SET due_at = NULL, held_at = NULL WHERE push = $1
;
PREPARE released(bigint) AS UPDATE push_plans SET held_at = $1 WHERE due_at IS NOT NULL
;
PREPARE released(bigint) AS UPDATE push_plans SET held_at = NULL WHERE held_at IS NOT NULL AND (app = $1 OR $1 IS NULL)
;
PREPARE released(bigint) AS UPDATE push_plans SET held_at = NULL WHERE push = $1 AND held_at IS NOT NULL
;
PREPARE released(bigint) AS UPDATE push_plans SET local_clock = NULL, local_zone = NULL, local_day = NULL WHERE push = $1
;
PREPARE released(bigint) AS UPDATE push_plans SET request = '\x', "user" = NULL, key = NULL WHERE push = $1 AND length(request) > 0
;
PREPARE released(bigint) AS UPDATE pushes SET open = CASE WHEN (audience_complete = 0 OR cursor <> targeted OR EXISTS (
  SELECT 1 FROM deliveries 
  WHERE state = 3 AND not_before IS NOT NULL AND lane = -pushes.id)) THEN 1 ELSE 0 END
WHERE id = $1 AND open = 1
;
PREPARE released(bigint) AS UPDATE pushes SET restored_at = $1 WHERE state IN (1, 2, 3, 4, 8)
;
PREPARE released(bigint) AS UPDATE pushes SET resumed_at = CASE WHEN state = 3 THEN coalesce(resumed_at, created_at) ELSE resumed_at END,
  state = 4, open = 0
WHERE id = $1
;
PREPARE released(bigint) AS UPDATE pushes SET resumed_at = CASE WHEN state = 3 THEN coalesce(resumed_at, created_at) ELSE resumed_at END,
  state = 4, open = 0, held_at = $1
WHERE state IN (2, 3)
;
PREPARE released(bigint) AS UPDATE schedules SET next_at = NULL, computed_at = NULL, paused_at = $1, held_at = $1, revision = revision + 1
WHERE paused_at IS NULL AND ended_at IS NULL
;
PREPARE released(bigint) AS UPDATE sequence SET next = $1
;
PREPARE released(bigint) AS UPDATE webhooks SET held_at = $1 WHERE enabled = 1
;
PREPARE released(bigint) AS UPDATE webhooks SET held_at = NULL WHERE held_at IS NOT NULL AND (app = $1 OR $1 IS NULL)
;
PREPARE released(bigint,bigint) AS DELETE FROM conditions WHERE at < $1 AND name <> '\x'
  AND EXISTS (SELECT 1 FROM conditions AS older WHERE older.at < $2 AND older.name <> '\x')
;
PREPARE released(bigint,bigint) AS DELETE FROM deliveries WHERE id >= $1 AND id < $2
;
PREPARE released(bigint,bigint) AS DELETE FROM earlier_tokens WHERE device = $1 AND id NOT IN
  (SELECT id FROM earlier_tokens WHERE device = $1 ORDER BY id DESC LIMIT $2)
;
PREPARE released(bigint,bigint) AS DELETE FROM events WHERE delivery >= $1 AND delivery < $2
;
PREPARE released(bigint,bigint) AS DELETE FROM failed_tries WHERE ends_at <= $1 OR ends_at > $2
;
PREPARE released(bigint,bigint) AS DELETE FROM inbox WHERE "user" = $1
  AND id <= (SELECT id FROM inbox WHERE "user" = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)
;
PREPARE released(bigint,bigint) AS DELETE FROM inbox WHERE id IN (SELECT id FROM inbox WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
;
PREPARE released(bigint,bigint) AS DELETE FROM live_pushes WHERE kind = $1 AND owner = $2
;
PREPARE released(bigint,bigint) AS DELETE FROM outbox WHERE id <= (SELECT id FROM outbox  WHERE dead = 1 AND webhook = $1
  ORDER BY id DESC LIMIT 1 OFFSET $2) AND webhook = $1 AND dead = 1
;
PREPARE released(bigint,bigint) AS DELETE FROM passkeys WHERE id = $1 AND account = $2
;
PREPARE released(bigint,bigint) AS DELETE FROM sessions WHERE used_at < $1 OR started_at < $2
;
PREPARE released(bigint,bigint) AS DELETE FROM shadow_requests
WHERE id IN (SELECT id FROM shadow_requests WHERE at <= $1 ORDER BY at LIMIT $2)
;
PREPARE released(bigint,bigint) AS DELETE FROM shadow_requests WHERE app = $1
  AND id <= (SELECT id FROM shadow_requests WHERE app = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)
;
PREPARE released(bigint,bigint) AS DELETE FROM unapproved WHERE app = $1 AND minute < $2
;
PREPARE released(bigint,bigint) AS DELETE FROM used_once WHERE kind = $1 AND ends_at < $2
;
PREPARE released(bigint,bigint) AS INSERT INTO activity_devices(activity, device) VALUES ($1, $2) ON CONFLICT DO NOTHING
;
PREPARE released(bigint,bigint) AS INSERT INTO series SELECT $1, at - at % 60000, metric, count(*) FROM (
  SELECT CASE WHEN d.state = 2 THEN coalesce(p.finished_at, d.at) ELSE d.at END AS at, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS metric
  FROM pushes p JOIN deliveries d ON d.id >= p.id AND d.id < $2 WHERE p.id = $1) AS counted
  WHERE metric >= 5 GROUP BY 2, 3
ON CONFLICT(scope, bucket, metric) DO UPDATE SET count = series.count + excluded.count
;
PREPARE released(bigint,bigint) AS INSERT INTO series SELECT $1, at - at % 60000, metric, count(*) FROM (
  SELECT at, kind + 10 AS metric FROM events WHERE delivery >= $1 AND delivery < $2 AND kind < 4
  UNION ALL
  SELECT min(at), 14 FROM events WHERE delivery >= $1 AND delivery < $2 AND kind = 4 GROUP BY delivery) AS counted
  WHERE true GROUP BY 2, 3
ON CONFLICT(scope, bucket, metric) DO UPDATE SET count = series.count + excluded.count
;
PREPARE released(bigint,bigint) AS SELECT 1 FROM api_keys a JOIN api_keys b ON a.name = b.name WHERE a.id = $1 AND b.id = $2
;
PREPARE released(bigint,bigint) AS SELECT 1 FROM devices WHERE app = $1 AND id = $2 LIMIT 1
;
PREPARE released(bigint,bigint) AS SELECT 1 FROM devices WHERE id = $2 AND app = $1
;
PREPARE released(bigint,bigint) AS SELECT 1 FROM push_plans WHERE schedule = $1 AND occurrence_at = $2
;
PREPARE released(bigint,bigint) AS SELECT DISTINCT delivery, kind FROM events WHERE delivery >= $1 AND delivery <= $2 ORDER BY delivery
;
PREPARE released(bigint,bigint) AS SELECT app FROM pushes  WHERE open = 1 AND class = $2 AND app > $1 ORDER BY app LIMIT 1
;
PREPARE released(bigint,bigint) AS SELECT count(*) FROM activity_devices WHERE activity = $1 AND device <> $2
;
PREPARE released(bigint,bigint) AS SELECT d.kind, d.environment, count(*) FROM (
  SELECT * FROM devices  WHERE app = $1 AND state = 2 ORDER BY id DESC LIMIT $2) d
WHERE (1 = 0) GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint) AS SELECT d.kind, d.environment, count(*) FROM (
  SELECT * FROM devices  WHERE app = $1 AND state = 2 ORDER BY id DESC LIMIT $2) d
WHERE (d.kind IS NOT NULL) GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint) AS SELECT d.kind, d.environment, count(*) FROM (
  SELECT * FROM devices  WHERE app = $1 AND state = 2 ORDER BY id DESC LIMIT $2) d
WHERE 1 = 1 GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint) AS SELECT devices FROM unapproved WHERE app = $1 AND minute >= $2
;
PREPARE released(bigint,bigint) AS SELECT id FROM activities WHERE created_at < $1 ORDER BY created_at LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT id FROM activities a WHERE created_at < $1 AND EXISTS (SELECT 1 FROM activity_devices WHERE activity = a.id) ORDER BY created_at LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT id FROM devices WHERE app = $1 ORDER BY id LIMIT 1 OFFSET $2
;
PREPARE released(bigint,bigint) AS SELECT id FROM devices WHERE id >= $1 AND id <= $2 ORDER BY id
;
PREPARE released(bigint,bigint) AS SELECT id FROM idempotency WHERE id > $1 ORDER BY id LIMIT 1 OFFSET $2
;
PREPARE released(bigint,bigint) AS SELECT id FROM outbox WHERE id > $1 ORDER BY id LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT id FROM pushes 
WHERE state IN (3, 4) AND waiting > 0 AND expires_at IS NOT NULL AND expires_at <= $1 ORDER BY expires_at LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT id FROM pushes WHERE app = $1 ORDER BY id DESC LIMIT 1 OFFSET $2
;
PREPARE released(bigint,bigint) AS SELECT id FROM pushes WHERE id > $1 ORDER BY id LIMIT 1 OFFSET $2
;
PREPARE released(bigint,bigint) AS SELECT id FROM pushes WHERE state = 2 AND start_at <= $1 ORDER BY start_at LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT id, "user" FROM devices WHERE app = $1 AND id = $2
;
PREPARE released(bigint,bigint) AS SELECT id, "user" FROM devices WHERE app = $1 AND id = $2 LIMIT 1
;
PREPARE released(bigint,bigint) AS SELECT id, "user" FROM devices WHERE id >= $1 AND id <= $2 ORDER BY id
;
PREPARE released(bigint,bigint) AS SELECT id, "user", locale, timezone, app_version FROM devices WHERE id >= $1 AND id <= $2 ORDER BY id
;
PREPARE released(bigint,bigint) AS SELECT id, account, credential, host, handle, key, counter, is_backup_eligible, is_backed_up, name, created_at,
  used_at FROM passkeys WHERE id = $1 AND account = $2 ORDER BY id
;
PREPARE released(bigint,bigint) AS SELECT id, app, audience_complete, targeted - cursor, throttle,
  targeted = cursor AND EXISTS (
    SELECT 1 FROM deliveries  WHERE state = 3 AND not_before IS NOT NULL AND lane = -pushes.id)
FROM pushes  WHERE open = 1 AND class = 2 AND app = $1 ORDER BY id LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT id, app, class, name, state, targeted, waiting, in_flight, accepted, rejected, expired, cancelled, unknown,
audience_complete, resent, created_at, start_at, expires_at, finished_at, throttle, unknown_policy, salt,
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 2 AND e.action = ''),
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 3 AND e.action = ''),
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 4 AND e.action = ''), repeats, restored_at,
number, author FROM pushes WHERE app = $1 AND number = $2 AND number > 0
;
PREPARE released(bigint,bigint) AS SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes
WHERE id < $1 ORDER BY id DESC LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes WHERE app = $1 AND id = $2 LIMIT 1
;
PREPARE released(bigint,bigint) AS SELECT id, app, request, next_at, next_number, made, missed, last_push, problem, created_at, ended_at,
  paused_at, revision, from_at, author, maker
FROM schedules WHERE computed_at > $1 AND paused_at IS NULL ORDER BY computed_at LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT id, app, request, next_at, next_number, made, missed, last_push, problem, created_at, ended_at,
  paused_at, revision, from_at, author, maker
FROM schedules WHERE next_at <= $1 ORDER BY next_at LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT id, app, state, cursor, targeted, audience_kinds, expires_at, coalesce(gathered_number, id), category,
  urgent, throttle, resumed_at, restored_at IS NOT NULL, class
FROM pushes  WHERE open = 1 AND class = 1 AND app = $1 ORDER BY id LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT id, app, url, metrics, sealed, previous, previous_until, enabled, queued, dropped, created_at, updated_at,
  succeeded_at, failed_at, failure, held_at
FROM webhooks WHERE (app = $1 OR $1 IS NULL) AND (id = $2 OR $2 IS NULL) ORDER BY id
;
PREPARE released(bigint,bigint) AS SELECT id, app, vendor, operation, at, outcome, vendor_status, targeted, detail FROM shadow_requests WHERE app = $1 AND id = $2
;
PREPARE released(bigint,bigint) AS SELECT id, author, node, started_at, renewed_at, running, progress FROM imports WHERE app = $1
ORDER BY id DESC LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT id, device, target FROM deliveries WHERE id >= $1 AND id < $2 ORDER BY id
;
PREPARE released(bigint,bigint) AS SELECT id, kind, environment, flags & 1 FROM devices WHERE app = $1 AND id = $2 LIMIT 1
;
PREPARE released(bigint,bigint) AS SELECT id, kind, environment, flags & 1 FROM devices WHERE id = $1 AND app = $2
;
PREPARE released(bigint,bigint) AS SELECT id, locale FROM devices WHERE id >= $1 AND id <= $2 ORDER BY id
;
PREPARE released(bigint,bigint) AS SELECT id, name, type FROM attribute_keys WHERE app = $1 AND level = $2
;
PREPARE released(bigint,bigint) AS SELECT id, scope, key, fingerprint, push, response FROM idempotency WHERE id >= $1 AND id < $2 ORDER BY id
;
PREPARE released(bigint,bigint) AS SELECT id, webhook, push, notices, created_at, attempts, failure, not_before
FROM outbox  WHERE dead = 0 AND webhook = $1 AND push > $2 ORDER BY push, id LIMIT 1
;
PREPARE released(bigint,bigint) AS SELECT kind, count(*), count(*) FILTER (WHERE unseen), min(CASE WHEN unseen THEN registered_at END) FROM (
  SELECT d.kind, d.registered_at, (d.registered_at < $2 AND NOT EXISTS (
  SELECT 1 FROM users u WHERE u.app = d.app AND u.name = d."user" AND u.last_seen_at >= $2)) AS unseen FROM devices d
  WHERE d.app = $1 AND d.kind NOT IN (3, 20, 21)) AS seen GROUP BY kind
;
PREPARE released(bigint,bigint) AS SELECT kind, environment FROM devices WHERE app = $1 AND id = $2 AND state = 2 AND flags & 1 = 0 LIMIT 1
;
PREPARE released(bigint,bigint) AS SELECT kind, environment FROM devices WHERE id = $2 AND app = $1 AND state = 2 AND flags & 1 = 0
;
PREPARE released(bigint,bigint) AS SELECT name, query, updated_at FROM saved_views WHERE app = $1 ORDER BY name LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT o.provider, d.state, v.kind, count(*) FROM pushes p
  JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted JOIN outcomes o ON o.code = d.code
  LEFT JOIN devices v ON o.provider = 0 AND v.id = d.device
  WHERE p.id = $1 AND (o.provider <> 0 OR d.state >= $2) GROUP BY 1, 2, 3
;
PREPARE released(bigint,bigint) AS SELECT o.provider, o.status, o.reason, r.count FROM refusals r JOIN outcomes o ON o.code = r.code
WHERE r.push = $1 ORDER BY r.count DESC, o.reason, r.code LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT p.approval = 1 AND p.approval_until > $2, p.maker, s.maker, u.author, s.author
FROM push_plans p JOIN pushes u ON u.id = p.push LEFT JOIN schedules s ON s.id = p.schedule WHERE p.push = $1
;
PREPARE released(bigint,bigint) AS SELECT push FROM push_plans 
WHERE approval = 1 AND due_at IS NOT NULL AND approval_until <= $1 ORDER BY approval_until LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT push, app, request, due_at, local_clock, local_zone, "user", key, schedule, problem, held_at, local_day,
  undo, maker, approval, approval_devices, approval_recent, approval_above, approval_asked_at, approval_until, approval_by,
approval_decided_at, approval_reason
FROM push_plans WHERE due_at <= $1 AND held_at IS NULL AND approval IS DISTINCT FROM 1 ORDER BY due_at LIMIT $2
;
PREPARE released(bigint,bigint) AS SELECT state FROM pushes WHERE id = $1 AND targeted = $2 AND audience_kinds = 0
;
PREPARE released(bigint,bigint) AS UPDATE accounts SET email = NULL, password = NULL, invitation = NULL, invited_until = NULL, removed_at = $2
WHERE id = $1
;
PREPARE released(bigint,bigint) AS UPDATE accounts SET signed_in_at = $2 WHERE id = $1
;
PREPARE released(bigint,bigint) AS UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, 0), $2) WHERE id = $1
;
PREPARE released(bigint,bigint) AS UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1
;
PREPARE released(bigint,bigint) AS UPDATE apps SET push_number = $2 WHERE id = $1
;
PREPARE released(bigint,bigint) AS UPDATE deliveries SET lane = $2 WHERE id = $1 AND state = 3
;
PREPARE released(bigint,bigint) AS UPDATE devices SET flags = $2 WHERE id = $1
;
PREPARE released(bigint,bigint) AS UPDATE devices SET moved_number = $2 WHERE id = $1
;
PREPARE released(bigint,bigint) AS UPDATE leases SET remaining = remaining - $2 WHERE id = $1
;
PREPARE released(bigint,bigint) AS UPDATE push_plans SET approval = 4, approval_decided_at = $2
WHERE push = $1 AND approval = 1 AND approval_until <= $2 AND due_at IS NOT NULL
;
PREPARE released(bigint,bigint) AS UPDATE pushes SET start_at = CASE WHEN state = 4 THEN start_at ELSE $2 END,
  resumed_at = CASE WHEN state = 4 THEN $2 ELSE resumed_at END, state = 3, held_at = NULL,
  open = CASE WHEN (audience_complete = 0 OR cursor <> targeted OR EXISTS (
  SELECT 1 FROM deliveries 
  WHERE state = 3 AND not_before IS NOT NULL AND lane = -pushes.id)) THEN 1 ELSE 0 END
WHERE id = $1
;
PREPARE released(bigint,bigint) AS UPDATE pushes SET state = 2, held_at = NULL, open = 0
WHERE id = $1 AND state = 4 AND start_at > $2 AND cursor = 0 AND resumed_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM push_plans WHERE push = $1 AND local_clock IS NOT NULL)
;
PREPARE released(bigint,bigint) AS UPDATE pushes SET state = 9, open = 0, audience_complete = 1, finished_at = $2 WHERE id = $1 RETURNING app
;
PREPARE released(bigint,bigint) AS UPDATE pushes SET state = CASE WHEN state IN (3, 4) THEN 6 ELSE state END, finished_at = $2, open = 0
WHERE id = $1 AND finished_at IS NULL AND (waiting = 0 AND in_flight = 0 AND (audience_complete = 1 OR state IN (5, 7)))
RETURNING app, state
;
PREPARE released(bigint,bigint) AS UPDATE pushes SET throttle = $2 WHERE id = $1
;
PREPARE released(bigint,bigint) AS UPDATE schedules SET next_at = NULL, computed_at = NULL, ended_at = $2 WHERE id = $1 AND ended_at IS NULL
;
PREPARE released(bigint,bigint) AS UPDATE schedules SET next_at = NULL, computed_at = NULL, paused_at = coalesce(paused_at, $2) WHERE id = $1
;
PREPARE released(bigint,bigint) AS UPDATE schedules SET revision = revision + 1 WHERE id = $1 AND revision = $2 AND ended_at IS NULL
;
PREPARE released(bigint,bigint) AS UPDATE sessions SET used_at = max(used_at, $2) WHERE id = $1
;
PREPARE released(bigint,bigint) AS UPDATE webhooks SET queued = queued + $2 WHERE id = $1
;
PREPARE released(bigint,bigint) AS UPDATE webhooks SET queued = queued + 1 WHERE id = $1 AND queued < $2
;
PREPARE released(bigint,bigint,bigint) AS DELETE FROM aliases WHERE "user" = $3
;
PREPARE released(bigint,bigint,bigint) AS DELETE FROM idempotency WHERE id > $1 AND id <= $2 AND created_at < $3
;
PREPARE released(bigint,bigint,bigint) AS DELETE FROM imports WHERE (running = 0 OR renewed_at < $3) AND id IN
  (SELECT id FROM imports WHERE app = $1 ORDER BY id DESC LIMIT 1000 OFFSET $2)
;
PREPARE released(bigint,bigint,bigint) AS DELETE FROM inbox WHERE "user" = $3
;
PREPARE released(bigint,bigint,bigint) AS DELETE FROM user_attributes WHERE "user" = $3
;
PREPARE released(bigint,bigint,bigint) AS DELETE FROM users WHERE id = $3
;
PREPARE released(bigint,bigint,bigint) AS INSERT INTO grants(account, app, role) VALUES ($1, $2, $3)
;
PREPARE released(bigint,bigint,bigint) AS INSERT INTO identity(app, mode, updated_at) VALUES ($1, $2, $3)
ON CONFLICT(app) DO UPDATE SET mode = excluded.mode, updated_at = excluded.updated_at
;
PREPARE released(bigint,bigint,bigint) AS INSERT INTO push_plans(push, app, request, schedule, occurrence_at, maker)
SELECT $1, app, request, id, $3, maker FROM schedules WHERE id = $2
;
PREPARE released(bigint,bigint,bigint) AS INSERT INTO refusals(push, code, count) VALUES ($1, $2, $3) ON CONFLICT(push, code) DO UPDATE SET count = refusals.count + excluded.count
;
PREPARE released(bigint,bigint,bigint) AS INSERT INTO unapproved(app, minute, devices) VALUES ($1, $2, $3)
ON CONFLICT(app, minute) DO UPDATE SET devices = unapproved.devices + excluded.devices
;
PREPARE released(bigint,bigint,bigint) AS SELECT count(*) FROM (SELECT 1 FROM device_attributes WHERE device >= $1 AND device < $1 + $2 LIMIT $3) AS sample
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (SELECT max(id) FROM pushes WHERE id <= d.id), d.target, v.token, v.kind, v.environment
FROM deliveries d LEFT JOIN devices v ON v.id = d.device
WHERE d.id >= $1 AND d.id < $2 AND d.attempts = $3 AND d.state IN (2, 4) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((1 = 0 AND NOT 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((1 = 0 OR (1 = 0 AND NOT 1 = 0)))) AND 1 = 1) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((NOT 1 = 0))) OR (NOT 1 = 0) OR 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT (1 = 0 OR 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT 1 = 0) AND (1 = 1)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT 1 = 0) AND 1 = 0 AND 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (1 = 0 AND (NOT 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (1 = 0 AND NOT 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (1 = 1) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((1 = 0 AND NOT 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT 1 = 0) OR 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (1 = 0 OR 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (d.locale IS NOT NULL)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND 1 = 0 ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND 1 = 1 ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND NOT 1 = 0 ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND d.locale IS NOT NULL ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND d.registered_at IS NOT NULL ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.id, d.device, d.target, v.token, v.kind, v.environment, v.state, d.attempts,
  v.owner, v.flags, v.moved_number, v.timezone, d.not_before
FROM deliveries d  LEFT JOIN devices v ON v.id = d.device
WHERE d.state = 3 AND d.lane = $1 AND d.not_before <= $2 ORDER BY d.not_before, d.id LIMIT $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.kind, d.environment, count(*) FROM (
  SELECT * FROM devices  WHERE app = $1 AND state = 2 ORDER BY id DESC LIMIT $2) d
WHERE EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $3) GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.kind, d.environment, count(*) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (d.kind IS NOT NULL) GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint,bigint) AS SELECT d.kind, d.environment, count(*) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND 1 = 1 GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint,bigint) AS SELECT delivery FROM events WHERE delivery >= $1 AND delivery < $2 ORDER BY delivery LIMIT 1 OFFSET $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT id FROM deliveries  WHERE state = 6 AND refused >= $1 AND refused < $2
ORDER BY refused LIMIT 1 OFFSET $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT id FROM deliveries WHERE id >= $1 AND id < $2 AND device = $3 LIMIT 1
;
PREPARE released(bigint,bigint,bigint) AS SELECT id FROM deliveries WHERE id >= $1 AND id < $2 AND device = $3 ORDER BY id LIMIT 1
;
PREPARE released(bigint,bigint,bigint) AS SELECT id, app, class, name, state, targeted, waiting, in_flight, accepted, rejected, expired, cancelled, unknown,
audience_complete, resent, created_at, start_at, expires_at, finished_at, throttle, unknown_policy, salt,
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 2 AND e.action = ''),
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 3 AND e.action = ''),
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 4 AND e.action = ''), repeats, restored_at,
number, author FROM pushes WHERE app = $1 AND id < $2 ORDER BY id DESC LIMIT $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes WHERE app = $1 AND id = $2 LIMIT $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT id, app, environment, bundle, channel, storage, name, created_at FROM channels WHERE app = $1 AND id > $2 ORDER BY id LIMIT $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT id, app, name, created_at, updated_at, first_seen_at, last_seen_at FROM users WHERE +app = $1 AND id > $2 ORDER BY id LIMIT $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT id, app, name, token, kind, environment, "user", locale, timezone, app_version, created_at, registered_at,
state, state_reason, state_at FROM devices WHERE +app = $1 AND id > $2 AND kind IN (4) ORDER BY id LIMIT $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT id, app, name, token, kind, environment, "user", locale, timezone, app_version, created_at, registered_at,
state, state_reason, state_at FROM devices WHERE +app = $1 AND id > $2 ORDER BY id LIMIT $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT id, app, request, next_at, next_number, made, missed, last_push, problem, created_at, ended_at,
  paused_at, revision, from_at, author, maker
FROM schedules WHERE app = $1 AND id > $2 ORDER BY id LIMIT $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT id, app, state, class, created_at, author FROM pushes  WHERE app = $3 AND class = 2 AND id < $1 ORDER BY id DESC LIMIT $2
;
PREPARE released(bigint,bigint,bigint) AS SELECT id, app, state, class, created_at, author FROM pushes WHERE CAST($3 AS BIGINT) IS NOT NULL AND id < $1 ORDER BY id DESC LIMIT $2
;
PREPARE released(bigint,bigint,bigint) AS SELECT id, app, vendor, operation, at, outcome, vendor_status, targeted, detail FROM shadow_requests WHERE app = $1 AND id < $2 ORDER BY id DESC LIMIT $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT id, at, key, act, target, app, peer, request, account FROM audit
WHERE id < $1 ORDER BY id DESC LIMIT $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT id, webhook, push, notices, created_at, attempts, failure FROM outbox 
WHERE dead = 1 AND webhook = $1 AND id > $2 ORDER BY id LIMIT $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT occurrence_at FROM push_plans WHERE schedule = $1 AND occurrence_at >= $2 ORDER BY occurrence_at LIMIT $3
;
PREPARE released(bigint,bigint,bigint) AS SELECT push FROM push_plans 
WHERE app = $1 AND push > $2 AND approval = 1 AND due_at IS NOT NULL ORDER BY push LIMIT $3
;
PREPARE released(bigint,bigint,bigint) AS UPDATE deliveries SET at = $3, not_before = $2 WHERE id = $1 AND state = 3
;
PREPARE released(bigint,bigint,bigint) AS UPDATE deliveries SET at = $3, not_before = $3
WHERE id >= $1 AND id < $2 AND state = 3 AND attempts = 0 AND not_before > $3
;
PREPARE released(bigint,bigint,bigint) AS UPDATE deliveries SET state = $2, at = $3, not_before = NULL
WHERE state = 3 AND id >= $1 AND id < $1 + (SELECT targeted FROM pushes WHERE id = $1)
;
PREPARE released(bigint,bigint,bigint) AS UPDATE deliveries SET state = $2, at = $3, not_before = NULL WHERE id = $1
;
PREPARE released(bigint,bigint,bigint) AS UPDATE outbox SET dead = 0, attempts = 0, not_before = $3
WHERE dead = 1 AND webhook = $1 AND (id = $2 OR $2 IS NULL)
;
PREPARE released(bigint,bigint,bigint) AS UPDATE outbox SET not_before = $3 WHERE id > $1 AND id <= $2 AND dead = 0 AND not_before > $3
;
PREPARE released(bigint,bigint,bigint) AS UPDATE push_plans SET schedule = $2, occurrence_at = $3 WHERE push = $1
;
PREPARE released(bigint,bigint,bigint) AS UPDATE pushes SET state = $2, start_at = coalesce($3, created_at) WHERE id = $1
;
PREPARE released(bigint,bigint,bigint) AS UPDATE users SET last_seen_at = max(coalesce(last_seen_at, $3), $3),
  first_seen_at = min(coalesce(first_seen_at, $2), $2), created_at = min(created_at, $2)
WHERE id = $1 AND (last_seen_at < $3 OR first_seen_at > $2 OR last_seen_at IS NULL OR created_at > $2)
;
PREPARE released(bigint,bigint,bigint) AS UPDATE users SET updated_at = $2, flags = $3 WHERE id = $1
;
PREPARE released(bigint,bigint,bigint,bigint) AS INSERT INTO live_pushes(kind, owner, push, event) VALUES ($1, $2, $3, $4)
;
PREPARE released(bigint,bigint,bigint,bigint) AS INSERT INTO purged(push, until, accepted, rejected, expired, cancelled, unknown, events)
SELECT $1, $4, count(*) FILTER (WHERE s = 5), count(*) FILTER (WHERE s = 6),
  count(*) FILTER (WHERE s = 7), count(*) FILTER (WHERE s = 8), count(*) FILTER (WHERE s = 9), 0 FROM (
  SELECT CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s FROM pushes p JOIN deliveries d ON d.id >= $2 AND d.id < $3 WHERE p.id = $1) AS ended
WHERE true
ON CONFLICT(push) DO UPDATE SET until = excluded.until, accepted = purged.accepted + excluded.accepted,
  rejected = purged.rejected + excluded.rejected, expired = purged.expired + excluded.expired,
  cancelled = purged.cancelled + excluded.cancelled, unknown = purged.unknown + excluded.unknown
;
PREPARE released(bigint,bigint,bigint,bigint) AS INSERT INTO retention(app, deliveries_days, events_days, unseen_days) VALUES ($1, $2, $3, $4)
ON CONFLICT(app) DO UPDATE SET deliveries_days = excluded.deliveries_days, events_days = excluded.events_days,
  unseen_days = excluded.unseen_days
;
PREPARE released(bigint,bigint,bigint,bigint) AS INSERT INTO series(scope, bucket, metric, count) VALUES ($1, $2, $3, $4)
ON CONFLICT(scope, bucket, metric) DO UPDATE SET count = series.count + excluded.count
;
PREPARE released(bigint,bigint,bigint,bigint) AS INSERT INTO variant_counts(push, variant, metric, count) VALUES ($1, $2, $3, $4)
ON CONFLICT(push, variant, metric) DO UPDATE SET count = variant_counts.count + excluded.count
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT * FROM (SELECT 1 AS kind, id, app, held_at, start_at, waiting + in_flight, name FROM pushes 
  WHERE held_at IS NOT NULL AND state = 4
UNION ALL SELECT 2, l.push, l.app, l.held_at, l.due_at, 0, coalesce(l.key, p.name)
  FROM push_plans l  JOIN pushes p ON p.id = l.push
  WHERE l.held_at IS NOT NULL AND l.due_at IS NOT NULL
UNION ALL SELECT 3, id, app, held_at, NULL, 0, NULL FROM schedules
  WHERE held_at IS NOT NULL AND paused_at IS NOT NULL AND ended_at IS NULL
UNION ALL SELECT 4, id, app, held_at, NULL, queued, url FROM webhooks WHERE held_at IS NOT NULL AND enabled = 1) AS held WHERE (app = $1 OR $1 IS NULL) AND (kind, id) > ($2, $3) ORDER BY kind, id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT bucket - bucket % $4 AS start, metric, sum(count) FROM (
  SELECT bucket, metric, count FROM series WHERE scope = $1
  UNION ALL
  SELECT CASE WHEN d.state = 2 THEN coalesce(p.finished_at, d.at) ELSE d.at END,
    CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END, 1 FROM pushes p
    JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted
    WHERE p.id = $1 AND (CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END) >= 5
  UNION ALL
  SELECT e.at, e.kind + 10, 1 FROM pushes p JOIN events e ON e.delivery >= p.id AND e.delivery < p.id + p.targeted
    WHERE p.id = $1 AND e.kind < 4
  UNION ALL
  SELECT min(e.at), 14, 1 FROM pushes p JOIN events e ON e.delivery >= p.id AND e.delivery < p.id + p.targeted
    WHERE p.id = $1 AND e.kind = 4 GROUP BY e.delivery) AS rows
WHERE bucket >= $2 AND bucket < $3 GROUP BY start, metric ORDER BY start, metric
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT bucket - bucket % $4 AS start, metric, sum(count) FROM series
WHERE scope = $1 AND bucket >= $2 AND bucket < $3 GROUP BY start, metric ORDER BY start, metric
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT d.id FROM devices d
WHERE d.id > $3 AND d.id <= $4 AND d.app = $1 AND d.kind NOT IN (3, 20, 21) AND (d.registered_at < $2 AND NOT EXISTS (
  SELECT 1 FROM users u WHERE u.app = d.app AND u.name = d."user" AND u.last_seen_at >= $2)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.id >= $2 AND d.id < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.refused >= $2 AND d.refused < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND d.state = 6 ORDER BY d.refused LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT d.id, d.kind, (1 = 0)
FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT d.id, d.kind, 1 = 0
FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT d.id, d.kind, 1 = 1
FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT device, key, value FROM device_attributes
WHERE device >= $1 AND device <= $2 AND key >= $3 AND key <= $4 ORDER BY device, key
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT id FROM devices 
WHERE app = $1 AND state = 2 AND id > $2 AND id <= $3 ORDER BY id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT id, at, key, act, target, app, peer, request, account FROM audit
WHERE id < $1 AND (account = $4 OR key IN (SELECT id FROM api_keys WHERE account = $4)) ORDER BY id DESC LIMIT $3
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT id, at, not_before FROM deliveries 
WHERE state = 3 AND not_before IS NOT NULL AND lane = $1 AND (not_before, id) > ($2, $3) ORDER BY not_before, id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT id, kind FROM devices 
WHERE app = $1 AND state = 2 AND id > $2 AND id <= $3 ORDER BY id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT id, kind, 1, timezone, environment, registered_at FROM devices 
WHERE app = $1 AND state = 2 AND id > $2 AND id <= $3 ORDER BY id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT id, token, nullif(kind + environment * 256 + state * 65536, 131329), nullif(flags, 0), nullif(moved_number, 0),
  CASE WHEN CAST($4 AS BIGINT) = 1 OR flags <> 0 OR moved_number <> 0 THEN owner END,
  CASE WHEN CAST($3 AS BIGINT) = 1 THEN timezone END
FROM devices WHERE id >= $1 AND id <= $2 ORDER BY id
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT p.id, p.app, p.class = 2, p.targeted, p.finished_at, coalesce(g.until, 0),
  coalesce(g.events, 0), EXISTS (SELECT 1 FROM push_contents c WHERE c.push = p.id)
    OR EXISTS (SELECT 1 FROM push_plans l WHERE l.push = p.id AND length(l.request) > 0)
FROM pushes p LEFT JOIN purged g ON g.push = p.id
WHERE p.id > $1 AND p.id <= $3 AND p.created_at < $4 ORDER BY p.id LIMIT $2
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT push, app, request, due_at, local_clock, local_zone, "user", key, schedule, problem, held_at, local_day,
  undo, maker, approval, approval_devices, approval_recent, approval_above, approval_asked_at, approval_until, approval_by,
approval_decided_at, approval_reason
FROM push_plans WHERE due_at >= $1 AND due_at < $2 AND held_at IS NULL AND app = $3
AND "user" IS NULL ORDER BY due_at LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT push, event FROM live_pushes WHERE kind = $1 AND owner = $2 AND push < $3 ORDER BY push DESC LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT v.id, a.key, a.value FROM devices v  JOIN device_attributes a ON a.device = v.id
WHERE v.id >= $1 AND v.id <= $2 AND a.key >= $3 AND a.key <= $4 ORDER BY v.id, a.key
;
PREPARE released(bigint,bigint,bigint,bigint) AS SELECT v.id, a.key, a.value FROM devices v  JOIN user_attributes a ON a."user" = v.owner
WHERE v.id >= $1 AND v.id <= $2 AND a.key >= $3 AND a.key <= $4 ORDER BY v.id, a.key
;
PREPARE released(bigint,bigint,bigint,bigint) AS UPDATE activities SET stale_at = $2, dismissal_at = $3, ended_at = $4 WHERE id = $1
;
PREPARE released(bigint,bigint,bigint,bigint) AS UPDATE api_keys SET rotated_at = $2, own_end = $3, expires_at = min(coalesce($3, CAST($4 AS BIGINT)), $4)
WHERE id = $1
;
PREPARE released(bigint,bigint,bigint,bigint) AS UPDATE deliveries SET at = $4, not_before = $2, lane = $3 WHERE id = $1 AND state = 3
;
PREPARE released(bigint,bigint,bigint,bigint) AS UPDATE deliveries SET state = 3, at = $4, not_before = $2, lane = $3 WHERE id = $1 AND state = 2
;
PREPARE released(bigint,bigint,bigint,bigint) AS UPDATE devices SET environment = $3 WHERE id = $1 AND environment = $2 AND state = 2 AND registered_at <= $4
;
PREPARE released(bigint,bigint,bigint,bigint) AS UPDATE schedules SET next_at = CASE WHEN paused_at IS NULL THEN CAST($2 AS BIGINT) END, next_number = $3, problem = NULL,
  computed_at = CASE WHEN paused_at IS NULL THEN CAST($4 AS BIGINT) END, from_at = $4
WHERE id = $1
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((1 = 0 AND (d.kind <> $5)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (d.kind <> $5) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND d.kind <> $5 ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, d.kind, EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5)
FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS UPDATE activities SET budget_hour = $2, budget_used = $3, last_second = min(max(last_second + 1, $4), max(last_second, $5))
WHERE id = $1
RETURNING last_second
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS UPDATE deliveries SET state = $5, code = $2, at = $3, not_before = NULL, refused = CASE WHEN CAST($5 AS smallint) = 6 THEN id END WHERE id = $1 AND state = $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS UPDATE deliveries SET state = 5, code = $2, at = $3, attempts = $4, variant = coalesce($5, variant)
WHERE id = $1 AND attempts = $4 - 1 AND state IN (2, 4)
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS UPDATE pushes SET cursor = cursor + $2, waiting = waiting - $2 + $5, in_flight = in_flight + $2 - $3 - $4 - $5,
  rejected = rejected + $3, unknown = unknown + $4,
  open = CASE WHEN (audience_complete = 0 OR cursor + $2 <> targeted OR EXISTS (
  SELECT 1 FROM deliveries 
  WHERE state = 3 AND not_before IS NOT NULL AND lane = -pushes.id)) THEN 1 ELSE 0 END
WHERE id = $1
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS UPDATE pushes SET state = $2, open = 0, waiting = 0, expired = expired + $3, cancelled = cancelled + $4,
  unknown = unknown + $5
WHERE id = $1
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS UPDATE pushes SET waiting = waiting + $2, in_flight = in_flight + $3, rejected = rejected + $4,
  unknown = unknown + $5
WHERE id = $1
;
PREPARE released(bigint,bigint,bigint,bigint,bigint) AS UPDATE schedules SET next_at = $2, next_number = coalesce($3, next_number), paused_at = NULL, held_at = NULL,
  ended_at = $4, computed_at = $5, from_at = $5
WHERE id = $1
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6)))) AND (NOT (NOT 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((1 = 1) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) AND 1 = 0) OR (NOT (1 = 1 OR d.kind <> $6))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((1 = 1 OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT 1 = 0) OR (1 = 0 OR d.kind <> $5 OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND coalesce(NOT (coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6), 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND coalesce(coalesce((SELECT u.created_at FROM users u WHERE u.id = d.owner), d.created_at) BETWEEN $5 AND $6, 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.id >= $2 AND d.id < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND (CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END) = $6 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.kind, d.environment, count(*) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND d.kind IN ($5, $6) GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS UPDATE deliveries SET state = $3, attempts = $2, unknowns = unknowns + 1, at = $4, not_before = $5,
  lane = coalesce($6, lane)
WHERE id = $1 AND attempts = $2 - 1 AND state IN (2, 4)
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS UPDATE push_plans SET approval = 1, approval_devices = $2, approval_recent = $3, approval_above = $4,
  approval_asked_at = $5, approval_until = $6, approval_by = NULL, approval_decided_at = NULL,
  approval_reason = NULL
WHERE push = $1
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS UPDATE pushes SET targeted = targeted + $2, waiting = waiting + $2, audience_position = $3,
  audience_complete = CAST($4 AS BIGINT),
  state = CASE WHEN state = 3 AND (waiting + $2 = 0 AND in_flight = 0 AND ($4 = 1 OR state IN (5, 7))) THEN 6
    ELSE state END,
  finished_at = CASE WHEN state = 3 AND (waiting + $2 = 0 AND in_flight = 0 AND ($4 = 1 OR state IN (5, 7))) THEN $5
    ELSE finished_at END,
  open = CASE WHEN ($4 = 0 OR cursor + $6 <> targeted + $2 OR EXISTS (
  SELECT 1 FROM deliveries 
  WHERE state = 3 AND not_before IS NOT NULL AND lane = -pushes.id)) THEN open ELSE 0 END, cursor = cursor + $6
WHERE id = $1 RETURNING finished_at IS NOT NULL
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint) AS UPDATE schedules SET computed_at = $3, next_at = coalesce($4, next_at), next_number = coalesce($5, next_number),
  missed = max(missed - $6, 0), ended_at = CASE WHEN $4 IS NULL THEN ended_at END
WHERE id = $1 AND revision = $2 AND computed_at > $3 AND paused_at IS NULL
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6)) OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7) OR 1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $6 AND $7, 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND d.kind IN ($5, $6, $7) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.kind, d.environment, count(*) FROM (
  SELECT * FROM devices  WHERE app = $1 AND state = 2 ORDER BY id DESC LIMIT $2) d
WHERE (d.kind IN ($3, $4, $5, $6, $7)) GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.kind, d.environment, count(*) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND d.kind IN ($5, $6, $7) GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (((NOT (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0))) AND coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $7 AND $8, 1 = 0)) OR 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((d.locale IS NOT NULL) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) OR (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($5, $6, $7, $8)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($5, $6, $7, $8)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.id >= $2 AND d.id < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND d.code IN (SELECT code FROM outcomes WHERE true AND provider = $8) ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.refused >= $2 AND d.refused < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND d.state = 6 AND d.code IN (SELECT code FROM outcomes WHERE true AND provider = $8) ORDER BY d.refused LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT count(*), count(*) FILTER (WHERE (d.kind IN (3, 21))) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND d.kind IN ($5, $6, $7, $8, $9) 
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT 1 = 0) AND (d.kind IN ($5, $6, $7, $8, $9))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($5, $6, $7, $8)) AND d.kind <> $9) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (d.kind IN ($5, $6, $7, $8, $9))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (d.kind IN ($5, $6, $7, $8, $9) AND (NOT ((NOT 1 = 0))) AND 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (d.kind IN ($5, $6, $7, $8, $9) AND 1 = 1) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND d.kind IN ($5, $6, $7, $8, $9) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.id >= $2 AND d.id < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND (CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END) = $6 AND d.device = $9 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.id >= $2 AND d.id < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND d.device = $9 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.kind, d.environment, count(*) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (d.kind IN ($5, $6, $7, $8, $9)) GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.kind, d.environment, count(*) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND d.kind IN ($5, $6, $7, $8, $9) GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((d.kind IN ($5, $6, $7, $8, $9)) OR 1 = 0 OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $10)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (((NOT 1 = 0) AND (d.kind <> $5 OR d.kind IN ($6, $7, $8, $9, $10)) AND 1 = 0) OR (NOT (1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT 1 = 0) OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) OR d.kind IN ($6, $7, $8, $9, $10))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS UPDATE pushes SET in_flight = in_flight - $2, waiting = waiting + $3, accepted = accepted + $4,
  rejected = rejected + $5, expired = expired + $6, cancelled = cancelled + $7, unknown = unknown + $8,
  resent = resent + $9,
  state = CASE WHEN state IN (3, 4) AND (waiting + $3 = 0 AND in_flight - $2 = 0 AND (audience_complete = 1 OR state IN (5, 7)))
    THEN 6 ELSE state END,
  finished_at = CASE WHEN (waiting + $3 = 0 AND in_flight - $2 = 0 AND (audience_complete = 1 OR state IN (5, 7))) THEN coalesce(finished_at, $10)
    ELSE finished_at END
WHERE id = $1
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0)) AND (d.kind IN ($7, $8, $9, $10, $11))) AND ((NOT 1 = 0)) AND 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (d.kind IN ($5, $6, $7, $8, $9) OR (NOT (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $10 AND $11, 1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (d.kind IN ($5, $6, $7, $8, $9) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $10 AND $11, 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.id >= $2 AND d.id < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND d.at >= $11 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($5, $6, $7, $8)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($9, $10, $11, $12)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($5, $6, $7, $8)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($9, $10, $11, $12))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.id >= $2 AND d.id < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND (CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END) = $6 AND d.at < $12 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT id, app, name, token, kind, environment, "user", locale, timezone, app_version, created_at, registered_at,
state, state_reason, state_at FROM devices WHERE +app = $1 AND id > $2 AND environment = $12 ORDER BY id LIMIT $3
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT count(*) FROM devices WHERE app = $1 AND state = $13 AND kind IN (4)
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (1 = 1 OR (NOT ((NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($5, $6, $7, $8)) OR d.kind IN ($9, $10, $11, $12, $13))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (((coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) OR d.kind IN ($7, $8, $9, $10, $11))) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $12) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $13)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT id, app, name, token, kind, environment, "user", locale, timezone, app_version, created_at, registered_at,
state, state_reason, state_at FROM devices WHERE app = $1 AND id > $2 AND state = $13 ORDER BY id LIMIT $3
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($7, $8, $9, $10)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($11, $12, $13, $14))) OR 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (1 = 1 AND ((d.kind <> $5 OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($6, $7, $8, $9)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($10, $11, $12, $13)))) AND d.kind <> $14)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (d.kind IN ($5, $6, $7, $8, $9) OR d.kind IN ($10, $11, $12, $13, $14))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (d.kind IN ($5, $6, $7, $8, $9) AND (NOT ((NOT 1 = 0) OR d.kind IN ($10, $11, $12, $13, $14))) AND (NOT 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (1 = 0 AND (NOT ((NOT (d.kind IN ($5, $6, $7, $8, $9) OR d.kind <> $10 OR d.kind IN ($11, $12, $13, $14, $15))) OR (d.kind IN ($16, $17, $18, $19, $20)) OR 1 = 1))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($5, $6, $7, $8)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($9, $10, $11, $12))) OR ((NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($13, $14, $15, $16)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($17, $18, $19, $20))))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT (((1 = 0 AND NOT 1 = 0)) OR (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6)) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($7, $8, $9, $10)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($11, $12, $13, $14)))) OR (NOT (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $15) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $16)) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $17 AND $18, 1 = 0))))) OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $19 AND a.value < $20)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,text,bigint,bigint,bigint,bigint,bigint) AS INSERT INTO pushes(id, app, class, state, open, cursor, targeted, waiting, in_flight, accepted, rejected, expired,
  cancelled, unknown, resent, audience_complete, unknown_policy, created_at, start_at, finished_at, expires_at,
  throttle, salt, reserved, audience_kinds, audience_position, audience_until, name,
  category, urgent, repeats, number, apns_ids, author)
VALUES ($1, $2, $3, $4, $5, 0, $6, $6, 0, 0, 0, 0, 0, 0, 0, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 0,
  $17, $18, $19, $20, $21, $22, $23, $24)
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (((d.kind IN ($5, $6, $7, $8, $9) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $10) OR d.kind IN ($11, $12, $13, $14, $15)) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $16 AND a.value < $17))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT ((NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($6, $7, $8, $9)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($10, $11, $12, $13)))) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $14 AND a.value < $15)) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $16 AND instr(a.id, $17) = 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((d.kind IN ($5, $6, $7, $8, $9) AND d.kind IN ($10, $11, $12, $13, $14)) AND coalesce(d."user" > $15, 1 = 0) AND EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $16)) AND (NOT 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (d.kind IN ($5, $6, $7, $8, $9) AND ((NOT (d.kind IN ($10, $11, $12, $13, $14) OR coalesce(d."user" > $15, 1 = 0))) AND (d.kind <> $16)) AND (NOT ((d.kind <> $17) OR (NOT 1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,jsonb,text,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (d.kind IN ($5, $6, $7, $8, $9) OR (NOT ((d.kind IN ($10, $11, $12, $13, $14) AND coalesce(d."user" > $15, 1 = 0) AND EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $16 AND a.value > $17)) OR coalesce(d."user" > $18, 1 = 0))) OR d.kind <> $19)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,text,bigint,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (d.kind IN ($5, $6, $7, $8, $9) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $10) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $11)) AND ((NOT 1 = 0) OR (NOT (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $13 AND a.value = $14) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $15 AND a.value = $16)) OR coalesce(d."user" > $17, 1 = 0))) OR (NOT (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $18) OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $19 AND a.value <= $20))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT ((NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($5, $6, $7, $8)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($9, $10, $11, $12))) AND EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $13 AND instr(a.value, $14) > 0) AND coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $15 AND $16, 1 = 0)))) OR 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,text,bigint,bigint,bigint,bigint) AS UPDATE pushes SET class = $2, state = 3, open = $3, cursor = $4, targeted = $5, waiting = $5,
  audience_complete = $6, unknown_policy = $7, start_at = $8, expires_at = $9, throttle = $10, salt = $11,
  audience_kinds = $12, audience_until = $13, name = $14, category = $15, urgent = $16,
  gathered_number = $17, repeats = $18, apns_ids = $19
WHERE id = $1
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,jsonb,bigint,jsonb,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((d.kind IN ($5, $6, $7, $8, $9) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $10 AND $11, 1 = 0) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $12 AND a.value BETWEEN $13 AND $14) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $15 AND a.value BETWEEN $16 AND $17))) OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($20, $21, $22, $23)) AND NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $18 AND a.value = $19)) AND (1 = 0 AND NOT 1 = 0)) OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $24) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $25))))) AND ((d.kind <> $26 AND d.kind <> $27)) AND d.kind <> $28) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((1 = 0 OR (NOT (d.kind <> $5 OR d.kind <> $6)) OR 1 = 1) OR (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7) OR (d.kind IN ($8, $9, $10, $11, $12)) OR (NOT EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $13) OR (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $14) AND NOT 1 = 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $15))) OR ((NOT (NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($16, $17, $18, $19)) OR d.kind <> $20 OR d.kind <> $21)) OR 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,text,bigint,jsonb,jsonb,text,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) OR d.kind IN ($6, $7, $8, $9, $10) OR ((NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $11 AND a.value = $12) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $13 AND a.value = $14)) OR d.kind <> $15)) AND (coalesce(d."user" > $16, 1 = 0) OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $17 AND a.value BETWEEN $18 AND $19) OR coalesce(d."user" > $20, 1 = 0)) AND (d.kind <> $21 OR (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $22) AND NOT 1 = 0) OR (1 = 0 AND NOT 1 = 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((d.kind <> $5 OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7)) AND EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($8, $9, $10, $11)) AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $12 AND a.id <> $13)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,text,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((d.kind IN ($5, $6, $7, $8, $9)))) OR 1 = 0 OR (NOT ((coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $10 AND $11, 1 = 0)) OR (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $12 AND a.id <> $13)) OR (NOT (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $14) OR coalesce(d.locale = $15, 1 = 0)))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6))) OR d.kind <> $7) AND (NOT (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $8) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $9)) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $10 AND a.value < $11) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12 AND a.value < $13))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,text,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (((NOT (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) OR NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($6, $7, $8, $9)) OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $10 AND a.value = $11) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12 AND a.value = $13)))) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $14) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $15)) AND coalesce(d."user" > $16, 1 = 0)) OR ((EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $17 AND instr(a.id, $18) > 0)) OR 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text) AS SELECT id, app, name, token, kind, environment, "user", locale, timezone, app_version, created_at, registered_at,
state, state_reason, state_at FROM devices WHERE app = $1 AND id > $2 AND "user" = $11 ORDER BY id LIMIT $3
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) OR ((d.kind IN ($6, $7, $8, $9, $10) AND coalesce(d."user" > $11, 1 = 0)) AND d.locale IS NOT NULL) OR (1 = 1 AND EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint) AS SELECT count(*) FROM devices WHERE app = $1 AND "user" = $11 AND +state = $13
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint) AS SELECT id, app, name, token, kind, environment, "user", locale, timezone, app_version, created_at, registered_at,
state, state_reason, state_at FROM devices WHERE app = $1 AND id > $2 AND "user" = $11 AND +state = $13 ORDER BY id LIMIT $3
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((1 = 1 AND (d.kind IN ($5, $6, $7, $8, $9) OR (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12) AND NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $10 AND instr(a.value, $11) > 0)) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $13 AND $14, 1 = 0)) AND coalesce(d."user" > $15, 1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (((NOT (1 = 0)) AND (d.kind <> $5 OR d.kind IN ($6, $7, $8, $9, $10) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $11)) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $12 AND a.value = $13) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $14 AND a.value = $15))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT (NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($5, $6, $7, $8)) OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $9) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $10)) OR coalesce(d.locale = $11, 1 = 0))) AND (NOT (coalesce(instr(d.locale, $12) = 0, 1 = 0)))) OR coalesce(d."user" > $13, 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((NOT 1 = 0) OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5))) OR NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($6, $7, $8, $9)) OR coalesce(d."user" > $10, 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.id >= $2 AND d.id < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND v."user" = $10 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.refused >= $2 AND d.refused < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND d.state = 6 AND v."user" = $10 ORDER BY d.refused LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((d.kind IN ($5, $6, $7, $8, $9)) OR (coalesce(d."user" > $10, 1 = 0) OR (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $11 AND $12, 1 = 0)) OR 1 = 1))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (d.kind IN ($5, $6, $7, $8, $9) OR ((NOT (coalesce(instr(d.locale, $10) = 0, 1 = 0))) OR (1 = 0) OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $11) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint,text,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((d.kind IN ($5, $6, $7, $8, $9) AND NOT EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $10) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $11) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12))))) AND (NOT 1 = 0) AND ((NOT (coalesce(d.locale <> $13, 1 = 0) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $14 AND $15, 1 = 0) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $16 AND $17, 1 = 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((1 = 0) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) OR (NOT ((NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $8) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $9)) AND coalesce(instr(d.locale, $10) = 0, 1 = 0)) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $11 AND a.value >= $12)) OR 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,text,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,text,text,text,text,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT (d.kind IN ($5, $6, $7, $8, $9) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $10 AND a.id = $11) OR (1 = 0 AND NOT 1 = 0))) OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($14, $15, $16, $17)) AND NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $12 AND a.value = $13)) OR d.kind <> $18 OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $19 AND a.id <> $20)) OR (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $21 AND a.id <> $22) AND d.kind IN ($23, $24, $25, $26, $27) AND d.kind <> $28))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((1 = 0 AND (NOT (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5)))) AND d.kind <> $6 AND (NOT ((d.kind <> $7 OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $8 AND a.value = $9) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $10 AND a.value = $11)) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $12 AND a.value = $13) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $14 AND a.value = $15)))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (((NOT (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5))) OR d.kind <> $6 OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $7 AND $8, 1 = 0)) OR NOT EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $9))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,text,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) AND 1 = 0 AND (1 = 0 OR d.kind <> $7 OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($12, $13, $14, $15)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($16, $17, $18, $19))) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $8 AND instr(a.value, $9) > 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $10 AND instr(a.value, $11) > 0))))) OR (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $20 AND a.id = $21) AND (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $22) OR coalesce(instr(d.locale, $23) = 0, 1 = 0) OR 1 = 0)) OR (NOT 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,text,bigint,bigint,text,text,text,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((1 = 0 OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6))) OR (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7) AND NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8)))) OR ((coalesce(d."user" > $9, 1 = 0))) OR (((1 = 0 AND NOT 1 = 0) AND NOT EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $10)) AND (NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $11) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12)) OR coalesce(d."user" > $13, 1 = 0) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $14 AND instr(a.id, $15) > 0))) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $16 AND a.value = $17) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $18 AND a.value = $19)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value > $8)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $9))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($9, $10, $11, $12)) AND NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value = $8))) OR ((NOT (coalesce(d."user" > $13, 1 = 0) OR (1 = 0 AND NOT 1 = 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT (1 = 0 OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6)) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value = $8) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $9 AND a.value = $10)) AND d.locale IS NOT NULL))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,jsonb,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (1 = 0 OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) OR ((NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value = $8) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $9 AND a.value = $10)) OR d.kind IN ($11, $12, $13, $14, $15) OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $16 AND a.value BETWEEN $17 AND $18))) OR (coalesce(instr(d.locale, $19) = 0, 1 = 0) AND d.kind IN ($20, $21, $22, $23, $24) AND d.kind IN ($25, $26, $27, $28, $29)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,jsonb,bigint,jsonb,jsonb,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) OR (1 = 1 OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value BETWEEN $8 AND $9) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $10 AND a.value BETWEEN $11 AND $12)) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $13 AND instr(a.id, $14) = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,text,text,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT ((coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) AND EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value < $8)))) OR (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $9 AND instr(a.id, $10) > 0) AND coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $11 AND $12, 1 = 0) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $13 AND a.value = $14) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $15 AND a.value = $16))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (d.kind <> $5 AND coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $6 AND $7, 1 = 0) AND (1 = 0 OR coalesce(d.locale = $8, 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint) AS INSERT INTO pushes(id, app, class, state, open, cursor, targeted, waiting, in_flight, accepted, rejected, expired,
  cancelled, unknown, resent, audience_complete, unknown_policy, created_at, start_at, salt, reserved,
  audience_kinds, audience_position, audience_until, name, number, author)
VALUES ($1, $2, $3, $4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, $5, $6, 0, $7, 0, 0, 0, $8, $9, $10)
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint,bigint) AS UPDATE deliveries SET state = $5, code = $2, at = $3, attempts = $6, not_before = $7,
  provider_id = CASE WHEN device IS NULL AND target IS NULL THEN NULL ELSE $8 END,
  unknowns = unknowns + $9, lane = coalesce($10, lane), variant = coalesce($11, variant), refused = CASE WHEN CAST($5 AS smallint) = 6 THEN id END
WHERE id = $1 AND attempts = $4 - 1 AND state IN (2, 4)
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,text,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((1 = 0 AND (d.kind <> $5 OR d.kind <> $6 OR d.kind <> $7) AND 1 = 0) OR (coalesce(d.locale = $8, 1 = 0) OR (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $9) OR coalesce(d."user" > $10, 1 = 0))) OR (NOT (1 = 0 OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $11) OR 1 = 1)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0)) OR (d.locale IS NOT NULL OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7))) OR ((NOT (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $8 AND instr(a.id, $9) > 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,text,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) OR ((d.kind <> $7 OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $8 AND instr(a.id, $9) = 0)) OR (1 = 0 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $10 AND a.value > $11) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12 AND a.value > $13))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) AND 1 = 0 AND (((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $6 AND a.value <= $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND a.value <= $9))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) OR ((NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $6 AND a.value = $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND a.value = $9)))) OR (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $10)) OR (NOT (NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($11, $12, $13, $14)) OR (1 = 0 AND NOT 1 = 0)))) OR (d.locale IS NOT NULL)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (1 = 0 OR ((NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) AND d.locale IS NOT NULL)) OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($10, $11, $12, $13)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($14, $15, $16, $17))) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $6 AND a.value = $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND a.value = $9)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,text,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((1 = 1 AND (NOT (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $6 AND a.value = $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND a.value = $9)))) AND (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $10 AND $11, 1 = 0) OR coalesce(d.locale <> $12, 1 = 0) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $13) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $14))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (((NOT (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) OR coalesce(d.locale = $7, 1 = 0)))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.id >= $2 AND d.id < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND (d.code IN (SELECT code FROM outcomes WHERE true AND reason = $7) OR ((CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END) = 3 AND coalesce(o.reason, '') = '' AND v.kind << 8 | v.environment IN (1025))) ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.id >= $2 AND d.id < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND (d.code IN (SELECT code FROM outcomes WHERE true AND reason = $7) OR ((CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END) = 3 AND coalesce(o.reason, '') = '' AND v.kind << 8 | v.environment IN (257, 1025))) ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.id >= $2 AND d.id < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND d.code IN (SELECT code FROM outcomes WHERE true AND reason = $7) ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, d.device, v."user", v.kind, d.target, CASE WHEN d.state <> 2 THEN d.state WHEN d.id < p.id + p.cursor THEN 4
  WHEN p.state NOT IN (5, 7) THEN 3
  WHEN p.restored_at IS NOT NULL THEN 9 WHEN p.state = 5 THEN 8
  ELSE 7 END AS s, d.attempts, d.unknowns, o.provider,
  o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
FROM pushes p  JOIN deliveries d  ON d.refused >= $2 AND d.refused < $3
LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
WHERE p.id = $1 AND d.state = 6 AND d.code IN (SELECT code FROM outcomes WHERE true AND reason = $7) ORDER BY d.refused LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint) AS UPDATE schedules SET next_at = $2, next_number = coalesce($3, next_number + 1), made = made + $4,
  missed = missed + $5, last_push = coalesce($6, last_push), problem = $7, ended_at = $8, computed_at = $9
WHERE id = $1
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (d.kind <> $5 AND ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $6 AND instr(a.value, $7) > 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND instr(a.value, $9) > 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT 1 = 0) AND (NOT (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $5 AND $6, 1 = 0) OR (NOT 1 = 0) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $7 AND instr(a.id, $8) = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,text,text,bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((((1 = 0 AND NOT 1 = 0) AND d.kind <> $5) OR (NOT (d.kind <> $6 OR coalesce(d."user" > $7, 1 = 0))) OR (NOT ((1 = 0 AND NOT 1 = 0)))) AND (coalesce(d."user" > $8, 1 = 0) OR (d.kind IN ($9, $10, $11, $12, $13) OR d.locale IS NOT NULL OR coalesce(d.locale <> $14, 1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,bigint,text,text,bigint,jsonb,jsonb,bigint,jsonb,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6)) AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $7 AND a.id <> $8)) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $9 AND a.value BETWEEN $10 AND $11) OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $12 AND a.value > $13)) OR (NOT (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $14 AND instr(a.id, $15) = 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb) AS SELECT count(*), count(*) FILTER (WHERE (d.kind IN (3, 21))) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value < $6) 
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb) AS SELECT count(*), count(*) FILTER (WHERE (d.kind IN (3, 21))) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) 
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT 1 = 0) OR (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value < $6)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value > $6)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value < $6) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb) AS SELECT d.id, d.kind, EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6)
FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,bigint) AS SELECT count(*), count(*) FILTER (WHERE (d.kind IN (3, 21))) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value < $6) AND coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $7 AND $8, 1 = 0)) 
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,bigint) AS SELECT d.id FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value < $6) AND coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $7 AND $8, 1 = 0)) ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value < $6) AND coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $7 AND $8, 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,bigint) AS SELECT d.kind, d.environment, count(*) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value < $6) AND coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $7 AND $8, 1 = 0)) GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR d.kind IN ($7, $8, $9))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($7, $8, $9, $10)) AND NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6)) OR (d.kind <> $11 OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $12) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $13))))) OR (NOT (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $14) OR (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $15) OR d.kind <> $16)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value < $6) OR d.kind IN ($7, $8, $9, $10, $11) OR (NOT ((1 = 0 OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12) OR d.kind IN ($13, $14, $15, $16, $17)))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,jsonb,jsonb,bigint,jsonb,jsonb,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (1 = 0 AND ((NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value > $6) OR d.kind <> $7 OR d.kind IN ($8, $9, $10, $11, $12))) AND (NOT (coalesce(d."user" > $13, 1 = 0) OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $20) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $21)) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $14 AND a.value BETWEEN $15 AND $16) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $17 AND a.value BETWEEN $18 AND $19))))) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $22 AND a.value < $23) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $24 AND a.value < $25))) AND 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,bigint,jsonb,jsonb,bigint,jsonb,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6)) OR (NOT (1 = 0 OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7) OR d.kind <> $8)) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $9 AND $10, 1 = 0)) OR ((1 = 0 OR 1 = 0) AND (NOT (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $11 AND a.value <= $12) OR d.kind <> $13))) OR (1 = 0 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $14 AND a.value BETWEEN $15 AND $16) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $17 AND a.value BETWEEN $18 AND $19)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((1 = 0 OR 1 = 0 OR (d.locale IS NOT NULL)) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value < $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value < $8)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value <= $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value <= $8)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT 1 = 0 OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT ((NOT 1 = 0) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8)))) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $9 AND $10, 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value < $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value < $8)) OR d.kind IN ($9, $10, $11, $12, $13))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value >= $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value >= $8)))) AND d.kind IN ($9, $10, $11, $12, $13)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8)) AND d.kind IN ($9, $10, $11, $12, $13) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $14) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $15))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value >= $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value >= $8)) OR 1 = 0 OR ((NOT (d.kind <> $9 OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($10, $11, $12, $13)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($14, $15, $16, $17))) OR 1 = 0)) AND (coalesce(d."user" > $18, 1 = 0) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $19 AND $20, 1 = 0) OR 1 = 0) AND coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $21 AND $22, 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT (((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($9, $10, $11, $12)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($13, $14, $15, $16))) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8))) OR coalesce(d."user" > $17, 1 = 0) OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $18)))) AND (NOT ((NOT 1 = 0 AND EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $19) AND d.kind <> $20))) AND d.kind IN ($21, $22, $23, $24, $25)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,text,text,text,bigint,text,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((1 = 0 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8))) AND (d.kind IN ($9, $10, $11, $12, $13) AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $14) AND coalesce(d."user" > $15, 1 = 0)) AND (NOT (coalesce(d."user" > $16, 1 = 0) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $17 AND instr(a.value, $18) > 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $19 AND instr(a.value, $20) > 0))))) OR coalesce(d."user" > $21, 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,text,bigint,jsonb,jsonb,bigint,jsonb,jsonb,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value < $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value < $8)) AND EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($9, $10, $11, $12))) AND coalesce(d."user" > $13, 1 = 0) AND ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $20) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $21)) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $14 AND a.value BETWEEN $15 AND $16) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $17 AND a.value BETWEEN $18 AND $19)))) OR (1 = 1 AND (1 = 0 OR coalesce(d."user" > $22, 1 = 0) OR 1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value < $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value < $8)) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $9 AND $10, 1 = 0) OR (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $11 AND instr(a.value, $12) > 0) OR (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $13 AND $14, 1 = 0) AND d.kind IN ($15, $16, $17, $18, $19) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $20 AND a.value <= $21) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $22 AND a.value <= $23)))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,text,bigint,bigint,text,bigint,text,bigint,bigint,jsonb,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8)) OR (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $9 AND $10, 1 = 0)) OR (NOT (coalesce(instr(d.locale, $11) = 0, 1 = 0)))) OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $12) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $13)) OR (NOT ((coalesce(d.locale = $14, 1 = 0) AND (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $17) AND NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $15 AND instr(a.value, $16) > 0))) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $18 AND a.value < $19) OR (NOT (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $20 AND $21, 1 = 0))))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value > $8) OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $9 AND a.value = $10))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,jsonb,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value < $6))) OR (NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value = $8) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $9 AND a.value = $10)) OR d.kind <> $11))) AND NOT 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT (((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8)) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $9 AND a.value = $10) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $11 AND a.value = $12)))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,jsonb,bigint,jsonb) AS SELECT d.id, d.kind, (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value = $8) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $9 AND a.value = $10) OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $11 AND a.value = $12)))
FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,jsonb,jsonb,bigint,text,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT (1 = 0 OR d.locale IS NOT NULL OR (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8))))) OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $9 AND a.value BETWEEN $10 AND $11) OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $12 AND instr(a.value, $13) > 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $14 AND instr(a.value, $15) > 0)) OR 1 = 1)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (1 = 0 OR (NOT 1 = 0) OR (NOT (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8)) OR coalesce(d."user" > $9, 1 = 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,text,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value = $8))) AND (NOT ((1 = 0 AND NOT 1 = 0) OR NOT EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $9)))) AND d.kind <> $10) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,text,bigint,bigint,bigint,bigint,jsonb,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT 1 = 0) AND (((1 = 0 AND NOT 1 = 0) AND 1 = 0 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value <= $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value <= $8))) AND coalesce(d."user" > $9, 1 = 0)) AND (NOT ((NOT (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $10 AND $11, 1 = 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12))) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $13 AND a.value <= $14) OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $15)) OR (1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,text,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value <= $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value <= $8)) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $9 AND instr(a.id, $10) > 0) OR d.kind <> $11)) OR (NOT (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $12 AND $13, 1 = 0) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $14 AND $15, 1 = 0))) OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $16) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $17)) AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $18 AND a.id <> $19)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,text,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value > $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND a.value > $8)) OR (NOT (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $9 AND a.id <> $10))))) AND (NOT (coalesce(d.locale = $11, 1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value BETWEEN $6 AND $7) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,jsonb,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $8) AND NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value BETWEEN $6 AND $7)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,jsonb,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (1 = 1 OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value BETWEEN $6 AND $7) OR d.kind <> $8)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,jsonb,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value BETWEEN $6 AND $7) OR d.kind <> $8 OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $9 AND a.value <= $10) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $11 AND a.value <= $12)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,jsonb,bigint,jsonb,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value BETWEEN $6 AND $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND a.value BETWEEN $9 AND $10)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,jsonb,bigint,jsonb,jsonb,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $11) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12)) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value BETWEEN $6 AND $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND a.value BETWEEN $9 AND $10))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,jsonb,bigint,jsonb,jsonb,bigint,bigint,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT (((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $11) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12)) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value BETWEEN $6 AND $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND a.value BETWEEN $9 AND $10)))))) AND ((NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $13 AND a.value <= $14))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,jsonb,bigint,jsonb,jsonb,bigint,jsonb,bigint,jsonb,bigint,bigint,text,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,text,bigint,text,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT (((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value BETWEEN $6 AND $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND a.value BETWEEN $9 AND $10))) OR 1 = 1 OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $11 AND a.value = $12) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $13 AND a.value = $14)) OR d.kind <> $15))) OR (NOT (((EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $18) AND NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $16 AND instr(a.value, $17) > 0)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $19)) OR (NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $20 AND a.value = $21) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $22 AND a.value = $23)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $24) OR coalesce(instr(d.locale, $25) = 0, 1 = 0))))) OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($30, $31, $32, $33)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($34, $35, $36, $37))) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $26 AND instr(a.value, $27) > 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $28 AND instr(a.value, $29) > 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,jsonb,bigint,jsonb,jsonb,text,bigint,jsonb,bigint,jsonb,bigint,text,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value BETWEEN $6 AND $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND a.value BETWEEN $9 AND $10)) OR coalesce(d.locale = $11, 1 = 0))) AND ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $12 AND a.value = $13) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $14 AND a.value = $15)) AND ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($20, $21, $22, $23)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($24, $25, $26, $27))) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $16 AND instr(a.value, $17) > 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $18 AND instr(a.value, $19) > 0))) AND d.locale IS NOT NULL)) AND (NOT (d.kind IN ($28, $29, $30, $31, $32))) AND (1 = 1 OR (NOT (coalesce(instr(d.locale, $33) = 0, 1 = 0) OR d.kind IN ($34, $35, $36, $37, $38))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,jsonb,jsonb,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT 1 = 0) OR ((NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND a.value BETWEEN $6 AND $7) OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8))) OR (coalesce(d."user" > $9, 1 = 0) AND (1 = 0 AND NOT 1 = 0) AND coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $10 AND $11, 1 = 0)) OR (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12) OR d.kind IN ($13, $14, $15, $16, $17))) OR (coalesce(d."user" > $18, 1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5 AND instr(a.value, $6) > 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5)))) OR NOT EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $6) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $7 AND $8, 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($7, $8, $9, $10)) AND NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND instr(a.value, $6) > 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,text,text,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT (d.locale IS NOT NULL OR (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7) AND NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5 AND instr(a.value, $6) > 0)) OR (1 = 0 AND NOT 1 = 0))) OR NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($8, $9, $10, $11))) AND (NOT (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $12 AND a.id = $13) OR (NOT (d.kind <> $14 OR 1 = 0)))) AND coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $15 AND $16, 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,text,bigint,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT (((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($7, $8, $9, $10)) AND NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND instr(a.value, $6) > 0)) OR coalesce(d.locale = $11, 1 = 0) OR d.kind <> $12) OR (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $13 AND a.value < $14))) OR 1 = 1)) OR 1 = 1) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((d.kind <> $5 OR coalesce(d.locale = $6, 1 = 0) OR (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($10, $11, $12, $13)) AND NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $8 AND instr(a.value, $9) > 0)) OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $14 AND a.value >= $15))) OR (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $16 AND $17, 1 = 0) OR coalesce(d."user" > $18, 1 = 0) OR d.kind <> $19) OR ((NOT (1 = 0 OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $20 AND $21, 1 = 0))) OR (NOT (d.kind IN ($22, $23, $24, $25, $26) OR d.kind IN ($27, $28, $29, $30, $31))) OR (NOT (d.kind <> $32 OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $33 AND $34, 1 = 0)))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,text,text,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT (((EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7) AND NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5 AND instr(a.value, $6) > 0))) OR (NOT (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8))) OR coalesce(instr(d.locale, $9) = 0, 1 = 0))) AND (d.kind IN ($10, $11, $12, $13, $14) AND (NOT 1 = 0) AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $15 AND a.id <> $16)) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $17) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $18))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5) AND coalesce(d."user" > $6, 1 = 0) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value = $8) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $9 AND a.value = $10)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($9, $10, $11, $12)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($13, $14, $15, $16))) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND instr(a.value, $6) > 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND instr(a.value, $8) > 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($9, $10, $11, $12)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($13, $14, $15, $16))) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND instr(a.value, $6) > 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND instr(a.value, $8) > 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (((NOT (d.kind <> $5 OR 1 = 0)) OR (NOT (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $6) OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7) OR NOT 1 = 0)) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $8 AND a.id = $9)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text,bigint,text,text,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $5 AND instr(a.value, $6) > 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7 AND instr(a.value, $8) > 0)) AND (NOT (NOT EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $9) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($12, $13, $14, $15)) AND NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $10 AND instr(a.value, $11) > 0)) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $16 AND $17, 1 = 0))) AND NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($18, $19, $20, $21)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (d.kind <> $5 AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $6 AND a.id <> $7)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,bigint,text,text,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $5 AND instr(a.value, $6) > 0) AND ((EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $7) AND d.kind <> $8 AND NOT EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $9))) AND (NOT 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT (coalesce(d."user" > $5, 1 = 0))) AND (NOT 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT (coalesce(instr(d.locale, $5) = 0, 1 = 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((1 = 0) OR coalesce(d."user" > $5, 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (coalesce(instr(d.locale, $5) = 0, 1 = 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (coalesce(d."user" > $5, 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (coalesce(instr(d.locale, $5) = 0, 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND NOT EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND coalesce(d."user" = $5, 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND coalesce(d."user" > $5, 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND coalesce(d.locale <> $5, 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND coalesce(d.locale = $5, 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND coalesce(instr(d.locale, $5) = 0, 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (coalesce(d."user" > $5, 1 = 0) OR d.kind <> $6)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT (NOT EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5))) OR 1 = 0 OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((coalesce(instr(d.locale, $5) = 0, 1 = 0) AND 1 = 0) OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $6) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (coalesce(d."user" > $5, 1 = 0) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $6 AND $7, 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (coalesce(d.locale = $5, 1 = 0) AND ((d.kind <> $6 OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7))) AND (NOT 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (coalesce(instr(d.locale, $5) = 0, 1 = 0) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $6 AND $7, 1 = 0) OR (1 = 0 AND NOT 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT (coalesce(d.locale <> $5, 1 = 0) OR NOT 1 = 0 OR (NOT (d.kind <> $6 OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8)))))) OR (1 = 1)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (coalesce(instr(d.locale, $5) = 0, 1 = 0) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($6, $7, $8, $9)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($10, $11, $12, $13)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (coalesce(d."user" > $5, 1 = 0) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($6, $7, $8, $9)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($10, $11, $12, $13))) AND (NOT ((1 = 0 AND NOT 1 = 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $14) OR (NOT 1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((coalesce(d."user" > $5, 1 = 0) AND (d.kind IN ($6, $7, $8, $9, $10)) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $11) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12))) AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $13 AND instr(a.id, $14) = 0) AND 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5))) OR d.kind IN ($6, $7, $8, $9, $10) OR (NOT ((NOT (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $11))))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (coalesce(d."user" > $5, 1 = 0) OR 1 = 1 OR ((NOT (1 = 0 OR d.kind IN ($6, $7, $8, $9, $10) OR coalesce(d."user" > $11, 1 = 0))) OR (d.kind <> $12 OR d.kind IN ($13, $14, $15, $16, $17) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $18 AND $19, 1 = 0)) OR NOT 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,text,text,text,text,bigint,jsonb,jsonb,bigint,jsonb,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((coalesce(d."user" > $5, 1 = 0) AND d.kind IN ($6, $7, $8, $9, $10)) OR ((coalesce(d.locale <> $11, 1 = 0) AND coalesce(d.locale = $12, 1 = 0) AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $13 AND instr(a.id, $14) = 0)) OR (NOT (1 = 0 OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $15 AND a.value BETWEEN $16 AND $17) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $18 AND a.value BETWEEN $19 AND $20)))) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $21 AND a.value > $22))) OR ((d.kind IN ($23, $24, $25, $26, $27) OR d.kind IN ($28, $29, $30, $31, $32) OR d.kind <> $33)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,bigint,text,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((coalesce(d."user" > $5, 1 = 0) AND d.kind <> $6 AND coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $7 AND $8, 1 = 0)) OR (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $9) AND coalesce(d.locale = $10, 1 = 0) AND coalesce(d."user" > $11, 1 = 0)) OR 1 = 0) OR (NOT ((NOT (coalesce(d."user" > $12, 1 = 0)))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((coalesce(d.locale <> $5, 1 = 0) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $6 AND $7, 1 = 0) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $8 AND a.value = $9) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $10 AND a.value = $11))) OR (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12) AND 1 = 0))) AND (NOT ((NOT (d.kind <> $13 OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $14 AND $15, 1 = 0) OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $16) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $17)))) OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $18 AND a.value = $19) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $20 AND a.value = $21)) OR coalesce(instr(d.locale, $22) = 0, 1 = 0)) OR (NOT 1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint,jsonb,bigint,jsonb,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((coalesce(d."user" > $5, 1 = 0)) OR 1 = 1 OR (NOT (1 = 0 OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6) OR 1 = 0))) AND ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value = $8) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $9 AND a.value = $10)) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $11 AND $12, 1 = 0)) AND (NOT 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint,text,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT (coalesce(d.locale = $5, 1 = 0) OR (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $6 AND $7, 1 = 0) AND coalesce(instr(d.locale, $8) = 0, 1 = 0) AND NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $9)))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,bigint,text,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (coalesce(d."user" > $5, 1 = 0) OR ((coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $6 AND $7, 1 = 0)) OR (coalesce(d."user" > $8, 1 = 0) OR 1 = 0) OR (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($9, $10, $11, $12)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($13, $14, $15, $16))) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $17 AND instr(a.value, $18) > 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $19 AND instr(a.value, $20) > 0)))) OR ((NOT (NOT EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $21) OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($22, $23, $24, $25)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($26, $27, $28, $29))))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,bigint,text,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((coalesce(d."user" > $5, 1 = 0) OR coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $6 AND $7, 1 = 0) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $8 AND instr(a.id, $9) = 0)) OR (NOT (d.kind IN ($10, $11, $12, $13, $14))))) OR ((NOT (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $15)))) OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $16)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,jsonb) AS SELECT d.id, d.kind, (coalesce(d."user" = $5, 1 = 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6 AND a.value = $7) OR 1 = 0)
FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 ORDER BY d.id LIMIT $4
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,text,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((1 = 1 OR (coalesce(instr(d.locale, $5) = 0, 1 = 0))) OR (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $6 AND a.value < $7) OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($8, $9, $10, $11)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($12, $13, $14, $15))) OR (NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $16 AND a.value <= $17) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $18 AND a.value <= $19)) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $20 AND instr(a.id, $21) = 0) OR coalesce(d."user" > $22, 1 = 0))))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT ((NOT ((1 = 0 AND NOT 1 = 0))) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5) OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $6 AND a.value = $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND a.value = $9))))) OR d.kind <> $10 OR (NOT ((NOT (d.kind IN ($11, $12, $13, $14, $15) OR d.kind IN ($16, $17, $18, $19, $20) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $21 AND a.value = $22) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $23 AND a.value = $24)))))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,jsonb,bigint,jsonb,bigint,bigint,jsonb,bigint,jsonb,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT (1 = 0 OR coalesce(d.locale <> $5, 1 = 0))) OR (((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $6 AND a.value = $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND a.value = $9)) OR 1 = 0 OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $10)) AND ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $11 AND a.value > $12) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $13 AND a.value > $14)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $15))) OR 1 = 1)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,jsonb,bigint,jsonb,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((coalesce(d."user" > $5, 1 = 0)) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $6 AND a.value = $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND a.value = $9)) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $10 AND instr(a.id, $11) > 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,text,bigint,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (((NOT 1 = 0)) OR (NOT (coalesce(d.locale <> $5, 1 = 0))) OR ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($10, $11, $12, $13)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key IN ($14, $15, $16, $17))) AND NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $6 AND instr(a.value, $7) > 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8 AND instr(a.value, $9) > 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,text,text,bigint,jsonb,bigint,jsonb,bigint,bigint,bigint,jsonb,jsonb,bigint,jsonb,jsonb,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5)) AND (NOT (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6 AND instr(a.value, $7) > 0))) AND (NOT (coalesce(instr(d.locale, $8) = 0, 1 = 0) OR (NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $9 AND a.value = $10) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $11 AND a.value = $12)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $13) OR NOT 1 = 0)) OR (EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $14) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $15 AND a.value BETWEEN $16 AND $17) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $18 AND a.value BETWEEN $19 AND $20)) AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $21 AND instr(a.id, $22) > 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,bigint,text,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (coalesce(d.locale = $5, 1 = 0) OR ((EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $6) AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $7 AND a.id = $8) AND 1 = 0) OR (coalesce(d."user" > $9, 1 = 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND instr(a.id, $6) > 0)) OR (NOT (1 = 0 OR 1 = 1))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT (1 = 0)) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND instr(a.id, $6) = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND instr(a.id, $6) > 0) AND 1 = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND instr(a.id, $6) > 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT 1 = 0) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND instr(a.id, $6) > 0))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND a.id <> $6) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND a.id = $6) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND instr(a.id, $6) = 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND instr(a.id, $6) > 0) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND instr(a.id, $6) = 0) OR 1 = 0)) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $7)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((1 = 1 AND (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND instr(a.id, $6) = 0)) AND (NOT 1 = 0)) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8)) AND d.kind <> $9) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((coalesce(instr(d.locale, $5) = 0, 1 = 0)) OR (coalesce(d."user" > $6, 1 = 0)) OR d.kind IN ($7, $8, $9, $10, $11)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb,bigint,jsonb,bigint,jsonb,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (((NOT (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND a.id = $6))) OR (NOT (NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8)) OR d.kind IN ($9, $10, $11, $12, $13) OR 1 = 0))) OR 1 = 0 OR (((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $14 AND a.value = $15) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $16 AND a.value = $17)) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $18 AND a.value = $19) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $20 AND a.value = $21))) AND (NOT 1 = 0) AND (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $22 AND a.value = $23) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $24 AND a.value = $25))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text,bigint,bigint,bigint,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND instr(a.id, $6) > 0))) OR (d.kind IN ($7, $8, $9, $10, $11) OR d.locale IS NOT NULL)) AND ((NOT ((EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $12 AND a.value >= $13) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $14 AND a.value >= $15)) OR 1 = 0)) AND 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text,bigint,bigint,text,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((1 = 0 AND NOT 1 = 0) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND a.id <> $6) OR ((NOT (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $7 AND $8, 1 = 0) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $9))) OR (d.kind IN ($10, $11, $12, $13, $14)) OR (NOT 1 = 0)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text,bigint,jsonb,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT 1 = 0) OR (NOT (coalesce(instr(d.locale, $5) = 0, 1 = 0) OR coalesce(d.locale = $6, 1 = 0) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($9, $10, $11, $12)) AND NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value = $8)))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND ((NOT ((NOT (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND instr(a.id, $6) = 0) OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value > $8) OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($9, $10, $11, $12)))) OR d.kind IN ($13, $14, $15, $16, $17))) OR (1 = 0 AND NOT 1 = 0)) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text,bigint,jsonb,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (((NOT (coalesce(d."user" > $5, 1 = 0) OR coalesce(instr(d.locale, $6) = 0, 1 = 0) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key IN ($9, $10, $11, $12)) AND NOT EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $7 AND a.value = $8)))) AND d.kind IN ($13, $14, $15, $16, $17) AND (NOT (d.kind IN ($18, $19, $20, $21, $22) OR d.kind <> $23 OR d.kind <> $24))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text,text,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,bigint,text,text) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (1 = 1 OR (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5 AND a.id <> $6) OR (NOT (coalesce(d."user" > $7, 1 = 0) OR d.kind <> $8))) OR ((NOT (d.kind IN ($9, $10, $11, $12, $13))) AND (NOT (coalesce(coalesce((SELECT u.last_seen_at FROM users u WHERE u.id = d.owner), d.registered_at) BETWEEN $14 AND $15, 1 = 0) OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $16) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $17)) OR coalesce(instr(d.locale, $18) = 0, 1 = 0))) AND (coalesce(d."user" > $19, 1 = 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text,text,bigint,bigint,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT ((NOT (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $5) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $6 AND instr(a.id, $7) = 0) OR (NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $8) OR NOT EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $9)))) OR NOT (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $10 AND a.value = $11) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $12 AND a.value = $13)))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text,text,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (NOT (1 = 0 OR 1 = 1 OR ((coalesce(d."user" > $5, 1 = 0)) OR (NOT (EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $6 AND a.id <> $7) OR EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $8 AND a.value = $9) OR 1 = 0))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,bigint,text,text,text,bigint,jsonb,bigint,jsonb,bigint,jsonb,bigint,jsonb) AS SELECT d.id, (d.kind IN (3, 21)) FROM devices d 
WHERE d.app = $1 AND d.state = 2 AND d.id > $2 AND d.id <= $3 AND (((NOT (coalesce(d."user" > $5, 1 = 0))) OR ((1 = 0 AND NOT 1 = 0) OR EXISTS (SELECT 1 FROM aliases a WHERE a."user" = d.owner AND a.label = $6 AND instr(a.id, $7) > 0)) OR (1 = 0 OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $8 AND a.value = $9) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $10 AND a.value = $11)) OR (EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $12 AND a.value > $13) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $14 AND a.value > $15))))) ORDER BY d.id
;
PREPARE released(bigint,bigint,bigint,jsonb) AS SELECT d.kind, d.environment, count(*) FROM (
  SELECT * FROM devices  WHERE app = $1 AND state = 2 ORDER BY id DESC LIMIT $2) d
WHERE EXISTS (SELECT 1 FROM device_attributes a WHERE a.device = d.id AND a.key = $3 AND a.value = $4) GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint,bigint,text) AS INSERT INTO deliveries(id, device, state, attempts, unknowns, code, at, target)
VALUES ($1, $2, 2, 0, 0, 2, $3, $4)
;
PREPARE released(bigint,bigint,bigint,text) AS SELECT id, app, state, class, created_at, author FROM pushes  WHERE app = $3 AND name = $4 AND id < $1 ORDER BY id DESC LIMIT $2
;
PREPARE released(bigint,bigint,bigint,text) AS UPDATE outbox SET attempts = attempts + 1, dead = $2, not_before = $3, failure = $4 WHERE id = $1
;
PREPARE released(bigint,bigint,bigint,text,bigint,bigint) AS INSERT INTO deliveries(id, device, state, attempts, unknowns, code, at, target, not_before, lane)
VALUES ($1, $2, 3, 0, 0, 2, $3, $4, $5, $6)
;
PREPARE released(bigint,bigint,bigint,text,bigint,bigint) AS INSERT INTO suppression(app, quiet_from, quiet_to, quiet_zone, cap_pushes, cap_window)
VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT(app) DO UPDATE SET quiet_from = excluded.quiet_from,
  quiet_to = excluded.quiet_to, quiet_zone = excluded.quiet_zone, cap_pushes = excluded.cap_pushes,
  cap_window = excluded.cap_window
;
PREPARE released(bigint,bigint,bigint,text,bigint,bigint) AS UPDATE push_plans SET due_at = $2, local_clock = $3, local_zone = $4, local_day = $5, held_at = NULL, undo = $6
WHERE push = $1
;
PREPARE released(bigint,bigint,bigint,text,bigint,bytea,bytea,bigint) AS UPDATE credentials SET provider = $3, kind = $4, environment = $5, settings = $6, sealed = $7, updated_at = $8
WHERE id = $1 AND app = $2
;
PREPARE released(bigint,bigint,bigint,text,text,text) AS INSERT INTO deliveries(id, device, state, attempts, unknowns, code, at, target)
SELECT given.id, found.id, 2, 0, 0, 2, given.at,
  CASE WHEN found.id IS NULL THEN given.target END
FROM (VALUES (CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS TEXT)))
  AS given(id, at, app, first, last, target)
  LEFT JOIN LATERAL (
    SELECT d.id FROM devices d WHERE d.app = given.app AND d.token >= given.first AND d.token <= given.last LIMIT 1)
  AS found ON 1 = 1
;
PREPARE released(bigint,bigint,bigint[],bigint) AS UPDATE deliveries SET state = 5, code = $4, at = (CAST($3 AS bigint[]))[id - $1 + 1], attempts = 1
WHERE id >= $1 AND id <= $2 AND attempts = 0 AND state IN (2, 4)
;
PREPARE released(bigint,bigint,bigint[],bigint) AS UPDATE deliveries SET state = 5, code = $4, at = (CAST($3 AS bigint[]))[id - $1 + 1], attempts = 1
WHERE id >= $1 AND id <= $2 AND attempts = 0 AND state IN (2, 4) AND (CAST($3 AS bigint[]))[id - $1 + 1] <> 0
;
PREPARE released(bigint,bigint,bigint[],bigint) AS UPDATE deliveries SET state = 5, code = $4, at = (CAST($3 AS bigint[]))[id - $1 + 1], attempts = 1
WHERE id >= $1 AND id <= $2 AND attempts = 0 AND state IN (2, 4) AND (CAST($3 AS bigint[]))[id - $1 + 1] <> 0 RETURNING id
;
PREPARE released(bigint,bigint,bigint[],bigint) AS UPDATE deliveries SET state = 5, code = $4, at = (CAST($3 AS bigint[]))[id - $1 + 1], attempts = 1
WHERE id >= $1 AND id <= $2 AND attempts = 0 AND state IN (2, 4) RETURNING id
;
PREPARE released(bigint,bigint,bigint[],bigint,bigint,bytea,bigint[]) AS UPDATE deliveries SET state = 5, code = $4, at = (CAST($3 AS bigint[]))[id - $1 + 1], attempts = 1, provider_id = CASE WHEN device IS NULL AND target IS NULL THEN NULL ELSE nullif(convert_from(substring(CAST($6 AS bytea) FROM CAST((CAST($7 AS bigint[]))[id - $1 + 1] + 1 AS int)
  FOR CAST((CAST($7 AS bigint[]))[id - $1 + 2] - (CAST($7 AS bigint[]))[id - $1 + 1] AS int)), 'UTF8'), '') END
WHERE id >= $1 AND id <= $2 AND attempts = 0 AND state IN (2, 4)
;
PREPARE released(bigint,bigint,bigint[],bigint,bigint,bytea,bigint[]) AS UPDATE deliveries SET state = 5, code = $4, at = (CAST($3 AS bigint[]))[id - $1 + 1], attempts = 1, provider_id = CASE WHEN device IS NULL AND target IS NULL THEN NULL ELSE nullif(convert_from(substring(CAST($6 AS bytea) FROM CAST((CAST($7 AS bigint[]))[id - $1 + 1] + 1 AS int)
  FOR CAST((CAST($7 AS bigint[]))[id - $1 + 2] - (CAST($7 AS bigint[]))[id - $1 + 1] AS int)), 'UTF8'), '') END
WHERE id >= $1 AND id <= $2 AND attempts = 0 AND state IN (2, 4) AND (CAST($3 AS bigint[]))[id - $1 + 1] <> 0
;
PREPARE released(bigint,bigint,bigint[],bigint,bigint,bytea,bigint[]) AS UPDATE deliveries SET state = 5, code = $4, at = (CAST($3 AS bigint[]))[id - $1 + 1], attempts = 1, provider_id = CASE WHEN device IS NULL AND target IS NULL THEN NULL ELSE nullif(convert_from(substring(CAST($6 AS bytea) FROM CAST((CAST($7 AS bigint[]))[id - $1 + 1] + 1 AS int)
  FOR CAST((CAST($7 AS bigint[]))[id - $1 + 2] - (CAST($7 AS bigint[]))[id - $1 + 1] AS int)), 'UTF8'), '') END
WHERE id >= $1 AND id <= $2 AND attempts = 0 AND state IN (2, 4) AND (CAST($3 AS bigint[]))[id - $1 + 1] <> 0 RETURNING id
;
PREPARE released(bigint,bigint,bigint[],bigint,bigint,bytea,bigint[]) AS UPDATE deliveries SET state = 5, code = $4, at = (CAST($3 AS bigint[]))[id - $1 + 1], attempts = 1, provider_id = CASE WHEN device IS NULL AND target IS NULL THEN NULL ELSE nullif(convert_from(substring(CAST($6 AS bytea) FROM CAST((CAST($7 AS bigint[]))[id - $1 + 1] + 1 AS int)
  FOR CAST((CAST($7 AS bigint[]))[id - $1 + 2] - (CAST($7 AS bigint[]))[id - $1 + 1] AS int)), 'UTF8'), '') END
WHERE id >= $1 AND id <= $2 AND attempts = 0 AND state IN (2, 4) RETURNING id
;
PREPARE released(bigint,bigint,bigint[],bigint,bigint[]) AS UPDATE deliveries SET state = 5, code = $4, at = (CAST($3 AS bigint[]))[id - $1 + 1], attempts = 1, variant = coalesce(nullif((CAST($5 AS bigint[]))[id - $1 + 1], -1), variant)
WHERE id >= $1 AND id <= $2 AND attempts = 0 AND state IN (2, 4) AND (CAST($3 AS bigint[]))[id - $1 + 1] <> 0 RETURNING id
;
PREPARE released(bigint,bigint,bigint[],bigint,bigint[]) AS UPDATE deliveries SET state = 5, code = $4, at = (CAST($3 AS bigint[]))[id - $1 + 1], attempts = 1, variant = coalesce(nullif((CAST($5 AS bigint[]))[id - $1 + 1], -1), variant)
WHERE id >= $1 AND id <= $2 AND attempts = 0 AND state IN (2, 4) RETURNING id
;
PREPARE released(bigint,bigint,bigint[],bigint,bigint[],bytea,bigint[]) AS UPDATE deliveries SET state = 5, code = $4, at = (CAST($3 AS bigint[]))[id - $1 + 1], attempts = 1, variant = coalesce(nullif((CAST($5 AS bigint[]))[id - $1 + 1], -1), variant), provider_id = CASE WHEN device IS NULL AND target IS NULL THEN NULL ELSE nullif(convert_from(substring(CAST($6 AS bytea) FROM CAST((CAST($7 AS bigint[]))[id - $1 + 1] + 1 AS int)
  FOR CAST((CAST($7 AS bigint[]))[id - $1 + 2] - (CAST($7 AS bigint[]))[id - $1 + 1] AS int)), 'UTF8'), '') END
WHERE id >= $1 AND id <= $2 AND attempts = 0 AND state IN (2, 4) AND (CAST($3 AS bigint[]))[id - $1 + 1] <> 0 RETURNING id
;
PREPARE released(bigint,bigint,bigint[],bigint,bigint[],bytea,bigint[]) AS UPDATE deliveries SET state = 5, code = $4, at = (CAST($3 AS bigint[]))[id - $1 + 1], attempts = 1, variant = coalesce(nullif((CAST($5 AS bigint[]))[id - $1 + 1], -1), variant), provider_id = CASE WHEN device IS NULL AND target IS NULL THEN NULL ELSE nullif(convert_from(substring(CAST($6 AS bytea) FROM CAST((CAST($7 AS bigint[]))[id - $1 + 1] + 1 AS int)
  FOR CAST((CAST($7 AS bigint[]))[id - $1 + 2] - (CAST($7 AS bigint[]))[id - $1 + 1] AS int)), 'UTF8'), '') END
WHERE id >= $1 AND id <= $2 AND attempts = 0 AND state IN (2, 4) RETURNING id
;
PREPARE released(bigint,bigint,bytea,bigint) AS INSERT INTO outbox(webhook, push, notices, created_at, attempts, not_before, dead) VALUES ($1, $2, $3, $4, 0, 0, 0)
;
PREPARE released(bigint,bigint,bytea,bigint,bigint,text,text,text,bigint,bigint,text) AS INSERT INTO push_plans(push, app, request, due_at, local_clock, local_zone, "user", key, local_day, undo, maker)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
;
PREPARE released(bigint,bigint,bytea,text) AS INSERT INTO push_plans(push, app, request, maker) VALUES ($1, $2, $3, $4)
;
PREPARE released(bigint,bigint,jsonb) AS DELETE FROM device_attributes WHERE device = $1 AND key = $2 AND value = $3
;
PREPARE released(bigint,bigint,jsonb) AS DELETE FROM user_attributes WHERE "user" = $1 AND key = $2 AND value = $3
;
PREPARE released(bigint,bigint,jsonb) AS INSERT INTO device_attributes(device, key, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
;
PREPARE released(bigint,bigint,jsonb) AS INSERT INTO user_attributes("user", key, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
;
PREPARE released(bigint,bigint,text) AS INSERT INTO outcomes(provider, status, reason) VALUES ($1, $2, $3)
;
PREPARE released(bigint,bigint,text) AS SELECT 1 FROM channels WHERE app = $1 AND environment = $2 AND name = $3
;
PREPARE released(bigint,bigint,text) AS SELECT code FROM outcomes WHERE provider = $1 AND status = $2 AND reason = $3
;
PREPARE released(bigint,bigint,text) AS UPDATE pushes SET class = $2, name = $3 WHERE id = $1
;
PREPARE released(bigint,bigint,text,bigint) AS INSERT INTO attribute_keys(app, level, name, type) VALUES ($1, $2, $3, $4)
;
PREPARE released(bigint,bigint,text,bigint) AS INSERT INTO events(delivery, kind, action, at) VALUES ($1, $2, $3, $4)
;
PREPARE released(bigint,bigint,text,bigint) AS INSERT INTO events(delivery, kind, action, at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING
;
PREPARE released(bigint,bigint,text,bigint) AS INSERT INTO push_events(push, kind, action, count) VALUES ($1, $2, $3, $4)
ON CONFLICT(push, kind, action) DO UPDATE SET count = push_events.count + excluded.count
;
PREPARE released(bigint,bigint,text,bigint) AS INSERT INTO push_variants(push, variant, name, share) VALUES ($1, $2, $3, $4)
;
PREPARE released(bigint,bigint,text,bigint) AS UPDATE devices SET state = $2, state_reason = $3, state_at = $4 WHERE id = $1
;
PREPARE released(bigint,bigint,text,bigint) AS UPDATE webhooks SET queued = queued - $2, succeeded_at = CASE WHEN CAST($3 AS TEXT) IS NULL THEN $4 ELSE succeeded_at END,
  failed_at = CASE WHEN CAST($3 AS TEXT) IS NULL THEN failed_at ELSE $4 END, failure = $3
WHERE id = $1
;
PREPARE released(bigint,bigint,text,bigint,bigint) AS UPDATE devices SET state = $2, state_reason = $3, state_at = $4
WHERE id = $1 AND state = 2 AND (registered_at < $5 OR registered_at - 60000 > $4)
;
PREPARE released(bigint,bigint,text,bigint,bigint,bigint) AS INSERT INTO stops(lane, app, reason, since, refusals, retry_at)
SELECT $1, id, $3, $4, $5, $6 FROM apps WHERE id = $2
ON CONFLICT(lane) DO UPDATE SET app = excluded.app, reason = excluded.reason, since = excluded.since,
  refusals = excluded.refusals, retry_at = excluded.retry_at
;
PREPARE released(bigint,bigint,text,bigint,bigint,bigint,bigint) AS INSERT INTO users(id, app, name, created_at, updated_at, first_seen_at, last_seen_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
;
PREPARE released(bigint,bigint,text,bigint,bytea) AS INSERT INTO imports(app, author, node, started_at, renewed_at, running, progress)
VALUES ($1, $2, $3, $4, $4, 1, $5)
;
PREPARE released(bigint,bigint,text,bigint,bytea,bytea,bigint) AS INSERT INTO credentials(app, provider, kind, environment, settings, sealed, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
;
PREPARE released(bigint,bigint,text,bigint,jsonb) AS SELECT d.kind, d.environment, count(*) FROM (
  SELECT * FROM devices  WHERE app = $1 AND state = 2 ORDER BY id DESC LIMIT $2) d
WHERE (coalesce(d."user" = $3, 1 = 0) OR EXISTS (SELECT 1 FROM user_attributes a WHERE a."user" = d.owner AND a.key = $4 AND a.value = $5) OR 1 = 0) GROUP BY d.kind, d.environment
;
PREPARE released(bigint,bigint,text,bigint,text) AS UPDATE push_plans SET approval = $2, approval_by = $3, approval_decided_at = $4, approval_reason = $5
WHERE push = $1
;
PREPARE released(bigint,bigint,text,bigint,text,text,text,text,bytea,bigint,bigint,bigint) AS INSERT INTO inbox(app, "user", name, type, title, summary, body, url, data, push, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT(app, name) DO NOTHING
RETURNING id, "user", name, type, title, summary, body, url, data, push, created_at, read_at, expires_at
;
PREPARE released(bigint,bigint,text,bytea,bigint,bytea,bigint) AS INSERT INTO idempotency(id, scope, key, fingerprint, push, response, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
;
PREPARE released(bigint,bigint,text,text,bigint,text,bigint) AS INSERT INTO channels(app, environment, bundle, channel, storage, name, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id
;
PREPARE released(bigint,bigint,text,text,text) AS SELECT coalesce(name = $5, 1 = 0) FROM channels WHERE app = $1 AND environment = $2
AND (bundle = $3 AND channel = $4 OR name = $5) LIMIT 1
;
PREPARE released(bigint,bigint,text,text,text,text,text,bigint) AS INSERT INTO audit(at, key, act, target, app, peer, request, account) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
;
PREPARE released(bigint,boolean,bigint) AS UPDATE inbox SET read_at = CASE WHEN $2 THEN coalesce(read_at, $3) END WHERE id = $1 AND expires_at > $3
RETURNING id, "user", name, type, title, summary, body, url, data, push, created_at, read_at, expires_at
;
PREPARE released(bigint,bytea) AS DELETE FROM sessions WHERE account = $1 AND hash <> $2
;
PREPARE released(bigint,bytea) AS INSERT INTO frequency(subject, recent) VALUES ($1, $2)
ON CONFLICT(subject) DO UPDATE SET recent = excluded.recent
;
PREPARE released(bigint,bytea) AS INSERT INTO push_segments(push, filter) VALUES ($1, $2)
;
PREPARE released(bigint,bytea) AS SELECT 1 FROM push_plans WHERE push = $1 AND request = $2
;
PREPARE released(bigint,bytea) AS SELECT l.due_at, l.local_clock, l.local_zone, p.reserved, l.request = $2, l.local_day, l.approval
FROM pushes p JOIN push_plans l ON l.push = p.id WHERE p.id = $1
;
PREPARE released(bigint,bytea) AS UPDATE idempotency SET response = $2
WHERE id = $1 AND push IS NULL AND (response IS NULL OR substr(response, 1, 1) IN ('\x23', '\x24'))
;
PREPARE released(bigint,bytea) AS UPDATE push_contents SET payloads = $2 WHERE push = $1
;
PREPARE released(bigint,bytea) AS UPDATE push_plans SET request = $2 WHERE push = $1
;
PREPARE released(bigint,bytea) AS UPDATE push_segments SET filter = $2 WHERE push = $1
;
PREPARE released(bigint,bytea) AS UPDATE schedules SET request = $2 WHERE id = $1
;
PREPARE released(bigint,bytea) AS UPDATE segments SET definition = $2 WHERE id = $1
;
PREPARE released(bigint,bytea,bigint) AS UPDATE accounts SET invitation = $2, invited_until = $3 WHERE id = $1
;
PREPARE released(bigint,bytea,bigint) AS UPDATE accounts SET password = $2, joined_at = coalesce(joined_at, $3), invitation = NULL, invited_until = NULL
WHERE id = $1
;
PREPARE released(bigint,bytea,bigint,bigint) AS UPDATE imports SET progress = $2, running = $3, renewed_at = $4 WHERE id = $1 AND running = 1
;
PREPARE released(bigint,bytea,bigint,bigint,bigint,bigint) AS INSERT INTO schedules(app, request, next_at, next_number, made, missed, created_at, computed_at, from_at, author)
VALUES ($1, $2, $3, $4, 0, 0, $5, $5, $5, $6)
;
PREPARE released(bigint,bytea,boolean,bigint) AS UPDATE schedules SET request = $2, revision = revision + 1, next_at = CASE WHEN $3 THEN NULL ELSE next_at END,
  ended_at = CASE WHEN $3 THEN coalesce(ended_at, $4) ELSE ended_at END
WHERE id = $1
;
PREPARE released(bigint,bytea,bytea) AS INSERT INTO push_contents(push, message, payloads) VALUES ($1, $2, $3)
;
PREPARE released(bigint,bytea,bytea) AS UPDATE accounts SET password = $2 WHERE id = $1 AND password IS NOT DISTINCT FROM $3
;
PREPARE released(bigint,bytea,bytea) AS UPDATE push_contents SET message = $2, payloads = $3 WHERE push = $1
;
PREPARE released(bigint,bytea,text,bytea,bytea,bigint,bigint,bigint,text,bigint) AS INSERT INTO passkeys(
  account, credential, host, handle, key, counter, is_backup_eligible, is_backed_up, name, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
;
PREPARE released(bigint,jsonb) AS SELECT 1 FROM device_attributes a  JOIN attribute_keys k ON k.id = a.key
WHERE a.device = $1 AND k.name = 'opt_out_categories' AND a.value = $2
;
PREPARE released(bigint,jsonb) AS SELECT 1 FROM user_attributes a  JOIN attribute_keys k ON k.id = a.key
WHERE a."user" = $1 AND k.name = 'opt_out_categories' AND a.value = $2
;
PREPARE released(bigint,text) AS DELETE FROM activities WHERE app = $1 AND "user" = $2
;
PREPARE released(bigint,text) AS DELETE FROM activity_devices WHERE device IN (SELECT id FROM devices WHERE app = $1 AND "user" = $2)
  OR activity IN (SELECT id FROM activities WHERE app = $1 AND "user" = $2)
;
PREPARE released(bigint,text) AS DELETE FROM aliases WHERE "user" = $1 AND label = $2
;
PREPARE released(bigint,text) AS DELETE FROM device_attributes WHERE device IN (SELECT id FROM devices WHERE app = $1 AND "user" = $2)
;
PREPARE released(bigint,text) AS DELETE FROM device_names WHERE device IN (SELECT id FROM devices WHERE app = $1 AND "user" = $2)
;
PREPARE released(bigint,text) AS DELETE FROM devices WHERE app = $1 AND "user" = $2
;
PREPARE released(bigint,text) AS DELETE FROM earlier_tokens WHERE device IN (SELECT id FROM devices WHERE app = $1 AND "user" = $2)
;
PREPARE released(bigint,text) AS DELETE FROM identity_keys WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS DELETE FROM live_pushes WHERE kind = 3 AND owner IN (SELECT id FROM activities WHERE app = $1 AND "user" = $2)
;
PREPARE released(bigint,text) AS DELETE FROM push_plans WHERE app = $1 AND "user" = $2
;
PREPARE released(bigint,text) AS DELETE FROM saved_views WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS SELECT ((CASE WHEN a.password IS NULL THEN 0 ELSE 1 END) + (SELECT count(*) FROM oidc_links l WHERE l.account = a.id AND l.issuer = $2) + (SELECT count(*) FROM passkeys p WHERE p.account = a.id)) FROM accounts a WHERE a.id = $1
;
PREPARE released(bigint,text) AS SELECT 1, id, flags FROM users WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS SELECT 1, id, token, owner, flags, registered_at, state_at, "user", kind FROM devices WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS SELECT count(*) FROM devices WHERE app = $1 AND "user" = $2 AND +state = 2 AND flags & 1 = 0 AND kind NOT IN (3, 21)
;
PREPARE released(bigint,text) AS SELECT count(*) FROM saved_views WHERE app = $1 AND name <> $2
;
PREPARE released(bigint,text) AS SELECT count(*), count(*) FILTER (WHERE action = $2) FROM push_events WHERE push = $1 AND kind = 4
;
PREPARE released(bigint,text) AS SELECT device FROM device_names WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS SELECT id FROM devices WHERE app = $1 AND "user" = $2
;
PREPARE released(bigint,text) AS SELECT id FROM devices WHERE app = $1 AND "user" = $2 ORDER BY id LIMIT 100
;
PREPARE released(bigint,text) AS SELECT id FROM users WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes  WHERE app = $1 AND name = $2
ORDER BY id DESC LIMIT 5
;
PREPARE released(bigint,text) AS SELECT id, app, name, "user", bundle, attributes_type, channel, urgent_per_hour, budget_hour, budget_used, stale_at,
  dismissal_at, created_at, ended_at FROM activities WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS SELECT id, app, name, created_at, updated_at, first_seen_at, last_seen_at FROM users WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS SELECT id, app, name, created_at, updated_at, first_seen_at, last_seen_at FROM users WHERE app = $1 AND name = $2 LIMIT 1
;
PREPARE released(bigint,text) AS SELECT id, app, name, title, definition, created_at, updated_at, author FROM segments WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS SELECT id, app, name, token, kind, environment, "user", locale, timezone, app_version, created_at, registered_at,
state, state_reason, state_at FROM devices WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS SELECT id, flags FROM users WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS SELECT id, flags FROM users WHERE app = $1 AND name = $2 LIMIT 1
;
PREPARE released(bigint,text) AS SELECT id, level, type FROM attribute_keys WHERE app = $1 AND level IN (1, 2) AND name = $2
;
PREPARE released(bigint,text) AS SELECT id, name, token FROM devices WHERE app = $1 AND "user" = $2 ORDER BY id
;
PREPARE released(bigint,text) AS SELECT id, ranges FROM leases WHERE expires_at <= $1 OR node = $2 ORDER BY id
;
PREPARE released(bigint,text) AS SELECT id, token, owner, flags, registered_at, state_at, "user", kind FROM devices WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS SELECT id, token, owner, flags, registered_at, state_at, "user", kind FROM devices WHERE app = $1 AND name = $2 LIMIT 1
;
PREPARE released(bigint,text) AS SELECT max(id) FROM pushes WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS SELECT name, body, created_at, updated_at FROM templates WHERE app = $1 AND name = $2
;
PREPARE released(bigint,text) AS SELECT push FROM push_plans WHERE app = $1 AND "user" = $2 AND due_at IS NOT NULL
;
PREPARE released(bigint,text) AS UPDATE accounts SET name = $2 WHERE id = $1
;
PREPARE released(bigint,text) AS UPDATE compat SET enabled = 0 WHERE app = $1 AND vendor = $2
;
PREPARE released(bigint,text) AS UPDATE devices SET locale = $2 WHERE id = $1
;
PREPARE released(bigint,text) AS UPDATE idempotency SET key = $2 WHERE id = $1
;
PREPARE released(bigint,text) AS UPDATE push_plans SET approval_reason = NULL
WHERE app = $1 AND approval_reason IS NOT NULL AND instr(approval_reason, $2) > 0
;
PREPARE released(bigint,text) AS UPDATE push_plans SET due_at = NULL, held_at = NULL, problem = $2 WHERE push = $1
;
PREPARE released(bigint,text) AS UPDATE push_plans SET maker = $2 WHERE push = $1
;
PREPARE released(bigint,text) AS UPDATE push_plans SET problem = NULL WHERE app = $1 AND problem IS NOT NULL AND instr(problem, $2) > 0
;
PREPARE released(bigint,text) AS UPDATE schedules SET maker = $2 WHERE id = $1
;
PREPARE released(bigint,text) AS UPDATE schedules SET problem = NULL WHERE app = $1 AND problem IS NOT NULL AND instr(problem, $2) > 0
;
PREPARE released(bigint,text,bigint) AS DELETE FROM frequency WHERE subject = $3 OR subject IN (SELECT -id FROM devices WHERE app = $1 AND "user" = $2)
;
PREPARE released(bigint,text,bigint) AS INSERT INTO device_names(app, name, device) VALUES ($1, $2, $3)
ON CONFLICT(app, name) DO UPDATE SET device = excluded.device
;
PREPARE released(bigint,text,bigint) AS INSERT INTO earlier_tokens(device, token, replaced_at) VALUES ($1, $2, $3)
;
PREPARE released(bigint,text,bigint) AS SELECT (SELECT count(*) FROM users WHERE app = $1 AND name = $2)
  + (SELECT count(*) FROM devices WHERE app = $1 AND "user" = $2)
  + (SELECT count(*) FROM user_attributes WHERE "user" = $3)
  + (SELECT count(*) FROM push_plans WHERE app = $1 AND "user" = $2)
  + (SELECT count(*) FROM activities WHERE app = $1 AND "user" = $2)
  + (SELECT count(*) FROM inbox WHERE "user" = $3)
  + (SELECT count(*) FROM aliases WHERE "user" = $3)
;
PREPARE released(bigint,text,bigint) AS SELECT 1 FROM accounts a JOIN grants g ON g.account = a.id
WHERE a.id <> $1 AND ((CASE WHEN a.password IS NULL THEN 0 ELSE 1 END) + (SELECT count(*) FROM oidc_links l WHERE l.account = a.id AND l.issuer = $2) + (SELECT count(*) FROM passkeys p WHERE p.account = a.id)) > 0 AND g.app IS NULL AND g.role = $3 LIMIT 1
;
PREPARE released(bigint,text,bigint) AS SELECT count(*), count(*) FILTER (WHERE read_at IS NULL) FROM inbox
WHERE "user" = (SELECT id FROM users WHERE app = $1 AND name = $2) AND expires_at > $3
;
PREPARE released(bigint,text,bigint) AS SELECT id, "user", name, type, title, summary, body, url, data, push, created_at, read_at, expires_at, (SELECT name FROM users WHERE users.id = inbox."user") FROM inbox
WHERE app = $1 AND name = $2 AND expires_at > $3
;
PREPARE released(bigint,text,bigint) AS SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes 
WHERE app = $1 AND name = $2 ORDER BY id DESC LIMIT $3
;
PREPARE released(bigint,text,bigint) AS SELECT id, at, key, act, target, app, peer, request, account FROM audit
WHERE id < $1 AND app = $2 ORDER BY id DESC LIMIT $3
;
PREPARE released(bigint,text,bigint) AS SELECT id, kind, environment, flags & 1 FROM devices
WHERE app = $1 AND "user" = $2 AND +state = 2 AND (kind NOT IN (3, 21) OR (CAST($3 AS BIGINT) >> CAST(kind AS INTEGER)) & 1 = 1)
ORDER BY id
;
PREPARE released(bigint,text,bigint) AS SELECT kind, environment FROM devices
WHERE app = $1 AND "user" = $2 AND +state = 2 AND (flags & 1 = 0 OR $3 = 1) ORDER BY id
;
PREPARE released(bigint,text,bigint) AS SELECT kind, environment FROM devices WHERE app = $1 AND "user" = $2 AND +state = 2 AND (flags & 1 = 0 OR $3 = 1)
;
PREPARE released(bigint,text,bigint) AS UPDATE devices SET "user" = $2, owner = $3 WHERE id = $1
;
PREPARE released(bigint,text,bigint) AS UPDATE devices SET flags = (flags & 3) | $3 WHERE app = $1 AND "user" = $2
;
PREPARE released(bigint,text,bigint,bigint) AS UPDATE inbox SET read_at = $4
WHERE "user" = (SELECT id FROM users WHERE app = $1 AND name = $2) AND id <= $3 AND read_at IS NULL
  AND expires_at > $4
;
PREPARE released(bigint,text,bigint,bigint) AS WITH mine AS MATERIALIZED (SELECT id, token FROM devices WHERE app = $1 AND "user" = $2)
SELECT id FROM deliveries WHERE id > $3 AND id <= $4 AND (device IN (SELECT id FROM mine)
  OR target IS NOT NULL AND substr(substr(target, instr(target, ' ') + 3), 1, instr(substr(target, instr(target, ' ') + 3) || ' ', ' ') - 1) IN (
    SELECT substr(token, 1, instr(token || ' ', ' ') - 1) FROM mine UNION ALL
    SELECT substr(token, 1, instr(token || ' ', ' ') - 1) FROM earlier_tokens WHERE device IN (SELECT id FROM mine)))
;
PREPARE released(bigint,text,bigint,bigint,bigint,bigint) AS INSERT INTO users(app, name, created_at, updated_at, first_seen_at, last_seen_at) VALUES ($1, $2, $3, $4, $5, $6)
;
PREPARE released(bigint,text,bigint,bigint,boolean,bigint) AS SELECT id, "user", name, type, title, summary, body, url, data, push, created_at, read_at, expires_at FROM inbox
WHERE "user" = (SELECT id FROM users WHERE app = $1 AND name = $2) AND id < $3 AND expires_at > $4
  AND (NOT $5 OR read_at IS NULL) ORDER BY id DESC LIMIT $6
;
PREPARE released(bigint,text,bigint,bigint,bytea,bigint,bigint) AS UPDATE webhooks SET url = coalesce($2, url), metrics = coalesce($3, metrics), enabled = coalesce($4, enabled),
  held_at = CASE WHEN $4 = 1 THEN NULL ELSE held_at END,
  sealed = coalesce($5, sealed), previous = CASE WHEN $5 IS NULL THEN previous ELSE sealed END,
  previous_until = CASE WHEN $5 IS NULL THEN previous_until ELSE $6 END,
  updated_at = $7
WHERE id = $1
;
PREPARE released(bigint,text,bigint,bytea,bigint) AS INSERT INTO identity_keys(app, name, algorithm, material, created_at) VALUES ($1, $2, $3, $4, $5)
;
PREPARE released(bigint,text,bigint,bytea,bigint) AS INSERT INTO webhooks(app, url, metrics, sealed, enabled, queued, dropped, created_at, updated_at)
VALUES ($1, $2, $3, $4, 1, 0, 0, $5, $5)
;
PREPARE released(bigint,text,bigint,text,bigint,bigint) AS INSERT INTO shadow_totals(app, vendor, kind, name, count, latest)
SELECT $1, $2, $3, CAST($4 AS TEXT), $5, $6 WHERE $4 = '(others)'
  OR EXISTS (SELECT 1 FROM shadow_totals WHERE app = $1 AND vendor = $2 AND kind = $3 AND name = $4)
  OR (SELECT count(*) FROM shadow_totals WHERE app = $1 AND vendor = $2 AND kind = $3)
    < 200
ON CONFLICT(app, vendor, kind, name)
  DO UPDATE SET count = shadow_totals.count + excluded.count, latest = max(shadow_totals.latest, excluded.latest)
;
PREPARE released(bigint,text,bytea,bigint) AS INSERT INTO api_keys(app, name, scopes, prefix, hash, created_at, expires_at, rate, account)
SELECT app, name, scopes, $2, $3, $4, own_end, rate, account FROM api_keys WHERE id = $1
;
PREPARE released(bigint,text,bytea,bigint) AS INSERT INTO saved_views(app, name, query, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
ON CONFLICT(app, name) DO UPDATE SET query = excluded.query, updated_at = excluded.updated_at
RETURNING created_at = updated_at
;
PREPARE released(bigint,text,bytea,bigint) AS INSERT INTO templates(app, name, body, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
ON CONFLICT(app, name) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at
RETURNING created_at = updated_at
;
PREPARE released(bigint,text,bytea,bigint) AS UPDATE apps SET title = $2, settings = $3, updated_at = $4 WHERE id = $1
;
PREPARE released(bigint,text,bytea,bigint) AS UPDATE segments SET title = coalesce($2, title), definition = coalesce($3, definition), updated_at = $4
WHERE id = $1
;
PREPARE released(bigint,text,text) AS DELETE FROM aliases WHERE app = $1 AND label = $2 AND id = $3
;
PREPARE released(bigint,text,text) AS DELETE FROM oidc_links WHERE account = $1 OR issuer = $2 AND subject = $3
;
PREPARE released(bigint,text,text) AS SELECT "user" FROM aliases WHERE app = $1 AND label = $2 AND id = $3
;
PREPARE released(bigint,text,text) AS SELECT ((CASE WHEN a.password IS NULL THEN 0 ELSE 1 END) + (SELECT count(*) FROM oidc_links l WHERE l.account = a.id AND l.issuer = $2) + (SELECT count(*) FROM passkeys p WHERE p.account = a.id AND p.host = $3)) FROM accounts a WHERE a.id = $1
;
PREPARE released(bigint,text,text) AS SELECT 1, id, token, owner, flags, registered_at, state_at, "user", kind FROM devices WHERE app = $1 AND token >= $2 AND token <= $3
;
PREPARE released(bigint,text,text) AS SELECT id FROM devices WHERE app = $1 AND token >= $2 AND token <= $3
;
PREPARE released(bigint,text,text) AS SELECT id FROM idempotency WHERE scope = $1 AND substr(key, 1, 1) <> $3 AND instr(key, $2) > 0
;
PREPARE released(bigint,text,text) AS SELECT id, CAST(NULL AS text) FROM devices WHERE app = $1 AND token >= $2 AND token <= $3 LIMIT 1
;
PREPARE released(bigint,text,text) AS SELECT id, NULL FROM devices WHERE app = $1 AND token >= $2 AND token <= $3
;
PREPARE released(bigint,text,text) AS SELECT id, app, name, token, kind, environment, "user", locale, timezone, app_version, created_at, registered_at,
state, state_reason, state_at FROM devices WHERE app = $1 AND token >= $2 AND token <= $3
;
PREPARE released(bigint,text,text) AS SELECT id, token, owner, flags, registered_at, state_at, "user", kind FROM devices
WHERE app = $1 AND token >= $2 AND token <= $3
;
PREPARE released(bigint,text,text) AS SELECT id, token, owner, flags, registered_at, state_at, "user", kind FROM devices WHERE app = $1 AND token >= $2 AND token <= $3 LIMIT 1
;
PREPARE released(bigint,text,text) AS SELECT push FROM push_plans WHERE app = $1 AND "user" = $2 AND key = $3 AND key IS NOT NULL AND due_at IS NOT NULL
;
PREPARE released(bigint,text,text) AS SELECT push, app, request, due_at, local_clock, local_zone, "user", key, schedule, problem, held_at, local_day,
  undo, maker, approval, approval_devices, approval_recent, approval_above, approval_asked_at, approval_until, approval_by,
approval_decided_at, approval_reason
FROM push_plans WHERE app = $1 AND "user" = $2 AND key = $3 AND key IS NOT NULL AND due_at IS NOT NULL
;
PREPARE released(bigint,text,text) AS SELECT u.name FROM aliases a JOIN users u ON u.id = a."user" WHERE a.app = $1 AND a.label = $2 AND a.id = $3
;
PREPARE released(bigint,text,text) AS UPDATE pushes SET name = CASE WHEN instr(name, $2) > 0 THEN $3 ELSE name END,
  category = CASE WHEN instr(category, $2) > 0 THEN NULL ELSE category END
WHERE id = $1 AND (instr(name, $2) > 0 OR instr(category, $2) > 0)
;
PREPARE released(bigint,text,text,bigint) AS INSERT INTO aliases(app, label, id, "user") VALUES ($1, $2, $3, $4)
  ON CONFLICT("user", label) DO UPDATE SET id = $3
;
PREPARE released(bigint,text,text,bigint) AS INSERT INTO compat(app, vendor, public_id, enabled, created_at) VALUES ($1, $2, $3, 1, $4)
  ON CONFLICT(app, vendor) DO UPDATE SET enabled = 1
;
PREPARE released(bigint,text,text,bigint) AS INSERT INTO oidc_links(account, issuer, subject, linked_at) VALUES ($1, $2, $3, $4)
;
PREPARE released(bigint,text,text,bigint) AS SELECT push, app, request, due_at, local_clock, local_zone, "user", key, schedule, problem, held_at, local_day,
  undo, maker, approval, approval_devices, approval_recent, approval_above, approval_asked_at, approval_until, approval_by,
approval_decided_at, approval_reason
FROM push_plans WHERE app = $1 AND "user" = $2 AND key > $3 AND key IS NOT NULL AND due_at IS NOT NULL ORDER BY key LIMIT $4
;
PREPARE released(bigint,text,text,bigint,bigint,bigint,bigint,bytea) AS INSERT INTO shadow_requests(app, vendor, operation, at, outcome, vendor_status, targeted, detail)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
;
PREPARE released(bigint,text,text,bigint,bigint,text,bigint,text,text,text,bigint,bigint,bigint,bigint) AS UPDATE devices SET name = coalesce($2, name), token = $3, kind = $4, environment = $5,
  "user" = CASE WHEN $13 = 1 THEN "user" ELSE $6 END, owner = CASE WHEN $13 = 1 THEN owner ELSE $7 END,
  locale = coalesce($8, locale), timezone = coalesce($9, timezone), app_version = coalesce($10, app_version),
  flags = $11, registered_at = coalesce($12, registered_at),
  state_reason = CASE WHEN $14 = 1 THEN NULL ELSE state_reason END,
  state_at = CASE WHEN state = 2 OR $14 = 0 THEN state_at ELSE $12 END,
  state = CASE WHEN $14 = 1 THEN 2 ELSE state END
WHERE id = $1
;
PREPARE released(bigint,text,text,bigint,bigint,text,bigint,text,text,text,bigint,bigint,bigint,bigint,bigint,text) AS INSERT INTO devices(app, name, token, kind, environment, "user", owner, locale, timezone, app_version, flags,
  registered_at, created_at, state, state_at, state_reason)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
;
PREPARE released(bigint,text,text,bigint,bigint,text,bigint,text,text,text,bigint,bigint,bigint,bigint,bigint,text,bigint) AS INSERT INTO devices(id, app, name, token, kind, environment, "user", owner, locale, timezone, app_version, flags,
  registered_at, created_at, state, state_at, state_reason)
VALUES ($17, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
;
PREPARE released(bigint,text,text,bytea,bigint,bigint) AS INSERT INTO segments(app, name, title, definition, created_at, updated_at, author)
VALUES ($1, $2, $3, $4, $5, $5, $6)
;
PREPARE released(bigint,text,text,text,bytea,bigint,bigint,bigint,bigint) AS INSERT INTO api_keys(app, name, scopes, prefix, hash, created_at, expires_at, rate, account)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
;
PREPARE released(bigint,text,text,text,text,bigint,bigint,bigint,bigint,bigint,bigint) AS INSERT INTO activities(app, name, "user", bundle, attributes_type, channel, urgent_per_hour, budget_hour, budget_used,
  last_second, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT(app, name) DO NOTHING RETURNING id
;
PREPARE released(bigint[]) AS SELECT d.id, d.unknowns > 0, coalesce(o.provider = 1 AND o.status = 400 AND o.reason = 'BadDeviceToken', false)
FROM deliveries d LEFT JOIN outcomes o ON o.code = d.code WHERE d.id = ANY(CAST($1 AS bigint[]))
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT "user", owner, locale, timezone, app_version, kind, token FROM devices WHERE id = asked.k1 LIMIT 1) f
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT action FROM push_events WHERE push = asked.k1 AND kind = 4 AND action <> ''
LIMIT 101) f
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT c.message, l.request FROM pushes p
  LEFT JOIN push_contents c ON c.push = p.id LEFT JOIN push_plans l ON l.push = p.id WHERE p.id = asked.k1 LIMIT 1) f
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT d.variant, e.kind, e.action FROM deliveries d LEFT JOIN events e ON e.delivery = d.id WHERE d.id = asked.k1
LIMIT 23) f
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT id, app, class, name, state, targeted, waiting, in_flight, accepted, rejected, expired, cancelled, unknown,
audience_complete, resent, created_at, start_at, expires_at, finished_at, throttle, unknown_policy, salt,
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 2 AND e.action = ''),
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 3 AND e.action = ''),
(SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = 4 AND e.action = ''), repeats, restored_at,
number, author FROM pushes WHERE id = asked.k1 LIMIT 1) f
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes WHERE id <= asked.k1 ORDER BY id DESC LIMIT 1) f
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT id, app, name, token, kind, environment, "user", locale, timezone, app_version, created_at, registered_at,
state, state_reason, state_at FROM devices WHERE id = asked.k1 LIMIT 1) f
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT k.name, k.type, a.value FROM device_attributes a  JOIN attribute_keys k ON k.id = a.key
WHERE a.device = asked.k1 ORDER BY k.name, k.type = 1, a.value) f
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT k.name, k.type, a.value FROM user_attributes a  JOIN attribute_keys k ON k.id = a.key
WHERE a."user" = asked.k1 ORDER BY k.name, k.type = 1, a.value) f
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT kind, action, at FROM events WHERE delivery = asked.k1 ORDER BY kind, action
LIMIT 23) f
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT label, id FROM aliases WHERE "user" = asked.k1 ORDER BY label) f
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT number FROM pushes WHERE id = asked.k1 AND number > 0 LIMIT 1) f
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT p.id, p.app, p.class, p.salt, max(p.start_at, coalesce(p.resumed_at, 0)), p.expires_at, c.payloads,
  p.apns_ids
FROM pushes p JOIN push_contents c ON c.push = p.id WHERE p.id = asked.k1 LIMIT 1) f
;
PREPARE released(bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT state, attempts, at FROM deliveries WHERE id = asked.k1 LIMIT 1) f
;
PREPARE released(bigint[]) AS SELECT finished_at IS NOT NULL, app, class = 2, state, id FROM pushes WHERE id = ANY(CAST($1 AS bigint[]))
;
PREPARE released(bigint[]) AS SELECT id FROM leases WHERE id = ANY(CAST($1 AS bigint[]))
;
PREPARE released(bigint[]) AS SELECT id, device, target FROM deliveries WHERE id = ANY(CAST($1 AS bigint[])) ORDER BY id
;
PREPARE released(bigint[]) AS SELECT kind, action, at, delivery FROM events WHERE delivery = ANY(CAST($1 AS bigint[])) ORDER BY delivery, kind, action
;
PREPARE released(bigint[]) AS SELECT state, unknown_policy, app, restored_at IS NOT NULL, class, id FROM pushes WHERE id = ANY(CAST($1 AS bigint[]))
;
PREPARE released(bigint[]) AS UPDATE deliveries SET state = 4, not_before = NULL
WHERE id = ANY(CAST($1 AS bigint[])) AND state = 3 RETURNING id
;
PREPARE released(bigint[],bigint) AS UPDATE pushes SET cursor = cursor + $2, waiting = waiting - $2, in_flight = in_flight + $2,
  open = CASE WHEN (audience_complete = 0 OR cursor + $2 <> targeted OR EXISTS (
  SELECT 1 FROM deliveries 
  WHERE state = 3 AND not_before IS NOT NULL AND lane = -pushes.id)) THEN 1 ELSE 0 END
WHERE id = ANY(CAST($1 AS bigint[]))
;
PREPARE released(bigint[],bigint,bigint,bigint) AS SELECT id, token, nullif(kind + environment * 256 + state * 65536, 131329), nullif(flags, 0), nullif(moved_number, 0),
  CASE WHEN CAST($4 AS BIGINT) = 1 OR flags <> 0 OR moved_number <> 0 THEN owner END,
  CASE WHEN CAST($3 AS BIGINT) = 1 THEN timezone END
FROM devices WHERE id = ANY(CAST($1 AS bigint[])) ORDER BY id
;
PREPARE released(bigint[],bigint,bigint,bigint[]) AS UPDATE pushes SET in_flight = in_flight - $2, accepted = accepted + $2,
  state = CASE WHEN state IN (3, 4) AND (waiting = 0 AND in_flight - $2 = 0 AND (audience_complete = 1 OR state IN (5, 7)))
    THEN 6 ELSE state END,
  finished_at = CASE WHEN (waiting = 0 AND in_flight - $2 = 0 AND (audience_complete = 1 OR state IN (5, 7)))
    THEN coalesce(finished_at, (CAST($4 AS bigint[]))[id - $3 + 1]) ELSE finished_at END
WHERE id = ANY(CAST($1 AS bigint[]))
;
PREPARE released(bigint[],bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[])) WITH ORDINALITY
  AS asked(k1, k2, ordinal), LATERAL (SELECT 1 FROM devices WHERE app = asked.k1 AND id = asked.k2 LIMIT 1) f
;
PREPARE released(bigint[],bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[])) WITH ORDINALITY
  AS asked(k1, k2, ordinal), LATERAL (SELECT id, "user" FROM devices WHERE app = asked.k1 AND id = asked.k2 LIMIT 1) f
;
PREPARE released(bigint[],bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[])) WITH ORDINALITY
  AS asked(k1, k2, ordinal), LATERAL (SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes WHERE app = asked.k1 AND id = asked.k2 LIMIT 1) f
;
PREPARE released(bigint[],bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[])) WITH ORDINALITY
  AS asked(k1, k2, ordinal), LATERAL (SELECT id, kind, environment, flags & 1 FROM devices WHERE app = asked.k1 AND id = asked.k2 LIMIT 1) f
;
PREPARE released(bigint[],bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[])) WITH ORDINALITY
  AS asked(k1, k2, ordinal), LATERAL (SELECT kind, environment FROM devices WHERE app = asked.k1 AND id = asked.k2 AND state = 2 AND flags & 1 = 0 LIMIT 1) f
;
PREPARE released(bigint[],bigint[],bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[]), CAST($3 AS bigint[])) WITH ORDINALITY
  AS asked(k1, k2, k3, ordinal), LATERAL (SELECT id FROM deliveries WHERE id >= asked.k1 AND id < asked.k2 AND device = asked.k3 ORDER BY id LIMIT 1) f
;
PREPARE released(bigint[],bigint[],bigint[]) AS SELECT p.push, d.device, d.delivery
FROM unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[])) AS p(push, past), LATERAL (
  SELECT device, min(id) AS delivery FROM deliveries
  WHERE id >= p.push AND id < p.past AND device = ANY(CAST($3 AS bigint[])) GROUP BY device) d
;
PREPARE released(bigint[],bigint[],bigint[]) AS WITH RECURSIVE search(ordinal, device, low, high, delivery) AS (
  SELECT a.ordinal, a.device, a.push, a.past, CAST(NULL AS bigint)
  FROM unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[]), CAST($3 AS bigint[])) WITH ORDINALITY
    AS a(push, past, device, ordinal)
  UNION ALL
  SELECT s.ordinal, s.device, CASE WHEN d.device < s.device THEN d.id + 1 ELSE s.low END,
    CASE WHEN d.device < s.device THEN s.high ELSE s.low + (s.high - s.low) / 2 END,
    CASE WHEN d.device = s.device THEN d.id END
  FROM search s LEFT JOIN LATERAL (
    SELECT id, device FROM deliveries
    WHERE id >= s.low + (s.high - s.low) / 2 AND id < s.high AND device IS NOT NULL ORDER BY id LIMIT 1) d ON true
  WHERE s.low < s.high AND s.delivery IS NULL)
SELECT ordinal, delivery FROM search WHERE delivery IS NOT NULL
;
PREPARE released(bigint[],bigint[],bigint[]) AS WITH RECURSIVE search(push, device, low, high, delivery) AS (
  SELECT p.push, v.device, p.push, p.past, CAST(NULL AS bigint)
  FROM unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[])) AS p(push, past),
    unnest(CAST($3 AS bigint[])) AS v(device)
  UNION ALL
  SELECT s.push, s.device, CASE WHEN d.device < s.device THEN d.id + 1 ELSE s.low END,
    CASE WHEN d.device < s.device THEN s.high ELSE s.low + (s.high - s.low) / 2 END,
    CASE WHEN d.device = s.device THEN d.id END
  FROM search s LEFT JOIN LATERAL (
    SELECT id, device FROM deliveries
    WHERE id >= s.low + (s.high - s.low) / 2 AND id < s.high AND device IS NOT NULL ORDER BY id LIMIT 1) d ON true
  WHERE s.low < s.high AND s.delivery IS NULL)
SELECT push, device, delivery FROM search WHERE delivery IS NOT NULL
;
PREPARE released(bigint[],bigint[],bigint[],bigint[],bigint[],bigint[],bigint[],bigint[],bigint[],bigint[],text[]) AS UPDATE deliveries SET state = a.becomes, code = a.answer, at = a.answered_at, attempts = a.tries,
  not_before = nullif(a.due, -1), unknowns = unknowns + a.doubt, lane = coalesce(nullif(a.queue, -1), lane),
  variant = coalesce(nullif(a.part, -1), variant),
  provider_id = CASE WHEN device IS NULL AND target IS NULL THEN NULL ELSE nullif(a.name, '') END, refused = CASE WHEN CAST(a.becomes AS smallint) = 6 THEN id END
FROM unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[]), CAST($3 AS bigint[]), CAST($4 AS bigint[]),
  CAST($5 AS bigint[]), CAST($6 AS bigint[]), CAST($7 AS bigint[]), CAST($8 AS bigint[]), CAST($9 AS bigint[]),
  CAST($10 AS bigint[]), CAST($11 AS text[]))
  AS a(delivery, try, becomes, answer, answered_at, tries, due, doubt, queue, part, name)
WHERE id = ANY(CAST($1 AS bigint[])) AND id = a.delivery AND attempts = a.try - 1
  AND state IN (2, 4)
RETURNING id
;
PREPARE released(bigint[],bigint[],text[],bigint[],bigint[]) AS UPDATE devices SET state = h.becomes, state_reason = h.reason, state_at = h.answered_at
FROM unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[]), CAST($3 AS text[]), CAST($4 AS bigint[]), CAST($5 AS bigint[]))
  AS h(device, becomes, reason, answered_at, since)
WHERE id = ANY(CAST($1 AS bigint[])) AND id = h.device AND state = 2
  AND (registered_at < h.since OR registered_at - 60000 > h.answered_at)
RETURNING id
;
PREPARE released(bigint[],text[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS text[])) WITH ORDINALITY
  AS asked(k1, k2, ordinal), LATERAL (SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes  WHERE app = asked.k1 AND name = asked.k2
ORDER BY id DESC LIMIT 5) f
;
PREPARE released(bigint[],text[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS text[])) WITH ORDINALITY
  AS asked(k1, k2, ordinal), LATERAL (SELECT id, app, name, created_at, updated_at, first_seen_at, last_seen_at FROM users WHERE app = asked.k1 AND name = asked.k2 LIMIT 1) f
;
PREPARE released(bigint[],text[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS text[])) WITH ORDINALITY
  AS asked(k1, k2, ordinal), LATERAL (SELECT id, flags FROM users WHERE app = asked.k1 AND name = asked.k2 LIMIT 1) f
;
PREPARE released(bigint[],text[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS text[])) WITH ORDINALITY
  AS asked(k1, k2, ordinal), LATERAL (SELECT id, token, owner, flags, registered_at, state_at, "user", kind FROM devices WHERE app = asked.k1 AND name = asked.k2 LIMIT 1) f
;
PREPARE released(bigint[],text[],bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS text[]), CAST($3 AS bigint[])) WITH ORDINALITY
  AS asked(k1, k2, k3, ordinal), LATERAL (SELECT id, kind, environment, flags & 1 FROM devices
WHERE app = asked.k1 AND "user" = asked.k2 AND +state = 2 AND (kind NOT IN (3, 21) OR (CAST(asked.k3 AS BIGINT) >> CAST(kind AS INTEGER)) & 1 = 1)
ORDER BY id) f
;
PREPARE released(bigint[],text[],bigint[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS text[]), CAST($3 AS bigint[])) WITH ORDINALITY
  AS asked(k1, k2, k3, ordinal), LATERAL (SELECT kind, environment FROM devices
WHERE app = asked.k1 AND "user" = asked.k2 AND +state = 2 AND (flags & 1 = 0 OR asked.k3 = 1) ORDER BY id) f
;
PREPARE released(bigint[],text[],text[]) AS SELECT f.* FROM
  unnest(CAST($1 AS bigint[]), CAST($2 AS text[]), CAST($3 AS text[])) WITH ORDINALITY AS a(app, text, last, place),
  LATERAL (SELECT a.place, id, flags FROM users WHERE app = a.app AND name = a.text LIMIT 1) f
;
PREPARE released(bigint[],text[],text[]) AS SELECT f.* FROM
  unnest(CAST($1 AS bigint[]), CAST($2 AS text[]), CAST($3 AS text[])) WITH ORDINALITY AS a(app, text, last, place),
  LATERAL (SELECT a.place, id, token, owner, flags, registered_at, state_at, "user", kind FROM devices WHERE app = a.app AND name = a.text LIMIT 1) f
;
PREPARE released(bigint[],text[],text[]) AS SELECT f.* FROM
  unnest(CAST($1 AS bigint[]), CAST($2 AS text[]), CAST($3 AS text[])) WITH ORDINALITY AS a(app, text, last, place),
  LATERAL (SELECT a.place, id, token, owner, flags, registered_at, state_at, "user", kind FROM devices WHERE app = a.app AND token >= a.text AND token <= a.last LIMIT 1) f
;
PREPARE released(bigint[],text[],text[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS text[]), CAST($3 AS text[])) WITH ORDINALITY
  AS asked(k1, k2, k3, ordinal), LATERAL (SELECT id FROM devices WHERE app = asked.k1 AND token >= asked.k2 AND token <= asked.k3 LIMIT 1) f
;
PREPARE released(bigint[],text[],text[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS text[]), CAST($3 AS text[])) WITH ORDINALITY
  AS asked(k1, k2, k3, ordinal), LATERAL (SELECT id, CAST(NULL AS text) FROM devices WHERE app = asked.k1 AND token >= asked.k2 AND token <= asked.k3 LIMIT 1) f
;
PREPARE released(bigint[],text[],text[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS bigint[]), CAST($2 AS text[]), CAST($3 AS text[])) WITH ORDINALITY
  AS asked(k1, k2, k3, ordinal), LATERAL (SELECT id, token, owner, flags, registered_at, state_at, "user", kind FROM devices WHERE app = asked.k1 AND token >= asked.k2 AND token <= asked.k3 LIMIT 1) f
;
PREPARE released(bytea) AS INSERT INTO seal(id, mark) VALUES (1, $1) ON CONFLICT(id) DO UPDATE SET mark = excluded.mark
;
PREPARE released(bytea) AS SELECT 1 FROM passkeys WHERE credential = $1
;
PREPARE released(bytea) AS SELECT coalesce((SELECT version FROM conditions WHERE name = $1),
  (SELECT -version FROM conditions WHERE name = '\x'), 0)
;
PREPARE released(bytea) AS SELECT ends_at FROM used_once WHERE mark = $1
;
PREPARE released(bytea) AS SELECT id, app, name, scopes, prefix, created_at, expires_at, last_used_at, revoked_at, rate, account
FROM api_keys WHERE hash = $1
;
PREPARE released(bytea) AS SELECT id, hash, key, account, started_at, used_at, peer, agent FROM sessions WHERE hash = $1
;
PREPARE released(bytea) AS UPDATE failed_tries SET failures = failures - 1 WHERE subject = $1 AND failures > 0
;
PREPARE released(bytea,bigint) AS INSERT INTO failed_tries(subject, failures, ends_at) VALUES ($1, 1, $2)
ON CONFLICT(subject) DO UPDATE SET failures = failed_tries.failures + 1
;
PREPARE released(bytea,bigint) AS SELECT id FROM accounts WHERE invitation = $1 AND invited_until > $2
;
PREPARE released(bytea,bigint) AS SELECT id FROM sessions WHERE key = $1 OR account = $2 ORDER BY used_at DESC, id DESC
;
PREPARE released(bytea,bigint,bigint) AS INSERT INTO conditions(name, version, at) VALUES ($1, $2, $3)
ON CONFLICT(name) DO UPDATE SET version = excluded.version, at = excluded.at
;
PREPARE released(bytea,bigint,bigint) AS INSERT INTO used_once(mark, kind, ends_at) VALUES ($1, $2, $3)
;
PREPARE released(bytea,bigint,bigint,bigint) AS SELECT ends_at FROM failed_tries WHERE subject = $1 AND failures >= $2 AND ends_at > $3 AND ends_at <= $4
;
PREPARE released(bytea,bytea,bigint,bigint,bigint,text,text) AS INSERT INTO sessions(hash, key, account, started_at, used_at, peer, agent)
VALUES ($1, $2, $3, $4, $5, $6, $7)
;
PREPARE released(text) AS INSERT INTO saved_views(app, name, query, created_at, updated_at) VALUES (1, $1, '\x', 0, 0)
;
PREPARE released(text) AS SELECT id FROM accounts WHERE email = $1
;
PREPARE released(text) AS SELECT id FROM deliveries  WHERE provider_id = $1
;
PREPARE released(text) AS SELECT id FROM deliveries  WHERE provider_id = $1 LIMIT 1
;
PREPARE released(text) AS SELECT id, name, title, settings, created_at, updated_at FROM apps WHERE name = $1
;
PREPARE released(text) AS SELECT node, instance, epoch, expires_at FROM duties WHERE name = $1
;
PREPARE released(text) AS SELECT pg_notify('postrider', $1)
;
PREPARE released(text,bigint) AS DELETE FROM nodes WHERE name = $1 AND instance = $2
;
PREPARE released(text,bigint) AS SELECT id FROM api_keys WHERE app IS NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
  AND ' ' || scopes || ' ' LIKE '% ' || $1 || ' %' LIMIT 2
;
PREPARE released(text,bigint) AS UPDATE duties SET expires_at = 0 WHERE node = $1 AND instance = $2
;
PREPARE released(text,bigint) AS UPDATE leases SET expires_at = $2 WHERE node = $1 AND expires_at < $2
;
PREPARE released(text,bigint) AS UPDATE leases SET expires_at = $2 WHERE node = $1 AND expires_at < $2 AND (id <> 1 OR expires_at <> 1800000010000) AND (id <> 2 OR expires_at <> 1800000011000)
;
PREPARE released(text,bigint,bigint) AS UPDATE duties SET epoch = epoch WHERE name = $1 AND epoch = $2 AND instance = $3
;
PREPARE released(text,bigint,bigint) AS UPDATE duties SET expires_at = 0 WHERE name = $1 AND epoch = $2 AND instance = $3
;
PREPARE released(text,bigint,bigint,bytea) AS INSERT INTO leases(node, expires_at, remaining, ranges) VALUES ($1, $2, $3, $4)
;
PREPARE released(text,text) AS SELECT account FROM oidc_links WHERE issuer = $1 AND subject = $2
;
PREPARE released(text,text,bigint,bigint,bigint) AS INSERT INTO duties(name, node, instance, epoch, expires_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT(name) DO UPDATE SET node = $2, instance = $3, epoch = $4, expires_at = $5
;
PREPARE released(text,text,bigint,bytea,bigint) AS INSERT INTO accounts(email, name, created_at, invitation, invited_until) VALUES ($1, $2, $3, $4, $5)
;
PREPARE released(text,text,bytea,bigint) AS INSERT INTO apps(name, title, settings, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
;
PREPARE released(text[]) AS SELECT f.*, asked.ordinal FROM unnest(CAST($1 AS text[])) WITH ORDINALITY
  AS asked(k1, ordinal), LATERAL (SELECT id FROM deliveries  WHERE provider_id = asked.k1 LIMIT 1) f
;
