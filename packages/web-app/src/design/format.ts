const whole = new Intl.NumberFormat('en');
const one = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const dayOfUtc = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** `12,345` */
export function formatNumber(value: number): string {
  return whole.format(value);
}

/** `12.3` */
export function formatRate(value: number): string {
  return one.format(value);
}

/** `12.3%`, of a number between 0 and 1. */
export function formatShare(value: number): string {
  return share.format(value);
}

/** `1 credit`, `12,345 credits` */
export function formatCredits(value: number): string {
  return countOf(value, 'credit');
}

/** `1 row`, `12,345 rows`; the plural is given where it is more than an s. */
export function countOf(value: number, noun: string, plural = `${noun}s`): string {
  return `${whole.format(value)} ${value === 1 ? noun : plural}`;
}

/** `Mar 2, 2026`: the day that a moment is on here; what names a day alone, such as `2026-03-02`, is that day everywhere. */
export function formatDay(iso: string): string {
  return (iso.includes('T') ? day : dayOfUtc).format(new Date(iso));
}

/** `Mar 2, 2026, 9:30 AM` */
export function formatMoment(iso: string): string {
  return moment.format(new Date(iso));
}

/** `less than a minute`, `4 minutes`, `2 h 5 min` */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return 'less than a minute';
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return countOf(minutes, 'minute');
  const rest = minutes % 60;
  return `${whole.format(Math.floor(minutes / 60))} h${rest > 0 ? ` ${rest} min` : ''}`;
}

/** `812 B`, `3.4 kB`, `12 MB` */
export function formatOctets(octets: number): string {
  if (octets < 1_000) return `${octets} B`;
  if (octets < 1_000_000) return `${one.format(octets / 1_000)} kB`;
  return `${one.format(octets / 1_000_000)} MB`;
}
