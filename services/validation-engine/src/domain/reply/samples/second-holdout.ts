import { atRcpt, type RealLine } from './real-line.ts';

const logs = 'Postfix logs in public threads';
const rules = 'Bounce rules of mailing programs, with the texts that they were written for';

/**
 * A second round after the first had corrected the rules, judged before the rules were run: of 21 lines the rules read
 * 4 differently, one of them as a missing mailbox.
 */
export const secondHoldout: readonly RealLine[] = [
  ...atRcpt(logs, undefined, {
    greylisted: ['450 4.7.1 <ada@ordinary.example>: Recipient address rejected: Greylisted for 20 minutes'],
    temporary: [
      '450 too many connections from your IP (rate controlled)',
      '451 4.3.0 <probe@checker.example>: Temporary lookup failure',
      '450 4.1.1 <ada@ordinary.example>: Recipient address rejected: unverified address: Address verification in progress',
    ],
    policy: [
      '550-Verification failed for <probe@checker.example>\n550-unrouteable mail domain "checker.example"\n550 Sender verify failed',
      '554 5.1.1 <root@ordinary.example> relay access denied',
      '554 5.1.2 <ada@ordinary.example>: Recipient address rejected: Domain not found',
    ],
    blocked: ['501 <relay.checker.example>: Helo command rejected: Invalid name'],
  }),
  ...atRcpt('A bounce of vger.kernel.org, quoted on a mailing list', undefined, {
    missing: [
      '554 Hi [192.0.2.1], 5.0.0 unresolvable address: <nobody@vger.kernel.org>; nosuchuser; nobody@vger.kernel.org',
    ],
  }),
  ...atRcpt('A bounce of Barclays, quoted in the tests of a list server', undefined, {
    refused: ['550 Mailbox unavailable or access denied - <ada@ordinary.example>'],
  }),
  ...atRcpt('Tests of a bounce parser: Cyrus behind Postfix', undefined, {
    missing: [
      '550-Mailbox unknown.  Either there is no mailbox associated with this\n550-name or you do not have authorization to see it.\n550 5.1.1 User unknown',
    ],
  }),
  ...atRcpt('Microsoft Learn, receiving mail over IPv6', 'microsoft_365', {
    policy: ['550 5.2.1 Service unavailable, [ordinary.example] does not accept email over IPv6.'],
  }),
  ...atRcpt('Bounce of STRATO, in notes of an administrator', undefined, {
    missing: ['550 5.1.2 No such mailbox [MSG0031]'],
  }),
  ...atRcpt('Bounce of Comcast, in notes of a developer', 'comcast', {
    missing: ['550 5.1.0 Not our Customer'],
  }),
  ...atRcpt('sisimai, tests of Sisimai::Reason::Filtered', undefined, { refused: ['550 5.1.2 User reject'] }),
  ...atRcpt(rules, undefined, {
    missing: ['550 5.0.0 <nobody@ordinary.example>... User unknown'],
    disabled: ['553 <former@ordinary.example>... Users mailbox is currently disabled'],
    refused: ['542 Rejected', '554 Failure'],
    blocked: [
      '554 Message rejected: Address blacklisted',
      '550-5.7.1 reject content [xbl]\n550 See http://master.php.net/mail/why.php?why=SURBL',
    ],
  }),
];
