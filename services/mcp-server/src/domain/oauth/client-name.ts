/** Characters of a client's name that are kept. */
const nameCharactersMax = 80;
/** Control and format characters, among them those that turn the direction of text, line separators, and blanks. */
const unfit = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** More marks on one letter than any language has: they would run over the lines above and below. */
const heapedMarks = /(\p{M}{3})\p{M}+/gu;
/** Pages put a name in quotes, which must not seem to end within it. */
const quotes = /["“”„‟«»＂]/gu;

/** A name as a stranger gave it, fit to be shown: in one line, bounded, without characters that nobody sees. */
export function cleanClientName(name: unknown): string | undefined {
  if (typeof name !== 'string') {
    return undefined;
  }
  const shown = name
    .slice(0, nameCharactersMax * 4)
    .replace(unfit, ' ')
    .replace(heapedMarks, '$1')
    .replace(quotes, '’')
    .replace(/\s+/gu, ' ')
    .trim();
  const cut = [...shown].slice(0, nameCharactersMax).join('').trim();
  return cut === '' ? undefined : cut;
}
