CREATE TABLE refusals(
  push INTEGER NOT NULL, code INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY(push, code)) WITHOUT ROWID;
INSERT INTO refusals SELECT p.id, d.code, count(*)
  FROM pushes p CROSS JOIN deliveries d INDEXED BY deliveries_refused
    ON d.id >= p.id AND d.id < p.id + p.targeted
  WHERE p.rejected > 0 AND d.state = 6 GROUP BY 1, 2;
