import { Dictionary, unknownCode } from './dictionary.ts';
import { Column } from './growing.ts';

/** Lists are put together anew when so many numbers are waste, and at least half. */
const wasteMin = 100_000;

/**
 * The keywords of each row, one list behind the other (CSR). A list that changes is written anew at the end, and what it
 * leaves behind is cleared away when it is much.
 */
export class KeywordLists {
  readonly dictionary = new Dictionary();
  readonly begin: Column;
  readonly end: Column;
  readonly codes = new Column(0);
  private used = 0;
  private waste = 0;

  constructor(capacity: number) {
    this.begin = new Column(capacity);
    this.end = new Column(capacity);
  }

  set(row: number, keywords: readonly string[]): void {
    this.forget(row);
    this.codes.reserve(this.used + keywords.length);
    const begin = this.used;
    for (const keyword of keywords) {
      const code = this.dictionary.code(keyword);
      if (code !== unknownCode && !this.holds(code, begin)) {
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
