-- contract: 48
ALTER TABLE deliveries ALTER COLUMN refused DROP EXPRESSION;
