import { createHash } from 'node:crypto';
import { type Deadline, within } from '../concurrency/deadline.ts';
import type { KeyRecordType } from '../dns/mail-dns.ts';
import { askDirectory, type DirectoryAnswer } from './ask-directory.ts';
import type { Cost, EvidencePorts, EvidenceSource, Inquiry } from './evidence-source.ts';
import type { DirectoryFinding } from './observation.ts';

/** One question about the mailbox, and one control question. */
const keyRecordCost: Cost = { smtpConnections: 0, dnsQuestions: 2, httpsRequests: 0 };

/** Name servers that have answered for the MX records rarely need longer for a key. */
const questionTimeoutMs = 4_000;

interface KeyRecordLocation {
  readonly type: KeyRecordType;
  /** The label between the label of the mailbox and the domain. */
  readonly parent: string;
  readonly isRecord: (rdata: Uint8Array) => boolean;
}

/**
 * Looks for a key of the mailbox in DNS. Both standards require DNSSEC before the key is used; it is not used here,
 * because all that matters is that it is published.
 */
function askKeyRecord(
  { type, parent, isRecord }: KeyRecordLocation,
  { evidenceDns, clock }: EvidencePorts,
  { domain, task, stranger }: Inquiry,
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
  return askDirectory(ask, task.email.localPart.text, stranger);
}

/**
 * The label under which DNS publishes keys of a mailbox (RFC 7929 section 3, RFC 8162 section 3): SHA-256 of the local
 * part, truncated to 28 octets so that its hexadecimal form fits a label. Upper case is kept, since only the domain
 * knows whether it matters (RFC 7929 section 4); both RFCs ask for composed characters.
 */
export function keyRecordLabel(localPart: string): string {
  return createHash('sha256')
    .update(localPart.normalize('NFC'), 'utf8')
    .digest()
    .subarray(0, 28)
    .toString('hex');
}

const publicKeyTag = 6;

/** True if the octets begin with a public-key packet (RFC 9580 sections 4.2 and 5.5.1), in either header format. */
export function isOpenPgpKey(octets: Uint8Array): boolean {
  const [header = 0] = octets;
  const isPacket = (header & 0x80) !== 0;
  const tag = (header & 0x40) !== 0 ? header & 0x3f : (header >> 2) & 0x0f;
  return isPacket && tag === publicKeyTag;
}

/** An OpenPGP key that the domain publishes in DNS for the mailbox (RFC 7929). */
export const openPgpKey: EvidenceSource = {
  id: 'openpgpkey',
  privacy: 'hash_to_name_servers',
  cost: keyRecordCost,
  enabledByDefault: true,
  async gather(ports, inquiry, deadline) {
    const location = { type: 'OPENPGPKEY', parent: '_openpgpkey', isRecord: isOpenPgpKey } as const;
    return {
      observations: [
        { source: 'openpgpkey', finding: await askKeyRecord(location, ports, inquiry, deadline) },
      ],
    };
  },
};

/** An S/MIME certificate that the domain publishes in DNS for the mailbox (RFC 8162). */
export const smimea: EvidenceSource = {
  id: 'smimea',
  privacy: 'hash_to_name_servers',
  cost: keyRecordCost,
  enabledByDefault: true,
  async gather(ports, inquiry, deadline) {
    const location = { type: 'SMIMEA', parent: '_smimecert', isRecord: isAssociation } as const;
    return {
      observations: [{ source: 'smimea', finding: await askKeyRecord(location, ports, inquiry, deadline) }],
    };
  },
};

/** Usage, selector and matching type in their ranges, and some data (RFC 8162 section 2, RFC 6698 section 2.1). */
function isAssociation([usage = 255, selector = 255, matchingType = 255, ...data]: Uint8Array): boolean {
  return usage <= 3 && selector <= 1 && matchingType <= 2 && data.length > 0;
}
