import { type CrmConnectionRecord, crmConnectionFaults, objectsOfCrm } from '@mailproof/shared-types';
import type { CrmConnection } from '../domain/crm/connections/crm-connection.ts';

export function crmConnectionAnswer(connection: CrmConnection): CrmConnectionRecord {
  const { fault } = connection;
  return {
    connection_id: connection.connectionId,
    provider: connection.provider,
    organisation: { id: connection.organisationId, name: connection.organisationName },
    objects: [...objectsOfCrm[connection.provider]],
    fault: fault && { reason: fault, detail: crmConnectionFaults[fault] },
    connected_by: connection.connectedBy,
    connected_at: connection.connectedAt.toISOString(),
    last_used_at: connection.lastUsedAt?.toISOString() ?? null,
  };
}
