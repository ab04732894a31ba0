const whole = new Intl.NumberFormat('en');
const one = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const dayOfUtc = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** `12,345` */
export function formatNumber(value: number): string {
  return whole.format(value);
}

/** `$12,345` */
export function formatDollars(value: number): string {
  return `$${whole.format(value)}`;
}

/** `12.3` */
export function formatRate(value: number): string {
  return one.format(value);
}

/** `12.3%`, from a number between 0 and 1. */
export function formatShare(value: number): string {
  return share.format(value);
}

/** `1 credit`, `12,345 credits` */
export function formatCredits(value: number): string {
  return countOf(value, 'credit');
}

/** `1 row`, `12,345 rows`; pass the plural if it is irregular. */
export function countOf(value: number, noun: string, plural = `${noun}s`): string {
  return `${whole.format(value)} ${value === 1 ? noun : plural}`;
}

/**
 * `Mar 2, 2026`: the day of a time in the local time zone. A date without a time, such as `2026-03-02`, stays the same
 * day everywhere.
 */
export function formatDay(iso: string): string {
  return (iso.includes('T') ? day : dayOfUtc).format(new Date(iso));
}

/** `Mar 2, 2026, 9:30 AM` */
export function formatMoment(iso: string): string {
  return moment.format(new Date(iso));
}

/** `9:30 AM`; on another day than `now`, `Mar 2, 2026, 9:30 AM`. */
export function formatClock(iso: string, now = new Date()): string {
  const time = new Date(iso);
  return (time.toDateString() === now.toDateString() ? clock : moment).format(time);
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

/** The names that browsers report; several claim to be other browsers, so the order matters. */
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
] as const;

const systems = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows NT\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** Whether the browser runs on a phone; chooses the icon. */
export function isTelephone(userAgent: string): boolean {
  return /\biPhone\b|\bAndroid\b.*\bMobile\b/.test(userAgent);
}

/** `Firefox on Windows`, from the user agent string, which is only the browser's own claim. */
export function browserName(userAgent: string): string {
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? (system ? `A program on ${system}` : 'Another program');
}

const tints = 5;

/** The letters of a name's first two words, and a tint that is always the same for the name, from 1 to 5. */
export function monogramOf(name: string): { readonly letters: string; readonly tint: number } {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words
    .slice(0, 2)
    .map(word => String.fromCodePoint(word.codePointAt(0) ?? 0))
    .join('');
  const sum = Array.from(name).reduce((all, character) => all + (character.codePointAt(0) ?? 0), 0);
  return { letters: letters.toLocaleUpperCase('en'), tint: (sum % tints) + 1 };
}
