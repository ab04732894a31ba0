import { isSameTitle, isSimilarTitle, type ReadTitle, readTitle } from '../../titles/title-match.ts';
import { foldTitle } from '../../titles/title-words.ts';
import { Dictionary, unknownCode } from './dictionary.ts';

/** The distinct titles, read once each, with the titles of every word. Searches look at these and never at rows. */
export class TitleColumn {
  readonly dictionary = new Dictionary(text => foldTitle(text) || text.trim().toLowerCase());
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

  /** Calls `found` with the code of every title that is meant; with one of them more than once at times. */
  match(title: string, mode: 'similar' | 'exact', found: (code: number) => void): void {
    const same = this.dictionary.find(title);
    if (same !== undefined && same !== unknownCode) {
      found(same);
    }
    const asked = readTitle(title);
    for (const code of this.candidates(asked)) {
      const held = this.read[code];
      if (held && (mode === 'exact' ? isSameTitle(asked, held) : isSimilarTitle(asked, held))) {
        found(code);
      }
    }
  }

  /** The titles that have the rarest of the words. */
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
