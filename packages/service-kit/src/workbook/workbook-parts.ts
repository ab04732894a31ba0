import { posix } from 'node:path';
import type { Package } from './open-package.ts';
import { readWholeXml } from './read-xml.ts';
import { notReadable } from './workbook-fault.ts';

/** A worksheet, in the order of the workbook. */
export interface Worksheet {
  readonly name: string;
  readonly part: string;
  readonly isHidden: boolean;
}

/** What a workbook says about its parts. */
export interface WorkbookParts {
  readonly sheets: readonly Worksheet[];
  /** Whether dates are counted from 1904. */
  readonly is1904: boolean;
  readonly sharedStrings: string | undefined;
  readonly styles: string | undefined;
}

/** Largest part other than the sheet and its texts, in octets. */
const smallPartOctetsMax = 20_000_000;
const sheetsMax = 1_000;

interface Relation {
  readonly id: string;
  /** The last word of its type, which has one address in Transitional and another in Strict workbooks. */
  readonly kind: string;
  readonly target: string;
}

export async function readWorkbookParts(archive: Package): Promise<WorkbookParts> {
  if (!archive.has('_rels/.rels')) {
    throw notReadable('The file is a ZIP archive, but not a workbook (.xlsx).');
  }
  const main = (await relationsOf(archive, '')).find(({ kind }) => kind === 'officeDocument')?.target;
  if (main?.endsWith('.bin')) {
    throw notReadable('The file is a binary workbook (.xlsb): save it as .xlsx or CSV.');
  }
  if (main === undefined || !archive.has(main)) {
    throw notReadable('The file is an archive of Office, but not a workbook (.xlsx).');
  }
  const relations = await relationsOf(archive, main);
  const byId = new Map(relations.map(relation => [relation.id, relation]));
  const partOf = (kind: string) => relations.find(relation => relation.kind === kind)?.target;
  const sheets: Worksheet[] = [];
  let is1904 = false;
  let isWorkbook = false;
  await readWholeXml(archive.read(main, smallPartOctetsMax), main, {
    open(name, attribute) {
      isWorkbook ||= name === 'workbook';
      if (name === 'workbookPr') {
        is1904 = ['1', 'true'].includes(attribute('date1904') ?? '');
      } else if (name === 'sheet') {
        const relation = byId.get(attribute('id') ?? '');
        // Sheets of charts and dialogs have no rows.
        if (relation?.kind === 'worksheet') {
          const isHidden = (attribute('state') ?? 'visible') !== 'visible';
          sheets.push({ name: attribute('name') ?? '', part: relation.target, isHidden });
        }
        if (sheets.length > sheetsMax) {
          throw notReadable(
            `The workbook has more than ${sheetsMax} sheets: copy the sheet to a new workbook.`,
          );
        }
      }
    },
  });
  if (!isWorkbook) {
    throw notReadable('The file is an archive of Office, but not a workbook (.xlsx).');
  }
  return { sheets, is1904, sharedStrings: partOf('sharedStrings'), styles: partOf('styles') };
}

/** The parts that a part refers to. What is outside of the file is left out: nothing is ever fetched. */
async function relationsOf(archive: Package, source: string): Promise<Relation[]> {
  const { dir, base } = posix.parse(source);
  const part = posix.join(dir, '_rels', `${base}.rels`);
  const relations: Relation[] = [];
  await readWholeXml(archive.read(part, smallPartOctetsMax), part, {
    open(name, attribute) {
      if (name === 'Relationship' && attribute('TargetMode') !== 'External') {
        const target = attribute('Target') ?? '';
        relations.push({
          id: attribute('Id') ?? '',
          kind: (attribute('Type') ?? '').split('/').at(-1) ?? '',
          target: target.startsWith('/') ? target.slice(1) : posix.join(dir, target),
        });
      }
    },
  });
  return relations;
}
