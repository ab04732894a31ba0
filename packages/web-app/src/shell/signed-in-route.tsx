import { createRoute } from '@tanstack/react-router';
import { requireSession } from '../api/session.ts';
import { rootRoute } from './root-route.tsx';
import { Shell } from './shell.tsx';

/** The parent of every screen for whoever has signed in. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: ({ location }) => requireSession(location.href),
  component: Shell,
});
