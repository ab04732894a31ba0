import { loadTr46 } from '../load-package.ts';

/**
 * Characters that are invisible or change the direction of text, by their properties in the Unicode Character Database:
 * white space, controls, formats, private use, unassigned code points, and Default_Ignorable_Code_Point of UAX #44
 * (fillers, variation selectors, tags). Unpaired surrogates are corrupt text and are not included.
 */
const unseen = /[\s\p{Z}\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/u;
/** RFC 5321 covers ASCII white space and control characters; RFC 5892 covers joiners. */
const refusedInside = /(?![\p{Cc} \u200c\u200d])[\p{Z}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/u;
const joiner = /[\u200c\u200d]/u;
/** A joiner with its context; any other character ends the context that RFC 5892 checks. */
const wordWithJoiner = /[\p{L}\p{M}\p{N}]*[\u200c\u200d][\p{L}\p{M}\p{N}\u200c\u200d]*/gu;

/** The names of the characters that copied text contains most often. */
const names: Readonly<Record<string, string>> = {
  '\u00a0': 'NO-BREAK SPACE',
  '\u00ad': 'SOFT HYPHEN',
  '\u061c': 'ARABIC LETTER MARK',
  '\u200b': 'ZERO WIDTH SPACE',
  '\u200c': 'ZERO WIDTH NON-JOINER',
  '\u200d': 'ZERO WIDTH JOINER',
  '\u200e': 'LEFT-TO-RIGHT MARK',
  '\u200f': 'RIGHT-TO-LEFT MARK',
  '\u202a': 'LEFT-TO-RIGHT EMBEDDING',
  '\u202b': 'RIGHT-TO-LEFT EMBEDDING',
  '\u202c': 'POP DIRECTIONAL FORMATTING',
  '\u202d': 'LEFT-TO-RIGHT OVERRIDE',
  '\u202e': 'RIGHT-TO-LEFT OVERRIDE',
  '\u202f': 'NARROW NO-BREAK SPACE',
  '\u2060': 'WORD JOINER',
  '\u2066': 'LEFT-TO-RIGHT ISOLATE',
  '\u2067': 'RIGHT-TO-LEFT ISOLATE',
  '\u2068': 'FIRST STRONG ISOLATE',
  '\u2069': 'POP DIRECTIONAL ISOLATE',
  '\u3000': 'IDEOGRAPHIC SPACE',
  '\ufeff': 'ZERO WIDTH NO-BREAK SPACE',
};

/** Trims unseen characters from both ends. */
export function trimUnseen(text: string): string {
  let begin = 0;
  let end = text.length;
  // Trims character by character: a regular expression anchored at the end would rescan a long gap in the middle from
  // each position in the gap.
  while (begin < end && unseen.test(characterAt(text, begin))) {
    begin += characterAt(text, begin).length;
  }
  while (begin < end && unseen.test(characterBefore(text, end))) {
    end -= characterBefore(text, end).length;
  }
  return text.slice(begin, end);
}

/**
 * Finds the first character that an address or a domain must not contain, and names it, for example `U+200B ZERO WIDTH
 * SPACE`. Returns undefined if there is none. Other rules cover ASCII spaces, control characters and joiners.
 */
export function findUnseen(text: string): string | undefined {
  const [found] = refusedInside.exec(text) ?? [];
  return found === undefined ? undefined : characterName(found);
}

/** The end of the error message about an unseen character, after its name. */
export const unseenSentence =
  'Invisible, direction-changing, private-use and unassigned characters are not allowed inside an address.';

/** Finds a joiner in a position that RFC 5892 appendix A.1 and A.2 (CONTEXTJ) do not allow. */
export function findStrayJoiner(text: string): string | undefined {
  if (!joiner.test(text)) {
    return undefined;
  }
  // The leading letter keeps UTS 46 from refusing a word that begins with a mark; only labels must not begin with one.
  const stray = (text.match(wordWithJoiner) ?? []).find(
    word => loadTr46().toUnicode(`a${word}`, { checkJoiners: true }).error,
  );
  const [found] = joiner.exec(stray ?? '') ?? [];
  return found === undefined ? undefined : characterName(found);
}

/** Names a character, so that users can find an invisible one. */
export function characterName(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const name = names[character];
  return name === undefined ? `U+${code}` : `U+${code} ${name}`;
}

function characterAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index) ?? 0);
}

function characterBefore(text: string, end: number): string {
  const two = text.slice(Math.max(0, end - 2), end);
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(two) ? two : two.slice(-1);
}
