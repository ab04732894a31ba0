import { type AccountId, type ApiKeyId, newId, type SecurityEventKind } from '@mailproof/shared-types';
import type { MadeKey } from '../../domain/billing/billing-store.ts';
import { displayPrefixOf, generateApiKey, hashApiKey } from '../../domain/keys/api-key.ts';
import type { KeySealer } from '../../domain/keys/key-sealer.ts';
import type { KeyStore, SealedStoredKey, StoredKey } from '../../domain/keys/key-store.ts';
import { sql } from './accounts.sql.ts';
import type { ApiKey as ApiKeyRow, Prisma, PrismaClient } from './generated/client.ts';
import { within } from './open.ts';

/** Keys and their sealed copies on Postgres. */
export function createKeyStore(prisma: PrismaClient, sealer: KeySealer | undefined): KeyStore {
  return {
    async activeKey(accountId) {
      const row = await prisma.apiKey.findFirst({
        where: { accountId, revokedAt: null },
        orderBy: { apiKeyId: 'desc' },
      });
      return row ? storedKeyOf(row) : undefined;
    },

    regenerate: (accountId, now, by) =>
      prisma.$transaction(async transaction => {
        // The account's row locks its keys: of two concurrent regenerations, the later one's key remains.
        const { rowCount } = await sql.lock_account(within(transaction), { account_id: accountId });
        if (rowCount === 0) {
          return undefined;
        }
        await transaction.apiKey.updateMany({
          where: { accountId, revokedAt: null },
          data: { revokedAt: now, sealedKey: null, sealedKid: null },
        });
        const { row, ...made } = await newKey(accountId, sealer);
        await transaction.apiKey.create({ data: row });
        await transaction.securityEvent.create({
          data: {
            accountId,
            userId: by?.userId ?? null,
            kind: 'api_key_regenerated' satisfies SecurityEventKind,
            at: now,
            clientNetwork: by?.client.network ?? 'operator',
            userAgent: by?.client.userAgent ?? '',
          },
        });
        return made;
      }),

    async replaceSealed({ apiKeyId, sealed: { sealedKey } }, sealed) {
      const { count } = await prisma.apiKey.updateMany({
        where: { apiKeyId, sealedKey, revokedAt: null },
        data: { sealedKey: sealed.sealedKey, sealedKid: sealed.kid },
      });
      return count === 1;
    },

    async sealedUnderOthers(kid, after, limit) {
      const rows = await prisma.apiKey.findMany({
        where: { ...sealedUnderOther(kid), ...(after && { apiKeyId: { gt: after } }) },
        orderBy: { apiKeyId: 'asc' },
        take: limit,
      });
      return rows.map(storedKeyOf).filter(stored => isSealed(stored));
    },

    countSealedUnderOthers: kid => prisma.apiKey.count({ where: sealedUnderOther(kid) }),
  };
}

function sealedUnderOther(kid: string) {
  return { AND: [{ sealedKid: { not: null } }, { sealedKid: { not: kid } }] };
}

function isSealed(stored: StoredKey): stored is SealedStoredKey {
  return stored.sealed !== undefined;
}

function storedKeyOf(row: ApiKeyRow): StoredKey {
  const { sealedKey, sealedKid } = row;
  return {
    apiKeyId: row.apiKeyId as ApiKeyId,
    accountId: row.accountId as AccountId,
    keySha256: row.keySha256,
    displayPrefix: row.displayPrefix,
    createdAt: row.createdAt,
    sealed: sealedKey !== null && sealedKid !== null ? { sealedKey, kid: sealedKid } : undefined,
  };
}

/** Creates a key and its row. Without a sealer, there is no sealed copy, and the key can be shown only this once. */
export async function newKey(
  accountId: AccountId,
  sealer: KeySealer | undefined,
): Promise<MadeKey & { readonly row: Prisma.ApiKeyUncheckedCreateInput }> {
  const apiKeyId = newId('apiKey');
  const apiKey = generateApiKey();
  const sealed = await sealer?.seal(apiKey, accountId);
  const row = {
    apiKeyId,
    accountId,
    keySha256: new Uint8Array(hashApiKey(apiKey)),
    displayPrefix: displayPrefixOf(apiKey),
    sealedKey: sealed?.sealedKey ?? null,
    sealedKid: sealed?.kid ?? null,
  };
  return { apiKeyId, apiKey, row };
}
