import { createHash, timingSafeEqual } from 'node:crypto';
import { limits, type ReportableOutcome } from '@mailproof/shared-types';
import { z } from 'zod';
import {
  type ProviderEvent,
  type ProviderRequest,
  RequestRefused,
} from '../../domain/outcomes/receive-events.ts';

/* What the dialects of all providers share: JSON, times, credentials, and outcomes in the engine's form. */

/** Longer than any valid address, so that the engine still refuses it as too long. */
const emailCharactersMax = 1_000;
const codeCharactersMax = 100;
/** How far a provider's clock may be before ours, in milliseconds. */
const clockSkewMsMax = 300_000;

/** @throws RequestRefused if the text is not JSON of this form */
export function jsonOf<Form extends z.core.$ZodType>(form: Form, text: Buffer | string): z.output<Form> {
  let json: unknown;
  try {
    json = JSON.parse(text.toString());
  } catch (cause) {
    throw new RequestRefused('body_not_readable', { cause });
  }
  const parsed = z.safeParse(form, json);
  if (!parsed.success) {
    throw new RequestRefused('body_not_readable', { cause: parsed.error });
  }
  return parsed.data;
}

/**
 * Reads each event separately: one that does not have the form is ignored without affecting the others.
 *
 * @throws RequestRefused before it reads any if there are more than a source accepts: each takes some microseconds
 */
export function readEach<Form extends z.core.$ZodType>(
  events: readonly unknown[],
  form: Form,
  read: (event: z.output<Form>) => ProviderEvent,
): ProviderEvent[] {
  if (events.length > limits.outcomeEventsMax) {
    throw new RequestRefused('too_many_events');
  }
  return events.map(event => {
    const parsed = z.safeParse(form, event);
    return parsed.success ? read(parsed.data) : { ignored: 'not_readable' };
  });
}

/** What a provider says about mail to one recipient. */
export interface Told {
  readonly email: string;
  /** When it happened. The same outcome at the same time counts once, so that it must not differ between two attempts. */
  readonly at: Date;
  /** Reply code or enhanced code. */
  readonly code?: string | number | null | undefined;
  /** The words of the mail host, never of the provider: its own sentences name many reasons at once. */
  readonly text?: string | null | undefined;
  /** The mail host that said so. */
  readonly host?: string | null | undefined;
  /** True if the provider does not blame the mailbox. */
  readonly isSoft?: boolean;
}

/** An outcome in the engine's form. The engine decides what a bounce means (ADR 0017). */
export function eventOf(
  outcome: ReportableOutcome,
  { email, at, code, text, host, isSoft = false }: Told,
): ProviderEvent {
  // JavaScript writes years from 10000 in another form.
  if (Number.isNaN(at.getTime()) || at.getTime() < 0 || at.getUTCFullYear() > 9_999) {
    return { ignored: 'not_readable' };
  }
  const said = plain(text ?? '');
  const sent = email.slice(0, 2 * emailCharactersMax);
  const about = {
    email: plain(/<([^<>]*)>\s*$/.exec(sent)?.[1] ?? sent)
      .slice(0, emailCharactersMax)
      .toWellFormed(),
    outcome,
    observedAt: at.toISOString(),
  };
  if (outcome !== 'bounced') {
    return about;
  }
  // The host's own enhanced code is more exact than the one that the provider has derived from it.
  const isCoded = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/.test(said);
  const shortCode = plain(String(code ?? ''))
    .slice(0, codeCharactersMax)
    .toWellFormed();
  const remote = host && /^[\w.-]{1,253}$/.test(host) ? `Remote-MTA: dns; ${host}\r\n` : '';
  return {
    ...about,
    ...(shortCode !== '' && !isCoded && { code: shortCode }),
    ...(said !== '' && {
      text: `${remote}Diagnostic-Code: smtp; ${withoutType(said)}`
        .slice(0, limits.bounceTextCharactersMax)
        .toWellFormed(),
    }),
    ...(isSoft && { isSoft }),
  };
}

/** One line without control characters, as a field of a delivery status notification. */
function plain(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** Without the type of a diagnostic code (RFC 3464 section 2.3.6). */
function withoutType(said: string): string {
  return said.replace(/^(?:smtp|x-[\w-]+) ?; ?/i, '');
}

/** @throws RequestRefused if the provider has signed at another time than about now */
export function assertFresh(atMs: number, now: Date): void {
  const ageMs = now.getTime() - atMs;
  // Written so that it refuses NaN.
  if (!(ageMs <= limits.outcomeSignatureAgeMsMax && ageMs >= -clockSkewMsMax)) {
    throw new RequestRefused('signature_expired');
  }
}

/**
 * Checks the credentials of basic authentication (RFC 7617), if the source has any.
 *
 * @throws RequestRefused
 */
export function assertBasicAuth(headers: ProviderRequest['headers'], key: string | null): void {
  if (key === null) {
    return;
  }
  const sent = /^basic +([\w+/=]+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (sent === undefined) {
    throw new RequestRefused('signature_missing');
  }
  if (!isEqual(Buffer.from(sent, 'base64'), Buffer.from(key))) {
    throw new RequestRefused('signature_wrong');
  }
}

/** Compares in a time that depends on neither. */
export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  const hashOf = (octets: Uint8Array) => createHash('sha256').update(octets).digest();
  return timingSafeEqual(hashOf(one), hashOf(other));
}
