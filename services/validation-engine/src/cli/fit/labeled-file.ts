import type { Readable } from 'node:stream';
import { type LineRules, linesOf } from '@mailproof/shared-types';
import { type InfoRecord, parse } from 'csv-parse';
import { z } from 'zod';
import { isObservation, type Labeled } from '../../domain/catch-all/fit/labeled.ts';
import type { Observation } from '../../domain/catch-all/observation.ts';
import { UsageError } from '../terminal.ts';

const rowsMax = 2_000_000;
const lineOctetsMax = 131_072;

const lineRules: LineRules = {
  ends: 'any',
  keepsUnfinished: true,
  charactersMax: lineOctetsMax,
  tooLong: line => new UsageError(`Line ${line} is longer than ${lineOctetsMax} characters.`),
};

const labeledLine = z.strictObject({
  domain: z.string().min(1).max(300),
  exists: z.boolean(),
  observations: z
    .array(
      z.strictObject({
        source: z.string(),
        finding: z.string(),
        ageDays: z.number().nonnegative().optional(),
      }),
    )
    .max(100),
});

/**
 * Reads labeled addresses: JSON lines with `domain`, `exists` and `observations`, or CSV with the columns `domain`,
 * `exists` and `findings`, where findings look like `openpgpkey:published outcome_history:delivered@30`.
 *
 * @throws UsageError that names the line
 */
export async function readLabeled(source: Readable, format: 'csv' | 'jsonl'): Promise<Labeled[]> {
  const labeled: Labeled[] = [];
  const rows = format === 'csv' ? readCsv(source) : readJsonLines(source);
  for await (const { line, row } of rows) {
    if (labeled.length === rowsMax) {
      throw new UsageError(`The file has more than ${rowsMax} addresses.`);
    }
    labeled.push(checked(line, row));
  }
  return labeled;
}

interface Row {
  readonly line: number;
  readonly row: unknown;
}

async function* readJsonLines(source: Readable): AsyncGenerator<Row> {
  let line = 0;
  for await (const text of linesOf(source.setEncoding('utf8'), lineRules)) {
    line += 1;
    if (text.trim() !== '') {
      yield { line, row: parseJson(text, line) };
    }
  }
}

function parseJson(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`Line ${line} is not valid JSON.`, { cause });
  }
}

async function* readCsv(source: Readable): AsyncGenerator<Row> {
  const parser = source.pipe(
    parse({ columns: true, info: true, bom: true, skip_empty_lines: true, max_record_size: lineOctetsMax }),
  );
  source.on('error', error => parser.destroy(error));
  for await (const read of parser) {
    const { record, info } = read as { record: Record<string, string>; info: Pick<InfoRecord, 'lines'> };
    yield {
      line: info.lines,
      row: {
        domain: record['domain'],
        exists: { true: true, '1': true, false: false, '0': false }[record['exists']?.toLowerCase() ?? ''],
        observations: (record['findings'] ?? '').split(/\s+/).filter(Boolean).map(readFinding),
      },
    };
  }
}

function readFinding(text: string): unknown {
  const [, source, finding, age] = /^(\w+):(\w+)(?:@(\d+(?:\.\d+)?))?$/.exec(text) ?? [];
  return { source, finding, ...(age !== undefined && { ageDays: Number(age) }) };
}

function checked(line: number, row: unknown): Labeled {
  const parsed = labeledLine.safeParse(row);
  if (!parsed.success) {
    throw new UsageError(`Line ${line}: ${z.prettifyError(parsed.error)}`);
  }
  const strange = parsed.data.observations.find(observation => !isObservation(observation));
  if (strange !== undefined) {
    throw new UsageError(`Line ${line}: unknown finding ${strange.source}:${strange.finding}.`);
  }
  return { ...parsed.data, observations: parsed.data.observations as Observation[] };
}
