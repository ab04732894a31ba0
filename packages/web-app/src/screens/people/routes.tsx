import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../shell/root-route.tsx';
import { readTried, type TriedFilters } from './tried-filters.ts';

export const peopleRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/people',
    component: lazyRouteComponent(() => import('./searches-screen.tsx'), 'SearchesScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/people/new',
    validateSearch: (search): TriedFilters & { name?: string | undefined } => ({
      ...readTried(search),
      name: typeof search['name'] === 'string' ? search['name'] : undefined,
    }),
    component: lazyRouteComponent(() => import('./new-search-screen.tsx'), 'NewSearchScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/people/$searchId',
    validateSearch: readTried,
    component: lazyRouteComponent(() => import('./search-screen.tsx'), 'SearchScreen'),
  }),
] as const;
