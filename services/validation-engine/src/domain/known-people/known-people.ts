import { type AccountId, type EmailAddress, type KnownPeopleMatch, limits } from '@mailproof/shared-types';
import { readCandidate } from '@mailproof/shared-types/local-parts';
import type { Deadline } from '../concurrency/deadline.ts';

/**
 * Asks about local parts at one domain; at most `limits.knownPeoplePerMatchMax` at once. Rejects without an answer, at
 * the deadline or before. With an account, the people whom it has imported count too, for this account alone.
 */
export type MatchPeople = (
  domain: string,
  localParts: readonly string[],
  deadline: Deadline,
  accountId?: AccountId,
) => Promise<readonly KnownPeopleMatch[]>;

/** Whether people who are known to work at a domain have names that make a local part. */
export interface KnownPeople {
  /**
   * How a local part fits; undefined if no one can be asked.
   *
   * @param accountId the account that asks: its own people count too
   * @throws any error if there is no answer in time
   */
  match(
    domain: string,
    localPart: string,
    deadline: Deadline,
    accountId?: AccountId,
  ): Promise<KnownPeopleMatch | undefined>;
}

/** Known people, asked about many addresses at once. */
export interface SharedKnownPeople extends KnownPeople {
  /**
   * Announces addresses that are about to be validated for an account: its first question at a domain asks about all of
   * them. Returns a function that forgets them and what was answered.
   */
  expect(emails: readonly EmailAddress[], accountId: AccountId): () => void;
}

/** For an engine that knows no other service, such as the command line. */
export const noKnownPeople: KnownPeople = { match: async () => undefined };

/** Answers about the announced local parts of a domain, for one account. */
interface Announced {
  readonly accountId: AccountId;
  readonly open: Set<string>;
  readonly answers: Map<string, Promise<KnownPeopleMatch | undefined>>;
}

/** A question for several callers ends by its own time limit. */
const unlimited: Deadline = {
  signal: new AbortController().signal,
  remainingMs: () => Number.POSITIVE_INFINITY,
};

/** Asks once for all announced addresses of a domain, as far as one question holds them. */
export function shareKnownPeople(matchPeople: MatchPeople): SharedKnownPeople {
  const announcements = new Map<string, Set<Announced>>();

  function announce(domain: string, localParts: Iterable<string>, accountId: AccountId): () => void {
    const announced: Announced = { accountId, open: new Set(localParts), answers: new Map() };
    const ofDomain = announcements.get(domain) ?? new Set();
    announcements.set(domain, ofDomain.add(announced));
    return () => {
      ofDomain.delete(announced);
      if (ofDomain.size === 0) {
        announcements.delete(domain);
      }
    };
  }

  /** Asks about a local part and others that are announced with it, even if the first caller gives up. */
  function ask(domain: string, localPart: string, announced: Announced) {
    announced.open.delete(localPart);
    const others = [...announced.open].slice(0, limits.knownPeoplePerMatchMax - 1);
    const asked = [localPart, ...others];
    const answered = matchPeople(domain, asked, unlimited, announced.accountId);
    for (const [index, each] of asked.entries()) {
      announced.open.delete(each);
      const answer = answered.then(matches => matches[index]);
      announced.answers.set(each, answer);
      // The next address asks again.
      answer.catch(() => announced.answers.delete(each));
    }
    return answered.then(([match]) => match);
  }

  return {
    match(domain, localPart, deadline, accountId) {
      for (const announced of announcements.get(domain) ?? []) {
        // An answer can rest on people whom only this account knows.
        if (announced.accountId !== accountId) {
          continue;
        }
        const answer = announced.answers.get(localPart);
        if (answer !== undefined) {
          return answer;
        }
        if (announced.open.has(localPart)) {
          return ask(domain, localPart, announced);
        }
      }
      return matchPeople(domain, [localPart], deadline, accountId).then(([match]) => match);
    },
    expect(emails, accountId) {
      const byDomain = Map.groupBy(
        emails.filter(({ domain, localPart }) => domain.kind === 'name' && readCandidate(localPart.text)),
        ({ domain }) => domain.ascii,
      );
      const forget = [...byDomain].map(([domain, of]) =>
        announce(
          domain,
          of.map(({ localPart }) => localPart.text),
          accountId,
        ),
      );
      return () => {
        for (const end of forget) end();
      };
    },
  };
}
