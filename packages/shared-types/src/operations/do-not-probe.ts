import { z } from 'zod';
import { domainName } from '../email-address/domain-name-schema.ts';

/** What an entry of the do-not-probe list covers. */
export const doNotProbeScope = z
  .enum(['domain', 'mail_host'])
  .describe(
    '`domain`: addresses at the domain and its subdomains. `mail_host`: every domain whose mail is taken by the host, or by a host below that name.',
  );

/** What a request to be left alone names. */
export const doNotProbeRequest = z
  .strictObject({
    name: domainName
      .describe('The domain, or the name of the mail host.')
      .meta({ example: 'company.example' }),
    scope: doNotProbeScope.default('domain'),
  })
  .meta({ id: 'DoNotProbeRequest' });

export const doNotProbeStates = ['proof_wanted', 'listed'] as const;

/** What a look at the TXT record came to. */
export const doNotProbeProofs = ['absent', 'different', 'dns_failure', 'seen'] as const;
