import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { doNotProbeProofs, doNotProbeRequest, doNotProbeScope, doNotProbeStates } from '../do-not-probe.ts';

/** Requests not to be probed, for any operator of a domain or a mail host. */
export const requestDoNotProbe = defineOperation({
  id: 'request-do-not-probe',
  method: 'post',
  path: '/api/v1/do-not-probe-requests',
  summary: 'Request not to be probed',
  tag: 'Mail hosts',
  description:
    'For owners of a domain or mail host who do not want it to be probed; needs no API key. The response names a TXT record that proves that you control the name. Publish it and repeat the request: the name is then listed, and addresses there get the result `unknown`. For a mail host, publish the record at its registrable domain. You can remove the record once the name is listed.',
  answeredBy: 'gateway',
  access: { kind: 'public' },
  body: doNotProbeRequest,
  success: {
    status: 200,
    description: 'Whether the name is listed, and the required proof.',
    schema: z
      .object({
        name: z.string().describe('The name in lower-case A-labels.'),
        scope: doNotProbeScope,
        state: z
          .enum(doNotProbeStates)
          .describe('`listed`: the name is no longer probed. `proof_wanted`: it is not listed yet.'),
        txt_name: z.string().describe('Where to publish the TXT record.'),
        txt_value: z.string().describe('The text of the record.'),
        proof: z
          .enum(doNotProbeProofs)
          .describe(
            '`seen`: the record was found, or the name was already listed. `absent`: there is no TXT record at that name. `different`: the TXT record has a different text. `dns_failure`: the DNS lookup failed.',
          ),
      })
      .meta({ id: 'DoNotProbeAnswer' }),
    example: {
      name: 'company.example',
      scope: 'domain',
      state: 'proof_wanted',
      txt_name: '_mailproof-do-not-probe.company.example',
      txt_value: 'mailproof-do-not-probe=tV0b5yXwq1mC8nJ2hT7uK4sZ9eR3aLgd',
      proof: 'absent',
    },
  },
  repeatable: true,
  problems: ['too_many_requests'],
});
