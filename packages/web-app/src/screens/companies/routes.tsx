import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../shell/root-route.tsx';
import { readTried, type TriedFilters } from '../people/tried-filters.ts';

export const companiesRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/companies',
    component: lazyRouteComponent(() => import('./searches-screen.tsx'), 'SearchesScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/companies/new',
    validateSearch: (search): TriedFilters => readTried(search),
    component: lazyRouteComponent(() => import('./new-search-screen.tsx'), 'NewSearchScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/companies/$searchId',
    validateSearch: readTried,
    component: lazyRouteComponent(() => import('./search-screen.tsx'), 'SearchScreen'),
  }),
] as const;
