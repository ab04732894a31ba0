import { sharedStringsOf, sheetOf, workbookOf } from '@mailproof/dev-house/workbooks';
import { benchmarkCatalog, type Catalog, type ExpectedVerdict } from '@mailproof/mail-lab';
import { addressesPerDomain } from './options.ts';

/** A row of the list, and its expected result. */
export interface ListRow {
  readonly cells: readonly string[];
  /** The result in an export; empty if the row has no address. */
  readonly result: string;
}

/** A list, and its expected counts. */
export interface JobList {
  readonly header: readonly string[];
  readonly rows: readonly ListRow[];
  readonly counts: {
    readonly total: number;
    readonly valid: number;
    readonly broken: number;
    readonly blank: number;
    readonly duplicate: number;
  };
  readonly addresses: number;
  /** Addresses that cost a credit. */
  readonly charged: number;
}

/** All lists of the benchmark. */
export interface Lists {
  readonly catalog: Catalog;
  readonly list: JobList;
  /** Addresses to validate one by one, and as many for a job; the two samples and the list share no domain. */
  readonly single: readonly string[];
  readonly together: readonly ExpectedVerdict[];
}

/** In every this many rows, one has no address, one a broken address, and one the address of an earlier row. */
const oddEvery = 100;
/** Only the list uses the largest domains: a sample must resemble a small list. */
const largeDomains = 20;
const seed = 7;

export function makeLists(rows: number, sample: number): Lists {
  const odd = Math.floor(rows / oddEvery);
  const addresses = rows - 3 * odd;
  const wanted = addresses + 2 * sample;
  const catalog = benchmarkCatalog({
    domains: Math.ceil(wanted / addressesPerDomain),
    addresses: wanted + sampleSlack(sample),
    catchAllShare: 0.05,
    seed,
  });
  const samples: [ExpectedVerdict[], ExpectedVerdict[]] = [[], []];
  const listed: ExpectedVerdict[] = [];
  catalog.forEach(({ expected }, index) => {
    const taker = samples[index % 2 === 0 ? 0 : 1];
    const isSampled = index >= largeDomains && taker.length < sample;
    for (const verdict of expected) {
      (isSampled ? taker : listed).push(verdict);
    }
  });
  return {
    catalog,
    list: listOf(shuffled(listed).slice(0, addresses), odd),
    single: shuffled(samples[0])
      .slice(0, sample)
      .map(({ address }) => address),
    together: shuffled(samples[1]).slice(0, sample),
  };
}

/** Spare addresses, because the last domain of a sample may have more than needed. */
function sampleSlack(sample: number): number {
  return sample === 0 ? 0 : 2_000;
}

export function listOf(verdicts: readonly ExpectedVerdict[], odd: number): JobList {
  const rows: ListRow[] = [];
  const add = (email: string, result: string) => {
    const number = rows.length + 1;
    rows.push({
      cells: [`C-${number}`, `Zoë "${number}", Inc.`, email, `line one\nline ${number}`, 'yes', ''],
      result,
    });
  };
  const every = Math.floor(verdicts.length / Math.max(1, odd));
  let left = odd;
  verdicts.forEach(({ address, result }, index) => {
    add(address, result);
    if (left > 0 && (index + 1) % every === 0) {
      left -= 1;
      add('', '');
      add('no address', 'invalid');
      add(address.toUpperCase(), result);
    }
  });
  return {
    header: ['Customer', 'Name', 'E-mail', 'Note', 'valid', 'Empty'],
    rows,
    counts: {
      total: rows.length,
      valid: verdicts.length + odd,
      broken: odd,
      blank: odd,
      duplicate: odd,
    },
    addresses: verdicts.length,
    charged: verdicts.filter(({ result }) => result !== 'unknown').length,
  };
}

/** The list with more columns, each cell of which is different. */
export function widened(list: JobList, columns: number): JobList {
  const more = Array.from({ length: columns - list.header.length }, (_, at) => at + 1);
  return {
    ...list,
    header: [...list.header, ...more.map(column => `Column ${column}`)],
    rows: list.rows.map(({ cells, result }, row) => ({
      cells: [...cells, ...more.map(column => `value ${row + 1} of column ${column}`)],
      result,
    })),
  };
}

/** The list as a workbook, whose texts are in one place as Excel writes them. */
export function workbookFileOf({ header, rows }: JobList): Promise<Buffer<ArrayBuffer>> {
  const lines = [header, ...rows.map(({ cells }) => cells)];
  const texts = (function* () {
    for (const cells of lines) yield* cells;
  })();
  const xml = (function* () {
    let text = 0;
    for (const cells of lines) {
      yield `<row>${cells.map(() => `<c t="s"><v>${text++}</v></c>`).join('')}</row>`;
    }
  })();
  return workbookOf({ sheets: { List: { xml: sheetOf(xml) } }, sharedStrings: sharedStringsOf(texts) });
}

/** The list as a file, quoted where it has to be (RFC 4180 section 2). */
export function csvOf({ header, rows }: JobList): string {
  return [header, ...rows.map(({ cells }) => cells)]
    .map(cells =>
      cells.map(cell => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(','),
    )
    .join('\r\n');
}

/** Shuffles deterministically, so that the order is unrelated to domains. */
function shuffled<Thing>(things: readonly Thing[]): Thing[] {
  const shuffledThings = [...things];
  let state = seed;
  for (let index = shuffledThings.length - 1; index > 0; index -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (index + 1);
    const [one, two] = [shuffledThings[index], shuffledThings[other]] as [Thing, Thing];
    shuffledThings[index] = two;
    shuffledThings[other] = one;
  }
  return shuffledThings;
}
