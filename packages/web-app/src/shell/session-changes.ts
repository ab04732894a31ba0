import type { AnyRouter } from '@tanstack/react-router';
import type { Root } from 'react-dom/client';
import { api, queryClient, type Schema } from '../api/client.ts';
import { forgetSession } from '../api/kept-in-browser.ts';
import { onSessionRefusal } from '../api/session-end.ts';
import { showNobody, shownUser } from '../api/shown-user.ts';
import type { SignInReason } from '../screens/access/routes.tsx';
import { changeEntry, type EntryState, entryState } from './marked-history.ts';

const noEntryState: EntryState = { user: undefined, said: undefined, switched: undefined };

const channel = new BroadcastChannel('mailproof-session');

let app: Root | undefined;
let isOver = false;
/** Whether the current check was started by a message from another tab. */
let isTold = false;

/**
 * Keeps this tab with the session that the browser has, which all tabs share (ADR 0057). A tab that begins or ends a session
 * tells the others, and each asks the server who is signed in. A tab that was frozen, or restored from the back/forward
 * cache, may have missed that and asks when it is shown again. A refusal of any request says the same.
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
  // Another tab may have signed in while the page was on its way to the sign-in.
  void look(router);
}

/**
 * Loads the page again at another address, and nothing of what it showed comes along: a session never shares a page's memory
 * with another one. The entry of the history is replaced.
 */
export function startOver(href: string, state: EntryState = {}): void {
  if (isOver) return;
  isOver = true;
  // Nothing of the session is seen from here on, and no screen can ask before it is left.
  app?.unmount();
  queryClient.clear();
  forgetSession();
  // The router writes down where the page was scrolled to when it goes.
  addEventListener('pagehide', forgetSession);
  changeEntry({ ...noEntryState, ...state }, addressOf(href));
  location.reload();
}

/** This tab has ended the session: all tabs go to the sign-in. */
export function endedHere(why?: SignInReason, said?: string): void {
  channel.postMessage('changed');
  startOver(signIn({ why }), { said });
}

/** This tab has started a session, and continues at an address of the application. */
export function startedHere(href: string, said?: string): void {
  channel.postMessage('changed');
  startOver(href, { said });
}

/** This tab has changed whose sessions are open, and stays at a screen that shows no account's data. */
export function changedHere(): void {
  leaveQuietly();
  channel.postMessage('changed');
}

type Sight = 'same' | 'other' | 'unknown';

/** Asks who is signed in. Refusals come back by `onSessionRefusal`. */
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

/** As `look`, and shows nothing before it is known that the session is still the page's. */
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
  // Where the session has merely expired, the way back is kept. After a sign-out nothing says what was looked at.
  const why = isTold ? 'signed_out_elsewhere' : 'ended';
  const next = isTold ? undefined : router.state.location.href;
  startOver(signIn({ next, why }), { user: shown.userId });
}

function sessionSwitched(router: AnyRouter): void {
  if (isSignedInScreen(router)) startOver('/', { switched: true });
  else leaveQuietly();
}

/** Continues in a tab that a session's end led to the sign-in, as soon as another tab has signed in. */
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

/** A public screen stays as it is; what was shown before is forgotten. */
function leaveQuietly(): void {
  showNobody();
  queryClient.clear();
  forgetSession();
}

function signIn({ next, why }: { next?: string | undefined; why?: SignInReason | undefined }): string {
  const query = new URLSearchParams({ ...(next !== undefined && { next }), ...(why && { why }) });
  return `/sign-in${query.size > 0 ? `?${query}` : ''}`;
}

/** The router's addresses begin below the application's own. */
function addressOf(href: string): string {
  return `${import.meta.env.BASE_URL}${href.slice(1)}`;
}
