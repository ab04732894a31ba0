/** The result of a check. `cannot_tell` is never treated as one of the others. */
export type Status = 'ok' | 'warning' | 'failed' | 'cannot_tell';

export type CheckName =
  | 'resolvers'
  | 'port_25'
  | 'public_address'
  | 'ehlo_name'
  | 'reverse_dns'
  | 'block_lists';

export interface Finding {
  readonly check: CheckName;
  readonly status: Status;
  /** What was seen, in a sentence or two. */
  readonly sentence: string;
  /** What to do about it. */
  readonly advice?: string;
}

export function countFailed(findings: readonly Finding[]): number {
  return findings.filter(({ status }) => status === 'failed').length;
}
