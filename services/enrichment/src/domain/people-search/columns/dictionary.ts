import { foldText } from '../../titles/title-words.ts';

/** Stands in a column where nothing is known. */
export const unknownCode = 0;

/**
 * Gives every value a small number. Values that differ in case, accents or punctuation alone are one, shown as the first
 * of them was written. Values stay when nobody has them any more; that is put right by the next start.
 */
export class Dictionary {
  /** What a code stands for; the first one for nothing. */
  readonly values: string[] = [''];
  private readonly codesByText = new Map<string, number>();
  private readonly codesByKey = new Map<string, number>();
  private readonly keyOf: (text: string) => string;

  constructor(keyOf: (text: string) => string = keyOfText) {
    this.keyOf = keyOf;
  }

  /** The code of a value, a new one if need be. */
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

  /** The code of a value that is asked for; undefined where nobody has it. */
  find(text: string): number | undefined {
    return this.codesByText.get(text) ?? this.codesByKey.get(this.keyOf(text));
  }

  get size(): number {
    return this.values.length;
  }
}

/** Text of punctuation alone is compared as it is. */
export function keyOfText(text: string): string {
  return foldText(text) || text.trim().toLowerCase();
}
