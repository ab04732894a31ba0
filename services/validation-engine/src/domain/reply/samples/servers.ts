import { at, atRcpt, type RealLine } from './real-line.ts';

const bmh = 'PHPMailer-BMH, phpmailer-bmh_rules.php';
const bounceRules = 'Bounce rules with diagnostic codes, copied by several senders from PHPMailer-BMH';
const reacher = 'Reacher, core/src/smtp/parser.rs';
const bounces = 'ZoneMTA, config/bounces.txt';
const postfixLogs = 'Postfix logs on pastebin.com';
const unknownUser = 'sisimai, lib/Sisimai/Reason/UserUnknown.pm';
const rejects = 'tobinjt/ASO, sql/populate-rules.sql (Postfix logs)';

export const serverLines: readonly RealLine[] = [
  ...atRcpt('Postfix, postconf(5), smtpd_reject_footer', undefined, {
    missing: [
      '550-5.1.1 <nobody@ordinary.example>: Recipient address rejected: User unknown in virtual mailbox table\n550 5.1.1 For assistance, call 800-555-0101. Please provide the following information in your problem report: time (Nov 29 17:00:00), client (192.0.2.9) and server (mx.ordinary.example).',
      '550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: User unknown in local recipient table. For assistance, contact postmaster@ordinary.example.',
    ],
    policy: [
      '554-5.7.1 <ada@ordinary.example>: Recipient address rejected: Access denied\n554 5.7.1 For assistance, call 800-555-0101. Please provide the following information in your problem report: time (Nov 29 17:00:00), client (192.0.2.9) and server (mx.ordinary.example).',
    ],
  }),
  ...atRcpt(postfixLogs, undefined, {
    missing: [
      '550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: User unknown in local recipient table',
      '550 5.1.6 <nobody@ordinary.example>: Recipient address rejected: User has moved to somewhere else',
      '550 Recipient address rejected: User unknown',
    ],
    temporary: [
      '450 4.1.1 <ada@ordinary.example>: Recipient address rejected: unverified address: Recipient address lookup failed',
    ],
    missing_for_now: [
      '450 4.1.1 <ada@ordinary.example>: Recipient address rejected: unverified address: unknown user: "ada"',
      '450 4.1.1 <ada@ordinary.example>: Recipient address rejected: User unknown in local recipient table',
    ],
    policy: [
      '550-Verification failed for <probe@checker.example>\n550-Called:   192.0.2.1\n550-Sent:     RCPT TO:<probe@checker.example>\n550-Response: 550 5.1.1 <probe@checker.example>: Recipient address rejected: User unknown in local recipient table\n550 Sender verify failed',
    ],
  }),
  ...atRcpt(rejects, undefined, {
    missing: ['550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: User unknown'],
    policy: [
      '550 5.1.0 <probe@checker.example>: Sender address rejected: User unknown in local recipient table',
      '450 4.1.8 <probe@checker.example>: Sender address rejected: Domain not found',
    ],
    greylisted: [
      '450 4.7.1 <relay.checker.example[192.0.2.1]>: Client host rejected: Greylisted, see http://isg.ee.ethz.ch/tools/postgrey/help/ordinary.example.html',
    ],
    blocked: [
      '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using sbl-xbl.spamhaus.org; http://www.spamhaus.org/query/bl?ip=192.0.2.1',
      '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using list.dsbl.org; http://dsbl.org/listing?192.0.2.1',
      '450 4.7.1 <checker>: Helo command rejected: Host not found',
    ],
  }),
  ...atRcpt('Sympa test suite: Postfix at mx1.example.org', undefined, {
    blocked: ['554 5.7.1 <relay.checker.example[192.0.2.1]>: Client host rejected: Access denied'],
  }),
  ...atRcpt(bmh, undefined, {
    missing: [
      '550 nobody@ordinary.example... No such user',
      '553 Sorry, no mailbox here by that name. vpopmail (#5.1.1)',
      '550 Invalid recipient: <nobody@ordinary.example>',
      '550 <nobody@ordinary.example>: Invalid User',
      '554 qq Sorry, no valid recipients (#5.1.3)',
      '550 5.1.1 unknown or illegal alias: nobody@ordinary.example',
      '553 sorry, no mailbox here by that name (#5.7.1)',
      '550 User (nobody@ordinary.example) unknown.',
      '553 5.3.0 <nobody@ordinary.example>... Addressee unknown, relay=[192.0.2.1]',
      '550 <nobody@ordinary.example>: Recipient address rejected: No such user (nobody@ordinary.example)',
      '550 Mailbox ( nobody@ordinary.example ) not found or inactivated',
      '551 not our customer',
      '501 #5.1.1 bad address nobody@ordinary.example',
      '550 5.1.1 <nobody@ordinary.example>... email address lookup in domain map failed',
      '550 User not a member of domain: <nobody@ordinary.example>',
      "550 sorry, that recipient doesn't exist (#5.7.1)",
      "550-I'm sorry but nobody@ordinary.example does not have an account here. I will not",
      '550 nobody@ordinary.example:user not exist',
    ],
    disabled: [
      '554 delivery error: dd Sorry your message to former@ordinary.example cannot be delivered. This account has been disabled or discontinued [#102]. - mta173.mail.tpe.ordinary.example',
      '550 user disabled',
      '551 <former@ordinary.example> is a deactivated mailbox',
      '553 user is inactive (eyou mta)',
    ],
    full: [
      '552 5.2.2 Over quota',
      '552 Requested mailbox exceeds quota.',
      '552 recipient storage full, try again later',
      '551 bounce as<the destination mailbox <full@ordinary.example> is full> queue as 100.1.ZmxEL.720k.1140313037',
    ],
    temporary: [
      '452 4.2.1 mailbox temporarily disabled: ada@ordinary.example',
      '450 mailbox unavailable.',
      '452 Insufficient system storage',
      '450 user path no exist',
    ],
    policy: [
      '550 Relaying denied.',
      '554 <ada@ordinary.example>: Relay access denied',
      '550 relaying to <ada@ordinary.example> prohibited by administrator',
      '550 Unable to relay for ada@ordinary.example',
      '550 5.7.1 Requested action not taken: mailbox not available',
    ],
    refused: [
      '550 Command RCPT User <ada@ordinary.example> not OK',
      '550-"The recipient cannot be verified.  Please check all recipients of this',
    ],
  }),
  ...atRcpt(bounceRules, undefined, {
    missing: ['553 5.3.0 <nobody@ordinary.example>... Recipient address no longer exists'],
    disabled: [
      '550 <former@ordinary.example>: Recipient address rejected: Account closed due to inactivity. No forwarding information is available.',
      '550 User suspended',
      '550 account expired',
      '550 <former@ordinary.example>: User status is locked.',
    ],
    policy: [
      '553 VS10-RT Possible forgery or deactivated due to abuse (#5.1.1) 192.0.2.1',
      '553 User refused to receive this mail.',
      '501 probe@checker.example Sender email is not in my domain',
      "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.5.3 - chkuser)",
      '553 AUTH FAILED - probe@checker.example',
      '530 5.7.1 Relaying not allowed: ada@ordinary.example',
      '550 not local host ordinary.example, not a gateway',
      '500 Unauthorized relay msg rejected',
      '550 Local user only or Authentication mechanism',
      '550-ds176.checker.example [192.0.2.1] is currently not permitted to\n550-relay through this server. Perhaps you have not logged into the pop/imap\n550-server in the last 30 minutes or do not have SMTP Authentication turned on\n550 in your email client.',
      '550 Host unknown',
      '553 Specified domain is not allowed.',
      '554 sender is rejected: 0,mx20,wKjR5bDrnoM2yNtEZVAkBg==.32467S2',
      '554 Connection refused(mx). MAIL FROM [probe@checker.example] mismatches client IP [192.0.2.1].',
      '550 Verify mailfrom failed,blocked',
    ],
    blocked: [
      '554 Please visit http://antispam.ordinary.example/denyip.php?IP=192.0.2.1 (#5.7.1)',
      "554 Service unavailable; Client host [192.0.2.1] blocked using dynablock.ordinary.example; Your message could not be delivered due to complaints we received regarding the IP address you're using or your ISP.",
      '552 sorry, the spam message is detected (#5.6.0)',
      '553 5.7.1 <ada@ordinary.example>... SpamTrap=reject mode, dsn=5.7.1, Message blocked by BOX Solutions SpamTrap Technology',
      '554- (RTR:BL)  http://postmaster.info.aol.com/errors/554rtrbl.html',
    ],
    refused: [
      '550 5.0.0 <ada@ordinary.example>... No permit',
      '554 Transaction failed',
      '553 mailbox ada@ordinary.example is restricted',
    ],
    temporary: ['451 System(u) busy, try again later.', '451 Temporary local problem - please try later'],
  }),
  ...atRcpt(reacher, undefined, {
    missing: [
      '550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: User unknown in virtual alias table',
      '550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: User unknown in relay recipient table',
      "550 Unknown address error 'MAILBOX NOT FOUND'",
      '550 5.1.1 MXIN501 mailbox nobody@ordinary.example unknown',
      '550 5.2.0 No such mailbox',
      "550 RCPT (nobody@ordinary.example) dosn't exist",
      '550 No such person at this address',
      '550 Callout verification failed: 550 No Such User Here',
      '550 5.1.1 <nobody@ordinary.example> Address Error',
      '550 E-mail address is not handled by this system',
      '550 5.1.1 <nobody@ordinary.example>  Recipient not found.',
      '550 Unknown local part nobody in <nobody@ordinary.example>',
      '550 5.1.1 RCP-P1 https://www.facebook.com/postmaster/response_codes?ip=192.0.2.1#RCP-P1',
    ],
    policy: [
      '550 User not local or invalid address - Relay denied',
      '550 5.7.1 Relaying denied. IP name possibly forged [192.0.2.1]',
      '550 5.7.1 Relaying denied: You must check for new mail before sending mail. [192.0.2.1]',
    ],
    blocked: [
      '550 5.3.0 <ada@ordinary.example>... Mail from 192.0.2.1 rejected by Abusix blacklist',
      '550 5.7.1 Recipient not authorized, your IP has been found on a block list',
      '550 Unable to add <ada@ordinary.example> because host 192.0.2.1 is listed on zen.spamhaus.org',
      '550 JunkMail rejected - checker.example [192.0.2.1]:46615 is in an RBL: http://www.barracudanetworks.com/reputation/?pr=1&ip=192.0.2.1',
      '553 sorry, mail from your location [192.0.2.1] is administratively denied (#5.7.1)',
      '554 SBRS score too low: http://www.senderbase.org/',
      '550 192.0.2.1 is not yet authorized to deliver mail from checker.example',
    ],
    greylisted: [
      '451 You dont seem to have a reverse dns entry. Come back later. You are greylisted for 20 minutes. See http://www.fsf.org/about/systems/greylisting',
    ],
  }),
  ...atRcpt(unknownUser, undefined, {
    missing: [
      '550 Address not present in directory',
      '550 Nessun utente simile in questo indirizzo',
      '550 No existe dicha persona',
      '550 no account by that name here',
      '550 Sorry, no mailbox by that name is currently available',
      '550 nobody is not an active address at this host',
      '550 this email address is wrong or no longer valid',
      '553 sorry, this recipient is not in my validrcptto list (#5.7.1)',
      '553 sorry, your envelope recipient is in my badrcptto list (#5.7.1)',
      "550 Can't accept user nobody",
      '550 There is no one at this address',
      '550 vdeliver: Invalid or unknown virtual user',
    ],
  }),
  ...atRcpt(bounces, undefined, {
    blocked: [
      '550 5.2.1 Mailbox unavailable. Your IP address 192.0.2.1 is blacklisted using SPAMHAUS-XBL. Details: https://www.spamhaus.org/query/ip/192.0.2.1.',
      '554 5.7.1 <ada@ordinary.example>: Recipient address rejected: https://www.spamhaus.org/query/ip/192.0.2.1',
      '554 Denied [SHXBL] - Denied by Spamhaus XBL - See http://www.spamhaus.org/query/bl?ip=192.0.2.1 (Mode: normal)',
      '501 5.7.1 <probe@checker.example>... Sender refused by the DNSBL dnsbl.sorbs.net',
      '450 Requested action not taken:c1mx2, IwENCgC3+s5MYEpYXlIcAA--.4588S3, dnsbl.sorbs.net, please try again',
      '550 Too many invalid recipients',
      '554 5.7.1 You are not allowed to connect',
      '591 ada@ordinary.example your host [192.0.2.1] is blacklisted by dnsbl.sorbs.net. Currently Sending Spam See: http://www.sorbs.net/lookup.shtml?192.0.2.1.',
      '553 5.7.1 <relay.checker.example[192.0.2.1]>: Client host rejected: Relaying denied - Your IP identified as spammer. Please contact 123',
      '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using ee.countries.nerd.dk; Your IP is in ee, rejected based on geographical location',
    ],
    greylisted: [
      '421 4.7.1 Service unavailable; Client host [192.0.2.1] blocked using grey.rbl - Rechazo temporal, intentelo mas tarde por favor...Greylisting in action, please try again later',
    ],
    policy: [
      "554 5.7.105 Sender denied as sender's email address is on SenderFilterConfig list",
      '550 5.7.0 Local Policy Violation',
    ],
    disabled: ['550 5.2.1 former is expired account', '554 5.2.1 Inactive user'],
  }),
  ...atRcpt('sisimai, lib/Sisimai/Reason/Blocked.pm', undefined, {
    policy: ['550 INVALID IP FOR SENDING MAIL OF DOMAIN checker.example'],
  }),
  ...atRcpt(
    'Bounce of mips-com.mail.protection.outlook.com on GitHub, read without its provider',
    undefined,
    {
      missing: [
        '550 5.4.1 [nobody@ordinary.example]: Recipient address rejected: Access denied [BN3NAM04FT027.eop-NAM04.prod.protection.outlook.com]',
      ],
    },
  ),
  ...atRcpt('Facebook Postmaster, response codes', undefined, {
    missing: ['550 5.1.1 INT-P1 https://www.facebook.com/postmaster/response_codes?ip=192.0.2.1#INT-P1'],
  }),
  ...atRcpt('hMailServer SMTP messages, nitindupare.blogspot.com', undefined, {
    temporary: ['451 Please try again later.'],
  }),
  ...atRcpt('mailprotector.com, "Common Email Bouncebacks"', undefined, {
    temporary: ['421 4.4.2 Message submission rate for this client has exceeded the configured limit'],
  }),
  ...atRcpt('OpenSMTPD of Debian, asked for an unknown virtual user', undefined, {
    missing: ['524 5.2.4 Mailing list expansion problem: <nobody@ordinary.example>'],
  }),
  ...atRcpt('Postfix of Debian with postscreen, greeted too early', undefined, {
    policy: ['550 5.5.1 Protocol error'],
  }),
  ...atRcpt('Postfix of Debian with postscreen, our address on its deny list', undefined, {
    blocked: ['550 5.3.2 Service currently unavailable'],
  }),
  ...at('greeting', 'Postfix of Debian with postscreen, our address on its deny list', undefined, {
    blocked: ['521 5.3.2 Service currently unavailable'],
  }),
  ...atRcpt('Postfix of Debian with postscreen, after its deep tests', undefined, {
    greylisted: ['450 4.3.2 Service currently unavailable'],
  }),
  ...at('greeting', 'RFC 7504, section 5', undefined, {
    no_service: ['521 mx.ordinary.example does not accept mail'],
  }),
  ...at('ehlo', 'hMailServer SMTP messages, nitindupare.blogspot.com', undefined, {
    blocked: ['501 EHLO Invalid domain address.'],
  }),
  ...at('mail', 'icglink.net, help desk table of bounces', undefined, {
    policy: ['550 Access denied', '451 From:domain must resolve'],
  }),
  ...at('mail', 'Reacher, core/src/smtp/parser.rs', undefined, {
    blocked: ['550 5.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]'],
  }),
];
