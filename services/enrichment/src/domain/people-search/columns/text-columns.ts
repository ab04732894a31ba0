import { limits } from '@mailproof/shared-types/limits';
import {
  foldTitle,
  isSameTitle,
  isSimilarTitle,
  type ReadTitle,
  readingsOf,
  readTitle,
} from '../../titles/title-words.ts';
import { Column, Dictionary, keyOfText, unknownCode } from './column.ts';

/** Titles of only punctuation are compared as they are. */
export function keyOfTitle(title: string): string {
  return foldTitle(title) || title.trim().toLowerCase();
}

/** The distinct titles, parsed once each, with the titles of every word. Searches scan titles, never rows. */
export class TitleColumn {
  readonly dictionary = new Dictionary(keyOfTitle);
  private readonly read: (ReadTitle | undefined)[] = [undefined];
  private readonly codesByWord = new Map<string, number[]>();

  code(title: string | null): number {
    const code = this.dictionary.code(title);
    if (code !== unknownCode && code === this.read.length) {
      const read = readTitle(this.dictionary.values[code] ?? '');
      this.read.push(read);
      for (const word of read.words) {
        const codes = this.codesByWord.get(word);
        if (codes) {
          codes.push(code);
        } else {
          this.codesByWord.set(word, [code]);
        }
      }
    }
    return code;
  }

  /** Calls `found` with the code of every matching title, possibly more than once for the same title. */
  match(title: string, mode: 'similar' | 'exact', found: (code: number) => void): void {
    const same = this.dictionary.find(title);
    if (same !== undefined && same !== unknownCode) {
      found(same);
    }
    const matches = mode === 'exact' ? isSameTitle : isSimilarTitle;
    for (const asked of readingsOf(title)) {
      for (const code of this.candidates(asked)) {
        const held = this.read[code];
        if (held && matches(asked, held)) {
          found(code);
        }
      }
    }
  }

  /** Returns the titles that contain the rarest of the words. */
  private candidates({ words }: ReadTitle): readonly number[] {
    let rarest: readonly number[] | undefined;
    for (const word of words) {
      const codes = this.codesByWord.get(word) ?? [];
      if (rarest === undefined || codes.length < rarest.length) {
        rarest = codes;
      }
    }
    return rarest ?? [];
  }
}

interface LongKeyword {
  readonly code: number;
  readonly key: string;
}

/** Keywords, which a search finds whole or by a part in whole words. */
export class KeywordDictionary extends Dictionary {
  /** The keywords of several words by each of their words. */
  private readonly longByWord = new Map<string, LongKeyword[]>();

  override code(text: string | null): number {
    const before = this.size;
    const code = super.code(text);
    if (code === before) {
      this.addLong(code);
    }
    return code;
  }

  /** Calls `found` with the code of every matching keyword, possibly more than once for the same one. */
  match(value: string, terms: 'whole' | 'words' | undefined, found: (code: number) => void): void {
    const same = this.find(value) ?? unknownCode;
    if (same !== unknownCode) {
      found(same);
    }
    const asked = keyOfText(value);
    if (terms !== 'words' || !isKeywordPart(asked)) {
      return;
    }
    for (const { code, key } of this.candidates(asked)) {
      if (` ${key} `.includes(` ${asked} `)) {
        found(code);
      }
    }
  }

  private addLong(code: number): void {
    const key = keyOfText(this.values[code] ?? '');
    const words = new Set(key.split(' '));
    if (!key.includes(' ')) {
      return;
    }
    const keyword = { code, key };
    for (const word of words) {
      const held = this.longByWord.get(word);
      if (held) {
        held.push(keyword);
      } else {
        this.longByWord.set(word, [keyword]);
      }
    }
  }

  /** Returns the keywords that contain the rarest of the words. */
  private candidates(asked: string): readonly LongKeyword[] {
    const byWord = asked.split(' ').map(word => this.longByWord.get(word) ?? []);
    return byWord.reduce((rarest, each) => (each.length < rarest.length ? each : rarest));
  }
}

/** Whether a value can match a part of a keyword, and not only a whole one. */
export function isKeywordPart(key: string): boolean {
  return key.split(' ').length <= limits.keywordPartWordsMax;
}

/** The parts of a keyword in whole words, also the whole one if it is short: `machine`, `machine learning`, `learning`. */
export function partsOfKeyword(key: string): string[] {
  const words = key.split(' ');
  return words.flatMap((_, from) =>
    words
      .slice(from, from + limits.keywordPartWordsMax)
      .map((_word, length) => words.slice(from, from + length + 1).join(' ')),
  );
}

/** Lists are compacted when at least this many numbers, and at least half of all, are unused. */
const wasteMin = 100_000;

/**
 * Several values of each row, such as keywords, as concatenated lists (CSR). A changed list is rewritten at the end; the
 * space it leaves is reclaimed once there is enough of it.
 */
export class ValueLists<Values extends { code(text: string): number }> {
  readonly dictionary: Values;
  readonly begin: Column;
  readonly end: Column;
  readonly codes = new Column(0);
  private readonly repeats: boolean;
  private used = 0;
  private waste = 0;

  /** With `repeats`, a list can contain a value more than once. */
  constructor(dictionary: Values, capacity: number, { repeats = false } = {}) {
    this.dictionary = dictionary;
    this.begin = new Column(capacity);
    this.end = new Column(capacity);
    this.repeats = repeats;
  }

  set(row: number, values: readonly string[]): void {
    this.forget(row);
    this.codes.reserve(this.used + values.length);
    const begin = this.used;
    for (const value of values) {
      const code = this.dictionary.code(value);
      if (code !== unknownCode && (this.repeats || !this.holds(code, begin))) {
        this.codes.numbers[this.used] = code;
        this.used += 1;
      }
    }
    this.begin.numbers[row] = begin;
    this.end.numbers[row] = this.used;
  }

  private holds(code: number, begin: number): boolean {
    for (let at = begin; at < this.used; at += 1) {
      if (this.codes.numbers[at] === code) {
        return true;
      }
    }
    return false;
  }

  /** Empties a row's list. */
  forget(row: number): void {
    this.waste += (this.end.numbers[row] ?? 0) - (this.begin.numbers[row] ?? 0);
    this.begin.numbers[row] = 0;
    this.end.numbers[row] = 0;
  }

  clearWaste(rows: number): void {
    if (this.waste < wasteMin || this.waste * 2 < this.used) {
      return;
    }
    const kept = new Column(this.used - this.waste);
    let used = 0;
    for (let row = 0; row < rows; row += 1) {
      const list = this.codes.numbers.subarray(this.begin.numbers[row], this.end.numbers[row]);
      kept.numbers.set(list, used);
      this.begin.numbers[row] = used;
      used += list.length;
      this.end.numbers[row] = used;
    }
    this.codes.numbers = kept.numbers;
    this.used = used;
    this.waste = 0;
  }

  get bytes(): number {
    return this.codes.numbers.byteLength;
  }
}
