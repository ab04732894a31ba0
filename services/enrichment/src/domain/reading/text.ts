/** What sources write for unknown values. */
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

/** Matches most fields, which need no cleaning. */
const plain = /^[!-~]+(?: [!-~]+)*$/;

const address = /[^\s@<>()[\]:;,"']+@[^\s@<>()[\]:;,"']+\.[\p{L}\p{N}-]{2,}/gu;

/** The number of characters of a field to examine, per character kept. */
const charactersRead = 4;

/** Reads a single-line field and removes email addresses; returns null if the source has no value. */
export function readText(text: string, charactersMax: number): string | null {
  const isLong = text.length > charactersMax * charactersRead;
  // A word cut off at the end could be part of an address.
  const bounded = isLong ? text.slice(0, charactersMax * charactersRead).replace(/\S{0,100}$/, '') : text;
  return readLine(withoutPhones(withoutEmails(bounded)), charactersMax);
}

/** Reads a single-line field unchanged, for values that are accepted or refused as a whole. */
export function readLine(text: string, charactersMax: number): string | null {
  // Remove what Postgres cannot store, and what would break a line in a terminal or a CSV file.
  const clean = plain.test(text)
    ? text
    : text
        .toWellFormed()
        .replace(/\p{Cc}+/gu, ' ')
        .replace(/\s+/g, ' ')
        .trim();
  return nothing.has(clean.toLowerCase()) ? null : cut(clean, charactersMax);
}

/** More than an email address can have (RFC 5321 section 4.5.3.1), with what can surround it. */
const addressCharactersMax = 400;

/** Whether the whole field is an email address; these are never stored. */
export function isEmailAddress(text: string): boolean {
  if (!text.includes('@')) {
    return false;
  }
  const trimmed = text.trim();
  // The pattern compares each character with all that follow it.
  if (trimmed.length > addressCharactersMax) {
    return false;
  }
  const [found] = trimmed.match(address) ?? [];
  return found !== undefined && found.length === trimmed.replace(/^mailto:/i, '').length;
}

/** Reads a list of words separated by semicolons, vertical bars or commas. */
export function readWords(
  text: string | readonly string[],
  limits: { words: number; characters: number },
): string[] {
  // An address can contain these separators, so remove it before splitting.
  const parts =
    typeof text === 'string'
      ? withoutEmails(text)
          .replace(/^\[|\]$/g, '')
          .split(/[;|,]/)
      : text;
  const words = parts.flatMap(
    part => readText(part.replace(/^["'\s]+|(?<!["'\s])["'\s]+$/g, ''), limits.characters) ?? [],
  );
  return [...new Set(words)].slice(0, limits.words);
}

function cut(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) {
    return text;
  }
  // Do not cut within a surrogate pair.
  return text
    .slice(0, charactersMax)
    .toWellFormed()
    .replace(/\ufffd$/, '')
    .trimEnd();
}

/** Spellings of the at sign, including encodings in pages and URLs, and obfuscations by people. */
const at = String.raw`(?:[@＠﹫]|&#0*64;|&#x0*40;|&commat;|%40|[([{<]\s?(?:at|@)\s?[)\]}>])`;
const dot = String.raw`(?:[.．。｡]|%2e|\s?[([{<]\s?(?:dot|\.)\s?[)\]}>]\s?)`;
const local = String.raw`[\p{L}\p{N}._%+'-]{1,64}`;
const label = String.raw`[\p{L}\p{N}-]+`;

/**
 * Matches anything that could be an email address, including spellings that hide it from programs, from its at sign on;
 * one of the groups has what is before it. The local part is looked for behind each at sign: from each character on, it
 * would take 64 times as long.
 */
const fromAtSign = new RegExp(
  `(?=${at})(?<=(${local}\\s?))${at}\\s?${label}(?:${dot}${label})+|(?=at\\s)(?<=(${local}\\s+))at\\s+${label}(?:\\s+dot\\s+${label})+`,
  'giu',
);

/** Most texts contain none of these; checking for them first is much faster. */
const suspicious = /[@＠﹫]|%40|&#|&commat;|[([{<]\s?at\s?[)\]}>]|\sat\s/i;

/** Invisible characters, which can split an address. */
const invisible = /(?:\ufeff|(?!\s)[\p{Cc}\p{Cf}])+/gu;

/** Removes anything that could be an email address. */
export function withoutEmails(text: string): string {
  if (!suspicious.test(text)) {
    return text;
  }
  const seen = text.replace(invisible, '');
  const clean = replaceEmails(seen, ' ');
  return clean === seen ? text : clean;
}

/**
 * An international number that is no amount of thousands or millions, a number after a word for telephones that is no
 * range of years, or one as North America writes it.
 */
const phones = [
  /(?<![\w+])(?:\+|00(?=[1-9]))(?!\d{1,3}(?:[ .]000)+(?!\d)|\d(?:[ .]\d{3}){2}(?![ ()./-]{0,3}\d))\d{1,3}(?:[ ()./-]{0,3}\d){6,12}(?!\d)/gu,
  /(?<!\p{L})(?:tel(?:ephone|efon)?|phone|fon|mob(?:ile|il)?|cell|fax|whatsapp|call(?: us)?(?: at| on)?)(?!\p{L})[\s.:#]{0,4}\(?(?!(?:19|20)\d\d[ -]{1,3}(?:19|20)\d\d(?!\d))\d(?:[ ()./-]{0,3}\d){5,13}(?!\d)/giu,
  /(?<![\w.-])(?:1[ .-])?(?:\(\d{3}\) ?\d{3}[ .-]|\d{3}-\d{3}-|\d{3}\.\d{3}\.)\d{4}(?![\w-])/gu,
];

/** Removes telephone numbers: people can be reached by them, like by an email address. */
export function withoutPhones(text: string): string {
  return /\d(?:\D{0,3}\d){5}/u.test(text)
    ? phones.reduce((rest, each) => rest.replace(each, ' '), text)
    : text;
}

function replaceEmails(text: string, replacement: string): string {
  let clean = '';
  let end = 0;
  for (const match of text.matchAll(fromAtSign)) {
    const start = match.index - (match[1] ?? match[2] ?? '').length;
    // An address with two at signs is one address.
    if (start >= end) {
      clean += text.slice(end, start) + replacement;
    }
    end = match.index + match[0].length;
  }
  return clean + text.slice(end);
}

/** What an email address is replaced by where a row must still show that it had one. No one can own the domain. */
const maskedEmail = 'address@removed.invalid';

/** Replaces anything that could be an email address, so that the text is refused and cleaned like the original. */
export function maskEmails(text: string): string {
  if (!suspicious.test(text) && !text.includes('%')) {
    return text;
  }
  const seen = text.replace(invisible, '');
  const clean = replaceEmails(seen, maskedEmail);
  if (clean !== seen) {
    return clean;
  }
  return hasEmail(text) ? maskedEmail : text;
}

/** Whether a text, as is or after URL decoding, contains an email address. */
export function hasEmail(text: string): boolean {
  return withoutEmails(text) !== text || withoutEmails(decoded(text)) !== decoded(text);
}

function decoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, octets => {
    try {
      return decodeURIComponent(octets);
    } catch {
      return octets;
    }
  });
}
