import type { Catalog, DomainScript, ExpectedVerdict, SmtpScript } from '../script.ts';
import { catchAllPostfix, postfix } from './servers.ts';
import { catchAll, confirmed, exists, missing, unknown } from './verdicts.ts';

/** A domain with two exchanges of equal preference, and another domain where their names are swapped. */
function swapped(
  name: string,
  {
    story,
    hosts: [one, other],
    expected,
  }: {
    readonly story: string;
    readonly hosts: readonly [SmtpScript, SmtpScript];
    readonly expected: readonly ExpectedVerdict[];
  },
): Catalog {
  return [name, `${name}-swapped`].map((label, index): DomainScript => {
    const domain = `${label}.example`;
    const [first, second] = [`mx1.${domain}`, `mx2.${domain}`];
    return {
      domain,
      story: index === 0 ? story : `The same as ${name}.example, with the names of its exchanges swapped.`,
      dns: {
        mx: [
          [10, first],
          [10, second],
        ],
      },
      hosts: index === 0 ? { [first]: one, [second]: other } : { [first]: other, [second]: one },
      expected: expected.map(verdict => ({
        ...verdict,
        address: verdict.address.replace(`@${name}.example`, `@${domain}`),
      })),
    };
  });
}

/**
 * Domains with several hosts of equal preference. Mail goes to any of them (RFC 5321 section 5.1), and they may
 * disagree.
 */
export const equalHosts: Catalog = [
  {
    domain: 'equal-hosts.example',
    story: 'Has two exchanges of equal preference, which know the same mailboxes.',
    dns: {
      mx: [
        [10, 'mx1.equal-hosts.example'],
        [10, 'mx2.equal-hosts.example'],
      ],
    },
    hosts: {
      'mx1.equal-hosts.example': postfix(['ada']),
      'mx2.equal-hosts.example': postfix(['ada']),
    },
    expected: [exists('ada@equal-hosts.example'), missing('nobody@equal-hosts.example')],
  },
  ...swapped('equal-front', {
    story:
      'Of its two exchanges of equal preference one knows its mailboxes and one accepts every recipient.',
    hosts: [postfix(['ada']), catchAllPostfix()],
    expected: [confirmed('ada@equal-front.example'), catchAll('nobody@equal-front.example')],
  }),
  ...swapped('equal-lists', {
    story: 'Its two exchanges of equal preference have different lists of mailboxes.',
    hosts: [postfix(['ada', 'grace']), postfix(['ada'])],
    expected: [
      exists('ada@equal-lists.example'),
      unknown('grace@equal-lists.example', 'probe_inconclusive'),
      missing('nobody@equal-lists.example'),
    ],
  }),
  ...swapped('equal-greylist', {
    story: 'Of its two exchanges of equal preference one greylists.',
    hosts: [postfix(['ada']), postfix(['ada'], { greylistMs: 3_600_000 })],
    expected: [exists('ada@equal-greylist.example'), missing('nobody@equal-greylist.example')],
  }),
  ...swapped('equal-stray', {
    story: 'One of its two exchanges of equal preference was set up without mailboxes and knows none.',
    hosts: [postfix(['ada']), postfix([])],
    expected: [
      unknown('ada@equal-stray.example', 'probe_inconclusive'),
      missing('nobody@equal-stray.example'),
    ],
  }),
];
