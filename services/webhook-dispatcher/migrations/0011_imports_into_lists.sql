-- Up Migration

-- What an import has added to a list of companies; null in imports into a validation job.
ALTER TABLE crm_import
  ADD COLUMN records_without_domain integer,
  ADD COLUMN domains_added integer,
  ADD COLUMN domains_present integer;
