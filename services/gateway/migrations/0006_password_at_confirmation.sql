-- Up Migration
-- Written ahead of the first release: no release ran on these tables, and they were empty.
-- squawk-ignore-file ban-drop-column, constraint-missing-not-valid

-- The password of an account that is asked for is chosen by whoever follows the link, so none is kept before. Nobody can
-- follow a link of before. No release has had this column.
DELETE FROM one_time_link WHERE purpose = 'sign_up';
ALTER TABLE one_time_link
  DROP COLUMN password_hash,
  ADD CONSTRAINT one_time_link_sign_up CHECK (purpose <> 'sign_up' OR account_name IS NOT NULL);
