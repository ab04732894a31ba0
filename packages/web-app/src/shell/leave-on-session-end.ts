import type { AnyRouter } from '@tanstack/react-router';
import { queryClient } from '../api/client.ts';
import { onSessionEnd } from '../api/session-end.ts';

/**
 * Leads to the sign-in, and back afterwards, when a session ends in the middle of work: by its age, or from elsewhere. A
 * screen that is being gone to asks who has signed in by itself (`requireSession`), and one that is public does not mind.
 */
export function leaveOnSessionEnd(router: AnyRouter): void {
  let isLeaving = false;
  onSessionEnd(async () => {
    const { matches, location } = router.state;
    if (isLeaving || !matches.some(({ routeId }) => routeId === '/signed-in')) return;
    isLeaving = true;
    try {
      await router.navigate({
        to: '/sign-in',
        search: { next: location.href, why: 'ended' },
        // What asks before it is left cannot go on without a session.
        ignoreBlocker: true,
      });
      // What somebody saw is not for whoever signs in next.
      queryClient.clear();
    } finally {
      isLeaving = false;
    }
  });
}
