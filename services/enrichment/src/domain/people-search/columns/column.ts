import { foldText } from '../../titles/title-words.ts';

/** A column of integers that grows by a quarter when it is full. */
export class Column {
  numbers: Uint32Array<ArrayBuffer>;

  constructor(capacity: number) {
    this.numbers = new Uint32Array(capacity);
  }

  /** Ensures capacity for `rows` rows. */
  reserve(rows: number): void {
    if (rows > this.numbers.length) {
      const grown = new Uint32Array(Math.max(rows, Math.ceil(this.numbers.length * 1.25), 1_024));
      grown.set(this.numbers);
      this.numbers = grown;
    }
  }
}

/** The code of an unknown value. */
export const unknownCode = 0;

/**
 * Assigns a small number to every value. Values that differ only in case, accents or punctuation are the same, shown in
 * their first spelling. Unused values stay until the next start.
 */
export class Dictionary {
  /** The value of each code; the first code means no value. */
  readonly values: string[] = [''];
  private readonly codesByText = new Map<string, number>();
  private readonly codesByKey = new Map<string, number>();
  private readonly keyOf: (text: string) => string;

  constructor(keyOf: (text: string) => string = keyOfText) {
    this.keyOf = keyOf;
  }

  /** Returns the code of a value, and assigns one if needed. */
  code(text: string | null): number {
    if (text === null) {
      return unknownCode;
    }
    const known = this.codesByText.get(text);
    if (known !== undefined) {
      return known;
    }
    const key = this.keyOf(text);
    let code = key === '' ? unknownCode : this.codesByKey.get(key);
    if (code === undefined) {
      code = this.values.length;
      this.values.push(text);
      this.codesByKey.set(key, code);
    }
    this.codesByText.set(text, code);
    return code;
  }

  /** Returns the code of a requested value; undefined if no row has it. */
  find(text: string): number | undefined {
    return this.codesByText.get(text) ?? this.codesByKey.get(this.keyOf(text));
  }

  get size(): number {
    return this.values.length;
  }
}

/** Text of only punctuation is compared as it is. */
export function keyOfText(text: string): string {
  return foldText(text) || text.trim().toLowerCase();
}

/** Returns the codes of a fixed vocabulary: positions counted from 1. */
export function codesOf(vocabulary: readonly string[]): ReadonlyMap<string, number> {
  return new Map(vocabulary.map((value, index) => [value, index + 1]));
}
