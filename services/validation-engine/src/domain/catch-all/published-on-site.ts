import { parseEmailAddress } from '@mailproof/shared-types';
import type { EvidenceSource } from './evidence-source.ts';
import type { SourceFindings } from './observation.ts';
import type { SiteKnowledge } from './site/site-looks.ts';

type Finding = SourceFindings['published_on_site'];

/**
 * Whether the domain's own site prints the address for its readers (ADR 0071). The site is looked at once for all its
 * addresses, and no request contains an address, so it learns only that someone asks about the domain.
 */
export const publishedOnSite: EvidenceSource = {
  id: 'published_on_site',
  privacy: 'visit_to_domain',
  // One look, after A and AAAA lookups for the domain and for its www host.
  cost: { smtpConnections: 0, dnsQuestions: 4, httpsRequests: 4 },
  enabledByDefault: true,
  async gather({ sites }, { domain, task, stranger }, deadline) {
    const known = await sites.about(task.email, deadline);
    const finding = findingOf(known);
    if (known?.place === undefined) {
      return { observations: [{ source: 'published_on_site', finding }] };
    }
    const madeUp = parseEmailAddress(`${stranger}@${domain.ascii}`);
    const control = madeUp.ok ? await sites.about(madeUp.value, deadline) : undefined;
    const isClear = control !== undefined && control.place === undefined;
    return {
      observations: [{ source: 'published_on_site', finding: isClear ? finding : 'prints_anything' }],
    };
  },
};

function findingOf(known: SiteKnowledge | undefined): Finding {
  switch (known?.kind) {
    case 'read':
      return known.place ?? 'not_printed';
    case 'no_site':
      return 'not_printed';
    case 'prints_anything':
      return 'prints_anything';
    case 'forbidden':
      return 'not_allowed';
    case 'failed':
    case undefined:
      return 'no_answer';
  }
}
