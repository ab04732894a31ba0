import { lookOf, type NumberLook } from './cell-text.ts';
import type { Package } from './open-package.ts';
import { readWholeXml } from './read-xml.ts';
import { notReadable } from './workbook-fault.ts';

const partOctetsMax = 20_000_000;
/** A workbook has at most 64,000 styles and short formats. */
const stylesMax = 65_536;
const formatCharactersMax = 255;

/** Reads how each style shows numbers; the number of a style is its position. */
export async function readStyles(archive: Package, part: string): Promise<readonly NumberLook[]> {
  const formats = new Map<string, string>();
  const looks: NumberLook[] = [];
  const known = new Map<string, NumberLook>();
  let isInCells = false;
  await readWholeXml(archive.read(part, partOctetsMax), part, {
    open(name, attribute) {
      if (name === 'numFmt') {
        formats.set(attribute('numFmtId') ?? '', attribute('formatCode') ?? '');
      } else if (name === 'cellXfs') {
        isInCells = true;
      } else if (name === 'xf' && isInCells) {
        const id = attribute('numFmtId') ?? '0';
        if (!known.has(id)) {
          known.set(id, safeLookOf(formats.get(id) ?? builtIn(id)));
        }
        looks.push(known.get(id));
      }
      if (looks.length > stylesMax || formats.size > stylesMax) {
        throw notReadable(`The workbook has more than ${stylesMax} styles.`);
      }
    },
    close(name) {
      isInCells &&= name !== 'cellXfs';
    },
  });
  return looks;
}

/** Formats of dates and times that are not in the file (ECMA-376 part 1, section 18.8.30). */
const builtInFormats: Readonly<Record<string, string>> = {
  14: 'mm-dd-yy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yy h:mm',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
};

/** In Chinese, Japanese and Korean, these numbers are dates too. */
function builtIn(id: string): string {
  const isDate = (Number(id) >= 27 && Number(id) <= 31) || id === '36' || id === '57' || id === '58';
  return builtInFormats[id] ?? (isDate ? 'yyyy-mm-dd' : '');
}

/** A format that cannot be read is one that shows the number. */
function safeLookOf(format: string): NumberLook {
  if (format.length > formatCharactersMax) {
    return undefined;
  }
  try {
    return lookOf(format);
  } catch {
    return undefined;
  }
}
