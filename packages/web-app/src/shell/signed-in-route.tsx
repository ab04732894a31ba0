import { createRoute } from '@tanstack/react-router';
import { requireSession } from '../api/session.ts';
import { markEntry } from './marked-history.ts';
import { rootRoute } from './root-route.tsx';
import { Shell } from './shell.tsx';

/** The parent of every screen that needs a session. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ location }) => markEntry(await requireSession(location)),
  component: Shell,
});
