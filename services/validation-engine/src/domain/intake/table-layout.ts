import { parseEmailAddress } from '@mailproof/shared-types';

/** Where a list has its addresses. */
export interface Layout {
  /** Zero-based. */
  readonly column: number;
  /** The column's name in the header; a list may have none. */
  readonly columnName?: string;
}

export type FoundLayout = { readonly layout: Layout } | { readonly fault: string };

/** In order of preference among equals. The colon comes last, because times of day contain it too. */
const delimiters = [',', ';', '\t', '|', '^', '~', ':'] as const;
/** A character that no list contains, used for lists of one column: an address with a stray comma then stays whole. */
export const noDelimiter = '\u001f';
const linesExaminedMax = 50;
/** The share of lines that must have the same number of delimiters; free text may break the rule in the rest. */
const regularShareMin = 0.5;

/** Common names of the column, reduced to letters by `lettersOf`. */
const columnNames: ReadonlySet<string> = new Set(
  [
    'email',
    'mail',
    'email address',
    'mail address',
    'emails',
    'work email',
    'business email',
    'primary email',
    'contact email',
    'recipient',
    'E-Mail-Adresse',
    'Mailadresse',
    'adresse e-mail',
    'adresse mail',
    'courriel',
    'correo',
    'correo electrónico',
    'dirección de correo electrónico',
    'endereço de e-mail',
    'indirizzo e-mail',
    'posta',
    'posta elettronica',
    'e-post',
    'e-postadress',
    'e-postadresse',
    'e-mailadres',
    'sähköposti',
    'sähköpostiosoite',
    'adres e-mail',
    'e-mailová adresa',
    'e-posta',
    'e-posta adresi',
    'почта',
    'электронная почта',
    'адрес электронной почты',
    'имейл',
    'електронна пошта',
    '邮箱',
    '电子邮件',
    '电子邮箱',
    '電子郵件',
    'メール',
    'メールアドレス',
    '이메일',
    'البريد الإلكتروني',
    'דוא"ל',
  ].map(lettersOf),
);

/** Parts of longer names, such as `E-mail 1 - Value`. */
const nameParts = ['email', 'mail', 'courriel', 'correo', 'почт'].map(lettersOf);

/** Weight of a column's addresses if its name says that it has addresses. */
const namedWeight = 4;
const partlyNamedWeight = 1.5;

/** Finds the delimiter of the columns, by how regularly it occurs and whether it leaves addresses whole. */
export function findDelimiter(head: string): string {
  const lines = linesOf(head).slice(0, linesExaminedMax);
  const wholeLines = lines.filter(isAddressLike).length;
  const candidates = delimiters
    .map(delimiter => {
      const fields = lines.map(line => splitOutsideQuotes(line, delimiter));
      return {
        delimiter,
        share: regularShare(fields.map(parts => parts.length)),
        lines: fields.filter(parts => parts.some(isAddressLike)).length,
      };
    })
    .filter(({ share, lines: found }) => share >= regularShareMin && found >= wholeLines);
  // Sorting is stable, so the order of the delimiters decides among equals.
  candidates.sort((one, other) => other.lines - one.lines || other.share - one.share);
  return candidates[0]?.delimiter ?? noDelimiter;
}

/** Finds the column by its name or number if given, otherwise by the header and the values. */
export function findLayout(records: readonly (readonly string[])[], wanted?: string): FoundLayout {
  const [first = []] = records;
  if (wanted !== undefined) {
    return findWanted(first, wanted);
  }
  const counts = Array.from(
    { length: Math.max(0, ...records.map(record => record.length)) },
    (_, column) => records.filter(record => isAddressLike(record[column] ?? '')).length,
  );
  const column = findAddressColumn(first, counts);
  if (column === undefined) {
    return { fault: 'No column of the list contains addresses; select one with --column.' };
  }
  const title = first[column] ?? '';
  const hasHeader = isColumnName(title) || (!title.includes('@') && records.length > 1);
  return { layout: { column, ...(hasHeader && { columnName: title.trim() }) } };
}

/**
 * Finds the column with the addresses.
 *
 * @param names the column names
 * @param addresses the number of cells in each column that are addresses
 */
export function findAddressColumn(
  names: readonly string[],
  addresses: readonly number[],
): number | undefined {
  const best = addresses
    .map((count, column) => ({ column, score: scoreOf(names[column] ?? '', count) }))
    .filter(({ score }) => score > 0)
    // Sorting is stable, so the first column wins among equals.
    .sort((one, other) => other.score - one.score)[0];
  return best?.column;
}

function scoreOf(name: string, addresses: number): number {
  if (isColumnName(name)) {
    // A name alone is better than nothing.
    return addresses * namedWeight || 0.5;
  }
  const letters = lettersOf(name);
  return addresses * (nameParts.some(part => letters.includes(part)) ? partlyNamedWeight : 1);
}

function isColumnName(title: string): boolean {
  return columnNames.has(lettersOf(title));
}

function findWanted(first: readonly string[], wanted: string): FoundLayout {
  const named = first.findIndex(title => title.trim().toLowerCase() === wanted.trim().toLowerCase());
  if (named !== -1) {
    return { layout: { column: named, columnName: first[named] ?? '' } };
  }
  const column = /^[1-9]\d{0,3}$/.test(wanted) ? Number(wanted) - 1 : -1;
  const title = first[column];
  if (title === undefined) {
    const titles = first.map(name => `"${name.trim()}"`).join(', ');
    return { fault: `The list has no column "${wanted}". Its first line is: ${titles || 'empty'}.` };
  }
  return { layout: { column, ...(!title.includes('@') && { columnName: title.trim() }) } };
}

/** A rough check; the one parser decides later whether it is an address. */
function isAddressLike(text: string): boolean {
  return parseEmailAddress(text.replace(/^\s*"(.*)"\s*$/, '$1')).ok;
}

/** Keeps only the letters of a text, in lower case and without accents. */
function lettersOf(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}]/gu, '');
}

/** The share of lines that agree on the number of fields, if that number is above one. */
function regularShare(counts: readonly number[]): number {
  const sizes = [...Map.groupBy(counts, count => count)].map(([count, lines]) =>
    count > 1 ? lines.length : 0,
  );
  return counts.length === 0 ? 0 : Math.max(...sizes) / counts.length;
}

/** Splits into lines. The last one may be cut off, so it counts only if it is the only line. */
function linesOf(head: string): string[] {
  const lines = splitOutsideQuotes(head.replace(/\r\n?/g, '\n'), '\n');
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
  return whole.filter(line => line.trim() !== '');
}

/**
 * Splits like the parser: a quote opens at the start of a cell and closes at its end; elsewhere it is a plain
 * character.
 */
function splitOutsideQuotes(text: string, delimiter: string): string[] {
  const parts: string[] = [];
  let begin = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (quoted) {
      if (character === '"' && text[index + 1] === '"') {
        index += 1;
      } else if (character === '"' && isEdge(text[index + 1])) {
        quoted = false;
      }
    } else if (character === '"' && isEdge(text[index - 1])) {
      quoted = true;
    } else if (character === delimiter) {
      parts.push(text.slice(begin, index));
      begin = index + 1;
    }
  }
  return [...parts, text.slice(begin)];
}

function isEdge(character: string | undefined): boolean {
  return (
    character === undefined || character === '\n' || (delimiters as readonly string[]).includes(character)
  );
}
