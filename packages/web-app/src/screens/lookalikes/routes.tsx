import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../shell/signed-in-route.tsx';

/** What the address of a search says beside its id. */
interface ShownSearch {
  /** Which companies are seen. */
  readonly show?: 'delivered' | 'preview' | undefined;
  /** Whether the question is being changed. */
  readonly change?: true | undefined;
  /** Whose record is open. */
  readonly company?: string | undefined;
}

export const lookalikeRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/lookalikes',
    validateSearch: ({ begin }): { begin?: true | undefined } => ({
      begin: begin === true ? true : undefined,
    }),
    component: lazyRouteComponent(() => import('./searches-screen.tsx'), 'SearchesScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/lookalikes/$searchId',
    validateSearch: ({ show, change, company }): ShownSearch => ({
      show: show === 'delivered' || show === 'preview' ? show : undefined,
      change: change === true ? true : undefined,
      company: typeof company === 'string' ? company : undefined,
    }),
    component: lazyRouteComponent(() => import('./search-screen.tsx'), 'SearchScreen'),
  }),
] as const;
