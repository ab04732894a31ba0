import { type Sealer, SealFault } from '@mailproof/service-kit';
import type { CrmConnectionId } from '@mailproof/shared-types';
import { z } from 'zod';
import type { CrmTokens } from '../../domain/crm/connections/crm-connection.ts';

/** What seals tokens is made for, so that nothing that was sealed for something else is taken for them. */
export const sealedCrmTokensType = 'mailproof-crm-tokens';

/** What is sealed together. */
const sealedForm = z.object({ access: z.string(), refresh: z.string() });

interface SealedTokens {
  readonly connection_id: CrmConnectionId;
  readonly sealed_tokens: string;
  readonly access_ends_at: Date | null;
}

/** Seals tokens for one connection: nobody can put them into another one's row. */
export function sealTokens(
  sealer: Sealer,
  connectionId: CrmConnectionId,
  { accessToken, refreshToken }: CrmTokens,
): Promise<string> {
  return sealer.seal(JSON.stringify({ access: accessToken, refresh: refreshToken }), connectionId);
}

/** Undefined where they cannot be opened: their key is not in the ring, or they were changed. */
export async function openTokens(sealer: Sealer, row: SealedTokens): Promise<CrmTokens | undefined> {
  try {
    const text = await sealer.open(row.sealed_tokens, row.connection_id);
    const { access, refresh } = sealedForm.parse(JSON.parse(text));
    return { accessToken: access, refreshToken: refresh, accessEndsAt: row.access_ends_at };
  } catch (error) {
    if (error instanceof SealFault) {
      return undefined;
    }
    throw error;
  }
}
