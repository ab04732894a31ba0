import type { MailHost } from '../dns/find-mail-hosts.ts';
import { findProvider, operatorOf } from '../providers/find-provider.ts';
import type { AddressGuard } from '../validation/contact-hosts.ts';
import { contactHosts } from '../validation/contact-hosts.ts';
import { decideByProbe, endsSearch } from '../verdict/decide.ts';
import type { Attempt } from '../verdict/evidence.ts';
import type { EvidenceSource, Inquiry } from './evidence-source.ts';
import type { Observation, SourceFindings } from './observation.ts';

/** The most further hosts that are asked about one address. */
const hostsMax = 3;
const addressesPerHostMax = 2;

/**
 * What the domain's other mail hosts say. A filter in front often accepts every recipient, while the mailbox host
 * behind it, published with a lower preference as a fallback, knows which recipients are missing.
 */
export const publishedMx: EvidenceSource = {
  id: 'published_mx',
  privacy: 'address_to_mail_hosts',
  cost: { smtpConnections: hostsMax * addressesPerHostMax, dnsQuestions: hostsMax * 2, httpsRequests: 0 },
  enabledByDefault: true,
  async gather(ports, inquiry, deadline) {
    const guard = exceptFor(contactedIn(inquiry.attempts), ports.guard);
    const asked = await Promise.all(
      othersOf(inquiry).map(host => contactHosts({ ...ports, guard }, [host], inquiry.task, deadline)),
    );
    const told = [
      ...inquiry.attempts.filter(tellsMore),
      ...asked.flatMap(({ attempts }) => attempts.slice(-1)),
    ];
    return {
      observations: told.map(attempt => observe(attempt, inquiry.domain.ascii)),
      attempts: asked.flatMap(({ attempts }) => attempts),
    };
  },
};

/** The hosts not asked yet, one per provider: the hosts of one provider answer alike. */
function othersOf({ mailHosts, attempts, domain }: Inquiry): readonly MailHost[] {
  const known = new Set<string>();
  const isNew = ({ name }: MailHost) => {
    const operator = operatorOf(name, domain.ascii);
    const first = !known.has(operator);
    known.add(operator);
    return first;
  };
  const tried = new Set(attempts.map(({ host }) => host));
  // Hosts that were tried come first, so that their providers count as known.
  const ordered = [...mailHosts].sort(
    (one, other) => Number(tried.has(other.name)) - Number(tried.has(one.name)),
  );
  return ordered
    .filter(isNew)
    .filter(({ name }) => !tried.has(name))
    .slice(0, hostsMax);
}

function contactedIn(attempts: readonly Attempt[]): Set<string> {
  return new Set(attempts.flatMap(attempt => ('address' in attempt ? [attempt.address] : [])));
}

/** Allows each address only once, because several names often lead to the same machine. */
function exceptFor(contacted: Set<string>, guard: AddressGuard): AddressGuard {
  return address => {
    const guarded = guard(address);
    if (!guarded.allowed || contacted.has(guarded.address)) {
      return { allowed: false };
    }
    contacted.add(guarded.address);
    return guarded;
  };
}

/** True for a host of equal preference that was asked before and is not a catch-all. */
function tellsMore(attempt: Attempt): boolean {
  return (
    attempt.kind === 'probed' && endsSearch(attempt) && decideByProbe(attempt.result).result !== 'catch_all'
  );
}

const findings: Readonly<Record<string, SourceFindings['published_mx']>> = {
  mailbox_exists: 'knows_recipient',
  mailbox_missing: 'missing',
  mailbox_disabled: 'disabled',
  mailbox_full: 'full',
  mailbox_rate_limited: 'rate_limited',
  catch_all: 'accepts_everybody',
};

/**
 * A refusal decides only if it comes from a known mailbox provider: its recipient list is the mailboxes themselves,
 * while a self-hosted backup often works from a stale copy of the list.
 */
function observe(attempt: Attempt, domain: string): Observation {
  const answered = attempt.kind === 'probed' && endsSearch(attempt);
  const finding = answered ? findings[decideByProbe(attempt.result).reason] : undefined;
  const isBackup = finding === 'missing' && findProvider(attempt.host, domain)?.kind !== 'mailbox_host';
  return {
    source: 'published_mx',
    finding: isBackup ? 'missing_at_backup' : (finding ?? 'no_answer'),
    host: attempt.host,
  };
}
