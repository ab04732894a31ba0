import { type Handlers, Problem } from '@mailproof/service-kit';
import {
  type AccountId,
  type CrmConnectionId,
  type CrmConnectionRecord,
  type CrmObject,
  type CrmProvider,
  crmConnectionFaults,
  crmProviders,
  objectsOfCrm,
} from '@mailproof/shared-types';
import type {
  Connecting,
  ConnectionCompleted,
  ConnectionStarted,
  CrmAnswer,
} from '../domain/crm/connections/connect.ts';
import type { CrmConnection, CrmConnectionStore } from '../domain/crm/connections/crm-connection.ts';
import type { ConnectedCrms, Crm } from '../domain/crm/crm.ts';
import { createWriteBackProperties } from '../domain/crm/imports/write-back-properties.ts';
import { orCrmProblem, waitSecondsOf } from './crm-problem.ts';

export interface CrmConnectionPorts {
  readonly begin: (connecting: Connecting, provider: CrmProvider) => Promise<ConnectionStarted>;
  readonly complete: (
    connecting: Connecting,
    answer: CrmAnswer,
    signal: AbortSignal,
  ) => Promise<ConnectionCompleted>;
  readonly connections: Pick<CrmConnectionStore, 'list'>;
  readonly providers: readonly CrmProvider[];
  readonly disconnect: (
    accountId: AccountId,
    connectionId: CrmConnectionId,
  ) => Promise<{ readonly isRevoked: boolean } | undefined>;
  readonly connected: ConnectedCrms;
}

/** Connections of accounts to CRMs. */
export function crmConnectionHandlers({
  begin,
  complete,
  connections,
  providers,
  disconnect,
  connected,
}: CrmConnectionPorts) {
  return {
    async beginCrmConnection({ params: { accountId, callerId: userId }, body: { provider } }) {
      const started = await begin({ accountId, userId }, provider);
      if (started.kind === 'not_configured') {
        throw new Problem('crm_not_configured', {
          detail: `Ask your administrator to configure ${crmProviders[provider]} for this installation.`,
        });
      }
      return { authorization_url: started.authorizationUrl, expires_at: started.expiresAt.toISOString() };
    },

    completeCrmConnection: async ({ params: { accountId, callerId: userId }, body }, { signal }) =>
      crmConnectionAnswer(connectionOf(await complete({ accountId, userId }, body, signal))),

    listCrmConnections: async ({ params: { accountId } }) => ({
      connections: (await connections.list(accountId)).map(crmConnectionAnswer),
      providers: [...providers],
    }),

    async disconnectCrm({ params }) {
      const disconnected = await disconnect(params.accountId, params.connection_id);
      if (!disconnected) {
        throw new Problem('crm_connection_not_found');
      }
      return { is_revoked: disconnected.isRevoked };
    },

    async listCrmProperties({ params, query: { object } }, { signal }) {
      const crm = await findCrm(connected, params);
      refuseOtherObjects(crm, object, '?/object');
      return { properties: [...(await orCrmProblem(crm.properties(object, signal)))] };
    },

    async createWriteBackProperties({ params, body: { object, columns } }, { signal }) {
      const crm = await findCrm(connected, params);
      refuseOtherObjects(crm, object, '/object');
      return {
        properties: await orCrmProblem(createWriteBackProperties(crm, object, columns, signal)),
      };
    },

    async listCrmSegments({ params, query: { object } }, { signal }) {
      const crm = await findCrm(connected, params);
      refuseOtherObjects(crm, object, '?/object');
      const segments = await orCrmProblem(crm.segments(object, signal));
      return {
        segments: segments.map(({ segmentId, name, records }) => ({ segment_id: segmentId, name, records })),
      };
    },
  } satisfies Partial<Handlers<'webhook-dispatcher'>>;
}

function connectionOf(completed: ConnectionCompleted): CrmConnection {
  switch (completed.kind) {
    case 'connected':
      return completed.connection;
    case 'not_valid':
      throw new Problem('crm_sign_in_not_valid');
    case 'denied':
      throw new Problem('crm_access_denied', { detail: `The CRM’s error: ${wordOf(completed.error)}.` });
    case 'not_configured':
      throw new Problem('crm_not_configured', {
        detail:
          'The CRM rejects the app of this installation. Ask your administrator to check its client id and secret.',
      });
    case 'too_many':
      throw new Problem('too_many_crm_connections');
    case 'away':
      throw new Problem('crm_unavailable', {
        detail: 'The CRM did not respond. Connect it again.',
        headers: { 'retry-after': waitSecondsOf(completed.waitMs) },
      });
  }
}

/** The error comes from a URL that anyone can forge, so it is repeated only if it looks like a code. */
function wordOf(error: string): string {
  return /^[\w.-]{1,60}$/.test(error) ? error : 'none that can be shown';
}

/** The account's CRM, or the problem `crm_connection_not_found`. */
async function findCrm(
  { open }: ConnectedCrms,
  { accountId, connection_id: connectionId }: { accountId: AccountId; connection_id: CrmConnectionId },
): Promise<Crm> {
  const crm = await open(accountId, connectionId);
  if (!crm) {
    throw new Problem('crm_connection_not_found');
  }
  return crm;
}

/** Refuses a kind of record that the CRM does not have. `pointer` is its position in the request. */
function refuseOtherObjects({ provider }: Crm, object: CrmObject, pointer: string): void {
  const objects = objectsOfCrm[provider];
  if (!objects.includes(object)) {
    const detail = `must be one of ${objects.join(', ')}`;
    throw new Problem('invalid_request', {
      detail: `${pointer}: ${detail}`,
      extra: { errors: [{ pointer, detail }] },
    });
  }
}

function crmConnectionAnswer(connection: CrmConnection): CrmConnectionRecord {
  const { fault } = connection;
  return {
    connection_id: connection.connectionId,
    provider: connection.provider,
    organisation: { id: connection.organizationId, name: connection.organizationName },
    objects: [...objectsOfCrm[connection.provider]],
    fault: fault && { reason: fault, detail: crmConnectionFaults[fault] },
    connected_by: connection.connectedBy,
    connected_at: connection.connectedAt.toISOString(),
    last_used_at: connection.lastUsedAt?.toISOString() ?? null,
  };
}
