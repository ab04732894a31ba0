import type { ExportedValue } from '@mailproof/shared-types';

/** What begins a formula in Excel, LibreOffice, Numbers or Google Sheets, when it is the first thing in a cell. */
const formulaStarts: ReadonlySet<string> = new Set(['=', '+', '-', '@', '\u2212']);

/** White space, characters without a shape, and control characters: what a program may drop from the front of a cell. */
const dropped = /^[\s\p{Cc}\p{Cf}\p{Zs}]*/u;

/**
 * A number with its sign, a telephone number, or a dash in place of nothing. They have neither a name nor an operator
 * between two values, so that there is nothing in them that could be carried out, and they are what people have in their
 * columns: `-5`, `+49 30 901820`, `-1.234,56`, `-`.
 */
const harmless =
  /^(?:[-+\u2212]\d[\d.,\u00a0' ]*(?:[eE][-+]?\d+)?%?|\+\d[\d ().\u00a0/]*(?:-\d[\d ().\u00a0/]*)*|[-\u2212]+)$/u;

/**
 * The text of a cell, such that no spreadsheet takes it for a formula: one that it might begins with an apostrophe (OWASP,
 * "CSV Injection"). That is looked for behind white space as well, and with full-width and other forms of the signs, which
 * some programs take for the sign itself. A number from a source that says that it is one stays as it is.
 */
export function safeCell(value: ExportedValue): string {
  if (value === null) {
    return '';
  }
  if (typeof value !== 'string') {
    return String(value);
  }
  return isFormula(value) ? `'${value}` : value;
}

function isFormula(text: string): boolean {
  // A tab or a line break in front may end up as the border to a cell that begins behind it.
  if (/^[\t\r\n]/.test(text)) {
    return true;
  }
  // Trimmed apart: an expression would look at a long gap again from each of its places.
  const shown = text.replace(dropped, '').trimEnd();
  const first = String.fromCodePoint(shown.codePointAt(0) ?? 0).normalize('NFKC');
  return formulaStarts.has(first) && !harmless.test(shown);
}
