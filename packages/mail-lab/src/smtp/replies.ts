import type { Reply } from '../script.ts';

export type ReplyFacts = Readonly<Record<string, string>>;

/** A reply as octets on the wire, with `{placeholders}` filled in from the facts. */
export function render(reply: Reply, facts: ReplyFacts): string {
  const lines = typeof reply === 'string' ? [reply] : reply;
  return lines
    .map(line => `${line.replace(/\{(\w+)\}/g, (whole, name) => facts[name] ?? whole)}\r\n`)
    .join('');
}

/** A 250 reply of several lines, the way EHLO lists extensions (RFC 5321 section 4.1.1.1). */
export function multiline(code: number, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `${code}${index === lines.length - 1 ? ' ' : '-'}${line}`);
}

/** The reply code of a rendered reply. */
export function codeOf(rendered: string): number {
  return Number(rendered.slice(0, 3));
}
