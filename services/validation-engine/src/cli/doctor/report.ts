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

/** What an operator may want to turn on, and what speaks against it. */
const tenantHostHint = `
The evidence source unpublished_tenant_host is off. For a catch-all domain behind a gateway it asks the
Microsoft 365 host that the domain does not publish, which gave two more right answers in a lab of 257
addresses. It goes around the gateway, so the owner of the domain may object. To turn it on, name it
beside the sources that you want in VALIDATION_EVIDENCE_SOURCES.
`;

/**
 * One paragraph for each finding, and what it comes to.
 *
 * @param sources the evidence sources that are on
 */
export function toText(findings: readonly Finding[], sources: readonly string[], paintText: Painter): string {
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
  // What failed comes first; a hint would only distract from it.
  const isHinted = countFailed(findings) === 0 && !sources.includes('unpublished_tenant_host');
  return `${[...lines, '', conclusion(findings)].join('\n')}\n${isHinted ? tenantHostHint : ''}`;
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
