import { type ParsedLocation, redirect } from '@tanstack/react-router';
import { $api, queryClient } from './client.ts';
import { asProblem } from './problem.ts';
import { showUser } from './shown-user.ts';

/** Who has signed in. */
export const sessionQuery = $api.queryOptions('get', '/session', {}, { staleTime: 60_000 });

/**
 * Binds the page to the user who is signed in. Leads to the sign-in, and back again afterwards, where there is no session,
 * and to the first screen where the screen was another user's.
 */
export async function requireSession({ href, state }: ParsedLocation): Promise<string> {
  const session = await queryClient.ensureQueryData(sessionQuery).catch((error: unknown) => {
    if (asProblem(error).status !== 401) throw error;
    throw redirect({ to: '/sign-in', search: { next: href }, state: { user: state.user } });
  });
  showUser({ userId: session.user_id, accountId: session.account.account_id });
  if (state.user !== undefined && state.user !== session.user_id) {
    throw redirect({ to: '/', replace: true });
  }
  return session.user_id;
}

export function useSession() {
  return $api.useSuspenseQuery('get', '/session', {}, { staleTime: 60_000 }).data;
}
