/** Collects the parts of a whole, which arrive one after the other in any size. */
export interface Gathering<Part> {
  /** The number of octets or characters collected so far. */
  readonly length: number;
  add(part: Part): void;
  /** Returns everything collected so far, and clears the gathering. */
  take(): Part;
}

/**
 * The number of parts joined at a time, so that a million octets that arrive one by one do not stay a million objects.
 */
const looseMax = 256;

/** Gathers parts, and copies each of them at most twice, regardless of their number. */
export function createGathering<Part extends { readonly length: number }>(
  join: (parts: readonly Part[]) => Part,
): Gathering<Part> {
  let joined: Part[] = [];
  let loose: Part[] = [];
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(part) {
      if (part.length === 0) {
        return;
      }
      length += part.length;
      loose.push(part);
      if (loose.length === looseMax) {
        joined.push(join(loose));
        loose = [];
      }
    },
    take() {
      const parts = joined.length === 0 ? loose : [...joined, ...loose];
      joined = [];
      loose = [];
      length = 0;
      return parts.length === 1 ? (parts[0] as Part) : join(parts);
    },
  };
}

/** Gathers text. */
export function createTextGathering(): Gathering<string> {
  return createGathering<string>(parts => parts.join(''));
}

export interface LineRules {
  /** What ends a line: `any` of CR LF, LF and CR, or only LF, in which case a CR belongs to its line. */
  readonly ends: 'any' | 'lf';
  /** Whether text after the last line end is a line, even if it is empty. */
  readonly keepsUnfinished: boolean;
  /** The longest line, in characters. */
  readonly charactersMax: number;
  /** Creates the error for a longer line, from its number, counted from 1. */
  readonly tooLong: (line: number) => Error;
}

/**
 * Splits text into lines as it arrives. It examines each character once, regardless of the chunks, and keeps at most
 * one line.
 *
 * @throws the error from `tooLong` as soon as a line is too long, or any error from `text`
 */
export async function* linesOf(text: AsyncIterable<string>, rules: LineRules): AsyncGenerator<string> {
  const { ends, keepsUnfinished, charactersMax, tooLong } = rules;
  const lineEnd = ends === 'lf' ? /\n/g : /\r\n|\n|\r/g;
  const line = createTextGathering();
  let lines = 0;
  let endedInCr = false;
  const add = (piece: string) => {
    line.add(piece);
    if (line.length > charactersMax) {
      throw tooLong(lines + 1);
    }
  };
  for await (const part of text) {
    // CR LF is one line end, even across two chunks.
    let begin = endedInCr && part.startsWith('\n') ? 1 : 0;
    lineEnd.lastIndex = begin;
    for (let end = lineEnd.exec(part); end !== null; end = lineEnd.exec(part)) {
      add(part.slice(begin, end.index));
      lines += 1;
      yield line.take();
      begin = lineEnd.lastIndex;
    }
    lineEnd.lastIndex = 0;
    add(part.slice(begin));
    if (part !== '') {
      endedInCr = ends === 'any' && part.endsWith('\r');
    }
  }
  if (keepsUnfinished) {
    yield line.take();
  }
}
