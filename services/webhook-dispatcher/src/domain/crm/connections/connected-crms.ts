import type { CrmProvider } from '@mailproof/shared-types';
import type { ConnectedCrms, OpenCrm } from '../crm-access.ts';
import type { AccessSources } from './access-source.ts';
import type { CrmConnectionStore } from './crm-connection.ts';

/** Opens the CRMs that accounts have connected, each by the adapter of its provider. */
export function createConnectedCrms(
  connections: Pick<CrmConnectionStore, 'find'>,
  sources: AccessSources,
  adapters: Readonly<Partial<Record<CrmProvider, OpenCrm>>>,
): ConnectedCrms {
  return {
    async open(accountId, connectionId) {
      const connection = await connections.find(accountId, connectionId);
      return (
        connection && adapters[connection.provider]?.(sources.of(connectionId), connection.organisationId)
      );
    },
  };
}
