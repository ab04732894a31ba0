import {
  type EmailAddress,
  isDeliverable,
  parseEmailAddress,
  type ValidationResult,
  type Verdict,
  validationResults,
  verdictReasons,
} from '@mailproof/shared-types';
import { type Color, printable } from '../terminal.ts';
import type { ListRow } from './address-list.ts';

/** The result for one row. */
export type RowVerdict =
  | { readonly kind: 'validated'; readonly row: ListRow; readonly verdict: Verdict }
  /** Not an address, so no host was probed. */
  | { readonly kind: 'refused'; readonly row: ListRow; readonly sentence: string };

type Ask = (email: EmailAddress) => Promise<Verdict>;

export async function validateRow(row: ListRow, ask: Ask): Promise<RowVerdict> {
  const parsed = parseEmailAddress(row.address);
  return parsed.ok
    ? { kind: 'validated', row, verdict: await ask(parsed.value) }
    : { kind: 'refused', row, sentence: parsed.fault.message };
}

export function resultOf(said: RowVerdict): Verdict['result'] {
  return said.kind === 'validated' ? said.verdict.result : 'invalid';
}

function reasonOf(said: RowVerdict): string {
  return said.kind === 'validated' ? said.verdict.reason : 'syntax';
}

export function isUsable(said: RowVerdict): boolean {
  return isDeliverable(resultOf(said));
}

/** One line of JSON with the field names of the REST interface; unknown fields are left out, as they are there. */
export function toJsonLine(said: RowVerdict): string {
  const verdict = said.kind === 'validated' ? said.verdict : undefined;
  const fields = {
    row: said.row.row,
    email: said.row.address,
    result: resultOf(said),
    valid: isUsable(said),
    reason: reasonOf(said),
    message: said.kind === 'refused' ? said.sentence : undefined,
    mx_domain: verdict?.mxDomain,
    mx_provider: verdict?.mxProvider,
    email_type: verdict?.emailType,
    mx_secure_email_gateway: verdict?.secureEmailGateway,
    elapsed_ms: verdict?.elapsedMs ?? 0,
  };
  return `${JSON.stringify(fields)}\n`;
}

/** Formats the lines that people read: address, result, reason, and the provider if known. */
export type VerdictLine = (said: RowVerdict) => string;

export type Painter = (text: string, color: Color) => string;

/** Longer addresses shift the rest of their line to the right, which is rare and harmless. */
const addressWidthMax = 48;
const resultWidth = widthOf(validationResults);
const reasonWidth = widthOf(Object.keys(verdictReasons));
const gap = '  ';

/** The addresses known at the start set the width, since lines cannot be aligned afterward. */
export function createVerdictLine(known: readonly string[], paintText: Painter): VerdictLine {
  const addressWidth = Math.min(addressWidthMax, widthOf(known));
  return said => {
    const result = resultOf(said);
    const last = said.kind === 'refused' ? said.sentence : (said.verdict.mxProvider ?? '');
    const color = isUsable(said) ? 'green' : result === 'invalid' ? 'red' : 'yellow';
    const cells = [
      printable(said.row.address).padEnd(addressWidth),
      paintText(result.padEnd(resultWidth), color),
      reasonOf(said).padEnd(reasonWidth),
      printable(last),
    ];
    return `${cells.join(gap).trimEnd()}\n`;
  };
}

function widthOf(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(text => text.length));
}

/** Counts the results, for the summary. */
interface Tally {
  add(result: ValidationResult): void;
  total(): number;
  /** One sentence. */
  summarize(end: RunEnd): string;
}

interface RunEnd {
  readonly elapsedMs: number;
  readonly interrupted: boolean;
  /** Rows of the list without an address. */
  readonly emptyRows: number;
}

export function createTally(): Tally {
  const counts = new Map<ValidationResult, number>();
  const total = () => [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    add: result => counts.set(result, (counts.get(result) ?? 0) + 1),
    total,
    summarize({ elapsedMs, interrupted, emptyRows }) {
      const parts = validationResults
        .filter(result => counts.has(result))
        .map(result => `${counts.get(result)} ${result}`);
      const done = `${countOf(total(), 'address', 'addresses')} in ${(elapsedMs / 1_000).toFixed(1)} s`;
      return [
        `${interrupted ? 'Interrupted after ' : ''}${done}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}.`,
        ...(emptyRows > 0 ? [`${countOf(emptyRows, 'row has', 'rows have')} no address.`] : []),
      ].join(' ');
    },
  };
}

function countOf(count: number, one: string, several: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
}
