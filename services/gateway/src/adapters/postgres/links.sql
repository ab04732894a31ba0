-- One-time links, among them invitations, and the mails that carry them (ADR 0065).

-- name: insert_link(link_id, purpose, email?, user_id?, session_id?, account_id?, role?, account_name?, profile_url?, now, expires_at)
INSERT INTO one_time_link (link_id, purpose, email, user_id, session_id, account_id, role, account_name, profile_url,
  created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- name: find_open_link(link_id, purpose, now)
-- The link of an opt-out has a profile and no address; the others have an address.
SELECT email, profile_url FROM one_time_link
WHERE link_id = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3;

-- name: find_owner_of_link(link_id, purpose)
SELECT user_id, account_id FROM one_time_link WHERE link_id = $1 AND purpose = $2;

-- name: use_link(link_id, purpose, now)
-- Of several concurrent attempts, one succeeds: the others wait for the row lock, and find it used.
UPDATE one_time_link SET used_at = $3
WHERE link_id = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3
RETURNING email, user_id, session_id, role, account_name;

-- name: delete_links(link_ids)
DELETE FROM one_time_link WHERE link_id = ANY($1);

-- name: delete_opt_out(link_id)
DELETE FROM one_time_link WHERE link_id = $1 AND purpose = 'opt_out';

-- name: void_email_changes(user_id)
DELETE FROM one_time_link WHERE user_id = $1 AND purpose = 'email_change';

-- name: void_links(user_id)
DELETE FROM one_time_link WHERE user_id = $1;

-- name: list_invitations(account_id, now)
-- not null: email, role
SELECT link_id, email, role, created_at, expires_at FROM one_time_link
WHERE account_id = $1 AND purpose = 'invitation' AND used_at IS NULL AND expires_at > $2
ORDER BY created_at, link_id;

-- name: withdraw_invitation(account_id, invitation_id)
DELETE FROM one_time_link
WHERE link_id = $2 AND account_id = $1 AND purpose = 'invitation' AND used_at IS NULL;

-- name: insert_mail(mail_id, kind, email, link_id?, now)
INSERT INTO mail (mail_id, kind, email, link_id, created_at) VALUES ($1, $2, $3, $4, $5);

-- name: lock_mail(mail_id)
-- not null: kind, email
-- The user is the one who has this address, with the user's own spelling of it.
SELECT mail.kind, mail.email, link.link_id, link.purpose, account.name AS account_name, app_user.user_id,
  app_user.email AS user_email
FROM mail
LEFT JOIN one_time_link link ON link.link_id = mail.link_id AND link.used_at IS NULL
LEFT JOIN account ON account.account_id = link.account_id
LEFT JOIN app_user ON lower(app_user.email) = lower(mail.email)
WHERE mail.mail_id = $1
FOR UPDATE OF mail;

-- name: set_link_of_mail(mail_id, link_id, kind)
UPDATE mail SET link_id = $2, kind = $3 WHERE mail_id = $1;

-- name: start_lifetime(link_id, expires_at)
UPDATE one_time_link SET expires_at = $2 WHERE link_id = $1 AND used_at IS NULL;

-- name: delete_mail(mail_id)
DELETE FROM mail WHERE mail_id = $1;

-- name: sweep_mails(now)
-- By then, every job of these mails has ended.
DELETE FROM mail WHERE created_at < $1::timestamptz - interval '2 days';

-- name: sweep_links(now)
DELETE FROM one_time_link WHERE expires_at < $1::timestamptz - interval '1 day';
