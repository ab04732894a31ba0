import type { EvidenceSource } from './evidence-source.ts';
import { askKeyRecord, keyRecordCost } from './key-record.ts';

/** An S/MIME certificate that the domain publishes in DNS for the mailbox (RFC 8162). */
export const smimea: EvidenceSource = {
  id: 'smimea',
  privacy: 'hash_to_name_servers',
  cost: keyRecordCost,
  enabledByDefault: true,
  async gather(ports, inquiry, deadline) {
    const place = { type: 'SMIMEA', parent: '_smimecert', isRecord: isAssociation } as const;
    return {
      observations: [{ source: 'smimea', finding: await askKeyRecord(place, ports, inquiry, deadline) }],
    };
  },
};

/** Usage, selector and matching type in their ranges, and some data (RFC 8162 section 2, RFC 6698 section 2.1). */
function isAssociation([usage = 255, selector = 255, matchingType = 255, ...data]: Uint8Array): boolean {
  return usage <= 3 && selector <= 1 && matchingType <= 2 && data.length > 0;
}
