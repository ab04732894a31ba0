-- Notices: events, as the users of their account see them (ADR 0065, ADR 0086).

-- name: lock_account_of_event(account_id)
SELECT FROM account WHERE account_id = $1 FOR KEY SHARE;

-- name: list_recipients(account_id, mailed_after)
-- not null: user_id, mailed
-- Each user of the account, with the number of notices that the user was mailed since then.
SELECT u.user_id, u.notice_settings, (
  SELECT count(*)::int FROM notice n WHERE n.user_id = u.user_id AND n.mail IS NOT NULL AND n.created_at > $2) AS mailed
FROM app_user u WHERE u.account_id = $1 ORDER BY u.user_id FOR KEY SHARE OF u;

-- name: add_notice(user_id, event_id, type, data, happened_at, in_app, mail?, now)
-- An event that is taken over a second time changes nothing.
INSERT INTO notice (user_id, event_id, type, data, happened_at, in_app, mail, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (user_id, event_id) DO NOTHING;

-- name: list_notices(user_id, types, before?, rows_max)
SELECT notice_no, event_id, type, data, happened_at, read_at FROM notice
WHERE user_id = $1 AND in_app AND type = ANY($2) AND notice_no < coalesce($3::bigint, 9223372036854775807)
ORDER BY notice_no DESC LIMIT $4;

-- name: count_unread(user_id, types, rows_max)
-- not null: unread
SELECT count(*)::int AS unread FROM (
  SELECT FROM notice WHERE user_id = $1 AND in_app AND read_at IS NULL AND type = ANY($2) LIMIT $3) few;

-- name: mark_read(user_id, event_id, and_older, now)
-- not null: found
WITH chosen AS (SELECT notice_no FROM notice WHERE user_id = $1 AND event_id = $2 AND in_app),
marked AS (
  UPDATE notice n SET read_at = $4 FROM chosen c
  WHERE n.user_id = $1 AND n.read_at IS NULL AND (n.notice_no = c.notice_no OR ($3 AND n.notice_no < c.notice_no)))
SELECT count(*)::int AS found FROM chosen;

-- name: find_waiting_mail(user_id, event_id)
SELECT u.email, u.notice_settings, n.type, n.data, n.happened_at
FROM notice n JOIN app_user u USING (user_id)
WHERE n.user_id = $1 AND n.event_id = $2 AND n.mail = 'waiting';

-- name: note_mailed(user_id, event_id)
UPDATE notice SET mail = 'sent' WHERE user_id = $1 AND event_id = $2;

-- name: read_notice_settings(user_id)
SELECT notice_settings FROM app_user WHERE user_id = $1;

-- name: write_notice_settings(user_id, settings)
UPDATE app_user SET notice_settings = $2 WHERE user_id = $1;

-- name: stop_notice_mail(user_id, type, channels)
-- `channels` are those of a type whose setting the user has not changed.
UPDATE app_user SET notice_settings = coalesce(notice_settings, '{}') ||
  jsonb_build_object($2::text, coalesce(notice_settings->$2, $3::jsonb) || '{"mail": false}')
WHERE user_id = $1;

-- name: trim_notices(user_id, kept_max)
-- Keeps the newest.
DELETE FROM notice WHERE user_id = $1 AND notice_no <= (
  SELECT notice_no FROM notice WHERE user_id = $1 ORDER BY notice_no DESC OFFSET $2 LIMIT 1);

-- name: sweep_notices(created_before, rows_max)
DELETE FROM notice WHERE notice_no = ANY(ARRAY(
  SELECT notice_no FROM notice WHERE created_at < $1 LIMIT $2));
