import { limits } from '@mailproof/shared-types';
import type { Enter } from './one-at-a-time.ts';
import { openPackage, type Package } from './open-package.ts';
import { createColumnNumbers, readSheet } from './read-sheet.ts';
import { readStyles } from './read-styles.ts';
import { readSharedStrings } from './shared-strings.ts';
import type { OpenSheet, SheetRow } from './sheet.ts';
import { spool } from './spool.ts';
import { notReadable } from './workbook-fault.ts';
import { readWorkbookParts, type Worksheet } from './workbook-parts.ts';

const sheetsShownMax = 20;

/**
 * Opens a sheet of a workbook (ECMA-376, .xlsx; .xlsm without its macros). Formulas are not evaluated, and links are
 * not followed.
 *
 * @param turn resolves when the next piece may be unpacked
 * @param enter waits until no other workbook is open, because its texts are in memory
 */
export function createOpenSheet(ports: {
  readonly turn: () => Promise<void>;
  readonly enter: Enter;
}): OpenSheet {
  return async (octets, wanted, arrived) => {
    const spooled = await spool(octets, arrived);
    let leave: (() => void) | undefined;
    const close = async () => {
      leave?.();
      leave = undefined;
      await spooled.file.close();
    };
    try {
      leave = await ports.enter(arrived);
      const archive = inTurns(await openPackage(spooled.file), async () => {
        await ports.turn();
        await arrived();
      });
      const { sheets, is1904, sharedStrings, styles } = await readWorkbookParts(archive);
      const sheet = chosen(sheets, wanted);
      const strings =
        sharedStrings === undefined ? undefined : await readSharedStrings(archive, sharedStrings);
      const looks = styles === undefined ? [] : await readStyles(archive, styles);
      const numbers = createColumnNumbers();
      const rows = readSheet(archive, { part: sheet.part, strings, looks, is1904 }, numbers);
      return {
        octets: spooled.octets,
        sheet: shortened(sheet.name),
        sheets: sheets.slice(0, limits.workbookSheetsShownMax).map(({ name }) => shortened(name)),
        rows: closing(rows, close),
        numberColumns: () => numbers.columns(),
      };
    } catch (error) {
      await close();
      throw error;
    }
  };
}

function inTurns(archive: Package, turn: () => Promise<void>): Package {
  return {
    ...archive,
    async *read(part, octetsMax) {
      for await (const piece of archive.read(part, octetsMax)) {
        await turn();
        yield piece;
      }
    },
  };
}

async function* closing(
  rows: AsyncGenerator<SheetRow>,
  close: () => Promise<void>,
): AsyncGenerator<SheetRow> {
  try {
    yield* rows;
  } finally {
    await close();
  }
}

/** The first sheet that is visible, or the one with the name or the number, from 1. */
function chosen(sheets: readonly Worksheet[], wanted: string | undefined): Worksheet {
  const found =
    wanted === undefined
      ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])
      : (sheets.find(({ name }) => name === wanted) ??
        sheets.find(({ name }) => name.trim().toLowerCase() === wanted.trim().toLowerCase()) ??
        (/^[1-9]\d{0,3}$/.test(wanted) ? sheets[Number(wanted) - 1] : undefined));
  if (found) {
    return found;
  }
  const names = sheets.slice(0, sheetsShownMax).map(({ name }) => `“${shortened(name)}”`);
  throw notReadable(
    sheets.length === 0
      ? 'The workbook has no sheet with cells.'
      : `The workbook has no such sheet. Its sheets: ${names.join(', ')}${sheets.length > sheetsShownMax ? ', …' : ''}.`,
  );
}

/** Excel itself allows 31 characters. */
function shortened(name: string): string {
  return name.replace(/\p{C}/gu, '').slice(0, limits.sheetNameCharactersMax).toWellFormed();
}
