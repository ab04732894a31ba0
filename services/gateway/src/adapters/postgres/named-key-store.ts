import {
  type AccountId,
  type ApiKeyId,
  type KeyScope,
  keyScopeNames,
  limits,
  newId,
  type SecurityEventKind,
  type UserId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { AccountDeleted } from '../../domain/accounts/account.ts';
import { displayPrefixOf, generateApiKey, hashApiKey } from '../../domain/keys/api-key.ts';
import type { NamedKey, NamedKeyAct, NamedKeyStore } from '../../domain/keys/named-key.ts';
import { sql as access } from './access.sql.ts';
import { sql } from './accounts.sql.ts';
import type { NamedApiKey, Prisma, PrismaClient } from './generated/client.ts';
import { within } from './open.ts';

/** Named keys on Postgres. */
export function createNamedKeyStore(prisma: PrismaClient): NamedKeyStore {
  return {
    async list(accountId) {
      const rows = await prisma.namedApiKey.findMany({
        where: { accountId, revokedAt: null },
        orderBy: { apiKeyId: 'desc' },
      });
      return rows.map(namedKeyOf);
    },

    create: (terms, act) =>
      prisma.$transaction(async transaction => {
        const { accountId, userId, now } = act;
        // The account's row locks its keys: two concurrent creations cannot exceed the limit.
        await lockAccount(transaction, accountId);
        if (
          (await transaction.namedApiKey.count({ where: { accountId, revokedAt: null } })) >=
          limits.apiKeysMax
        ) {
          return 'exhausted';
        }
        const apiKey = generateApiKey(terms.mode);
        const row = await transaction.namedApiKey.create({
          data: {
            apiKeyId: newId('apiKey'),
            accountId,
            name: terms.name,
            keySha256: new Uint8Array(hashApiKey(apiKey)),
            displayPrefix: displayPrefixOf(apiKey),
            isTest: terms.mode === 'test',
            scopes: [...terms.scopes],
            createdBy: userId,
            createdAt: now,
            expiresAt: terms.expiresAt ?? null,
          },
        });
        await writeEvent(transaction, 'api_key_generated', row, act);
        return { key: namedKeyOf(row), apiKey };
      }),

    revoke: (apiKeyId, act) =>
      prisma.$transaction(async transaction => {
        const { accountId, now } = act;
        await lockAccount(transaction, accountId);
        const [revoked] = await transaction.namedApiKey.updateManyAndReturn({
          where: { apiKeyId, accountId, revokedAt: null },
          data: { revokedAt: now },
        });
        if (revoked) {
          await writeEvent(transaction, 'api_key_revoked', revoked, act);
        }
        return revoked !== undefined;
      }),
  };
}

async function lockAccount(transaction: Prisma.TransactionClient, accountId: AccountId): Promise<void> {
  const { rowCount } = await sql.lock_account(within(transaction), { account_id: accountId });
  if (rowCount === 0) {
    throw new AccountDeleted(accountId);
  }
}

async function writeEvent(
  transaction: Prisma.TransactionClient,
  kind: SecurityEventKind,
  { name, displayPrefix, scopes }: NamedApiKey,
  { accountId, userId, client, now }: NamedKeyAct,
): Promise<void> {
  await transaction.securityEvent.create({
    data: {
      accountId,
      userId,
      kind,
      at: now,
      clientNetwork: client.network,
      userAgent: client.userAgent,
      details: { name, display_prefix: displayPrefix, scopes: knownScopes(scopes).join(' ') },
    },
  });
}

function namedKeyOf(row: NamedApiKey): NamedKey {
  return {
    apiKeyId: row.apiKeyId as ApiKeyId,
    name: row.name,
    mode: row.isTest ? 'test' : 'live',
    displayPrefix: row.displayPrefix,
    scopes: knownScopes(row.scopes),
    createdBy: row.createdBy as UserId,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt ?? undefined,
    lastUsedAt: row.lastUsedAt ?? undefined,
  };
}

/** The scopes that this release knows; a newer release may have stored others, which open nothing here. */
export function knownScopes(stored: readonly string[]): KeyScope[] {
  return keyScopeNames.filter(name => stored.includes(name));
}

/** Writes when a named key was last used. */
export interface KeyUseLog {
  /** Notes a use in the background; at most one write of a key is in flight. */
  note(apiKeyId: ApiKeyId): void;
  /** Waits for the writes in flight. */
  close(): Promise<void>;
}

/** Uses of named keys on Postgres. A failed write delays or fails no request: a later request notes its own use. */
export function createKeyUseLog(
  pool: Pool,
  onFailed: (apiKeyId: ApiKeyId, error: unknown) => void,
): KeyUseLog {
  const writes = new Map<ApiKeyId, Promise<void>>();
  async function write(apiKeyId: ApiKeyId): Promise<void> {
    try {
      await access.note_key_use(pool, { api_key_id: apiKeyId });
    } catch (error) {
      onFailed(apiKeyId, error);
    } finally {
      writes.delete(apiKeyId);
    }
  }
  return {
    note(apiKeyId) {
      if (!writes.has(apiKeyId)) {
        writes.set(apiKeyId, write(apiKeyId));
      }
    },
    async close() {
      await Promise.all(writes.values());
    },
  };
}
