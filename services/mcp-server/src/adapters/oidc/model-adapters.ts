import type { AssistantId } from '@mailproof/shared-types';
import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider';
import type { AssistantStore } from '../../domain/oauth/assistant-store.ts';
import type { ClientStore } from '../postgres/client-store.ts';
import type { RefreshTokenStore, Replacement } from '../postgres/refresh-token-store.ts';
import type { SealedRecords } from '../redis/sealed-records.ts';

/** The stores in which the authorization server keeps its data. */
export interface ModelStores {
  readonly clients: ClientStore;
  readonly assistants: AssistantStore;
  readonly refreshTokens: RefreshTokenStore;
  /** The store of short-lived records, by model name. */
  records(model: string): SealedRecords;
  /** The identifiers of the protected resource that grants are for. */
  readonly resources: readonly string[];
  readonly now: () => Date;
  /** Called when a refresh token was used, with the outcome. */
  readonly onRefreshed: (outcome: Replacement['kind']) => void;
  /** Called when an assistant ended because one of its codes or tokens was reused. */
  readonly onReplayed: (assistantId: string) => void;
}

/** Creates the adapter for each of the library's models. A model that is not listed here must not be used. */
export function createModelAdapters(stores: ModelStores): (model: string) => Adapter {
  return model => {
    switch (model) {
      case 'Interaction':
        return interactionAdapter(stores);
      case 'AuthorizationCode':
      case 'PushedAuthorizationRequest':
      case 'ReplayDetection':
        return recordAdapter(model, stores);
      case 'Client':
        return clientAdapter(stores);
      case 'Grant':
        return grantAdapter(stores);
      case 'RefreshToken':
        return refreshTokenAdapter(stores);
      default:
        return emptyAdapter(model);
    }
  };
}

/**
 * Stores nothing and finds nothing. Sessions are not stored because a sign-in is for one consent and is not remembered;
 * access tokens are not stored because they are signed.
 */
function emptyAdapter(model: string): Adapter {
  const unused = model !== 'Session' && model !== 'AccessToken';
  return {
    async upsert() {
      if (unused) {
        throw new Error(`The model ${model} is not stored.`);
      }
    },
    async find() {},
    async findByUid() {},
    async findByUserCode() {},
    async consume() {},
    async destroy() {},
    async revokeByGrantId() {},
  };
}

/**
 * Largest authorization request, in octets. Anyone can choose its content, above all `state`, and it is stored for as
 * long as a sign-in may take. Requests of honest clients have a few hundred octets.
 */
const requestBytesMax = 8_192;

function recordAdapter(model: string, stores: ModelStores): Adapter {
  const records = stores.records(model);
  return {
    ...emptyAdapter(model),
    async upsert(id, payload, expiresIn) {
      const asked = JSON.stringify(payload.params ?? payload.request ?? '');
      if (Buffer.byteLength(asked) > requestBytesMax) {
        throw new errors.InvalidRequest('the authorization request is too large');
      }
      await records.save(id, payload, expiresIn ?? 1);
    },
    async find(id) {
      const found = await records.find(id);
      return found && ({ ...found.payload, ...(found.isConsumed && { consumed: true }) } as AdapterPayload);
    },
    async consume(id) {
      if (await records.consume(id)) {
        return;
      }
      if (model === 'PushedAuthorizationRequest') {
        throw new errors.InvalidRequestUri('request_uri is invalid, expired, or was already used');
      }
      // A code can expire while it is being exchanged.
      throw await replayed(stores, (await records.find(id))?.payload['grantId']);
    },
    destroy: id => records.remove(id),
    // A code is useless without its grant, which ends at the same time.
    async revokeByGrantId() {},
  };
}

/** Records that the client's sign-in page was opened: that client is kept longer than one that has only registered. */
function interactionAdapter(stores: ModelStores): Adapter {
  const adapter = recordAdapter('Interaction', stores);
  return {
    ...adapter,
    async upsert(id, payload, expiresIn) {
      await adapter.upsert(id, payload, expiresIn);
      await stores.clients.noteSignIn(String(payload.params?.['client_id']), stores.now());
    },
  };
}

function clientAdapter({ clients, now }: ModelStores): Adapter {
  return {
    ...emptyAdapter('Client'),
    upsert: (id, payload) => clients.save(id, payload as Record<string, unknown>, now()),
    find: id => clients.find(id),
  };
}

/** A grant is an assistant: it is read from its row, written by the consent page, and ended like any assistant. */
function grantAdapter({ assistants, resources }: ModelStores): Adapter {
  return {
    ...emptyAdapter('Grant'),
    async find(id) {
      const assistant = await assistants.findGrant(id as AssistantId);
      const scope = assistant?.scopes.join(' ') ?? '';
      return (
        assistant &&
        ({
          kind: 'Grant',
          jti: assistant.assistantId,
          accountId: assistant.userId,
          clientId: assistant.clientId,
          resources: Object.fromEntries(resources.map(resource => [resource, scope])),
          iat: secondsOf(assistant.connectedAt),
          exp: secondsOf(assistant.expiresAt),
        } as AdapterPayload)
      );
    },
    async destroy(id) {
      await assistants.end(id as AssistantId);
    },
  };
}

/**
 * `find` returns replaced refresh tokens like new ones: whether one may be used again is decided under a lock, when its
 * successor is saved (ADR 0058). All tokens of an assistant end with its grant, so no token is revoked alone.
 */
function refreshTokenAdapter(stores: ModelStores): Adapter {
  const { refreshTokens, now } = stores;
  return {
    ...emptyAdapter('RefreshToken'),
    async upsert(id, payload, expiresIn) {
      const assistantId = payload.grantId ?? '';
      const expiresAt = new Date(now().getTime() + (expiresIn ?? 0) * 1_000);
      const token = { token: id, assistantId, payload, expiresAt };
      const ctx = Provider.ctx;
      const { RotatedRefreshToken: used, RefreshToken: successor } = ctx?.oidc.entities ?? {};
      if (!used || !successor) {
        if (!(await refreshTokens.save(token))) {
          throw disconnected();
        }
        return;
      }
      const arrivedAt: Date = ctx?.state['arrivedAt'] ?? now();
      const replacement = await refreshTokens.replace(used.jti, token, { arrivedAt, now });
      stores.onRefreshed(replacement.kind);
      if (replacement.kind === 'gone') {
        throw disconnected();
      }
      if (replacement.kind === 'replayed') {
        throw await replayed(stores, assistantId);
      }
      if (replacement.kind === 'repeated') {
        // The library would send the id that it generated; the server's `answerKeptToken` replaces it with this one.
        successor.jti = replacement.token;
      }
    },
    find: async id => (await refreshTokens.find(id)) as AdapterPayload | undefined,
  };
}

function disconnected(): Error {
  return new errors.CustomOIDCProviderError(
    'invalid_grant',
    'The assistant was disconnected. Connect it again.',
  );
}

/**
 * Ends the assistant of a replayed code or refresh token. We cannot know which of its users is the thief, so the tokens
 * of the first one end too (RFC 9700 section 4.14.2).
 */
async function replayed({ assistants, onReplayed }: ModelStores, grantId: unknown): Promise<Error> {
  if (typeof grantId === 'string' && (await assistants.end(grantId as AssistantId))) {
    onReplayed(grantId);
  }
  return new errors.CustomOIDCProviderError(
    'invalid_grant',
    'The refresh token was already used. Connect the assistant again.',
  );
}

function secondsOf(moment: Date): number {
  return Math.floor(moment.getTime() / 1_000);
}
