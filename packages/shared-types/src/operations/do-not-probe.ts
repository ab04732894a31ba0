import { z } from 'zod';
import { domainName } from '../email-address/domain-name-schema.ts';

/** What a do-not-probe entry covers. */
export const doNotProbeScope = z
  .enum(['domain', 'mail_host'])
  .describe(
    '`domain`: addresses at the domain and its subdomains. `mail_host`: every domain whose mail host is this host or a host below it.',
  );

/** The target of a do-not-probe request. */
export const doNotProbeRequest = z
  .strictObject({
    name: domainName
      .describe('The domain, or the host name of the mail host.')
      .meta({ example: 'company.example' }),
    scope: doNotProbeScope.default('domain'),
  })
  .meta({ id: 'DoNotProbeRequest' });

export const doNotProbeStates = ['proof_wanted', 'listed'] as const;

/** Results of the TXT record check. */
export const doNotProbeProofs = ['absent', 'different', 'dns_failure', 'seen'] as const;
