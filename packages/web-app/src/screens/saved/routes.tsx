import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../shell/root-route.tsx';
import { type SavedSearch, savedSearch } from './filters.ts';

export const savedRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/saved',
    validateSearch: (search): SavedSearch => savedSearch(search),
    component: lazyRouteComponent(() => import('./saved-screen.tsx'), 'SavedScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/saved/companies',
    validateSearch: (search): SavedSearch => savedSearch(search),
    component: lazyRouteComponent(() => import('./saved-companies-screen.tsx'), 'SavedCompaniesScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/saved/lists',
    validateSearch: ({ text, tag }): { text?: string | undefined; tag?: string | undefined } => ({
      text: typeof text === 'string' ? text : undefined,
      tag: typeof tag === 'string' ? tag : undefined,
    }),
    component: lazyRouteComponent(() => import('./lists-screen.tsx'), 'ListsScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/saved/lists/$listId',
    validateSearch: (search): SavedSearch => savedSearch(search),
    component: lazyRouteComponent(() => import('./list-screen.tsx'), 'ListScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/saved/imports',
    component: lazyRouteComponent(() => import('../people-imports/imports-screen.tsx'), 'ImportsScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/saved/imports/$importId',
    component: lazyRouteComponent(() => import('../people-imports/import-screen.tsx'), 'ImportScreen'),
  }),
] as const;
