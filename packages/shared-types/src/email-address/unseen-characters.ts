import { toUnicode } from 'tr46';

/**
 * Characters that show nothing or that turn the direction of what follows, by their properties in the Unicode Character
 * Database: white space, controls, formats, private use, unassigned code points, and what UAX #44 calls
 * Default_Ignorable_Code_Point (fillers, variation selectors, tags). Halves of surrogate pairs are damage and are not
 * among them.
 */
const unseen = /[\s\p{Z}\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/u;
/** White space of ASCII and control characters have rules of their own in RFC 5321; joiners have RFC 5892. */
const refusedInside = /(?![\p{Cc} \u200c\u200d])[\p{Z}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/u;
const joiner = /[\u200c\u200d]/u;
/** What a joiner can belong to; everything else ends the context that RFC 5892 looks at. */
const wordWithJoiner = /[\p{L}\p{M}\p{N}]*[\u200c\u200d][\p{L}\p{M}\p{N}\u200c\u200d]*/gu;

/** The names of characters that come along most often when text is copied. */
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

/** Takes unseen characters away from both ends. */
export function trimUnseen(text: string): string {
  let begin = 0;
  let end = text.length;
  // Character by character: an expression for the end looks at a long gap in the middle again from each of its places.
  while (begin < end && unseen.test(characterAt(text, begin))) {
    begin += characterAt(text, begin).length;
  }
  while (begin < end && unseen.test(characterBefore(text, end))) {
    end -= characterBefore(text, end).length;
  }
  return text.slice(begin, end);
}

/**
 * Finds the first character that an address or a domain must not hold inside, in words: `U+200B ZERO WIDTH SPACE`.
 * Undefined where there is none. Spaces of ASCII, control characters and joiners are for others to judge.
 */
export function findUnseen(text: string): string | undefined {
  const [found] = refusedInside.exec(text) ?? [];
  return found === undefined ? undefined : characterName(found);
}

/** What is said of such a character, behind its name. */
export const unseenSentence =
  'Invisible, direction-changing, private-use and unassigned characters are not allowed inside an address.';

/** Finds a joiner that the rules of RFC 5892 appendix A.1 and A.2 (CONTEXTJ) do not allow where it stands. */
export function findStrayJoiner(text: string): string | undefined {
  if (!joiner.test(text)) {
    return undefined;
  }
  // The letter in front keeps UTS 46 from refusing a word that begins with a mark, which only labels must not do.
  const stray = (text.match(wordWithJoiner) ?? []).find(
    word => toUnicode(`a${word}`, { checkJoiners: true }).error,
  );
  const [found] = joiner.exec(stray ?? '') ?? [];
  return found === undefined ? undefined : characterName(found);
}

/** Names a character so that one that cannot be seen can be looked for. */
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
