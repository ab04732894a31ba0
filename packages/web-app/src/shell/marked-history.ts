import { createBrowserHistory, type RouterHistory } from '@tanstack/react-router';
import { shownUser } from '../api/browser-session.ts';

/** The state of a history entry in addition to its URL. */
export interface EntryState {
  /** The user whose screen it is; at the sign-in, the user whose session ended. */
  user?: string | undefined;
  /** A sentence to announce once, when the page has loaded. */
  said?: string | undefined;
  /** True if the page was reloaded because another tab signed in as another user. */
  switched?: true | undefined;
}

declare module '@tanstack/react-router' {
  interface HistoryState extends EntryState {}
}

/**
 * The tab's history, in which each entry records whose screen it is. URLs contain filters and ids, and Back can lead to
 * entries from before another user signed in; `requireSession` does not open them for that user (ADR 0057).
 */
export function markedHistory(): RouterHistory {
  const entries = createBrowserHistory();
  const { push, replace } = entries;
  entries.push = (path, state, options) => push(path, { user: shownUser()?.userId, ...state }, options);
  entries.replace = (path, state, options) => replace(path, { user: shownUser()?.userId, ...state }, options);
  return entries;
}

/** Marks the history entry at which the page was loaded, because its user was not known then. */
export function markEntry(user: string): void {
  if (entryState().user === undefined) changeEntry({ user });
}

/** Returns the state of the current entry. */
export function entryState(): EntryState {
  return (history.state ?? {}) as EntryState;
}

/** Changes the state of the current entry, and its URL if one is given, without notifying the router. */
export function changeEntry(state: EntryState, address = ''): void {
  // The router overrides `history.replaceState`.
  History.prototype.replaceState.call(history, { ...history.state, ...state }, '', address);
}
