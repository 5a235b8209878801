CREATE INDEX outbox_by_push ON outbox(webhook, push, id) WHERE dead = 0;
DROP INDEX outbox_queue;
