-- Up Migration

-- The export whose failed rows this one sends again.
ALTER TABLE export ADD COLUMN failed_rows_of text;
