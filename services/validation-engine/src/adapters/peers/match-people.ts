import type { OperationClient } from '@mailproof/service-kit';
import { matchKnownPeople, ownPeopleHeaders } from '@mailproof/shared-types';
import type { Clock } from '../../domain/concurrency/deadline.ts';
import type { MatchPeople } from '../../domain/known-people/known-people.ts';

/** Time limit for one answer, in milliseconds: the other sources take as long. */
const answerMsMax = 3_000;
/** After a failure, enrichment is not asked for this long, in milliseconds, so that a list does not wait for each address. */
const restMs = 10_000;

/** Asks the enrichment service. After a failure, questions fail at once for a while. */
export function createMatchPeople(peer: Pick<OperationClient, 'call'>, clock: Clock): MatchPeople {
  let restsUntilMs = Number.NEGATIVE_INFINITY;
  return async (domain, localParts, deadline, accountId) => {
    if (clock.nowMs() < restsUntilMs) {
      throw new Error('The enrichment service has just failed, and is not asked again yet.');
    }
    const deadlineMs = Math.min(answerMsMax, deadline.remainingMs());
    try {
      const { matches } = await peer.call(
        matchKnownPeople,
        { params: {}, body: { domain, localParts: [...localParts] } },
        { deadlineMs, signal: deadline.signal, headers: ownPeopleHeaders(accountId) },
      );
      return matches;
    } catch (error) {
      // A caller that gives up, or has no time, says nothing about the service.
      if (!deadline.signal.aborted && deadlineMs === answerMsMax) {
        restsUntilMs = clock.nowMs() + restMs;
      }
      throw error;
    }
  };
}
