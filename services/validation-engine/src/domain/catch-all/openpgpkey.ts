import type { EvidenceSource } from './evidence-source.ts';
import { askKeyRecord, keyRecordCost } from './key-record.ts';
import { isOpenPgpKey } from './openpgp.ts';

/** An OpenPGP key that the domain publishes in DNS for the mailbox (RFC 7929). */
export const openPgpKey: EvidenceSource = {
  id: 'openpgpkey',
  privacy: 'hash_to_name_servers',
  cost: keyRecordCost,
  enabledByDefault: true,
  async gather(ports, inquiry, deadline) {
    const place = { type: 'OPENPGPKEY', parent: '_openpgpkey', isRecord: isOpenPgpKey } as const;
    return {
      observations: [{ source: 'openpgpkey', finding: await askKeyRecord(place, ports, inquiry, deadline) }],
    };
  },
};
