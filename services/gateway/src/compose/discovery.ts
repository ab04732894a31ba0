import type { OperationClient, Route } from '@mailproof/service-kit';
import {
  addListEntries,
  beginPeopleSearch,
  cancelDiscoveryRun,
  changePeopleSearch,
  changeSavedList,
  countPeople,
  createSavedList,
  deletePeopleSearch,
  deleteProfileProvider,
  deleteSavedList,
  followDiscoveryRun,
  getDiscoveryRun,
  getPeopleSearch,
  getProfileProvider,
  getSavedPerson,
  getSearchVocabulary,
  listDiscoveryRuns,
  listListEntries,
  listPeopleOfSearch,
  listPeopleSearches,
  listSavedLists,
  listSavedPeople,
  putProfileProvider,
  removeListEntries,
  removeSavedPeople,
  renamePeopleSearch,
  startDiscoveryRun,
  testProfileProvider,
} from '@mailproof/shared-types';
import { forwardedRoute } from '../http/forwarded-route.ts';
import type { SessionGuard } from '../http/guards/session-guard.ts';

export interface DiscoveryOptions {
  readonly sessionGuard: SessionGuard;
  readonly enrichmentPeer: OperationClient;
}

/** Profiles and leads: operations that the enrichment service answers whole (ADR 0028). */
export function composeDiscovery({ sessionGuard, enrichmentPeer }: DiscoveryOptions): {
  readonly routes: readonly Route[];
} {
  return {
    routes: [
      forwardedRoute(getProfileProvider, sessionGuard, enrichmentPeer),
      forwardedRoute(putProfileProvider, sessionGuard, enrichmentPeer),
      forwardedRoute(deleteProfileProvider, sessionGuard, enrichmentPeer),
      forwardedRoute(testProfileProvider, sessionGuard, enrichmentPeer),
      forwardedRoute(beginPeopleSearch, sessionGuard, enrichmentPeer),
      forwardedRoute(listPeopleSearches, sessionGuard, enrichmentPeer),
      forwardedRoute(getPeopleSearch, sessionGuard, enrichmentPeer),
      forwardedRoute(changePeopleSearch, sessionGuard, enrichmentPeer),
      forwardedRoute(renamePeopleSearch, sessionGuard, enrichmentPeer),
      forwardedRoute(deletePeopleSearch, sessionGuard, enrichmentPeer),
      forwardedRoute(listPeopleOfSearch, sessionGuard, enrichmentPeer),
      forwardedRoute(startDiscoveryRun, sessionGuard, enrichmentPeer),
      forwardedRoute(listDiscoveryRuns, sessionGuard, enrichmentPeer),
      forwardedRoute(getDiscoveryRun, sessionGuard, enrichmentPeer),
      forwardedRoute(cancelDiscoveryRun, sessionGuard, enrichmentPeer),
      forwardedRoute(followDiscoveryRun, sessionGuard, enrichmentPeer),
      forwardedRoute(listSavedPeople, sessionGuard, enrichmentPeer),
      forwardedRoute(removeSavedPeople, sessionGuard, enrichmentPeer),
      forwardedRoute(getSavedPerson, sessionGuard, enrichmentPeer),
      forwardedRoute(createSavedList, sessionGuard, enrichmentPeer),
      forwardedRoute(listSavedLists, sessionGuard, enrichmentPeer),
      forwardedRoute(changeSavedList, sessionGuard, enrichmentPeer),
      forwardedRoute(deleteSavedList, sessionGuard, enrichmentPeer),
      forwardedRoute(listListEntries, sessionGuard, enrichmentPeer),
      forwardedRoute(addListEntries, sessionGuard, enrichmentPeer),
      forwardedRoute(removeListEntries, sessionGuard, enrichmentPeer),
      forwardedRoute(countPeople, sessionGuard, enrichmentPeer),
      forwardedRoute(getSearchVocabulary, sessionGuard, enrichmentPeer),
    ],
  };
}
