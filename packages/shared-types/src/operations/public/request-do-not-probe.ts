import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { doNotProbeProofs, doNotProbeRequest, doNotProbeScope, doNotProbeStates } from '../do-not-probe.ts';
import { noParams, noQuery } from '../public-parts.ts';

/** For everybody who runs a domain or a mail host, customers or not. */
export const requestDoNotProbe = defineOperation({
  id: 'request-do-not-probe',
  method: 'post',
  path: '/api/v1/do-not-probe-requests',
  summary: 'Ask not to be probed',
  tag: 'Mail hosts',
  description:
    'For whoever runs a domain or a mail host and does not want it to be probed; needs no API key. The answer names a TXT record that proves the control of the name. Publish it and send the same request again: the name is then listed, and addresses there are answered with `unknown`. For a mail host the record belongs to its registrable domain. The record may be taken down once the name is listed.',
  access: { kind: 'public' },
  params: noParams,
  query: noQuery,
  body: doNotProbeRequest,
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'Whether the name is listed, and the proof that lists it.',
    schema: z
      .object({
        name: z.string().describe('The name in lower-case A-labels.'),
        scope: doNotProbeScope,
        state: z
          .enum(doNotProbeStates)
          .describe('`listed`: the name is not probed any more. `proof_wanted`: it is not listed yet.'),
        txt_name: z.string().describe('Where to publish the TXT record.'),
        txt_value: z.string().describe('Its text.'),
        proof: z
          .enum(doNotProbeProofs)
          .describe(
            '`seen`: the record was found, or the name was listed already. `absent`: there is no TXT record at that name. `different`: there is one with another text. `dns_failure`: the name servers did not say.',
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
