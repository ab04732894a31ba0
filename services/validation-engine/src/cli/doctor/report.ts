import {
  type CheckName,
  countFailed,
  type Finding,
  type Status,
} from '../../domain/standing/examination/finding.ts';
import { type Colour, printable } from '../terminal.ts';
import type { Painter } from '../validate/verdict-line.ts';

const statusWords: Readonly<Record<Status, readonly [string, Colour]>> = {
  ok: ['ok', 'green'],
  warning: ['warning', 'yellow'],
  failed: ['failed', 'red'],
  cannot_tell: ['cannot tell', 'dim'],
};

const checkWords: Readonly<Record<CheckName, string>> = {
  resolvers: 'name server',
  port_25: 'port 25',
  public_address: 'public address',
  ehlo_name: 'EHLO name',
  reverse_dns: 'reverse DNS',
  block_lists: 'block list',
};

/** One paragraph for each finding, and what it comes to. */
export function toText(findings: readonly Finding[], paintText: Painter): string {
  const statusWidth = Math.max(...Object.values(statusWords).map(([word]) => word.length));
  const checkWidth = Math.max(...Object.values(checkWords).map(word => word.length));
  const lines = findings.flatMap(({ check, status, sentence, advice }) => {
    const [word, colour] = statusWords[status];
    const indent = ' '.repeat(statusWidth + checkWidth + 4);
    return [
      `${paintText(word.padEnd(statusWidth), colour)}  ${checkWords[check].padEnd(checkWidth)}  ${printable(sentence)}`,
      ...(advice === undefined ? [] : [`${indent}→ ${printable(advice)}`]),
    ];
  });
  return `${[...lines, '', conclusion(findings)].join('\n')}\n`;
}

export function toJson(findings: readonly Finding[]): string {
  return `${JSON.stringify({ failed: countFailed(findings), findings }, null, 2)}\n`;
}

function conclusion(findings: readonly Finding[]): string {
  const failed = countFailed(findings);
  if (failed > 0) {
    return `${failed} of ${findings.length} checks failed.`;
  }
  return findings.every(({ status }) => status === 'ok')
    ? 'This machine can validate.'
    : 'Nothing failed; read the lines that are not ok.';
}
