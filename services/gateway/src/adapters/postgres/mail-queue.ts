import { inTransaction } from '@mailproof/service-kit';
import type { MailId, UserId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { MailKind, MailQueue, QueuedMail } from '../../domain/users/mail-queue.ts';
import { type LinkPurpose, linkLifetimeMs, type OneTimeLinkId } from '../../domain/users/one-time-link.ts';
import { insertLink } from './queue-mail.ts';

interface MailRow {
  readonly kind: MailKind;
  readonly email: string;
  readonly link_id: OneTimeLinkId | null;
  readonly purpose: LinkPurpose | null;
  readonly account_name: string | null;
  /** The user who has this address, if any. */
  readonly user_id: UserId | null;
  /** That user's spelling of the address. */
  readonly user_email: string | null;
}

const read = `
  SELECT mail.kind, mail.email, link.link_id, link.purpose, account.name AS account_name, app_user.user_id,
    app_user.email AS user_email
  FROM mail
  LEFT JOIN one_time_link link ON link.link_id = mail.link_id AND link.used_at IS NULL
  LEFT JOIN account ON account.account_id = link.account_id
  LEFT JOIN app_user ON lower(app_user.email) = lower(mail.email)
  WHERE mail.mail_id = $1
  FOR UPDATE OF mail`;

/** The kind of mail that is sent instead if the address turns out to be taken by a user. */
const ifTaken: Partial<Record<MailKind, MailKind>> = {
  sign_up: 'already_user',
  email_change: 'address_in_use',
  invitation: 'invitation_not_possible',
};
const notices: ReadonlySet<MailKind> = new Set([
  'address_in_use',
  'email_change_notice',
  'password_changed_notice',
  'invitation_not_possible',
]);

export function createMailQueue(pool: Pool): MailQueue {
  return {
    take: (mailId, now) => inTransaction(pool, client => take(client, mailId, now)),

    async drop(mailId) {
      await pool.query('DELETE FROM mail WHERE mail_id = $1', [mailId]);
    },

    async sweep(now) {
      // By then, every job of these mails has ended, and every link has been expired for a day.
      await pool.query("DELETE FROM mail WHERE created_at < $1::timestamptz - interval '2 days'", [now]);
      await pool.query("DELETE FROM one_time_link WHERE expires_at < $1::timestamptz - interval '1 day'", [
        now,
      ]);
    },
  };
}

async function take(client: PoolClient, mailId: MailId, now: Date): Promise<QueuedMail | undefined> {
  const { rows } = await client.query<MailRow>(read, [mailId]);
  const [row] = rows;
  if (!row) {
    return undefined;
  }
  const kind = (row.user_id !== null && ifTaken[row.kind]) || row.kind;
  const link = await linkOf(client, mailId, { ...row, kind }, now);
  if (!link && !notices.has(kind)) {
    await client.query('DELETE FROM mail WHERE mail_id = $1', [mailId]);
    return undefined;
  }
  return {
    mailId,
    kind,
    // A reset link goes to the address exactly as the user gave it, not to a spelling that a rule treats as equal.
    email: (link?.purpose === 'password_reset' && row.user_email) || row.email,
    ...(link && { link }),
    ...(row.account_name !== null && { accountName: row.account_name }),
  };
}

/** Returns the link of a mail. A password-reset link is created now, because only now is its user known. */
async function linkOf(
  client: PoolClient,
  mailId: MailId,
  { kind, email, link_id: linkId, purpose, user_id: userId }: MailRow,
  now: Date,
): Promise<QueuedMail['link']> {
  if (notices.has(kind)) {
    return undefined;
  }
  if ((kind === 'password_reset' || kind === 'already_user') && purpose !== 'password_reset') {
    if (userId === null) {
      return undefined;
    }
    const made = await insertLink(client, { purpose: 'password_reset', email, userId, now });
    await client.query('UPDATE mail SET link_id = $2, kind = $3 WHERE mail_id = $1', [mailId, made, kind]);
    await client.query('DELETE FROM one_time_link WHERE link_id = $1', [linkId]);
    return { linkId: made, purpose: 'password_reset' };
  }
  if (linkId === null || purpose === null) {
    return undefined;
  }
  await client.query('UPDATE one_time_link SET expires_at = $2 WHERE link_id = $1 AND used_at IS NULL', [
    linkId,
    new Date(now.getTime() + linkLifetimeMs[purpose]),
  ]);
  return { linkId, purpose };
}
