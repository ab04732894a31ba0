import type { Catalog } from '../script.ts';
import { exim, postfix } from './servers.ts';
import { unknown } from './verdicts.ts';

const blocklisted = 'blocked using bl.blocklist.example; see https://blocklist.example/q?ip={client}';

/** Refusals because of the client or a temporary problem. None of them says anything about the mailbox. */
export const refusals: Catalog = [
  {
    domain: 'blocked-at-banner.example',
    story: 'Turns our address away in the banner.',
    dns: { mx: [[10, 'mx.blocked-at-banner.example']] },
    hosts: {
      'mx.blocked-at-banner.example': postfix(['ada'], {
        banner: `554 5.7.1 Service unavailable; Client host [{client}] ${blocklisted}`,
      }),
    },
    expected: [unknown('ada@blocked-at-banner.example', 'blocked')],
  },
  {
    domain: 'blocked-at-mail.example',
    story: 'Turns our address away at MAIL.',
    dns: { mx: [[10, 'mx.blocked-at-mail.example']] },
    hosts: {
      'mx.blocked-at-mail.example': postfix(['ada'], {
        mail: '550 5.7.1 Mail from [{client}] is refused because of its poor reputation',
      }),
    },
    expected: [unknown('ada@blocked-at-mail.example', 'blocked')],
  },
  {
    domain: 'blocked-at-rcpt.example',
    story: 'Turns our address away at RCPT for every recipient, as Postfix does.',
    dns: { mx: [[10, 'mx.blocked-at-rcpt.example']] },
    hosts: {
      'mx.blocked-at-rcpt.example': postfix([], {
        otherRecipients: `554 5.7.1 Service unavailable; Client host [{client}] ${blocklisted}`,
      }),
    },
    expected: [
      unknown('ada@blocked-at-rcpt.example', 'blocked'),
      unknown('nobody@blocked-at-rcpt.example', 'blocked'),
    ],
  },
  {
    domain: 'busy.example',
    story: 'Its only exchange greets with 421.',
    dns: { mx: [[10, 'mx.busy.example']] },
    hosts: {
      'mx.busy.example': postfix(['ada'], {
        banner: '421 4.3.2 {host} Service not available, try again later',
      }),
    },
    expected: [unknown('ada@busy.example', 'temporary_failure')],
  },
  {
    domain: 'deferring.example',
    story: 'Answers every recipient with a temporary failure.',
    dns: { mx: [[10, 'mx.deferring.example']] },
    hosts: {
      'mx.deferring.example': postfix([], {
        otherRecipients: '451 4.3.0 <{recipient}>: Temporary lookup failure',
      }),
    },
    expected: [unknown('ada@deferring.example', 'temporary_failure')],
  },
  {
    domain: 'probe-deferred.example',
    story: 'Accepts ada and defers unknown names, so nobody can tell whether it is a catch-all.',
    dns: { mx: [[10, 'mx.probe-deferred.example']] },
    hosts: {
      'mx.probe-deferred.example': postfix(['ada'], {
        otherRecipients: '450 4.3.0 <{recipient}>: Temporary lookup failure',
      }),
    },
    expected: [
      unknown('ada@probe-deferred.example', 'probe_inconclusive'),
      unknown('nobody@probe-deferred.example', 'temporary_failure'),
    ],
  },
  {
    domain: 'greylisting.example',
    story: 'Defers strangers and takes the same client, sender and recipient five seconds later (RFC 6647).',
    dns: { mx: [[10, 'mx.greylisting.example']] },
    hosts: { 'mx.greylisting.example': postfix(['ada'], { greylistMs: 5_000 }) },
    expected: [
      unknown('ada@greylisting.example', 'greylisted'),
      unknown('nobody@greylisting.example', 'greylisted'),
    ],
  },
  {
    domain: 'greylistd.example',
    story: 'Greylists with greylistd, which does not say so and speaks of being authorized.',
    dns: { mx: [[10, 'mx.greylistd.example']] },
    hosts: {
      'mx.greylistd.example': exim(['ada'], {
        greylistMs: 5_000,
        greylistReply:
          '451 {client} is not yet authorized to deliver mail from <{sender}> to <{recipient}>. Please try later.',
      }),
    },
    expected: [
      unknown('ada@greylistd.example', 'greylisted'),
      unknown('nobody@greylistd.example', 'greylisted'),
    ],
  },
  {
    domain: 'iredmail.example',
    story: 'Greylists with iRedMail, which calls it an intentional policy rejection.',
    dns: { mx: [[10, 'mx.iredmail.example']] },
    hosts: {
      'mx.iredmail.example': postfix(['ada'], {
        greylistMs: 5_000,
        greylistReply:
          '451 4.7.1 <{recipient}>: Recipient address rejected: Intentional policy rejection, please try again later',
      }),
    },
    expected: [
      unknown('ada@iredmail.example', 'greylisted'),
      unknown('nobody@iredmail.example', 'greylisted'),
    ],
  },
  {
    domain: 'greylisting-slow.example',
    story: 'Greylists for an hour.',
    dns: { mx: [[10, 'mx.greylisting-slow.example']] },
    hosts: { 'mx.greylisting-slow.example': postfix(['ada'], { greylistMs: 3_600_000 }) },
    expected: [unknown('ada@greylisting-slow.example', 'greylisted')],
  },
];
