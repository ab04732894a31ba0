import { inTransaction, type RowOf, traceParent } from '@mailproof/service-kit';
import { type MailId, newId, sendMailJob, type UserId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { MailKind, MailQueue, QueuedMail } from '../../domain/users/mail-queue.ts';
import { type LinkPurpose, linkLifetimeMs, type OneTimeLinkId } from '../../domain/users/one-time-link.ts';
import { sql as accounts } from './accounts.sql.ts';
import { sql } from './links.sql.ts';

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
      await sql.delete_mail(pool, { mail_id: mailId });
    },

    async sweep(now) {
      await sql.sweep_mails(pool, { now });
      await sql.sweep_links(pool, { now });
    },
  };
}

async function take(client: PoolClient, mailId: MailId, now: Date): Promise<QueuedMail | undefined> {
  const { rows } = await sql.lock_mail(client, { mail_id: mailId });
  const [row] = rows;
  if (!row) {
    return undefined;
  }
  const wanted = row.kind as MailKind;
  const kind = (row.user_id !== null && ifTaken[wanted]) || wanted;
  const link = await linkOf(client, mailId, { ...row, kind }, now);
  if (!link && !notices.has(kind)) {
    await sql.delete_mail(client, { mail_id: mailId });
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
  { kind, email, ...row }: Omit<RowOf<typeof sql.lock_mail>, 'kind'> & { readonly kind: MailKind },
  now: Date,
): Promise<QueuedMail['link']> {
  if (notices.has(kind)) {
    return undefined;
  }
  const [linkId, purpose] = [row.link_id as OneTimeLinkId | null, row.purpose as LinkPurpose | null];
  if ((kind === 'password_reset' || kind === 'already_user') && purpose !== 'password_reset') {
    if (row.user_id === null) {
      return undefined;
    }
    const userId = row.user_id as UserId;
    const made = await insertLink(client, { purpose: 'password_reset', email, userId, now });
    await sql.set_link_of_mail(client, { mail_id: mailId, link_id: made, kind });
    await sql.delete_links(client, { link_ids: [linkId] });
    return { linkId: made, purpose: 'password_reset' };
  }
  if (linkId === null || purpose === null) {
    return undefined;
  }
  const expiresAt = new Date(now.getTime() + linkLifetimeMs[purpose]);
  await sql.start_lifetime(client, { link_id: linkId, expires_at: expiresAt });
  return { linkId, purpose };
}

/** Queues a mail within a transaction. */
export async function queueMail(
  client: PoolClient,
  mail: { kind: MailKind; email: string; linkId?: OneTimeLinkId; now: Date },
): Promise<void> {
  const mailId = newId('mail', mail.now.getTime());
  const row = { mail_id: mailId, kind: mail.kind, email: mail.email, link_id: mail.linkId, now: mail.now };
  await sql.insert_mail(client, row);
  await accounts.queue_job(client, {
    job_type: sendMailJob.name,
    payload: JSON.stringify(sendMailJob.payload.parse({ mailId })),
    trace_parent: traceParent(),
  });
}

/** The data of a new link. */
interface NewLink {
  readonly purpose: LinkPurpose;
  /** Absent for an opt-out, whose address is deleted once its mail is sent. */
  readonly email?: string;
  readonly now: Date;
  readonly userId?: string;
  readonly sessionId?: string;
  readonly accountId?: string;
  readonly role?: string;
  readonly accountName?: string;
  readonly profileUrl?: string;
}

/** Creates a link within a transaction. */
export async function insertLink(client: PoolClient, link: NewLink): Promise<OneTimeLinkId> {
  const nowMs = link.now.getTime();
  const linkId = link.purpose === 'invitation' ? newId('invitation', nowMs) : newId('link', nowMs);
  await sql.insert_link(client, {
    link_id: linkId,
    purpose: link.purpose,
    email: link.email,
    user_id: link.userId,
    session_id: link.sessionId,
    account_id: link.accountId,
    role: link.role,
    account_name: link.accountName,
    profile_url: link.profileUrl,
    now: link.now,
    expires_at: new Date(nowMs + linkLifetimeMs[link.purpose]),
  });
  return linkId;
}
