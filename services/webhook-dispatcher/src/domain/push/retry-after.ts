/** A wait beyond this is no wait that anybody means: most often it is a moment in Unix time, sent as if it were seconds. */
const waitMsMax = 7 * 86_400_000;

/** IMF-fixdate, and the two forms before it that a recipient still has to read (RFC 9110 section 5.6.7). */
const dateForm = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

/**
 * How long a receiver asks us to wait, in milliseconds, from `Retry-After` as seconds or as a date (RFC 9110 section
 * 10.2.3): nothing where the moment has passed, undefined where the header is missing or says nothing that makes sense.
 */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  // Fractions are not in the standard, yet receivers send them.
  const waitMs = /^\d{1,12}(?:\.\d{1,9})?$/.test(text)
    ? Math.ceil(Number(text) * 1_000)
    : dateForm.test(text)
      ? Math.max(0, Date.parse(inUtc(text)) - now.getTime())
      : Number.NaN;
  return waitMs <= waitMsMax ? waitMs : undefined;
}

/** The asctime form names no zone and means UTC. */
function inUtc(text: string): string {
  return /(?:GMT|UTC|Z)$/.test(text) ? text : `${text} GMT`;
}
