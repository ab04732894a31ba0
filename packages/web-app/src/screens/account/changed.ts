import { $api, queryClient } from '../../api/client.ts';

/** Says that the members, and what owners read about them, have a new answer. */
export async function membersChanged(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: $api.queryOptions('get', '/members').queryKey }),
    queryClient.invalidateQueries({ queryKey: ['get', '/security-events'] }),
  ]);
}

/** Says that who has signed in, and where, has a new answer. */
export async function accountChanged(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: $api.queryOptions('get', '/session').queryKey }),
    queryClient.invalidateQueries({ queryKey: $api.queryOptions('get', '/profile').queryKey }),
    queryClient.invalidateQueries({ queryKey: $api.queryOptions('get', '/sessions').queryKey }),
    queryClient.invalidateQueries({ queryKey: ['get', '/security-events'] }),
  ]);
}
