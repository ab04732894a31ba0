import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../shell/root-route.tsx';
import type { Shown } from './question.ts';

/** The query parameters of a search's URL. */
interface ShownSearch {
  /** The companies that are shown. */
  readonly show?: Shown | undefined;
  /** Whether the user is changing the question. */
  readonly change?: true | undefined;
  /** The company whose record is open. */
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
