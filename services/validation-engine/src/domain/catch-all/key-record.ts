import { type Deadline, within } from '../deadline.ts';
import type { KeyRecordType } from '../dns/evidence-dns.ts';
import { askDirectory, type DirectoryAnswer } from './ask-directory.ts';
import type { Cost, EvidencePorts, Inquiry } from './evidence-source.ts';
import { keyRecordLabel } from './mailbox-names.ts';
import type { DirectoryFinding } from './observation.ts';

/** One question about the mailbox, and one control question. */
export const keyRecordCost: Cost = { smtpConnections: 0, dnsQuestions: 2, httpsRequests: 0 };

/** Name servers that have answered for the MX records hardly need longer for a key. */
const questionTimeoutMs = 4_000;

export interface KeyRecordPlace {
  readonly type: KeyRecordType;
  /** The label between the mailbox's and the domain. */
  readonly parent: string;
  readonly isRecord: (rdata: Uint8Array) => boolean;
}

/**
 * Looks for a key of the mailbox in DNS. Both standards demand DNSSEC before the key is used; it is not used here,
 * and that it is published tells all there is to learn.
 */
export function askKeyRecord(
  { type, parent, isRecord }: KeyRecordPlace,
  { evidenceDns, clock }: EvidencePorts,
  { domain, errand, stranger }: Inquiry,
  deadline: Deadline,
): Promise<DirectoryFinding> {
  async function ask(localPart: string): Promise<DirectoryAnswer> {
    const name = `${keyRecordLabel(localPart)}.${parent}.${domain.ascii}`;
    const answer = await evidenceDns.resolveKey(name, type, within(clock, deadline, questionTimeoutMs));
    if (answer.kind === 'failure') {
      return 'unclear';
    }
    return answer.kind === 'answer' && answer.records.some(isRecord) ? 'yes' : 'no';
  }
  return askDirectory(ask, errand.email.localPart.text, stranger);
}
