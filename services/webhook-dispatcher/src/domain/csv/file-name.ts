/** What file systems do not take in a name, and what would turn a name's direction. */
const notInNames = /[\\/:*?"<>|\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

const nameCharactersMax = 100;

/** The name of the file of an export: what people call it, and the day on which it was made. */
export function fileNameOf(name: string, madeAt: Date, suffix = ''): string {
  const readable = name
    .normalize('NFC')
    .replace(notInNames, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
    // A dot in front hides a file, one behind is dropped by Windows.
    .replace(/^[. ]+|[. ]+$/gu, '');
  const cut = Array.from(readable).slice(0, nameCharactersMax).join('').trim();
  return `${cut || 'export'}${suffix} ${madeAt.toISOString().slice(0, 10)}.csv`;
}
