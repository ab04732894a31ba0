import { Problem } from '@mailproof/service-kit';
import { displayPrefixOf } from '../domain/keys/api-key.ts';
import type { KeySealer } from '../domain/keys/key-sealer.ts';
import { type KeyStore, keyStateOf } from '../domain/keys/key-store.ts';
import { showApiKey } from '../domain/keys/show-api-key.ts';
import type { SecurityEventLog } from '../domain/users/security-event.ts';
import type { Events } from '../events.ts';
import type { GatewayHandlers } from './guards/gateway-callers.ts';

/** The account’s API key. */
export function apiKeyHandlers(ports: ApiKeyPorts, onCannotBeShown: Events['keyCannotBeShown']) {
  return {
    async getApiKey(_input, { caller }) {
      const { accountId, plan } = caller.account;
      const shown = await showApiKey(ports, accountId);
      if (shown.kind === 'none') {
        throw new Problem('api_key_not_found');
      }
      const { apiKeyId, displayPrefix, createdAt } = shown.stored;
      if (shown.kind === 'cannot_be_shown') {
        onCannotBeShown(accountId, apiKeyId, shown.cause);
        throw new Problem('api_key_cannot_be_shown', {
          detail: `The key that starts with ${displayPrefix} works, but its stored copy cannot be decrypted. Regenerate the key to get one that can be displayed.`,
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
    },

    async regenerateApiKey(_input, { caller }) {
      const { account, userId, client } = caller;
      const { accountId } = account;
      const state = keyStateOf(account.plan);
      // An account that never had a key gets its first one with a plan, not here.
      if (state === 'disabled' && !(await ports.keys.activeKey(accountId))) {
        throw new Problem('api_key_not_found');
      }
      const at = ports.now();
      const made = await ports.keys.regenerate(accountId, at, { userId, client });
      if (!made) {
        throw new Problem('api_key_not_found');
      }
      return {
        api_key_id: made.apiKeyId,
        api_key: made.apiKey,
        display_prefix: displayPrefixOf(made.apiKey),
        state,
        created_at: at.toISOString(),
      };
    },
  } satisfies Partial<GatewayHandlers>;
}

interface ApiKeyPorts {
  readonly keys: KeyStore;
  readonly sealer: KeySealer;
  readonly record: SecurityEventLog['record'];
  readonly now: () => Date;
}
