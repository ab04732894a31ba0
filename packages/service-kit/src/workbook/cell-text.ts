import { limits } from '@mailproof/shared-types';
import { dateFromSerial, getFormatDateInfo, isDateFormat } from 'numfmt';
import { notReadable } from './workbook-fault.ts';

/** How a cell shows its number: as it is, padded with zeros to a width, or as a date or time. */
export type NumberLook =
  | { readonly zeros: number }
  | { readonly date: boolean; readonly time: boolean }
  | undefined;

/** Days between the two beginnings of time (ECMA-376 part 1, section 18.17.4.1). */
const daysTo1904 = 1_462;
/** The last day of the year 9999, from 1900. */
const serialMax = 2_958_466;

/** Returns the look of a number format, such as `yyyy-mm-dd` or `00000`. */
export function lookOf(format: string): NumberLook {
  if (/^0{2,}$/.test(format)) {
    return { zeros: format.length };
  }
  const [positive = ''] = format.split(';');
  if (!isDateFormat(positive)) {
    return undefined;
  }
  const { year, month, day, hours, minutes, seconds } = getFormatDateInfo(positive);
  const date = year || day || (month && !hours);
  return { date, time: hours || minutes || seconds || !date };
}

/**
 * Returns the text of a number: a date or time in ISO 8601, other numbers with the 15 digits that a spreadsheet keeps,
 * and text that is not a number unchanged.
 */
export function textOfNumber(stored: string, look: NumberLook, is1904: boolean): string {
  const value = Number(stored);
  if (stored.trim() === '' || !Number.isFinite(value)) {
    return stored;
  }
  if (look && 'date' in look) {
    const serial = value + (is1904 && look.date ? daysTo1904 : 0);
    if (serial >= (look.date ? 1 : 0) && serial < serialMax) {
      return textOfSerial(serial, look);
    }
  }
  const text = String(Number(value.toPrecision(15)));
  return look && 'zeros' in look && /^\d+$/.test(text) ? text.padStart(look.zeros, '0') : text;
}

function textOfSerial(
  serial: number,
  { date, time }: { readonly date: boolean; readonly time: boolean },
): string {
  if (!date) {
    const seconds = Math.round(serial * 86_400);
    return [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  }
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = dateFromSerial(serial) ?? [];
  const shown = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return time ? `${shown}T${[hours, minutes, seconds].map(two).join(':')}` : shown;
}

function two(part: number): string {
  return String(part).padStart(2, '0');
}

/**
 * Collects a text that may have several runs (`t` elements), without their pronunciation (`rPh`).
 *
 * @throws WorkbookFault if the text is too long
 */
export function createTextOfRuns(what: string) {
  let text = '';
  let isText = false;
  let isPronunciation = false;
  return {
    begin() {
      text = '';
      isText = false;
      isPronunciation = false;
    },
    open(name: string) {
      isPronunciation ||= name === 'rPh';
      isText = name === 't' && !isPronunciation;
    },
    text(piece: string) {
      if (isText) {
        text += piece;
        if (text.length > limits.cellCharactersMax * escapedCharacters) {
          throw tooLong(what);
        }
      }
    },
    close(name: string) {
      isText = false;
      isPronunciation &&= name !== 'rPh';
    },
    take(): string {
      const plain = unescaped(text);
      text = '';
      if (plain.length > limits.cellCharactersMax) {
        throw tooLong(what);
      }
      return plain;
    },
  };
}

function tooLong(what: string) {
  return notReadable(`${what} has more than ${limits.cellCharactersMax} characters.`);
}

/** Characters that XML cannot have are written as `_x000D_` (ECMA-376 part 1, section 22.9.2.19). */
const escapedCharacters = 7;

/** Postgres cannot store NUL or half of a surrogate pair. */
function unescaped(text: string): string {
  return text.includes('_x')
    ? text
        .replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
        .replaceAll('\0', '')
        .toWellFormed()
    : text;
}
