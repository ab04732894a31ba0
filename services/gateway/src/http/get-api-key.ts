import { Problem, type Route, route } from '@mailproof/service-kit';
import { getApiKey } from '@mailproof/shared-types';
import type { KeySealer } from '../domain/keys/key-sealer.ts';
import { type KeyStore, keyStateOf } from '../domain/keys/key-store.ts';
import { showApiKey } from '../domain/keys/show-api-key.ts';
import type { SecurityEventLog } from '../domain/users/security-event.ts';
import type { Events } from '../events.ts';
import type { SessionGuard } from './guards/session-guard.ts';

export interface ApiKeyPorts {
  readonly keys: KeyStore;
  readonly sealer: KeySealer;
  readonly record: SecurityEventLog['record'];
  readonly now: () => Date;
}

export function getApiKeyRoute(
  guardOf: SessionGuard,
  ports: ApiKeyPorts,
  onCannotBeShown: Events['keyCannotBeShown'],
): Route {
  return route(getApiKey, guardOf(getApiKey), async (_input, { caller }) => {
    const { accountId, plan } = caller.account;
    const shown = await showApiKey(ports, accountId);
    if (shown.kind === 'none') {
      throw new Problem('api_key_not_found');
    }
    const { apiKeyId, displayPrefix, createdAt } = shown.stored;
    if (shown.kind === 'cannot_be_shown') {
      onCannotBeShown(accountId, apiKeyId, shown.cause);
      throw new Problem('api_key_cannot_be_shown', {
        detail: `The key that begins with ${displayPrefix} works, but no copy of it can be opened. Regenerate it to have one that can be shown.`,
        cause: shown.cause,
      });
    }
    const { userId, client } = caller;
    await ports.record({ accountId, userId, kind: 'api_key_shown', at: ports.now(), client });
    return {
      api_key_id: apiKeyId,
      api_key: shown.apiKey,
      display_prefix: displayPrefix,
      state: keyStateOf(plan),
      created_at: createdAt.toISOString(),
    };
  });
}
