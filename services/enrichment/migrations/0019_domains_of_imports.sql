-- Up Migration

-- The CRM import that put a domain on a list: an import that starts again counts what it has added before. The previous
-- release neither writes nor reads it.
ALTER TABLE saved_list_domain ADD COLUMN import_id text;
