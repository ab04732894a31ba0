import type { SmtpCounts } from '../counts.ts';
import type { Reply, SmtpScript } from '../script.ts';

export type ReplyFacts = Readonly<Record<string, string>>;

/** Renders a reply as sent, with `{placeholders}` filled in from the facts. */
export function render(reply: Reply, facts: ReplyFacts): string {
  const lines = typeof reply === 'string' ? [reply] : reply;
  return lines
    .map(line => `${line.replace(/\{(\w+)\}/g, (whole, name) => facts[name] ?? whole)}\r\n`)
    .join('');
}

/** A multiline reply, such as the list of extensions after EHLO (RFC 5321 section 4.1.1.1). */
export function multiline(code: number, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `${code}${index === lines.length - 1 ? ' ' : '-'}${line}`);
}

/** The reply code of a rendered reply. */
export function codeOf(rendered: string): number {
  return Number(rendered.slice(0, 3));
}

/** The state that all sessions of a host share. */
export type SmtpHost = {
  readonly name: string;
  readonly script: SmtpScript;
  /** The domains that this host is an exchange for; the script does not cover recipients elsewhere. */
  readonly domains: ReadonlySet<string>;
  readonly greylist: Map<string, number>;
  /** How many recipients the host has refused because of its script so far. */
  refused: number;
  /** How many recipients it was asked about so far. */
  asked: number;
  counts: SmtpCounts;
  readonly onUnscripted: (what: string) => void;
  readonly now: () => number;
};
