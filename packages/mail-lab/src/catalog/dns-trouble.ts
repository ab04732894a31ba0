import type { Catalog } from '../script.ts';
import { postfix } from './servers.ts';
import { exists, invalid, missing, unknown } from './verdicts.ts';

const longLabel = 'a-label-long-enough-that-twelve-exchanges-outgrow-a-datagram';

/** Domains whose verdict follows from DNS, before any mail host is contacted. */
export const dnsTrouble: Catalog = [
  {
    domain: 'null-mx.example',
    story: 'Declares with a null MX that it takes no mail (RFC 7505).',
    dns: { mx: [[0, '.']] },
    expected: [invalid('ada@null-mx.example', 'no_mail_host')],
  },
  {
    domain: 'no-records.example',
    story: 'The name exists and has neither MX nor address (NODATA).',
    dns: { txt: { '@': ['parked'] } },
    expected: [invalid('ada@no-records.example', 'no_mail_host')],
  },
  {
    domain: 'nxdomain.example',
    story: 'The name does not exist (NXDOMAIN).',
    dns: 'nxdomain',
    expected: [invalid('ada@nxdomain.example', 'domain_missing')],
  },
  {
    domain: 'gmial.com',
    story: 'A typing error in a famous name, which inside the lab does not exist.',
    dns: 'nxdomain',
    expected: [invalid('ada@gmial.com', 'domain_missing')],
  },
  {
    domain: 'servfail.example',
    story: 'Its name servers are broken and answer SERVFAIL.',
    dns: 'servfail',
    expected: [unknown('ada@servfail.example', 'dns_failure')],
  },
  {
    domain: 'dns-refused.example',
    story: 'Its name servers refuse to answer (REFUSED).',
    dns: 'refused',
    expected: [unknown('ada@dns-refused.example', 'dns_failure')],
  },
  {
    domain: 'dns-silent.example',
    story: 'Its name servers never answer.',
    dns: 'silent',
    expected: [unknown('ada@dns-silent.example', 'dns_timeout')],
  },
  {
    domain: 'mx-unresolvable.example',
    story: 'Its only exchange is a name that does not exist.',
    dns: { mx: [[10, 'mx.mx-unresolvable.example']] },
    hosts: { 'mx.mx-unresolvable.example': 'no_address' },
    expected: [invalid('ada@mx-unresolvable.example', 'no_mail_host')],
  },
  {
    domain: 'mx-private.example',
    story: 'Its exchange has a private address, which must never be contacted.',
    dns: { mx: [[10, 'mx.mx-private.example']] },
    hosts: { 'mx.mx-private.example': { address: '10.0.0.1' } },
    expected: [unknown('ada@mx-private.example', 'forbidden_address')],
  },
  {
    domain: 'mx-loopback.example',
    story: "Its exchange is the validator's own machine, which must never be contacted.",
    dns: { mx: [[10, 'mx.mx-loopback.example']] },
    hosts: { 'mx.mx-loopback.example': { address: '127.0.0.1' } },
    expected: [unknown('ada@mx-loopback.example', 'forbidden_address')],
  },
  {
    domain: 'huge-answer.example',
    story: 'So many exchanges and so much text that its answers need TCP (RFC 7766).',
    dns: {
      mx: Array.from({ length: 12 }, (_, index) => [10 + index, hugeHost(index)] as const),
      txt: { '@': ['v=spf1 mx -all', ...Array.from({ length: 8 }, (_, index) => `${index}`.repeat(240))] },
    },
    hosts: Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        hugeHost(index),
        index === 0 ? postfix(['ada']) : 'no_listener',
      ]),
    ),
    expected: [exists('ada@huge-answer.example'), missing('nobody@huge-answer.example')],
  },
];

function hugeHost(index: number): string {
  return `mx${index + 1}.${longLabel}.huge-answer.example`;
}
