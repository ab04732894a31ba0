import type { ReplyRule } from './reply-rule.ts';

/** Replies about our own address, name or reputation: they say nothing about the mailbox. */
export const blockRules: readonly ReplyRule[] = [
  {
    // Mail that a recipient or a domain does not want is their rule, not a block of our address.
    meaning: 'policy',
    text: /black ?listed by recipient|recipient definitively does not want|does not accept e-?mail over ipv6|blocked by (?:the )?(?:recipient|user)|recipient has blocked|rejected by recipient|envelope blocked|recipient preferences|\brcp-p2\b/,
    samples: [
      '550 5.1.1 RCP-P2 http://postmaster.facebook.com/response_codes?ip=192.0.2.135#rcp Refused due to recipient preferences',
      '550 Envelope blocked - User Domain Entry',
      '550 5.7.507 Access denied, rejected by recipient',
      '550 5.2.1 Service unavailable, [ordinary.example] does not accept email over IPv6.',
      '554 5.7.1 The recipient definitively does not want your mail. It will not be delivered but analyzed again.  We may feed it to a spam blacklist.',
      '550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550 [vH7Ns8biNg-p6EfZ0QaVMQ.us149]',
    ],
  },
  {
    // A greylist that follows a block list still asks us to come back, and a retry helps.
    meaning: 'greylisted',
    code: /^4/,
    text: /gr[ea]y[- ]?list|gr[ea]ylisted/,
    samples: [
      '450 4.7.1 <relay.checker.example[192.0.2.1]>: Client host rejected: Greylisted, see http://isg.ee.ethz.ch/tools/postgrey/help/ordinary.example.html',
      '421 4.7.1 Service unavailable; Client host [192.0.2.1] blocked using grey.rbl - Rechazo temporal, intentelo mas tarde por favor...Greylisting in action, please try again later',
      '451 4.7.1 Greylisted, try again after some time',
    ],
  },
  {
    // Greylists that do not name themselves: greylistd, iRedAPD, gld and OpenBSD's spamd.
    meaning: 'greylisted',
    stages: ['rcpt'],
    code: /^45/,
    text: /not yet authorized to deliver mail|intentional policy rejection, please try again later|service temporarily unavailable, please try later|^temporary failure, please try again later\.$/,
    samples: [
      '451 192.0.2.1 is not yet authorized to deliver mail from <probe@checker.example> to <ada@ordinary.example>. Please try later.',
      '451 4.7.1 <ada@ordinary.example>: Recipient address rejected: Intentional policy rejection, please try again later',
      '450 4.7.1 <ada@ordinary.example>: Recipient address rejected: Service temporarily unavailable, please try later',
      '451 Temporary failure, please try again later.',
    ],
  },
  {
    // Sendmail's text for a milter that defers, and the default of ASSP and of Rspamd's greylist.
    meaning: 'greylisted',
    stages: ['rcpt'],
    code: /^45/,
    enhanced: /^4\.7\.1$/,
    text: /^(?:<address>:? (?:recipient address rejected: )?)?(?:please )?try again later\.?$/,
    samples: ['451 4.7.1 Please try again later', '451 4.7.1 Try again later'],
  },
  {
    // Postscreen uses these words to ask unknown clients to come back, and with a 5xx to reject known ones.
    meaning: 'greylisted',
    stages: ['rcpt'],
    code: /^4/,
    enhanced: /^4\.3\.2$/,
    text: /^service currently unavailable$/,
    samples: ['450 4.3.2 Service currently unavailable'],
  },
  {
    meaning: 'blocked',
    code: /^5/,
    enhanced: /^5\.3\.2$/,
    text: /^service currently unavailable$/,
    samples: ['550 5.3.2 Service currently unavailable', '521 5.3.2 Service currently unavailable'],
  },
  {
    meaning: 'blocked',
    text: /black[- ]?list|block[- ]?list|deny ?list|\bdnsbl|\brbls?\b|\bdnsrbl\b|real[- ]?time block|spamhaus|spamcop|barracudacentral|barracudanetworks\.com\/reputation|\bsorbs\b|abusix|uceprotect|senderbase|csi\.cloudmark\.com|(?:ipcheck|dnsbl-lookup)\S*proofpoint|ipcheck\.proofpoint|mail-abuse\.com|open resolver|\(rtr:bl\)|\bin the pbl\b|^black ip|denyip|\bip in prison|\b(?:sur|uri)bl\b|\[xbl\]/,
    samples: [
      '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using sbl-xbl.spamhaus.org; http://www.spamhaus.org/query/bl?ip=192.0.2.1',
      '550 5.2.1 Mailbox unavailable. Your IP address 192.0.2.1 is blacklisted using SPAMHAUS-XBL. Details: https://www.spamhaus.org/query/ip/192.0.2.1.',
      '554 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1',
      '554 5.7.1 <ada@ordinary.example>: Recipient address rejected: https://www.spamhaus.org/query/ip/192.0.2.1',
      '554-gmx.net (mxgmx104) Nemesis ESMTP Service not available\n554-No SMTP service\n554-IP address is block listed.\n554 For explanation visit https://postmaster.gmx.net/en/case?c=r0201&i=ip&v=192.0.2.1&r=1MNcgj-1ue23t3pyV-00S2YR',
      '550 5.1.1 <probe@checker.example> sender is blacklisted',
      '554- (RTR:BL)  http://postmaster.info.aol.com/errors/554rtrbl.html',
      '550 ip in prison',
      '550-5.7.1 reject content [xbl]\n550 See http://master.php.net/mail/why.php?why=SURBL',
    ],
  },
  {
    // Postfix puts "Client host rejected" before the text of its table. When it verifies recipients, it quotes why it
    // could not connect to the host behind it. A busy host is busy for every client; Microsoft's "Server busy" under
    // 4.7.5xx is meant for us.
    meaning: 'temporary',
    code: /^4/,
    enhanced: /^(?!4\.7\.(?:25|28|[568]\d\d)$)/,
    text: /\btoo busy\b|\b(?:server|system|service|host) (?:is )?(?:currently |temporarily )?(?:busy|overloaded)\b|\bunverified address: connect to /,
    samples: ['421 mx.ordinary.example is too busy to accept mail right now'],
  },
  {
    // Before the following rules, because such a text often continues with limits and spam (RFC 7372 defines the
    // codes).
    meaning: 'policy',
    enhanced: /^[45]\.7\.(?:2[0-4679]|3[02])$/,
    text: /^(?!.*\bptr\b)/,
    samples: [
      '550 5.7.26 This mail has been blocked because the sender is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM.',
      '451 4.7.24 The SPF record of the sending domain has one or more suspicious entries. To protect our users from spam, mail sent from your IP address has been temporarily rate limited.',
    ],
  },
  {
    // AOL and Exchange refuse the mail itself under the code of a disabled mailbox.
    meaning: 'policy',
    text: /will not accept delivery|content filter agent/,
    samples: [
      '521 5.2.1 :  AOL will not accept delivery of this message.',
      '550 5.2.1 Content Filter agent quarantined this message',
    ],
  },
  {
    // AOL's codes for our address, our name and complaints about us.
    meaning: 'blocked',
    text: /\((?:con|dns|dyn|hvu|rly|rtr):\w{2,3}\)/,
    samples: ['554-:  (HVU:B1)  http://postmaster.info.aol.com/errors/554hvub1.html\n554 TRANSACTION FAILED'],
  },
  {
    meaning: 'policy',
    text: /mismatches client ip/,
    samples: [
      '554 Connection refused(mx). MAIL FROM [probe@checker.example] mismatches client IP [192.0.2.1].',
    ],
  },
  {
    meaning: 'blocked',
    text: /blocked (?:using|for (?!failing)|by (?!spf)\w+[.:])|^(?:\[s\d+\] )?blocked$|(?:client host|client address|host|client|connection|\bip|ip address|mail from) ?[[<]?[\d.:a-f]*[\]>]? (?:is |was |has been |have been )?(?:blocked|banned|refused|rejected|denied)|^<[\d.]+> is blocked|access denied, (?:banned send|traffic not accepted|bad helo)|banned sending ip|exceeded permitted limits|ip (?:address )?(?:is |was |has been )?(?:blocked|banned|rejected)|your (?:ip|host|server|network|mta|domain|e-?mail address)\b.{0,60}(?:block|bann|reject|reputation|denied|listed)|your access to (?:this|submit)|not allowed to connect|not yet authorized to deliver|mail from your location|traffic not accepted from|connection rejected by policy|(?<!not )listed (?:at|by|on|in) /,
    samples: [
      '550 5.7.606 Access denied, banned sending IP [192.0.2.1]. To request removal from this list please visit https://sender.office.com/ and follow the directions. (AS16012609) [DB5EUR01FT031.eop-EUR01.prod.protection.outlook.com]',
      '550 5.7.708 Access denied, traffic not accepted from this IP.',
      '550 5.7.508 Access denied, [2001:db8::1] has exceeded permitted limits within /64 range',
      '554 5.7.1 <relay.checker.example[192.0.2.1]>: Client host rejected: Access denied',
      '550 5.7.1 Mail from 192.0.2.1 has been blocked by Trend Micro Email Reputation Service.',
      '550 [S10] Blocked',
      '521 <192.0.2.1> is blocked',
      '550 <192.0.2.1> blocked by ldap:ou=rblmx, dc=bellsouth, dc=net',
      '553 Sorry, your domain has been blocked',
      '550 #5.7.1 Your access to submit messages to this e-mail system has been rejected.',
      '554 5.7.1 You are not allowed to connect',
      '553 sorry, mail from your location [192.0.2.1] is administratively denied (#5.7.1)',
    ],
  },
  {
    meaning: 'blocked',
    text: /reputation|not in whitelist|(?:sending|submission) (?:quota|limit)|quota for sending|(?<![\w.-])spams?(?![\w-]|\.\w)|unsolicited mail|unusual rate of|\bsuspicious\b|identified as spam|spam(?:mer|ming|trap)|junkmail rejected|part of their network|sending spam|s3150|too many invalid recipients|\b(?:sc|ou|dy|rp)-00\d\b|\[(?:bl\d+|tss?\d+|ph01|tssm?\d+)\]/,
    samples: [
      "554-esa6.hc2916-71.iphmx.com\n554 Your access to this mail system has been rejected due to the sending MTA's poor reputation. If you believe that this failure is in error, please contact the intended recipient via alternate means.",
      '421 4.7.0 Our system has detected an unusual rate of unsolicited mail originating from your IP address. To protect our users from spam, mail sent from your IP address has been temporarily blocked.',
      "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150). You can also refer your provider to http://mail.live.com/mail/troubleshooting.aspx#errors.",
      '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes',
      '554 Message not allowed - [PH01] Email not accepted for policy reasons. Please visit https://postmaster.yahooinc.com/error-codes',
      '421 4.7.0 IP not in whitelist for RCPT domain, closing connection.',
      '550 5.2.2 Submission quota exceeded',
      '550 Too many spams from your IP (192.0.2.1), please visit http://postmaster.free.fr/',
      '550 Too many invalid recipients',
    ],
  },
  {
    meaning: 'blocked',
    text: /cannot find your (?:reverse )?hostname|reverse[ -]?dns|\brdns\b|\bptr\b|reverse (?:lookup|hostname)|does not resolve to|helo command rejected|(?:helo|ehlo)\b.{0,40}(?:invalid|rejected|not (?:allowed|fully|resolv))|need fully-qualified hostname|dynamic ips?\b|hostname mismatch/,
    samples: [
      '550 5.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]',
      '450 4.7.1 Client host 192.0.2.1 has no PTR record (G1F)',
      '501 5.5.4 HELO/EHLO argument is invalid. https://support.google.com/mail/?p=helo',
      '450 4.7.1 <checker>: Helo command rejected: Host not found',
      '550 We do not accept mail from dynamic IPs.',
    ],
  },
];
