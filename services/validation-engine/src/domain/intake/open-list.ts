import { type LineRules, limits, linesOf } from '@mailproof/shared-types';
import { addressOfCell } from './address-of-cell.ts';
import { decodeText } from './decode-text.ts';
import { notReadable } from './intake-fault.ts';
import type { Table, TableRow } from './receive-list.ts';

const lineRules: LineRules = {
  ends: 'any',
  keepsUnfinished: true,
  charactersMax: limits.rowBytesMax,
  tooLong: () => notReadable(`A line has more than ${limits.rowBytesMax} characters.`),
};

/** Reads addresses in the forms in which people paste them. */
export async function openList(octets: AsyncIterable<Uint8Array>): Promise<Table> {
  const { text } = decodeText(octets, 'utf-8');
  return {
    rows: entriesOf(text),
    hasHeader: false,
    addressColumn: 0,
    layout: () => null,
    names: () => ['email', 'name'],
  };
}

async function* entriesOf(text: AsyncIterable<string>): AsyncGenerator<TableRow> {
  let line = 0;
  for await (const read of linesOf(text, lineRules)) {
    line += 1;
    for (const entry of splitEntries(read)) {
      yield { line, cells: cellsOf(entry) };
    }
  }
}

/** Text without an address stays unchanged. */
function cellsOf(entry: string): string[] {
  const found = addressOfCell(entry);
  if ('fault' in found) {
    return [entry];
  }
  return found.name === '' ? [found.address.input] : [found.address.input, found.name];
}

/**
 * Splits a line at commas, semicolons and tabs outside of quotes and angle brackets. A comma within a name, as in
 * `Lovelace, Ada <ada@a.example>`, does not split. White space splits if it is the only separator of addresses.
 */
export function splitEntries(line: string): string[] {
  const entries: string[] = [];
  for (const piece of splitAt(line, /[;\t]/)) {
    let ahead: string[] = [];
    for (const part of splitAt(piece, /,/)) {
      const parts = isBlank(ahead) ? [] : ahead;
      if (part.includes('@')) {
        const isNamed = /\S\s*</.test(part);
        if (isNamed) entries.push([...parts, part].join(','));
        else entries.push(parts.join(','), part);
        ahead = [];
      } else {
        // Joined once at the end, since a line may have half a million parts.
        parts.push(part);
        ahead = parts;
      }
    }
    entries.push(ahead.join(','));
  }
  return entries.flatMap(splitAtSpaces);
}

/** Later parts replace a blank one, so a blank entry has at most one part. */
function isBlank(parts: readonly string[]): boolean {
  return parts.length <= 1 && (parts[0] ?? '').trim() === '';
}

function splitAtSpaces(entry: string): string[] {
  const text = entry.trim();
  // Most entries of a long line are one word.
  if (!/\s/.test(text)) return text === '' ? [] : [text];
  const words = text.split(/\s+/);
  return words.every(word => 'address' in addressOfCell(word)) ? words : [text];
}

function splitAt(text: string, delimiter: RegExp): string[] {
  const parts: string[] = [];
  let begin = 0;
  let quoted = false;
  let bracketed = false;
  // Searched once: a search from each of a million brackets would read a million characters every time.
  const lastQuote = text.lastIndexOf('"');
  const lastBracket = text.lastIndexOf('>');
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (character === '"' && (quoted || index < lastQuote)) {
      quoted = !quoted;
    } else if (!quoted && (character === '<' || character === '>')) {
      bracketed = character === '<' && index < lastBracket;
    } else if (!quoted && !bracketed && delimiter.test(character)) {
      parts.push(text.slice(begin, index));
      begin = index + 1;
    }
  }
  return [...parts, text.slice(begin)];
}
