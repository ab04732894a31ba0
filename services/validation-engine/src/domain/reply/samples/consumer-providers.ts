import { at, atRcpt, type RealLine } from './real-line.ts';

const yahoo = 'sisimai, lib/Sisimai/Rhost/YahooInc.pm';
const apple = 'sisimai, lib/Sisimai/Rhost/Apple.pm';
const manual = 'smtp-field-manual, data/codes';
const typical = 'sitepackage.de, "Typische Fehlermeldungen bei Unzustellbarkeit"';
const gmxCodes = 'smtp.codes/unitedinternet, after postmaster.gmx.com';
const faq = 'comservice-ffo.de, "SMTP-Fehlermeldungen" of GMX and WEB.DE';
const sympa = 'Sympa, t/bounces.t';
const kumo = 'KumoMTA, assets/community/bounces.toml';
const att = 'AT&T Worldnet, "Error Message Summary"';

export const consumerProviderLines: readonly RealLine[] = [
  ...atRcpt(yahoo, 'yahoo', {
    missing: [
      "554 delivery error: dd This user doesn't have a yahoo.com account (nobody@yahoo.com) [0] - mta4012.mail.bf1.yahoo.com",
      '552 1 Requested mail action aborted, mailbox not found',
      '554 delivery error: dd nobody@yahoo.com is no longer valid. [-20] - mta1234.mail.ne1.yahoo.com',
    ],
    disabled: [
      '554 30 Sorry, your message to former@aol.jp cannot be delivered. This mailbox is disabled (554.30)',
    ],
    rate_limited: ['450 User is receiving mail too quickly'],
    blocked: [
      "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list; see http://postmaster.yahoo.com/550-bl23.html",
      '553 5.7.1 [BL23] Connections not accepted from IP addresses on Spamhaus XBL; see http://postmaster.yahoo.com/errors/550-bl23.html [550]',
      '553 5.7.2 [TSS09] All messages from 192.0.2.1 will be permanently deferred; Retrying will NOT succeed. See https://postmaster.yahooinc.com/error-codes',
      '554 Message not allowed - [PH01] Email not accepted for policy reasons. Please visit https://postmaster.yahooinc.com/error-codes',
    ],
    policy: [
      '550 relaying denied for <ada@yahoo.com>',
      '554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes',
      '550 5.7.9 This mail has been blocked because the sender is unauthenticated. Yahoo requires all senders to authenticate with either SPF or DKIM.',
    ],
    temporary: ['421 Max message per connection reached, closing transmission channel'],
  }),
  ...at('mail', yahoo, 'yahoo', {
    blocked: [
      '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes',
    ],
  }),
  ...atRcpt(manual, 'yahoo', {
    disabled: [
      '554 delivery error: dd Sorry, your message to former@ordinary.example cannot be delivered. This mailbox is disabled (554.30). - mta1234.mail.yahoo.com',
    ],
    refused: ['554 delivery error: dd Requested mail action aborted - mta1234.mail.yahoo.com'],
    temporary: ['452 temporary domain failure <ada@ordinary.example>'],
  }),
  ...atRcpt(sympa, 'yahoo', {
    missing: [
      "554 delivery error: dd This user doesn't have a btinternet.com account (nobody@btinternet.com) [0] - mta1017.bt.mail.ird.yahoo.com",
    ],
  }),
  ...atRcpt(apple, 'icloud', {
    missing: [
      '550 5.1.6 recipient no longer on server: nobody@icloud.com',
      '550 5.1.1 unknown or illegal alias: nobody@icloud.com',
    ],
    disabled: ['550 5.1.1 <former@icloud.com>: inactive email address'],
    full: ['552 5.2.2 <full@icloud.com>: user is over quota'],
    blocked: [
      '550 5.7.0 Blocked - see https://support.proofpoint.com/dnsbl-lookup.cgi?ip=192.0.2.1',
      '550 5.7.1 Your email was rejected due to having a domain present in the Spamhaus DBL -- see https://www.spamhaus.org/dbl/',
      '550 5.7.1 Mail from IP 192.0.2.1 was rejected due to listing in Spamhaus SBL. For details please see http://www.spamhaus.org/query/bl?ip=192.0.2.1',
      '550 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137',
    ],
    policy: [
      "554 5.7.1 Your message was rejected due to checker.example's DMARC policy. See https://support.apple.com/en-us/HT204137 for",
      '554 5.7.1 <ada@icloud.com>: Relay access denied',
      '450 4.1.8 <probe@checker.example>: Sender address rejected: Domain not found',
    ],
    temporary: [
      '421 4.7.1 Messages to ada@icloud.com deferred due to excessive volume. Try again later - https://support.apple.com/en-us/HT204137',
    ],
  }),
  ...atRcpt(manual, 'icloud', {
    missing: ['550 5.1.1 <nobody@icloud.com>: user does not exist'],
    full: ['552 5.2.2 <full@icloud.com>: user is overquota'],
  }),
  ...at('greeting', apple, 'icloud', {
    blocked: ['554 st43p00im-smtpin001.me.com ESMTP not accepting connections'],
  }),
  ...atRcpt(gmxCodes, 'gmx', {
    missing: [
      '550 <nobody@ordinary.example>: Requested action not taken: mailbox unavailable',
      '550-Requested action not taken: mailbox unavailable\n550 For explanation visit https://postmaster.gmx.net/en/case?c=r0103',
    ],
    policy: [
      '550 <probe@checker.example>: Reject due to SPF policy. The originating IP of the message is not permitted by the domain owner',
      '550 Reject due to policy restrictions.',
    ],
  }),
  ...atRcpt('jstedfast/MailKit, issue 968', 'gmx', {
    refused: [
      '550-Requested action not taken: mailbox unavailable\n550 Failure sending mail. Try again later',
    ],
  }),
  ...atRcpt(faq, 'gmx', {
    temporary: [
      '421 Rate limit reached. Please try again later',
      '451 Requested action aborted: local error in processing',
    ],
    blocked: ['421 Reject due to policy violations'],
  }),
  ...at('greeting', 'GMX Postmaster, "Error messages"', 'gmx', {
    blocked: [
      '554-gmx.net (mxgmx104) Nemesis ESMTP Service not available\n554-No SMTP service\n554-IP address is block listed.\n554 For explanation visit https://postmaster.gmx.net/en/case?c=r0201&i=ip&v=192.0.2.1&r=1MNcgj-1ue23t3pyV-00S2YR',
    ],
  }),
  ...atRcpt(manual, 'gmx', {
    full: ['552 Requested mail action aborted: exceeded storage allocation Quota exceeded.'],
  }),
  ...atRcpt(typical, 'gmx', {
    missing: [
      '550 Benutzer nicht bekannt/User unknown',
      '550 Unknown local part nobody in <nobody@ordinary.example>',
      '550 5.1.1 <nobody@gmx.example>... User is unknown',
    ],
    disabled: ['550 5.2.1 <former@gmx.example>... User is inactive'],
    full: [
      '550 Benutzer hat das Speichervolumen ueberschritten. / User has exhausted allowed storage space.',
      '550 Benutzer hat zuviele Mails auf dem Server. / User has too many messages on the server.',
    ],
  }),
  ...atRcpt(typical, 't_online', {
    missing: ['550 5.1.1 user unknown'],
    full: ['552 5.2.2 Over STORAGE quota'],
  }),
  ...at('greeting', "Operator's notes on GitHub: mx03.t-online.de", 't_online', {
    blocked: [
      '554 IP=192.0.2.1 - None/bad reputation. Ask your postmaster for help or to contact tobr@rx.t-online.de for reset. (NOWL)',
    ],
  }),
  ...at('greeting', 'ZoneMTA, config/bounces.txt', 't_online', {
    blocked: [
      '554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.de to clarify.) (BL)',
    ],
  }),
  ...atRcpt(manual, 'comcast', {
    missing: ['550 5.1.1 Not our Customer', '550 5.1.1 <nobody@comcast.net> recipient mailbox unallocated'],
    full: ['552 5.1.1 <full@comcast.net> recipient rejected - extended quota violation'],
    policy: [
      '550 5.2.0 Message rejected due to DMARC. Please see http://postmaster.comcast.net/smtp-error-codes.php#DM000001',
    ],
    temporary: ['450 4.2.0 <ada@comcast.net> - Recipient temporarily unavailable'],
  }),
  ...atRcpt(kumo, 'comcast', { disabled: ['550 5.1.1 <former@comcast.net> Account Closed, Please Remove'] }),
  ...at('greeting', 'Reacher, core/src/smtp/parser.rs', 'comcast', {
    blocked: [
      '554 resimta-h1p-037598.sys.comcast.net resimta-h1p-037598.sys.comcast.net 192.0.2.1 found on one or more DNSBLs, see http://postmaster.comcast.net/smtp-error-codes.php#BL000001',
    ],
  }),
  ...atRcpt(manual, 'att', {
    missing: [
      '550 5.2.1 <nobody@prodigy.net>... Addressee unknown, relay=[192.0.2.1]',
      '550 5.2.1 <nobody@prodigy.net>... blank mailhost - invalid address, relay=[192.0.2.1]',
    ],
    blocked: [
      '550 5.7.1 Connections not accepted from servers without a valid sender checker.example. Fix reverse DNS for 192.0.2.1',
    ],
  }),
  ...atRcpt(att, 'att', {
    disabled: ['550 [suspend] Mailbox currently suspended--Please contact correspondent directly.'],
    policy: ['550 [permfail] bellsouth.net requires valid sender domain'],
    blocked: ['550 <192.0.2.1> blocked by ldap:ou=rblmx, dc=bellsouth, dc=net', '521 <192.0.2.1> is blocked'],
    temporary: ['450 busy--Please try again later'],
  }),
  ...at('mail', 'ZoneMTA, config/bounces.txt', 'att', {
    blocked: [
      '553 5.3.0 flph825 DNSBL:ATTRBL 521< 192.0.2.1 >_is_blocked.For assistance forward this email to abuse_rbl@abuse-att.net',
    ],
  }),
  ...atRcpt(sympa, undefined, {
    missing: [
      '500 no such user',
      '550 "nobody@freesurf.fr" is not a known user',
      '550 <nobody@ukr.net> not used',
      '550 recipient does not exist here',
      '550 No such user here"',
    ],
    disabled: [
      '504 mailbox is disabled',
      '550 account inactive',
      '550 former@earthlink.net...User account is unavailable',
    ],
    policy: [
      '550 relay not permitted',
      '550 Apache OpenOffice no longer relays openoffice.org mail. See http://incubator.apache.org/openofficeorg/mailing-lists.html#legacy-openofficeorg-lists',
    ],
  }),
];
