import type { AccountId, CrmConnectionId } from '@mailproof/shared-types';
import type {
  ConnectionEvents,
  CrmConnectionStore,
  CrmSignInStore,
  RemovedConnection,
} from './crm-connection.ts';
import type { CrmOAuths } from './crm-oauth.ts';

export interface DisconnectPorts {
  readonly oauths: CrmOAuths;
  readonly connections: Pick<CrmConnectionStore, 'remove' | 'removeOfAccount'>;
  readonly events: Pick<ConnectionEvents, 'crmDisconnected'>;
}

/** Time for a CRM to take our access back, in milliseconds. */
const revokeMsMax = 4_000;

/**
 * Ends a connection: what gives access is deleted here first, then the CRM is told. Where the CRM cannot be told, nobody
 * has the access any more, so this is not tried again. Undefined where the account has no such connection.
 */
export async function disconnect(
  ports: DisconnectPorts,
  accountId: AccountId,
  connectionId: CrmConnectionId,
): Promise<{ readonly isRevoked: boolean } | undefined> {
  const removed = await ports.connections.remove(accountId, connectionId);
  return removed && { isRevoked: await revoke(ports, removed) };
}

/** Ends some of the connections of an account that is gone; answers how many. */
export async function forgetConnections(
  ports: DisconnectPorts & { readonly signIns: Pick<CrmSignInStore, 'deleteOfAccount'> },
  accountId: AccountId,
): Promise<number> {
  await ports.signIns.deleteOfAccount(accountId);
  const removed = await ports.connections.removeOfAccount(accountId);
  await Promise.all(removed.map(each => revoke(ports, each)));
  return removed.length;
}

/** Whether the CRM knows by now that our access has ended. */
async function revoke(
  { oauths, events }: DisconnectPorts,
  { connection, tokens, isSharedWithOthers }: RemovedConnection,
): Promise<boolean> {
  const oauth = oauths[connection.provider];
  const mayRevoke = oauth !== undefined && !(oauth.sharesGrants && isSharedWithOthers);
  const isRevoked =
    mayRevoke && tokens !== undefined
      ? await oauth.revoke(tokens, AbortSignal.timeout(revokeMsMax)).then(
          () => true,
          () => false,
        )
      : false;
  events.crmDisconnected(connection, isRevoked);
  return isRevoked;
}
