-- Up Migration
-- Companies that the rows of a file of people described.
ALTER TABLE import_run ADD COLUMN companies_added bigint NOT NULL DEFAULT 0;
ALTER TABLE import_run ADD COLUMN companies_merged bigint NOT NULL DEFAULT 0;
