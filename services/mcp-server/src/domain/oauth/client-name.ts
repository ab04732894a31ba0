/** Characters of a client's name that are kept. */
const nameCharactersMax = 80;
/** Control and format characters, among them those that turn the direction of text, and line separators. */
const unfit = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** A name as a stranger gave it, fit to be shown: in one line, bounded, without characters that nobody sees. */
export function cleanClientName(name: unknown): string | undefined {
  if (typeof name !== 'string') {
    return undefined;
  }
  const shown = name
    .slice(0, nameCharactersMax * 4)
    .replace(unfit, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const cut = [...shown].slice(0, nameCharactersMax).join('').trim();
  return cut === '' ? undefined : cut;
}
