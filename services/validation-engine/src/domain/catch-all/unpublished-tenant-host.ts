import { findProvider } from '../providers/find-provider.ts';
import { contactHosts } from '../validation/contact-hosts.ts';
import { decideByProbe, endsSearch } from '../verdict/decide.ts';
import type { Attempt } from '../verdict/evidence.ts';
import type { EvidenceSource, Inquiry } from './evidence-source.ts';
import type { SourceFindings } from './observation.ts';

type Finding = SourceFindings['unpublished_tenant_host'];

/**
 * The Microsoft 365 host of a domain that uses a gateway and does not publish the host behind it. Asking this host
 * bypasses the gateway, which its owner may not like, so the operator must enable this source.
 */
export const unpublishedTenantHost: EvidenceSource = {
  id: 'unpublished_tenant_host',
  privacy: 'address_to_unpublished_host',
  cost: { smtpConnections: 2, dnsQuestions: 2, httpsRequests: 0 },
  enabledByDefault: false,
  async gather(ports, inquiry, deadline) {
    if (!isBehindGateway(inquiry)) {
      return { observations: [] };
    }
    const host = { name: `${inquiry.domain.ascii.replaceAll('.', '-')}.mail.protection.outlook.com` };
    const { attempts } = await contactHosts(ports, [host], inquiry.task, deadline);
    return {
      observations: attempts
        .slice(-1)
        .filter(({ kind }) => kind !== 'no_address')
        .map(attempt => ({
          source: 'unpublished_tenant_host',
          finding: findingOf(attempt),
          host: host.name,
        })),
      attempts,
    };
  },
};

/** True if a gateway accepted the recipient and none of the published hosts keeps mailboxes. */
function isBehindGateway({ mailHosts, attempts, domain }: Inquiry): boolean {
  const kindOf = (host: string) => findProvider(host, domain.ascii)?.kind;
  return (
    attempts.some(({ host }) => kindOf(host) === 'gateway') &&
    !mailHosts.some(({ name }) => kindOf(name) === 'mailbox_host')
  );
}

const findings: Readonly<Record<string, Finding>> = {
  mailbox_exists: 'knows_recipient',
  mailbox_full: 'full',
  mailbox_rate_limited: 'rate_limited',
  mailbox_missing: 'missing',
  mailbox_disabled: 'disabled',
  catch_all: 'accepts_everybody',
};

function findingOf(attempt: Attempt): Finding {
  const answered = attempt.kind === 'probed' && endsSearch(attempt);
  return (answered ? findings[decideByProbe(attempt.result).reason] : undefined) ?? 'no_answer';
}
