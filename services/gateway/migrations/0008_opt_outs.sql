-- Up Migration
-- Written ahead of the first release: no release ran on these tables, and they were empty.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid

-- The link that confirms an opt-out. It names no user, and does not keep the address that its mail goes to.
ALTER TABLE one_time_link
  ADD COLUMN profile_url text CHECK (length(profile_url) BETWEEN 1 AND 2048),
  ALTER COLUMN email DROP NOT NULL,
  DROP CONSTRAINT one_time_link_purpose_check,
  ADD CONSTRAINT one_time_link_purpose_check
    CHECK (purpose IN ('sign_up', 'password_reset', 'email_change', 'invitation', 'opt_out')),
  ADD CHECK (purpose = 'opt_out' OR email IS NOT NULL),
  ADD CHECK (purpose <> 'opt_out' OR (email IS NULL AND profile_url IS NOT NULL));
