import { parseEmailAddress } from '@mailproof/shared-types';

/** Where a list keeps its addresses. */
export interface Layout {
  /** From 0. */
  readonly column: number;
  /** As the header calls it; a list may have none. */
  readonly columnName?: string;
}

export type FoundLayout = { readonly layout: Layout } | { readonly fault: string };

/** In the order of preference among equals. A colon comes last, because times of day hold it too. */
const delimiters = [',', ';', '\t', '|', '^', '~', ':'] as const;
/** A character that no list holds, for lists of one column: an address with a stray comma stays whole then. */
export const noDelimiter = '\u001f';
const linesExaminedMax = 50;
/** Lines of free text may break the rule that every line has as many delimiters as the others. */
const regularShareMin = 0.5;

/** What people call the column, in lower case and without anything but letters. */
const columnNames: ReadonlySet<string> = new Set([
  'email',
  'mail',
  'emailaddress',
  'mailaddress',
  'emails',
  'workemail',
  'businessemail',
  'primaryemail',
  'contactemail',
  'recipient',
  'emailadresse',
  'mailadresse',
  'adresseemail',
  'adressemail',
  'courriel',
  'correo',
  'correoelectronico',
  'posta',
  'epost',
]);

/** Finds what parts the columns, by how regularly it occurs and whether it leaves addresses whole. */
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

/** Finds the column by its name or number where it is given, and else by the header and the values. */
export function findLayout(records: readonly (readonly string[])[], wanted?: string): FoundLayout {
  const [first = []] = records;
  if (wanted !== undefined) {
    return findWanted(first, wanted);
  }
  const columns = Array.from(
    { length: Math.max(0, ...records.map(record => record.length)) },
    (_, column) => ({
      column,
      named: columnNames.has(lettersOf(first[column] ?? '')),
      addresses: records.filter(record => isAddressLike(record[column] ?? '')).length,
    }),
  );
  const best = columns
    .filter(({ named, addresses }) => named || addresses > 0)
    .sort(
      (one, other) =>
        Number(other.named && other.addresses > 0) - Number(one.named && one.addresses > 0) ||
        other.addresses - one.addresses,
    )[0];
  if (best === undefined) {
    return { fault: 'No column of the list holds addresses; name one with --column.' };
  }
  const title = first[best.column] ?? '';
  const hasHeader = best.named || (!title.includes('@') && records.length > 1);
  return { layout: { column: best.column, ...(hasHeader && { columnName: title.trim() }) } };
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
    return { fault: `The list has no column "${wanted}". Its first line holds ${titles || 'nothing'}.` };
  }
  return { layout: { column, ...(!title.includes('@') && { columnName: title.trim() }) } };
}

/** A rough look: whether it is an address is said later, by the one parser. */
function isAddressLike(text: string): boolean {
  return parseEmailAddress(text.replace(/^\s*"(.*)"\s*$/, '$1')).ok;
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}

/** How many of the lines agree about the number of fields, where that is more than one. */
function regularShare(counts: readonly number[]): number {
  const sizes = [...Map.groupBy(counts, count => count)].map(([count, lines]) =>
    count > 1 ? lines.length : 0,
  );
  return counts.length === 0 ? 0 : Math.max(...sizes) / counts.length;
}

/** The last line may be cut off, so it counts only where it is the only one. */
function linesOf(head: string): string[] {
  const lines = splitOutsideQuotes(head.replace(/\r\n?/g, '\n'), '\n');
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
  return whole.filter(line => line.trim() !== '');
}

function splitOutsideQuotes(text: string, delimiter: string): string[] {
  const parts: string[] = [];
  let begin = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '"') {
      quoted = !quoted;
    } else if (text[index] === delimiter && !quoted) {
      parts.push(text.slice(begin, index));
      begin = index + 1;
    }
  }
  return [...parts, text.slice(begin)];
}
