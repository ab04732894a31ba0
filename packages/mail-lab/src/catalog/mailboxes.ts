import type { Catalog } from '../script.ts';
import { exim, postfix, qmail } from './servers.ts';
import { exists, invalid, missing, unknown } from './verdicts.ts';

/** Working hosts, and their replies about single mailboxes. */
export const mailboxes: Catalog = [
  {
    domain: 'ordinary.example',
    story: 'An ordinary company whose server knows who works there.',
    dns: { mx: [[10, 'mx.ordinary.example']], txt: { '@': ['v=spf1 mx -all'] } },
    hosts: { 'mx.ordinary.example': postfix(['ada', 'grace', 'alan', 'katherine', 'info', 'abuse']) },
    expected: [
      exists('ada@ordinary.example'),
      exists('grace@ordinary.example'),
      exists('info@ordinary.example'),
      missing('nobody@ordinary.example'),
    ],
  },
  {
    domain: 'alias.ordinary.example',
    story: 'A subdomain that is only a CNAME of the ordinary company, so mail goes to the same server.',
    dns: { cname: 'ordinary.example' },
    expected: [exists('ada@alias.ordinary.example'), missing('nobody@alias.ordinary.example')],
  },
  {
    domain: 'exim.example',
    story: 'An Exim server, which refuses without any enhanced status code.',
    dns: { mx: [[10, 'mail.exim.example']] },
    hosts: { 'mail.exim.example': exim(['ada']) },
    expected: [exists('ada@exim.example'), missing('nobody@exim.example')],
  },
  {
    domain: 'qmail.example',
    story: 'A qmail server, which puts its status code in brackets at the end of the line.',
    dns: { mx: [[10, 'mail.qmail.example']] },
    hosts: { 'mail.qmail.example': qmail(['ada']) },
    expected: [exists('ada@qmail.example'), missing('nobody@qmail.example')],
  },
  {
    domain: 'a-record-only.example',
    story: 'No MX at all: its address record is an implicit MX (RFC 5321 section 5.1).',
    dns: {},
    hosts: { 'a-record-only.example': postfix(['ada']) },
    expected: [exists('ada@a-record-only.example'), missing('nobody@a-record-only.example')],
  },
  {
    domain: 'first-mx-dead.example',
    story: 'The preferred exchange does not answer; the second one works.',
    dns: {
      mx: [
        [10, 'mx1.first-mx-dead.example'],
        [20, 'mx2.first-mx-dead.example'],
      ],
    },
    hosts: {
      'mx1.first-mx-dead.example': 'no_listener',
      'mx2.first-mx-dead.example': postfix(['ada']),
    },
    expected: [exists('ada@first-mx-dead.example'), missing('nobody@first-mx-dead.example')],
  },
  {
    domain: 'six-mx-dead.example',
    story: 'Packets to five of its exchanges are lost and a sixth refuses connections; the last one works.',
    dns: {
      mx: [1, 2, 3, 4, 5, 6, 7].map(number => [10 * number, `mx${number}.six-mx-dead.example`] as const),
    },
    hosts: {
      'mx1.six-mx-dead.example': 'black_hole',
      'mx2.six-mx-dead.example': 'black_hole',
      'mx3.six-mx-dead.example': 'no_listener',
      'mx4.six-mx-dead.example': 'black_hole',
      'mx5.six-mx-dead.example': 'black_hole',
      'mx6.six-mx-dead.example': 'black_hole',
      'mx7.six-mx-dead.example': postfix(['ada']),
    },
    expected: [exists('ada@six-mx-dead.example'), missing('nobody@six-mx-dead.example')],
  },
  {
    domain: 'five-addresses-dead.example',
    story: 'Its one exchange has six addresses, of which the last one works.',
    dns: {
      mx: [[10, 'mx.five-addresses-dead.example']],
      alsoAt: {
        'mx.five-addresses-dead.example': [1, 2, 3, 4, 5].map(
          number => `gone${number}.five-addresses-dead.example`,
        ),
      },
    },
    hosts: {
      'gone1.five-addresses-dead.example': 'black_hole',
      'gone2.five-addresses-dead.example': 'no_listener',
      'gone3.five-addresses-dead.example': 'black_hole',
      'gone4.five-addresses-dead.example': 'no_listener',
      'gone5.five-addresses-dead.example': 'black_hole',
      'mx.five-addresses-dead.example': postfix(['ada']),
    },
    expected: [exists('ada@five-addresses-dead.example'), missing('nobody@five-addresses-dead.example')],
  },
  {
    domain: 'first-mx-too-busy.example',
    story:
      'The preferred exchange is too busy and says so in words that others use for a block; the second one works.',
    dns: {
      mx: [
        [10, 'mx1.first-mx-too-busy.example'],
        [20, 'mx2.first-mx-too-busy.example'],
      ],
    },
    hosts: {
      'mx1.first-mx-too-busy.example': postfix([], {
        otherRecipients: '421 4.7.1 <unknown[{client}]>: Client host rejected: server too busy',
      }),
      'mx2.first-mx-too-busy.example': postfix(['ada']),
    },
    expected: [exists('ada@first-mx-too-busy.example'), missing('nobody@first-mx-too-busy.example')],
  },
  {
    domain: 'soft-bounce.example',
    story: 'A Postfix with soft_bounce: it knows its mailboxes, and refuses the others with a passing code.',
    dns: { mx: [[10, 'mx.soft-bounce.example']] },
    hosts: {
      'mx.soft-bounce.example': postfix(['ada'], {
        otherRecipients:
          '450 4.1.1 <{recipient}>: Recipient address rejected: User unknown in local recipient table',
      }),
    },
    expected: [exists('ada@soft-bounce.example'), unknown('nobody@soft-bounce.example', 'temporary_failure')],
  },
  {
    domain: 'says-rejected.example',
    story: 'Refuses whom it does not know with one word and no enhanced code.',
    dns: { mx: [[10, 'mx.says-rejected.example']] },
    hosts: { 'mx.says-rejected.example': postfix(['ada'], { otherRecipients: '550 Rejected' }) },
    expected: [exists('ada@says-rejected.example'), unknown('nobody@says-rejected.example', 'policy')],
  },
  {
    domain: 'access-denied.example',
    story: 'A Postfix whose access table lists its mailboxes: it denies access to all others.',
    dns: { mx: [[10, 'mx.access-denied.example']] },
    hosts: {
      'mx.access-denied.example': postfix(['ada', 'grace'], {
        otherRecipients: '554 5.7.1 <{recipient}>: Recipient address rejected: Access denied',
      }),
    },
    expected: [
      exists('ada@access-denied.example'),
      unknown('nobody@access-denied.example', 'policy'),
      exists('grace@access-denied.example'),
    ],
  },
  {
    domain: 'all-disabled.example',
    story: 'Calls every mailbox that it does not have disabled.',
    dns: { mx: [[10, 'mx.all-disabled.example']] },
    hosts: {
      'mx.all-disabled.example': postfix(['ada'], { otherRecipients: '550 5.2.1 Mailbox disabled' }),
    },
    expected: [
      exists('ada@all-disabled.example'),
      invalid('nobody@all-disabled.example', 'mailbox_disabled'),
    ],
  },
  {
    domain: 'latin-letters.example',
    story: 'Says in German that a mailbox is unknown, with one octet for each letter (ISO 8859-1).',
    dns: { mx: [[10, 'mx.latin-letters.example']] },
    hosts: {
      'mx.latin-letters.example': postfix(['ada'], {
        otherRecipients: '550 Empf\u00e4nger unbekannt',
        isLatin: true,
      }),
    },
    expected: [exists('ada@latin-letters.example'), missing('nobody@latin-letters.example')],
  },
  {
    domain: 'first-mx-busy.example',
    story: 'The preferred exchange is too busy and says 421; the second one works.',
    dns: {
      mx: [
        [10, 'mx1.first-mx-busy.example'],
        [20, 'mx2.first-mx-busy.example'],
      ],
    },
    hosts: {
      'mx1.first-mx-busy.example': postfix([], {
        banner: '421 4.3.2 {host} All server ports are busy',
      }),
      'mx2.first-mx-busy.example': postfix(['ada']),
    },
    expected: [exists('ada@first-mx-busy.example'), missing('nobody@first-mx-busy.example')],
  },
  {
    domain: 'full.example',
    story: 'One mailbox is over quota: it exists, but mail sent now would come back.',
    dns: { mx: [[10, 'mx.full.example']] },
    hosts: {
      'mx.full.example': postfix(['ada'], {
        mailboxes: {
          full: '452 4.2.2 <{recipient}>: Recipient address rejected: Mailbox full',
          stuffed: '552 5.2.2 <{recipient}>: Recipient address rejected: Quota exceeded',
        },
      }),
    },
    expected: [
      exists('ada@full.example'),
      unknown('full@full.example', 'mailbox_full'),
      unknown('stuffed@full.example', 'mailbox_full'),
    ],
  },
  {
    domain: 'disabled.example',
    story: 'One mailbox was switched off by its owner and takes no mail.',
    dns: { mx: [[10, 'mx.disabled.example']] },
    hosts: {
      'mx.disabled.example': postfix(['ada'], {
        mailboxes: {
          former: '550 5.2.1 <{recipient}>: Recipient address rejected: This mailbox has been disabled',
        },
      }),
    },
    expected: [exists('ada@disabled.example'), invalid('former@disabled.example', 'mailbox_disabled')],
  },
  {
    domain: 'members-only.example',
    story: 'One mailbox takes mail from inside only, which says nothing about whether it exists.',
    dns: { mx: [[10, 'mx.members-only.example']] },
    hosts: {
      'mx.members-only.example': postfix(['ada'], {
        mailboxes: {
          staff: '550 5.7.1 <{recipient}>: Recipient address rejected: Only members may post here',
        },
      }),
    },
    expected: [exists('ada@members-only.example'), unknown('staff@members-only.example', 'policy')],
  },
  {
    domain: 'borrowed-codes.example',
    story:
      'The codes of a missing and of a disabled mailbox stand before refusals of the mail; the words say what is meant. The word "blocked" may mean the mailbox, too.',
    dns: { mx: [[10, 'mx.borrowed-codes.example']] },
    hosts: {
      'mx.borrowed-codes.example': postfix(['ada'], {
        mailboxes: {
          choosy: '550 5.1.1 RCP-P2 Refused due to recipient preferences',
          filtered: '550 5.2.1 Content Filter agent quarantined this message',
          former: '550 <{recipient}> Account blocked due to inactivity',
        },
      }),
    },
    expected: [
      exists('ada@borrowed-codes.example'),
      unknown('choosy@borrowed-codes.example', 'policy'),
      unknown('filtered@borrowed-codes.example', 'policy'),
      invalid('former@borrowed-codes.example', 'mailbox_disabled'),
    ],
  },
  {
    domain: 'smtputf8.example',
    story: 'Takes internationalised local parts (RFC 6531).',
    dns: { mx: [[10, 'mx.smtputf8.example']] },
    hosts: { 'mx.smtputf8.example': postfix(['jörg', 'ada']) },
    expected: [exists('jörg@smtputf8.example'), missing('zoë@smtputf8.example')],
  },
  {
    domain: 'no-smtputf8.example',
    story: 'Does not offer SMTPUTF8, so an internationalised local part must not even be asked about.',
    dns: { mx: [[10, 'mx.no-smtputf8.example']] },
    hosts: {
      'mx.no-smtputf8.example': postfix(['ada'], {
        capabilities: ['PIPELINING', 'SIZE 10240000', 'ENHANCEDSTATUSCODES', '8BITMIME'],
      }),
    },
    expected: [
      exists('ada@no-smtputf8.example'),
      unknown('jörg@no-smtputf8.example', 'smtputf8_unsupported'),
    ],
  },
  {
    domain: 'xn--bcher-kva.example',
    story: 'An internationalised domain, bücher.example, which travels through DNS and SMTP as A-labels.',
    dns: { mx: [[10, 'mx.xn--bcher-kva.example']] },
    hosts: { 'mx.xn--bcher-kva.example': postfix(['info']) },
    expected: [exists('info@bücher.example'), missing('nobody@xn--bcher-kva.example')],
  },
];
