import { countOf, formatRate } from '../../design/format.ts';

/** The text after the last @. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}

/** Describes what the check is doing after a number of seconds. */
export function waitingWords(seconds: number, domain: string): string {
  if (seconds < 4) return `Finding and querying the mail servers of ${domain}.`;
  if (seconds < 12) return 'Still checking. Some mail servers respond slowly to unknown senders.';
  return 'This is taking longer than usual. We wait up to 25 seconds; after that, the result is “unknown” and free.';
}

/** Says when the mail servers were queried, and how long it took. */
export function askedWords(ageSeconds: number, timeMs: number): string {
  if (ageSeconds > 0) return `${agoWords(ageSeconds)} (cached)`;
  return `Just now, in ${timeMs < 1_000 ? `${timeMs} ms` : `${formatRate(timeMs / 1_000)} seconds`}`;
}

/** `3 minutes ago`, from a number of seconds. */
export function agoWords(seconds: number): string {
  if (seconds < 60) return `${countOf(Math.max(1, Math.round(seconds)), 'second')} ago`;
  if (seconds < 3_600) return `${countOf(Math.round(seconds / 60), 'minute')} ago`;
  if (seconds < 86_400) return `${countOf(Math.round(seconds / 3_600), 'hour')} ago`;
  return `${countOf(Math.round(seconds / 86_400), 'day')} ago`;
}

/** Parses the reply of a mail server; brackets mark a missing reply. */
export function replyWords(reply: string): { readonly text: string; readonly isMissing: boolean } {
  const missing = /^\[([a-z_ ]+)\]$/.exec(reply)?.[1];
  return missing
    ? { text: `no reply: ${missing.replaceAll('_', ' ')}`, isMissing: true }
    : { text: reply, isMissing: false };
}
