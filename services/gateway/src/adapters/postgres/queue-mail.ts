import { traceParent } from '@mailproof/service-kit';
import { newId, sendMailJob } from '@mailproof/shared-types';
import type { PoolClient } from 'pg';
import type { MailKind } from '../../domain/users/mail-queue.ts';
import { type LinkPurpose, linkLifetimeMs, type OneTimeLinkId } from '../../domain/users/one-time-link.ts';

/** Queues a mail within a transaction. */
export async function queueMail(
  client: PoolClient,
  mail: { kind: MailKind; email: string; linkId?: OneTimeLinkId; now: Date },
): Promise<void> {
  const mailId = newId('mail', mail.now.getTime());
  await client.query(
    'INSERT INTO mail (mail_id, kind, email, link_id, created_at) VALUES ($1, $2, $3, $4, $5)',
    [mailId, mail.kind, mail.email, mail.linkId ?? null, mail.now],
  );
  await client.query('INSERT INTO outbox (job_type, payload, trace_parent) VALUES ($1, $2, $3)', [
    sendMailJob.name,
    sendMailJob.payload.parse({ mailId }),
    traceParent(),
  ]);
}

/** The data of a new link. */
export interface NewLink {
  readonly purpose: LinkPurpose;
  /** Null for an opt-out, whose address is deleted once its mail is sent. */
  readonly email: string | null;
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
  await client.query(
    `INSERT INTO one_time_link (link_id, purpose, email, user_id, session_id, account_id, role, account_name,
       profile_url, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      linkId,
      link.purpose,
      link.email,
      link.userId ?? null,
      link.sessionId ?? null,
      link.accountId ?? null,
      link.role ?? null,
      link.accountName ?? null,
      link.profileUrl ?? null,
      link.now,
      new Date(nowMs + linkLifetimeMs[link.purpose]),
    ],
  );
  return linkId;
}
