import { redirect } from '@tanstack/react-router';
import { $api, queryClient } from './client.ts';
import { asProblem } from './problem.ts';

/** Who has signed in. */
export const sessionQuery = $api.queryOptions('get', '/session', {}, { staleTime: 60_000 });

/** Sends whoever has not signed in to where that is done, and back again afterwards. */
export async function requireSession(here: string): Promise<void> {
  try {
    await queryClient.ensureQueryData(sessionQuery);
  } catch (error) {
    if (asProblem(error).status !== 401) throw error;
    throw redirect({ to: '/sign-in', search: { next: here } });
  }
}

export function useSession() {
  return $api.useSuspenseQuery('get', '/session', {}, { staleTime: 60_000 }).data;
}
