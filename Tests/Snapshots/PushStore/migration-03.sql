CREATE INDEX deliveries_refused ON deliveries(id) WHERE state = 6;
