import { createHmac, timingSafeEqual } from 'node:crypto';
import type { InvitationId, LinkId } from '@mailproof/shared-types';

/** The purpose of a mailed link. */
export type LinkPurpose = 'sign_up' | 'password_reset' | 'email_change' | 'invitation' | 'opt_out';

export type OneTimeLinkId = LinkId | InvitationId;

/** The token of a link: `mp_link_`, the link's id and a signature. Derived each time it is needed. */
export type LinkToken = string & { readonly __linkToken: unique symbol };

const hourMs = 3_600_000;

/** How long a link is valid after its mail is sent, in milliseconds. */
export const linkLifetimeMs: Readonly<Record<LinkPurpose, number>> = {
  password_reset: hourMs,
  sign_up: 24 * hourMs,
  email_change: 24 * hourMs,
  invitation: 24 * hourMs,
  opt_out: 24 * hourMs,
};

const form = /^mp_link_([0-9a-f]{32})([0-9a-f]{64})$/;

/**
 * Signs a link for one purpose. The key is not in the database, so the database alone is not enough to forge a link.
 */
export function signLink(key: Buffer, purpose: LinkPurpose, linkId: OneTimeLinkId): LinkToken {
  const body = linkId.slice(linkId.indexOf('_') + 1);
  return `mp_link_${body}${signatureOf(key, purpose, linkId).toString('hex')}` as LinkToken;
}

/** Returns the id of the link that a token was signed for, if it was signed for this purpose. */
export function verifyLink(key: Buffer, purpose: LinkPurpose, token: string): OneTimeLinkId | undefined {
  const [, body, signature] = form.exec(token) ?? [];
  if (body === undefined || signature === undefined) {
    return undefined;
  }
  const linkId = `${purpose === 'invitation' ? 'invite' : 'link'}_${body}` as OneTimeLinkId;
  return timingSafeEqual(Buffer.from(signature, 'hex'), signatureOf(key, purpose, linkId))
    ? linkId
    : undefined;
}

function signatureOf(key: Buffer, purpose: LinkPurpose, linkId: OneTimeLinkId): Buffer {
  return createHmac('sha256', key).update(`${purpose}:${linkId}`).digest();
}
