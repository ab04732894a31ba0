import {
  type CheckName,
  countFailed,
  type Finding,
  type Status,
} from '../../domain/standing/examination/finding.ts';
import { type Color, printable } from '../terminal.ts';
import type { Painter } from '../validate/row-verdict.ts';

const statusWords: Readonly<Record<Status, readonly [string, Color]>> = {
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

/** An option that an operator may want to enable, with its drawback. */
const tenantHostHint = `
The evidence source unpublished_tenant_host is off. For a catch-all domain behind a gateway it queries
the Microsoft 365 host that the domain does not publish, which gave two more correct results in a lab of
257 addresses. It bypasses the gateway, so the domain owner may object. To enable it, add it to the
sources in VALIDATION_EVIDENCE_SOURCES.
`;

/**
 * One paragraph per finding, and a conclusion.
 *
 * @param sources the evidence sources that are on
 */
export function toText(findings: readonly Finding[], sources: readonly string[], paintText: Painter): string {
  const statusWidth = Math.max(...Object.values(statusWords).map(([word]) => word.length));
  const checkWidth = Math.max(...Object.values(checkWords).map(word => word.length));
  const lines = findings.flatMap(({ check, status, sentence, advice }) => {
    const [word, color] = statusWords[status];
    const indent = ' '.repeat(statusWidth + checkWidth + 4);
    return [
      `${paintText(word.padEnd(statusWidth), color)}  ${checkWords[check].padEnd(checkWidth)}  ${printable(sentence)}`,
      ...(advice === undefined ? [] : [`${indent}→ ${printable(advice)}`]),
    ];
  });
  // Failures have priority; a hint would only distract from them.
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
    : 'No check failed; review the lines that are not ok.';
}
