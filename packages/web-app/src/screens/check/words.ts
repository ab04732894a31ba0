import { countOf, formatRate } from '../../design/format.ts';

/** What stands behind the last @. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}

/** What is going on after so many seconds of waiting. */
export function waitingWords(seconds: number, domain: string): string {
  if (seconds < 4) return `Looking up the mail servers of ${domain}, and asking them.`;
  if (seconds < 12) return 'Still asking. Some mail servers let strangers wait before they answer.';
  return 'This one takes its time. We wait for 25 seconds at most; without an answer by then, it is “unknown” and free.';
}

/** When the mail servers were asked, and how long it took. */
export function askedWords(ageSeconds: number, timeMs: number): string {
  if (ageSeconds > 0) return `${agoWords(ageSeconds)}, and remembered since`;
  return `Just now, in ${timeMs < 1_000 ? `${timeMs} ms` : `${formatRate(timeMs / 1_000)} seconds`}`;
}

/** `3 minutes ago` */
export function agoWords(seconds: number): string {
  if (seconds < 60) return `${countOf(Math.max(1, Math.round(seconds)), 'second')} ago`;
  if (seconds < 3_600) return `${countOf(Math.round(seconds / 60), 'minute')} ago`;
  if (seconds < 86_400) return `${countOf(Math.round(seconds / 3_600), 'hour')} ago`;
  return `${countOf(Math.round(seconds / 86_400), 'day')} ago`;
}

/** An identifier such as `google_workspace`, as one writes it. */
export function nameOf(identifier: string): string {
  return identifier
    .split('_')
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** A reply that never came stands in brackets. */
export function replyWords(reply: string): { readonly text: string; readonly isMissing: boolean } {
  const missing = /^\[([a-z_ ]+)\]$/.exec(reply)?.[1];
  return missing
    ? { text: `no reply: ${missing.replaceAll('_', ' ')}`, isMissing: true }
    : { text: reply, isMissing: false };
}
