import { type AnyRouter, type ParsedLocation, redirect } from '@tanstack/react-router';
import type { Root } from 'react-dom/client';
import {
  clearShownUser,
  forgetSession,
  onSessionRefusal,
  shownUser,
  showUser,
} from '../api/browser-session.ts';
import { $api, api, queryClient, type Schema } from '../api/client.ts';
import { downloads } from '../api/page-downloads.ts';
import { asProblem } from '../api/problem.ts';
import type { SignInReason } from '../screens/access/page-addresses.ts';
import { changeEntry, type EntryState, entryState } from './marked-history.ts';

const noEntryState: EntryState = { user: undefined, said: undefined, switched: undefined };

const channel = new BroadcastChannel('mailproof-session');

let app: Root | undefined;
let isOver = false;
/** Whether the current check was started by a message from another tab. */
let isTold = false;

/**
 * Keeps this tab in sync with the browser's session, which all tabs share (ADR 0057). A tab that starts or ends a
 * session notifies the others, and each of them asks the server who is signed in. A tab that was frozen or restored
 * from the back/forward cache may have missed the notification, so it asks when it is shown again. A refusal of any
 * request has the same effect.
 */
export function followSession(root: Root, router: AnyRouter): void {
  app = root;
  onSessionRefusal(refusal => (refusal === 'not_signed_in' ? sessionEnded(router) : sessionSwitched(router)));
  channel.addEventListener('message', () => {
    isTold = true;
    void look(router).finally(() => {
      isTold = false;
    });
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void look(router);
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void lookUnseen(router);
  });
  // Another tab may have signed in while this page was redirecting to the sign-in.
  void look(router);
}

/**
 * Reloads the page at another URL without any of its previous data: two sessions never share a page's memory. The
 * history entry is replaced.
 */
function startOver(href: string, state: EntryState = {}): void {
  if (isOver) return;
  isOver = true;
  // From here on, nothing of the session is visible, and no screen can send a request before the page unloads.
  app?.unmount();
  downloads.stop();
  queryClient.clear();
  forgetSession();
  // The router stores the scroll position when the page unloads.
  addEventListener('pagehide', forgetSession);
  changeEntry({ ...noEntryState, ...state }, addressOf(href));
  location.reload();
}

/** Handles a session that this tab ended: all tabs go to the sign-in. */
export function endedHere(why?: SignInReason, said?: string): void {
  channel.postMessage('changed');
  startOver(signIn({ why }), { said });
}

/** Handles a session that this tab started, and continues at a URL of the application. */
export function startedHere(href: string, said?: string): void {
  channel.postMessage('changed');
  startOver(href, { said });
}

/** Handles a change of sessions by this tab, which stays on a screen that shows no account data. */
export function changedHere(): void {
  leaveQuietly();
  channel.postMessage('changed');
}

type Sight = 'same' | 'other' | 'unknown';

/** Asks the server who is signed in. Refusals arrive through `onSessionRefusal`. */
async function look(router: AnyRouter): Promise<Sight> {
  const shown = shownUser();
  if (isOver || (!shown && !waitsForSignIn())) return 'same';
  const answer = await api.GET('/session').catch(() => undefined);
  if (isOver) return 'other';
  if (!answer?.data) return 'unknown';
  if (!shown) return signedInElsewhere(answer.data);
  if (answer.data.user_id === shown.userId) return 'same';
  sessionSwitched(router);
  return 'other';
}

/** Like `look`, but hides the page until it is known that the session still belongs to it. */
async function lookUnseen(router: AnyRouter): Promise<void> {
  if (isOver) return location.reload();
  if (!shownUser()) return;
  const root = document.getElementById('root');
  root?.setAttribute('hidden', '');
  if ((await look(router)) === 'unknown') location.reload();
  else root?.removeAttribute('hidden');
}

function sessionEnded(router: AnyRouter): void {
  const shown = shownUser();
  if (!shown) return;
  if (!isSignedInScreen(router)) {
    leaveQuietly();
    return;
  }
  // After an expired session, the return URL is kept. After a sign-out, nothing reveals which screen was open.
  const why = isTold ? 'signed_out_elsewhere' : 'ended';
  const next = isTold ? undefined : router.state.location.href;
  startOver(signIn({ next, why }), { user: shown.userId });
}

function sessionSwitched(router: AnyRouter): void {
  if (isSignedInScreen(router)) startOver('/', { switched: true });
  else leaveQuietly();
}

/** Continues in a tab that is at the sign-in because its session ended, as soon as another tab signs in. */
function signedInElsewhere({ user_id }: Schema['SignedIn']): Sight {
  const next = new URLSearchParams(location.search).get('next');
  if (entryState().user === user_id) startOver(next ?? '/');
  else startOver('/', { switched: true });
  return 'other';
}

function waitsForSignIn(): boolean {
  return location.pathname === addressOf('/sign-in') && entryState().user !== undefined;
}

function isSignedInScreen(router: AnyRouter): boolean {
  return router.state.matches.some(({ routeId }) => routeId === '/signed-in');
}

/** Keeps a public screen open, and deletes the data of the previous session. */
function leaveQuietly(): void {
  clearShownUser();
  downloads.stop();
  queryClient.clear();
  forgetSession();
}

function signIn({ next, why }: { next?: string | undefined; why?: SignInReason | undefined }): string {
  const query = new URLSearchParams({ ...(next !== undefined && { next }), ...(why && { why }) });
  return `/sign-in${query.size > 0 ? `?${query}` : ''}`;
}

/** Converts a router path to a URL path: router paths are relative to the application's base path. */
function addressOf(href: string): string {
  return `${import.meta.env.BASE_URL}${href.slice(1)}`;
}

/** The query for the signed-in user. */
const sessionQuery = $api.queryOptions('get', '/session', {}, { staleTime: 60_000 });

/**
 * Binds the page to the user who is signed in. Without a session, redirects to the sign-in, which returns here
 * afterward. If the page belonged to another user, redirects to the home screen.
 */
export async function requireSession({ href, state }: ParsedLocation): Promise<string> {
  const session = await queryClient.ensureQueryData(sessionQuery).catch((error: unknown) => {
    if (asProblem(error).status !== 401) throw error;
    throw redirect({ to: '/sign-in', search: { next: href }, state: { user: state.user } });
  });
  showUser({ userId: session.user_id, accountId: session.account.account_id });
  if (state.user !== undefined && state.user !== session.user_id) {
    throw redirect({ to: '/', replace: true });
  }
  return session.user_id;
}

export function useSession() {
  return $api.useSuspenseQuery('get', '/session', {}, { staleTime: 60_000 }).data;
}
