import { type EmailAddress, isDeliverable, parseEmailAddress, type Verdict } from '@mailproof/shared-types';
import type { ListRow } from './address-list.ts';

/** What is said of one row. */
export type RowVerdict =
  | { readonly kind: 'validated'; readonly row: ListRow; readonly verdict: Verdict }
  /** Not an address at all, so nobody was asked. */
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

export function reasonOf(said: RowVerdict): string {
  return said.kind === 'validated' ? said.verdict.reason : 'syntax';
}

export function isUsable(said: RowVerdict): boolean {
  return isDeliverable(resultOf(said));
}

/** One line of JSON, with the names of the REST interface; what is not known is left out, as it is there. */
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
