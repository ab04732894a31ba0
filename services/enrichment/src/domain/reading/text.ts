import { withoutEmails } from './email-like.ts';

/** What sources write where they know nothing. */
const nothing = new Set([
  '',
  '-',
  '--',
  '—',
  'n/a',
  'na',
  'nan',
  'nil',
  'none',
  'null',
  'undefined',
  '\\n',
  'unknown',
]);

/** Most fields: they need no cleaning. */
const plain = /^[!-~]+(?: [!-~]+)*$/;

const address = /[^\s@<>()[\]:;,"']+@[^\s@<>()[\]:;,"']+\.[\p{L}\p{N}-]{2,}/gu;

/** Characters of a field that are looked at, for each that is kept. */
const charactersRead = 4;

/** Reads a field of one line, without the addresses of people in it; nothing where the source knows nothing. */
export function readText(text: string, charactersMax: number): string | null {
  const isLong = text.length > charactersMax * charactersRead;
  // What is cut through at the end could be half of an address.
  const bounded = isLong ? text.slice(0, charactersMax * charactersRead).replace(/\S{0,100}$/, '') : text;
  return readLine(withoutEmails(bounded), charactersMax);
}

/** Reads a field of one line as it is, for what is understood or refused as a whole. */
export function readLine(text: string, charactersMax: number): string | null {
  // What Postgres cannot keep, and what would break a line of a terminal or a CSV.
  const clean = plain.test(text)
    ? text
    : text
        .toWellFormed()
        .replace(/\p{Cc}+/gu, ' ')
        .replace(/\s+/g, ' ')
        .trim();
  return nothing.has(clean.toLowerCase()) ? null : cut(clean, charactersMax);
}

/** Whether the whole field is an email address, which is kept nowhere. */
export function isEmailAddress(text: string): boolean {
  if (!text.includes('@')) {
    return false;
  }
  const [found] = text.trim().match(address) ?? [];
  return found !== undefined && found.length === text.trim().replace(/^mailto:/i, '').length;
}

/** Reads a list of words that a source separates by semicolons, bars or commas. */
export function readWords(
  text: string | readonly string[],
  limits: { words: number; characters: number },
): string[] {
  // An address can have these signs in it, so it is taken out before it is parted.
  const parts =
    typeof text === 'string'
      ? withoutEmails(text)
          .replace(/^\[|\]$/g, '')
          .split(/[;|,]/)
      : text;
  const words = parts.flatMap(
    part => readText(part.replace(/^["'\s]+|["'\s]+$/g, ''), limits.characters) ?? [],
  );
  return [...new Set(words)].slice(0, limits.words);
}

function cut(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) {
    return text;
  }
  // Not in the middle of a character that takes two units.
  return text
    .slice(0, charactersMax)
    .toWellFormed()
    .replace(/\ufffd$/, '')
    .trimEnd();
}
