import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';
import {
  type MailedLink,
  readMailedLink,
  readStopToken,
  type SignInReason,
  signInReasons,
} from './page-addresses.ts';

/** The most recently opened link, kept only in the page's memory. */
let opened: MailedLink | undefined;
let stopToken: string | undefined;

/** Screens for visitors without a session. */
export const accessRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    validateSearch: ({ next, why }): { next?: string | undefined; why?: SignInReason | undefined } => ({
      // Only paths of the application are allowed: another origin would make this an open redirect.
      next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined,
      why: signInReasons.find(reason => reason === why),
    }),
    component: lazyRouteComponent(() => import('./sign-in-screens.tsx'), 'SignInScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-up',
    component: lazyRouteComponent(() => import('./sign-in-screens.tsx'), 'SignUpScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/forgot-password',
    component: lazyRouteComponent(() => import('./sign-in-screens.tsx'), 'ForgotPasswordScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/confirm',
    beforeLoad: ({ location }) => {
      if (location.hash !== '') {
        opened = readMailedLink(location.hash);
        // The link works once, but until it is used, it should not stay in the history.
        throw redirect({ to: '/confirm', hash: '', replace: true });
      }
      return { link: opened };
    },
    component: lazyRouteComponent(() => import('./confirm-screen.tsx'), 'ConfirmScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/notices/stop',
    beforeLoad: ({ location }) => {
      if (location.hash !== '') {
        stopToken = readStopToken(location.hash);
        throw redirect({ to: '/notices/stop', hash: '', replace: true });
      }
      return { token: stopToken };
    },
    component: lazyRouteComponent(() => import('./stop-notices-screen.tsx'), 'StopNoticesScreen'),
  }),
] as const;
