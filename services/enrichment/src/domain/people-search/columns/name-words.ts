/** How many letters have their own lists of words: longer beginnings are compared with the words of one list. */
const listedMax = 2;

/** The distinct words of people's names, found by how they begin. */
export class NameWords {
  private readonly words: string[] = [''];
  private readonly codes = new Map<string, number>();
  /** The codes of the words that begin with one or two UTF-16 code units. */
  private readonly codesByStart = new Map<string, number[]>();

  /** Returns the code of a word, and assigns one if needed; the first one is 1. */
  code(word: string): number {
    let code = this.codes.get(word);
    if (code === undefined) {
      code = this.words.length;
      this.words.push(word);
      this.codes.set(word, code);
      for (let length = 1; length <= Math.min(listedMax, word.length); length += 1) {
        const start = word.slice(0, length);
        const others = this.codesByStart.get(start);
        if (others) {
          others.push(code);
        } else {
          this.codesByStart.set(start, [code]);
        }
      }
    }
    return code;
  }

  /** Calls `found` with the code of each word that begins with the letters. */
  eachBeginningWith(letters: string, found: (code: number) => void): void {
    for (const code of this.codesByStart.get(letters.slice(0, listedMax)) ?? []) {
      if (letters.length <= listedMax || (this.words[code] as string).startsWith(letters)) {
        found(code);
      }
    }
  }

  get size(): number {
    return this.words.length;
  }
}
