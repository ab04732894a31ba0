import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../shell/root-route.tsx';
import { type JobListSearch, type JobSearch, jobListSearchOf, jobSearchOf } from './job-search.ts';

/** The routes of the validation area: all lists, a new list, and one list. */
export const validationRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/validations',
    validateSearch: (search): JobListSearch => jobListSearchOf(search),
    component: lazyRouteComponent(() => import('./job-list-screen.tsx'), 'JobListScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/validations/new',
    validateSearch: ({ sample }): { sample?: true | undefined } => ({
      sample: sample === true ? true : undefined,
    }),
    component: lazyRouteComponent(() => import('./new-job-screen.tsx'), 'NewJobScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/validations/$jobId',
    validateSearch: (search): JobSearch => jobSearchOf(search),
    component: lazyRouteComponent(() => import('./job-screen.tsx'), 'JobScreen'),
  }),
] as const;
