import { looksRandom } from '@mailproof/shared-types/local-parts';
import { patternClassOf } from '../outcomes/pattern-class.ts';
import { findProvider } from '../providers/find-provider.ts';
import { typeBySuffix } from '../verdict/describe.ts';
import type { EvidenceSource, Gathered, Inquiry } from './evidence-source.ts';
import type { Observation } from './observation.ts';

/**
 * What is known of an address before anyone is asked about it: who runs its mail hosts, what kind of domain it has, and
 * the shape of its local part. These are the prior, in the form of findings that `fit-weights` fits (ADR 0084). They are
 * about kinds of addresses and never about one address, so they confirm none.
 */
function kindOfAddress(
  id: 'mail_provider' | 'domain_kind' | 'local_part_shape',
  findingsOf: (inquiry: Inquiry, roles: ReadonlySet<string>) => readonly string[],
): EvidenceSource {
  return {
    id,
    privacy: 'nothing',
    cost: { smtpConnections: 0, dnsQuestions: 0, httpsRequests: 0 },
    enabledByDefault: true,
    async gather({ roles }, inquiry): Promise<Gathered> {
      const findings = findingsOf(inquiry, roles);
      return { observations: findings.map(finding => ({ source: id, finding }) as Observation) };
    },
  };
}

/** The kind of the provider, and the provider itself: one with few outcomes is judged like others of its kind. */
export const mailProvider = kindOfAddress('mail_provider', ({ mailHosts, domain }) => {
  const [host] = mailHosts;
  const provider = host && findProvider(host.name, domain.ascii);
  return provider === undefined ? ['own_host'] : [provider.kind, provider.id];
});

export const domainKind = kindOfAddress('domain_kind', ({ domain }) => {
  const type = typeBySuffix(domain.ascii);
  return type === undefined ? [] : [type];
});

export const localPartShape = kindOfAddress('local_part_shape', ({ task: { email } }, roles) => {
  const shape = patternClassOf(email, roles);
  return [shape !== 'role' && looksRandom(email.localPart.text) ? 'random' : shape];
});
