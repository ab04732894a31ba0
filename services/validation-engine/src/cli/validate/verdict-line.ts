import { validationResults, verdictReasons } from '@mailproof/shared-types';
import { type Colour, printable } from '../terminal.ts';
import { isUsable, type RowVerdict, reasonOf, resultOf } from './row-verdict.ts';

/** Makes the lines that people read: address, result, reason, and the provider where it is known. */
export type VerdictLine = (said: RowVerdict) => string;

export type Painter = (text: string, colour: Colour) => string;

/** Longer addresses push the rest of their line to the right, which is rare and harmless. */
const addressWidthMax = 48;
const resultWidth = widthOf(validationResults);
const reasonWidth = widthOf(Object.keys(verdictReasons));
const gap = '  ';

/** The width is settled by the addresses known at the start, since lines cannot be aligned afterwards. */
export function createVerdictLine(known: readonly string[], paintText: Painter): VerdictLine {
  const addressWidth = Math.min(addressWidthMax, widthOf(known));
  return said => {
    const result = resultOf(said);
    const last = said.kind === 'refused' ? said.sentence : (said.verdict.mxProvider ?? '');
    const colour = isUsable(said) ? 'green' : result === 'invalid' ? 'red' : 'yellow';
    const cells = [
      printable(said.row.address).padEnd(addressWidth),
      paintText(result.padEnd(resultWidth), colour),
      reasonOf(said).padEnd(reasonWidth),
      printable(last),
    ];
    return `${cells.join(gap).trimEnd()}\n`;
  };
}

function widthOf(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(text => text.length));
}
