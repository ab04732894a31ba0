import { useParams } from '@tanstack/react-router';
import { $api } from '../../api/client.ts';
import type { CrmConnection } from './crms.ts';

/** The connections of the account, and the one that the address of the screen names. */
export function useConnections() {
  return $api.useQuery('get', '/crm-connections');
}

/**
 * The connection of the screen, for parts of it; the screen shows them only where there is one.
 *
 * @throws where there is none
 */
export function useConnection(): CrmConnection {
  const { connectionId } = useParams({ strict: false });
  const { data } = useConnections();
  const found = data?.connections.find(({ connection_id: id }) => id === connectionId);
  if (!found) throw new Error('There is no such connection.');
  return found;
}
