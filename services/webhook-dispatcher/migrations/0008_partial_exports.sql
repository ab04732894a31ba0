-- Up Migration

-- Rows of a running validation job that had no result when the rows of the export were listed.
ALTER TABLE export ADD COLUMN rows_open integer NOT NULL DEFAULT 0 CHECK (rows_open >= 0);
