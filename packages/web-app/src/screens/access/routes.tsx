import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';
import { type MailedLink, readMailedLink } from './mailed-link.ts';

/** Why somebody comes to the sign-in, where it was not their idea. */
const reasons = ['ended', 'signed_out_elsewhere', 'password_set', 'deleted'] as const;

export type SignInReason = (typeof reasons)[number];

/** The link that was opened last; kept in the page's memory alone. */
let opened: MailedLink | undefined;

/** Screens for whoever has not signed in. */
export const accessRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    validateSearch: ({ next, why }): { next?: string | undefined; why?: SignInReason | undefined } => ({
      // Within the application alone: an address of somebody else's would be a trap.
      next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined,
      why: reasons.find(reason => reason === why),
    }),
    component: lazyRouteComponent(() => import('./sign-in-screen.tsx'), 'SignInScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-up',
    component: lazyRouteComponent(() => import('./sign-up-screen.tsx'), 'SignUpScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/forgot-password',
    component: lazyRouteComponent(() => import('./forgot-password-screen.tsx'), 'ForgotPasswordScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/confirm',
    beforeLoad: ({ location }) => {
      if (location.hash !== '') {
        opened = readMailedLink(location.hash);
        // The link works once, but need not lie about in the history until then.
        throw redirect({ to: '/confirm', hash: '', replace: true });
      }
      return { link: opened };
    },
    component: lazyRouteComponent(() => import('./confirm-screen.tsx'), 'ConfirmScreen'),
  }),
] as const;
