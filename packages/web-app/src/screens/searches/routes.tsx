import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../shell/root-route.tsx';
import { readTried, type TriedFilters } from './tried-filters.ts';

interface NewSearch extends TriedFilters {
  name?: string | undefined;
}

function readNewSearch(search: Readonly<Record<string, unknown>>): NewSearch {
  const { name } = search;
  return { ...readTried(search), name: typeof name === 'string' ? name : undefined };
}

export const peopleRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/people',
    component: lazyRouteComponent(() => import('./searches-screen.tsx'), 'SearchesScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/people/new',
    validateSearch: readNewSearch,
    component: lazyRouteComponent(() => import('./new-search-screen.tsx'), 'NewSearchScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/people/$searchId',
    validateSearch: readTried,
    component: lazyRouteComponent(() => import('./search-screen.tsx'), 'SearchScreen'),
  }),
] as const;

/** The same screens, which find companies. */
export const companiesRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/companies',
    component: lazyRouteComponent(() => import('./searches-screen.tsx'), 'CompanySearchesScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/companies/new',
    validateSearch: readNewSearch,
    component: lazyRouteComponent(() => import('./new-search-screen.tsx'), 'NewCompanySearchScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/companies/$searchId',
    validateSearch: readTried,
    component: lazyRouteComponent(() => import('./search-screen.tsx'), 'CompanySearchScreen'),
  }),
] as const;
