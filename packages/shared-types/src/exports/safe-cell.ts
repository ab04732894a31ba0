import type { ExportedValue } from '../operations/internal/export-sources.ts';

/** What begins a formula in Excel, LibreOffice, Numbers or Google Sheets, when it is the first thing in a cell. */
const formulaStarts: ReadonlySet<string> = new Set(['=', '+', '-', '@', '\u2212']);

/** Where a program that takes another delimiter than the file's begins a new cell. */
const separator = /([,;|\t\r\n\v\f\u0085\u2028\u2029])/;

/**
 * White space, characters without a shape, and control characters: what a program may drop from the front of a cell. A
 * quote too, which opens a cell where the delimiter in front of it is believed.
 */
const dropped = /^[\s"\p{Cc}\p{Cf}\p{Zs}\p{Default_Ignorable_Code_Point}]*/u;

/**
 * A number with its sign, a telephone number, or a dash in place of nothing. They have neither a name nor an operator
 * between two values, so that there is nothing in them that could be carried out, and they are what people have in their
 * columns: `-5`, `+49 30 901820`, `-1.234,56`, `-`.
 */
const harmless =
  /^(?:[-+\u2212]\d[\d.,\u00a0' ]*(?:[eE][-+]?\d+)?%?|\+\d[\d ().\u00a0/]*(?:-\d[\d ().\u00a0/]*)*|[-\u2212]+)$/u;

/**
 * The text of a cell, such that no spreadsheet takes it or a part of it for a formula: an apostrophe precedes what might
 * be one (OWASP, "CSV Injection"), at the beginning of the cell and behind each character at which a program
 * can split it, whatever the delimiter of the file is (ADR 0056). Full-width and other forms of the signs count as the
 * signs. A cell that is a number or a telephone number stays as it is.
 */
export function safeCell(value: ExportedValue): string {
  if (value === null) {
    return '';
  }
  if (typeof value !== 'string') {
    return String(value);
  }
  // Trimmed apart: an expression would look at a long gap again from each of its places.
  if (harmless.test(value.replace(/^[\p{Cf}\p{Zs}]*/u, '').trimEnd())) {
    return value;
  }
  const safe = value.split(separator).map(part => (beginsWithSign(part) ? `'${part}` : part));
  // A tab or a line break in front may end up as the border to a cell that begins behind it.
  return (/^[\t\r\n]/.test(value) ? "'" : '') + safe.join('');
}

/** Takes the apostrophes of `safeCell` away, so that an address is found again in a file that was exported. */
export function withoutGuards(text: string): string {
  return text
    .replace(/^'(?=[\t\r\n])/, '')
    .split(separator)
    .map(part => (part.startsWith("'") && beginsWithSign(part.slice(1)) ? part.slice(1) : part))
    .join('');
}

function beginsWithSign(part: string): boolean {
  const shown = part.replace(dropped, '');
  return formulaStarts.has(
    String.fromCodePoint(shown.codePointAt(0) ?? 0)
      .normalize('NFKC')
      .charAt(0),
  );
}
