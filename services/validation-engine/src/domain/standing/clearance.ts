import { type EmailAddress, verdictReasons } from '@mailproof/shared-types';
import type { MailHost } from '../dns/find-mail-hosts.ts';
import { type Decision, endsSearch } from '../verdict/decide.ts';
import type { Attempt } from '../verdict/evidence.ts';
import { type BlockWatch, type Party, partyOf } from './block-watch.ts';
import type { Permission } from './breaker.ts';
import type { DoNotProbeList } from './do-not-probe.ts';

/** A verdict that was reached without asking, and why in words. */
export interface Withheld {
  readonly decision: Decision;
  readonly explanation: string;
}

/** Which mail hosts of a domain may be asked now. */
export interface Clearance {
  /** In their order, up to the first one that may not be asked. */
  readonly hosts: readonly MailHost[];
  /** Why that one may not be asked. */
  readonly withheld: Withheld | undefined;
  readonly permissions: ReadonlyMap<string, Permission>;
}

export interface StandingPorts {
  readonly blockWatch: BlockWatch;
  readonly doNotProbe: DoNotProbeList;
}

/**
 * Walks the hosts in their order. The first one that may not be asked ends the walk, because asking its colleagues
 * instead would go around what its owner wants.
 */
export async function clearHosts(
  { blockWatch, doNotProbe }: StandingPorts,
  email: EmailAddress,
  hosts: readonly MailHost[],
): Promise<Clearance> {
  const permissions = new Map<string, Permission>();
  if (await doNotProbe.covers({ scope: 'domain', name: email.domain.ascii })) {
    return { hosts: [], withheld: onRequest(), permissions };
  }
  for (const [index, { name }] of hosts.entries()) {
    const ending = (withheld: Withheld) => ({ hosts: hosts.slice(0, index), withheld, permissions });
    if (await doNotProbe.covers({ scope: 'mail_host', name })) {
      return ending(onRequest());
    }
    const party = partyOf(name);
    const permission = permissions.get(party.name) ?? (await blockWatch.mayAsk(party));
    permissions.set(party.name, permission);
    if (permission.kind === 'paused') {
      return ending(whilePaused(party, permission));
    }
  }
  return { hosts, withheld: undefined, permissions };
}

/**
 * Takes in what the hosts said of our address. Waits for it where that may pause or resume asking; an ordinary answer
 * only makes earlier blocks forgotten, which no answer has to wait for.
 */
export async function hearHosts(
  { blockWatch }: Pick<StandingPorts, 'blockWatch'>,
  email: EmailAddress,
  { permissions }: Clearance,
  attempts: readonly Attempt[],
): Promise<void> {
  for (const attempt of attempts) {
    if (attempt.kind === 'probed') {
      const party = partyOf(attempt.host);
      const permission = permissions.get(party.name);
      const isTrial = permission?.kind === 'ask' && permission.isTrial;
      const heard = blockWatch.heard(party, attempt.result, email, isTrial);
      if (isTrial || attempt.result.kind !== 'answered' || attempt.result.recipient === 'blocked') {
        await heard;
      }
    }
  }
}

/** What stands in the way of a verdict, unless one of the hosts that were asked gave an answer. */
export function withheldBy({ withheld }: Clearance, attempts: readonly Attempt[]): Withheld | undefined {
  return attempts.some(endsSearch) ? undefined : withheld;
}

function onRequest(): Withheld {
  return {
    decision: { result: 'unknown', reason: 'do_not_probe' },
    explanation: verdictReasons.do_not_probe,
  };
}

function whilePaused(
  { name, isProvider }: Party,
  { sinceMs, untilMs }: Extract<Permission, { kind: 'paused' }>,
): Withheld {
  const whose = isProvider ? `of the provider ${name}` : `at ${name}`;
  const [since, until] = [sinceMs, untilMs].map(timeMs => new Date(timeMs).toISOString());
  return {
    decision: { result: 'unknown', reason: 'blocked' },
    explanation: `The mail servers ${whose} have refused our own address since ${since}, so they are not asked again until ${until}.`,
  };
}
