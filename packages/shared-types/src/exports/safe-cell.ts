import type { ExportedValue } from '../operations/internal/export-sources.ts';

/** The characters that begin a formula in Excel, LibreOffice, Numbers or Google Sheets if they come first in a cell. */
const formulaStarts: ReadonlySet<string> = new Set(['=', '+', '-', '@', '\u2212']);

/** The characters after which a program that assumes a different delimiter begins a new cell. */
const separator = /([,;|\t\r\n\v\f\u0085\u2028\u2029])/;

/**
 * The characters that a program may drop from the start of a cell: white space, invisible characters and control
 * characters. A quote is included, because it opens a cell if the program treats the preceding character as a
 * delimiter.
 */
const dropped = /^[\s"\p{Cc}\p{Cf}\p{Zs}\p{Default_Ignorable_Code_Point}]*/u;

/**
 * A signed number, a telephone number, or a dash for an empty value. None contains a name or an operator between two
 * values, so a spreadsheet cannot execute anything in them, and all are common in users' columns: `-5`, `+49 30
 * 901820`, `-1.234,56`, `-`.
 */
const harmless =
  /^(?:[-+\u2212]\d[\d.,\u00a0' ]*(?:[eE][-+]?\d+)?%?|\+\d[\d ().\u00a0/]*(?:-\d[\d ().\u00a0/]*)*|[-\u2212]+)$/u;

/**
 * Returns the text of a cell in a form that no spreadsheet treats as a formula. It puts an apostrophe before each
 * possible formula (OWASP, "CSV Injection"): at the beginning of the cell and after each character where a program
 * could split the cell, for any delimiter of the file (ADR 0056). Full-width and other variants of the formula
 * characters are covered too. Numbers and telephone numbers stay unchanged.
 */
export function safeCell(value: ExportedValue): string {
  if (value === null) {
    return '';
  }
  if (typeof value !== 'string') {
    return String(value);
  }
  // Trim both ends separately: a single regular expression would rescan a long gap from each of its positions.
  if (harmless.test(value.replace(/^[\p{Cf}\p{Zs}]*/u, '').trimEnd())) {
    return value;
  }
  const safe = value.split(separator).map(part => (beginsWithSign(part) ? `'${part}` : part));
  // A leading tab or line break may act as a delimiter, so that a new cell begins after it.
  return (/^[\t\r\n]/.test(value) ? "'" : '') + safe.join('');
}

/** Removes the apostrophes that `safeCell` adds, so that the addresses in an exported file can be read again. */
export function withoutGuards(text: string): string {
  return text
    .replace(/^'(?=[\t\r\n])/, '')
    .split(separator)
    .map(part => (part.startsWith("'") && beginsWithSign(part.slice(1)) ? part.slice(1) : part))
    .join('');
}

/** Starts that are neither dropped nor a sign: almost every part of almost every cell. */
const plainStart = /^(?:[A-Za-z0-9]|$)/;

function beginsWithSign(part: string): boolean {
  if (plainStart.test(part)) {
    return false;
  }
  const shown = part.replace(dropped, '');
  return formulaStarts.has(
    String.fromCodePoint(shown.codePointAt(0) ?? 0)
      .normalize('NFKC')
      .charAt(0),
  );
}

/** Whether a text is exactly how JavaScript and a spreadsheet write a number, such as `-1.5`; `007` and `1.50` are not. */
export function isPlainNumber(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) && String(value) === text;
}
