import { z } from 'zod';
import type { SalesforceSession } from './salesforce-session.ts';

/** Characters with a dedicated escape sequence in SOQL literals ("Quoted String Escape Sequences"). */
const sequences: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

/** Quotes a text as a SOQL literal. The text cannot end the literal, because both reserved characters are escaped. */
export function quoted(text: string): string {
  return `'${escaped(text)}'`;
}

/** A LIKE pattern with the given prefix and suffix, in which the text is literal. */
export function quotedPattern(before: '' | '%' | '%://', text: string, after: '' | '%' | '/%'): string {
  return `'${before}${escaped(text).replaceAll(/[%_]/g, '\\$&')}${after}'`;
}

function escaped(text: string): string {
  return text.toWellFormed().replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters have to be escaped.
    /[\\'\u0000-\u001f\u007f]/g,
    character => sequences[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * The most octets of a query in its URL. Salesforce accepts 16,384 for the URL and all headers together ("Status Codes
 * and Error Responses", 414 and 431), and an access token can take a large part of that.
 */
const queryBytesMax = 12_000;

/** The octets of a URL that a query uses; the URL also encodes quotes, as `%27`. */
export function encodedLength(soql: string): number {
  return encodeURIComponent(soql).replaceAll("'", '%27').length;
}

export function fitsAddress(soql: string): boolean {
  return encodedLength(soql) <= queryBytesMax;
}

/** Groups pieces so that each group fits into the URL of one query, together with the `common` part. */
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

const answerForm = z.object({
  totalSize: z.int().nonnegative(),
  done: z.boolean(),
  records: z.array(z.looseObject({ Id: z.string().optional() })),
});

type QueryAnswer = z.output<typeof answerForm>;

/** Runs a query; records beyond the first answer are not fetched. */
export function runQuery(
  session: SalesforceSession,
  soql: string,
  signal: AbortSignal,
): Promise<QueryAnswer> {
  return session.call(signal, async connection => answerForm.parse(await connection.query(soql)));
}
