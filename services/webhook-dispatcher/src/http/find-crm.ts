import { Problem } from '@mailproof/service-kit';
import { type AccountId, type CrmConnectionId, type CrmObject, objectsOfCrm } from '@mailproof/shared-types';
import type { Crm } from '../domain/crm/crm.ts';
import type { ConnectedCrms } from '../domain/crm/crm-access.ts';

/** The account's CRM, or the problem `crm_connection_not_found`. */
export async function findCrm(
  { open }: ConnectedCrms,
  { accountId, connection_id: connectionId }: { accountId: AccountId; connection_id: CrmConnectionId },
): Promise<Crm> {
  const crm = await open(accountId, connectionId);
  if (!crm) {
    throw new Problem('crm_connection_not_found');
  }
  return crm;
}

/** Refuses kinds of records that the CRM does not have. `pointer` says where in the request they are named. */
export function refuseOtherObjects({ provider }: Crm, object: CrmObject, pointer: string): void {
  const objects = objectsOfCrm[provider];
  if (!objects.includes(object)) {
    const detail = `must be one of ${objects.join(', ')}`;
    throw new Problem('invalid_request', {
      detail: `${pointer}: ${detail}`,
      extra: { errors: [{ pointer, detail }] },
    });
  }
}
