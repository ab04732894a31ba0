import { createBrowserHistory, type RouterHistory } from '@tanstack/react-router';
import { shownUser } from '../api/shown-user.ts';

/** What an entry of the tab's history says beyond its address. */
export interface EntryState {
  /** The user whose screen it is; at the sign-in, the one whose session ended. */
  user?: string | undefined;
  /** A sentence to announce once, when the page has loaded. */
  said?: string | undefined;
  /** The page was loaded since another tab signed in as another user. */
  switched?: true | undefined;
}

declare module '@tanstack/react-router' {
  interface HistoryState extends EntryState {}
}

/**
 * The tab's history, in which each entry says whose screen it is. Addresses hold filters and ids, and Back leads to entries
 * from before another user signed in; `requireSession` does not open them for that user (ADR 0057).
 */
export function markedHistory(): RouterHistory {
  const entries = createBrowserHistory();
  const { push, replace } = entries;
  entries.push = (path, state, options) => push(path, { user: shownUser()?.userId, ...state }, options);
  entries.replace = (path, state, options) => replace(path, { user: shownUser()?.userId, ...state }, options);
  return entries;
}

/** Marks the entry that the page was loaded at, whose user was not known yet. */
export function markEntry(user: string): void {
  if (entryState().user === undefined) changeEntry({ user });
}

/** What the current entry says. */
export function entryState(): EntryState {
  return (history.state ?? {}) as EntryState;
}

/** Changes what the current entry says, and its address where one is given, without a word to the router. */
export function changeEntry(state: EntryState, address = ''): void {
  // The router's own `replaceState` hides this one.
  History.prototype.replaceState.call(history, { ...history.state, ...state }, '', address);
}
