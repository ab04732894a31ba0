import type { EmailAddress } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { z } from 'zod';
import { printedKey } from '../../domain/catch-all/site/printed-addresses.ts';
import { printPlaces, rulesVersion } from '../../domain/catch-all/site/site-look.ts';
import type { SiteKnowledge, SiteLookStore } from '../../domain/catch-all/site/site-looks.ts';
import { patternClasses } from '../../domain/outcomes/pattern-class.ts';
import { sql } from './evidence.sql.ts';

const patternCounts = z.partialRecord(z.enum(patternClasses), z.int().nonnegative());
const kinds = z.enum(['read', 'prints_anything', 'forbidden', 'no_site', 'failed']);
const places = z.enum(printPlaces).optional();

/**
 * Stores looks at sites in Postgres, shared by all replicas, under keyed hashes: a reader of the table can list neither
 * the domains nor the printed addresses.
 */
export function createSiteLookStore(
  pool: Pool,
  hashOf: (text: string) => string,
  rules = rulesVersion,
): SiteLookStore & { purge(rowsMax: number): Promise<number> } {
  const domainHash = ({ domain }: EmailAddress) => hashOf(`site by rules ${rules}\n${domain.ascii}`);
  const addressHash = (email: EmailAddress) => hashOf(`site address\n${printedKey(email)}`);
  return {
    async find(email): Promise<SiteKnowledge | undefined> {
      const { rows } = await sql.site_look(pool, {
        domain_hash: domainHash(email),
        address_hash: addressHash(email),
      });
      const [row] = rows;
      if (row === undefined) {
        return undefined;
      }
      const place = places.parse(row.place ?? undefined);
      return {
        kind: kinds.parse(row.kind),
        patterns: patternCounts.parse(row.patterns) as SiteKnowledge['patterns'],
        ...(place !== undefined && { place }),
      };
    },

    async claim(email, forMs) {
      const { rowCount } = await sql.claim_site_look(pool, { domain_hash: domainHash(email), for_ms: forMs });
      return rowCount === 1;
    },

    async keep(email, { kind, printed, patterns }, forMs) {
      const byHash = Object.fromEntries(
        printed.map(({ email: found, place }) => [addressHash(found), place]),
      );
      await sql.keep_site_look(pool, {
        domain_hash: domainHash(email),
        kind,
        printed: JSON.stringify(byHash),
        patterns: JSON.stringify(patterns),
        for_ms: forMs,
      });
    },

    async release(email) {
      await sql.release_site_look(pool, { domain_hash: domainHash(email) });
    },

    async purge(rowsMax) {
      const purged = await sql.purge_site_looks(pool, { rows_max: rowsMax });
      return purged.rowCount ?? 0;
    },
  };
}
