/** Characters of SOQL's literals that have a sequence of their own ("Quoted String Escape Sequences"). */
const sequences: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

/** A text as a literal of SOQL. Nothing in it can end the literal: both reserved characters are escaped. */
export function quoted(text: string): string {
  return `'${escaped(text)}'`;
}

/** A pattern for LIKE that begins and ends with what it is given, in which the text stands for itself. */
export function quotedPattern(before: '' | '%' | '%://', text: string, after: '' | '%' | '/%'): string {
  return `'${before}${escaped(text).replaceAll(/[%_]/g, '\\$&')}${after}'`;
}

function escaped(text: string): string {
  return text.toWellFormed().replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be escaped.
    /[\\'\u0000-\u001f\u007f]/g,
    character => sequences[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Octets of the address of a query. Salesforce takes 16,384 for the address and all headers together ("Status Codes and
 * Error Responses", 414 and 431), of which an access token can be a good part.
 */
const queryBytesMax = 12_000;

/** Octets that a query takes up in an address, in which URLs write quotes as `%27` too. */
export function encodedLength(soql: string): number {
  return encodeURIComponent(soql).replaceAll("'", '%27').length;
}

export function fitsAddress(soql: string): boolean {
  return encodedLength(soql) <= queryBytesMax;
}

/** Puts pieces together so that each group fits into the address of one query, beside what every query has. */
export function groupsThatFit<Piece>(
  pieces: readonly Piece[],
  common: string,
  lengthOf: (piece: Piece) => number,
): readonly (readonly Piece[])[] {
  const groups: Piece[][] = [];
  let left = 0;
  for (const piece of pieces) {
    const length = lengthOf(piece);
    const group = groups.at(-1);
    if (group === undefined || length > left) {
      groups.push([piece]);
      left = queryBytesMax - encodedLength(common) - length;
    } else {
      group.push(piece);
      left -= length;
    }
  }
  return groups;
}
