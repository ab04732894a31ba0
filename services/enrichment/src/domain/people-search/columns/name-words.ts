/** The distinct words of people's names, found by how they begin. */
export class NameWords {
  private readonly words: string[] = [''];
  private readonly codes = new Map<string, number>();
  /** The codes of the words that begin with a UTF-16 code unit. */
  private readonly codesByFirst = new Map<number, number[]>();

  /** Returns the code of a word, and assigns one if needed; the first one is 1. */
  code(word: string): number {
    let code = this.codes.get(word);
    if (code === undefined) {
      code = this.words.length;
      this.words.push(word);
      this.codes.set(word, code);
      const first = word.charCodeAt(0);
      const others = this.codesByFirst.get(first);
      if (others) {
        others.push(code);
      } else {
        this.codesByFirst.set(first, [code]);
      }
    }
    return code;
  }

  /** Calls `found` with the code of each word that begins with the letters. */
  eachBeginningWith(letters: string, found: (code: number) => void): void {
    for (const code of this.codesByFirst.get(letters.charCodeAt(0)) ?? []) {
      if ((this.words[code] as string).startsWith(letters)) {
        found(code);
      }
    }
  }

  get size(): number {
    return this.words.length;
  }
}
