-- Up Migration
-- No row matches the index yet: this release is the first one that sets upload_key.
-- squawk-ignore-file require-concurrent-index-creation

-- Of the `Idempotency-Key` of an upload, and of the upload with it, so that a repeated upload finds its job. The previous
-- release sets neither: repeated uploads that it receives make further jobs.
ALTER TABLE validation_job ADD COLUMN upload_key bytea, ADD COLUMN upload_hash bytea;

CREATE UNIQUE INDEX validation_job_upload ON validation_job (account_id, upload_key)
  WHERE upload_key IS NOT NULL AND gone_at IS NULL;
