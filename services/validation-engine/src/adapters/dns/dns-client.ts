import type { Clock } from '../../domain/deadline.ts';
import type { DnsAnswer } from '../../domain/dns/mail-dns.ts';
import { askServers } from './ask-servers.ts';
import { aliasesMax } from './find-records.ts';
import { isAskable, normaliseName } from './name.ts';
import type { NameServer } from './name-servers.ts';
import type { RecordContents, RecordLookup } from './record-lookup.ts';

const malformed = { kind: 'failure', failure: 'malformed' } as const;

/** Asks recursive name servers. They follow most aliases themselves; where one did not, its target is asked about. */
export function createDnsClient(servers: () => readonly NameServer[], clock: Clock): RecordLookup {
  return {
    async lookUp(name, type, deadline): Promise<DnsAnswer<RecordContents[typeof type]>> {
      const asked = new Set<string>();
      let owner = normaliseName(name);
      let ttlSeconds = Number.POSITIVE_INFINITY;
      while (asked.size <= aliasesMax && !asked.has(owner) && isAskable(owner)) {
        asked.add(owner);
        const finding = await askServers(servers(), owner, type, clock, deadline);
        if (finding.kind === 'failure') {
          return finding;
        }
        // What an alias leads to is known for no longer than the alias itself.
        ttlSeconds = Math.min(ttlSeconds, finding.ttlSeconds ?? ttlSeconds);
        if (finding.kind !== 'alias') {
          return { ...finding, ttlSeconds };
        }
        owner = finding.target;
      }
      return malformed;
    },
  };
}
