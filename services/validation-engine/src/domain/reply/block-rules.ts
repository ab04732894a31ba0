import type { ReplyRule } from './reply-rule.ts';

/** Replies about our own address, name or reputation, or about the sender: they say nothing about the mailbox. */
export const blockRules: readonly ReplyRule[] = [
  {
    // A recipient's personal list is a rule of that recipient, not a block of our address.
    meaning: 'policy',
    text: /black ?listed by recipient|blocked by (?:the )?(?:recipient|user)|recipient has blocked/,
    samples: ['550 5.7.1 Blacklisted by recipient', '550 5.7.1 Your message was blocked by the recipient'],
  },
  {
    // Greylisting by a block list's rules still asks to come back, which is what will help.
    meaning: 'greylisted',
    code: /^4/,
    text: /gr[ea]y[- ]?list|gr[ea]ylisted/,
    samples: [
      '450 4.2.0 <ada@ordinary.example>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/ordinary.example.html',
      '451 4.7.1 Greylisting in action, please come back later',
      '421 4.7.1 Service unavailable; Client host [192.0.2.1] blocked using grey.rbl; Greylisting in action, please try again later',
      '450 4.7.1 <ada@ordinary.example>: Recipient address rejected: Policy Rejection- Grey-listed. Retry in 300 seconds',
      '451 Temporarily graylisted - please try again later',
    ],
  },
  {
    meaning: 'blocked',
    text: /black[- ]?list|block[- ]?list|deny ?list|\bdnsbl|\brbl\b|\bdnsrbl\b|real[- ]?time block|spamhaus|spamcop|barracudacentral|barracudanetworks\.com\/reputation|\bsorbs\b|abusix|uceprotect|senderbase|csi\.cloudmark\.com|ipcheck\.proofpoint|mail-abuse\.com|open resolver/,
    samples: [
      '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1',
      '550 5.2.1 Mailbox unavailable. Your IP address 192.0.2.1 is blacklisted using SPAMHAUS-XBL. Details: https://www.spamhaus.org/query/ip/192.0.2.1.',
      '554 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1',
      '550 Service unavailable; Client Host [192.0.2.1] blocked using Trend Micro RBL+. Please see http://www.mail-abuse.com/cgi-bin/lookup?ip_address=192.0.2.1',
      '554 5.7.1 <ada@ordinary.example>: Recipient address rejected: https://www.spamhaus.org/query/ip/192.0.2.1',
      '550 Rejected due to DNSBL server response (dnsbl.cobion.com - 192.0.2.1)',
      '550-Rejected message because 192.0.2.1 is in a black list at b.barracudacentral.org',
      '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; Error: open resolver; https://www.spamhaus.org/returnc/pub/192.0.2.53',
      '554-gmx.net (mxgmx117) Nemesis ESMTP Service not available; No SMTP service; IP address is block listed.',
    ],
  },
  {
    meaning: 'blocked',
    text: /blocked (?:using|by \w+\.)|(?:client host|client address|host|client|connection|\bip|ip address|mail from) ?\[?[\d.:a-f]*\]? (?:is |was |has been |have been )?(?:blocked|banned|refused|rejected|denied)|access denied, banned|banned sending ip|ip (?:address )?(?:is |was |has been )?(?:blocked|banned|rejected)|your (?:ip|host|server|network|mta)\b.{0,60}(?:block|bann|reject|reputation|denied|listed)|(?<!not )listed (?:at|by|on|in) /,
    samples: [
      '550 5.7.606 Access denied, banned sending IP [192.0.2.1]. To request removal from this list please visit https://sender.office.com/',
      '550 5.7.511 Access denied, banned sender[192.0.2.1]. To request removal from this list please forward this message to delist@microsoft.com',
      '554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied',
      '550 5.7.107 The IP address was rejected by the recipient organisation',
      '550 Rejected: 192.0.2.1 is listed at work.drbl.example.net',
      '554 5.5.4 Your IP 192.0.2.1 address has a bad reputation',
      '591 your host [192.0.2.1] is rejected by this network',
    ],
  },
  {
    meaning: 'blocked',
    text: /reputation|not in whitelist|sending (?:quota|limit)|(?<![\w.-])spam(?![\w-]|\.\w)|unsolicited mail originating|unusual rate of|suspicious|identified as spam|spam(?:mer|ming)|junkmail rejected|part of their network|sending spam|s3150|\b(?:sc|ou|dy|rp)-00\d\b|\[(?:bl\d+|tss?\d+|ph01|tssm?\d+)\]/,
    samples: [
      '554-mx.example.com Your access to this mail system has been rejected due to the sending MTA’s poor reputation.',
      '550-5.7.1 [192.0.2.1] Our system has detected that this message is likely suspicious due to the very low reputation of the sending IP address.',
      '421-4.7.28 Our system has detected an unusual rate of unsolicited mail originating from your IP address.',
      '550 5.7.1 Unfortunately, messages from [192.0.2.1] weren’t sent. Please contact your Internet service provider since part of their network is on our block list (S3150).',
      '550 SC-001 (BAY004-MC1F1) Unfortunately, messages from 192.0.2.1 weren’t sent.',
      '421 RP-001 (BAY004-MC1F1) Unfortunately, some messages from 192.0.2.1 weren’t sent. Please try again.',
      '553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus’s list; see https://help.yahoo.com/kb/postmaster/SLN5070.html',
      '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1',
      '554 Message not allowed - [PH01] Email not accepted for policy reasons.',
      '421-4.7.0 IP not in whitelist for RCPT domain, closing connection.',
      '550-5.4.5 Daily user sending quota exceeded.',
      '550 5.1.0 Message rejected by spam filter',
    ],
  },
  {
    meaning: 'blocked',
    text: /cannot find your (?:reverse )?hostname|reverse[ -]?dns|\brdns\b|\bptr\b|reverse (?:lookup|hostname)|does not resolve to|helo command rejected|(?:helo|ehlo)\b.{0,40}(?:invalid|rejected|not (?:allowed|fully|resolv))|need fully-qualified hostname|dynamic ip|hostname mismatch/,
    samples: [
      '450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]',
      '550 5.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]',
      '550 5.7.25 [192.0.2.1] The IP address sending this message does not have a PTR record setup.',
      '504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname',
      '554 5.7.1 <dsl-1.example>: Helo command rejected: Dynamic IP, use your provider’s relay',
    ],
  },
  {
    // Exim quotes what the sender's own host said about the sender, so this must come ahead of "no such user".
    meaning: 'policy',
    text: /sender verify failed|verification failed for|callback setup failed|callout (?:setup|verification) failed while|sender address (?:rejected|verification)|could not verify sender|unable to verify sender|verify sender|sender (?:is )?(?:denied|rejected|refused|invalid|unknown|not (?:allowed|accepted))|invalid sender|unknown sender|(?:null|empty|bounce) (?:sender|return[- ]?path|envelope)|does not accept (?:bounces|mail from)|domain of sender|sender domain|mail from[: ]{1,2}(?:command |<address> |<> )?(?:rejected|denied|refused|not accepted)/,
    samples: [
      '550-Verification failed for <probe@checker.example> No Such User Here Sender verify failed',
      '550-Callback setup failed while verifying <probe@checker.example>',
      '450 4.1.8 <probe@checker.example>: Sender address rejected: Domain not found',
      '553 5.1.8 <probe@checker.example>: Domain of sender address does not exist',
      '550 5.1.0 <probe@checker.example> sender rejected. Please see the following link',
      '550 Null sender is not allowed here',
      '550 MAIL FROM:<probe@checker.example> not accepted: user unknown',
    ],
  },
  {
    // Some hosts put this under 5.1.1 or 5.1.2, yet it says only that the host does not know the domain as its own.
    meaning: 'policy',
    text: /\brelay(?:ing)?(?: access| attempt| to <address>)? (?:is |was )?(?:denied|not (?:permitted|allowed|authori[sz]ed)|prohibited|refused|disabled)|(?:unable|not (?:allowed|permitted|authori[sz]ed)|do(?:es)?(?: not|n't)|will not|won't|refuse|for) (?:to )?relay/,
    samples: [
      '550 5.1.2 Relay not allowed.',
      '550 relay not permitted',
      '554 5.7.1 <ada@ordinary.example>: Relay access denied',
      '550 5.7.1 <ada@ordinary.example>... Relaying denied. Proper authentication required.',
      '550 5.1.2 <ada@ordinary.example>... we do not relay',
      '550 5.7.64 TenantAttribution; Relay Access Denied',
      '550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain',
    ],
  },
  {
    // What is unknown here is our address, our name or our sender.
    meaning: 'policy',
    text: /\b(?:sender|sending|originator|client|ip|dns|ptr|(?:mx|aaaa|a) records?|credentials|your (?:account|address|domain|e-?mail (?:address|server)|host|mail server|name|network|server|system))\b.{0,40}(?:does ?n[o']t exist|not (?:be )?(?:active|exist|found|known|registered|resolv|valid)|unknown|invalid|inactive|suspended|disabled|deactivated|expired|locked|terminated)|(?:unknown|invalid|bad|no such) (?:\w+ )?(?:client|originator|helo|ehlo|ip|credentials|password)\b/,
    samples: [
      '550 Your IP address is not registered',
      '550 Your IP address has been suspended',
      '550 Sender <probe@checker.example> does not exist',
      '550 A record does not exist for your host',
      '550 Your account is not active',
      '550 Sender mailbox not found',
      '550 invalid account credentials',
      '550 Your email address is not registered with us',
      '550 Invalid HELO name',
    ],
  },
  {
    // Names of hosts, domains and senders can be missing too; that is not the mailbox.
    meaning: 'policy',
    text: /\b(?:sender(?:'s)?(?: e-?mail)? address|from address|return[- ]path|domain|host(?:name)?|helo(?: name)?|ehlo(?: name)?)(?: \S{1,260})?(?: is| was)? (?:does ?n[o']t exist|not (?:found|exist|known|resolv)|unknown|invalid)/,
    samples: [
      '550 5.7.1 Your sender’s e-mail address does not exist',
      '550 Domain checker.example does not exist',
      '553 5.7.1 Host name of the return path not found',
    ],
  },
  {
    meaning: 'policy',
    enhanced: /^[45]\.1\.[78]$/,
    samples: ['550 5.1.7 Bad address syntax', '450 4.1.8 Unresolvable address'],
  },
  {
    meaning: 'policy',
    enhanced: /^[45]\.7\.2[679]$/,
    samples: [
      '550-5.7.26 This mail is unauthenticated, which poses a security risk to the sender and Gmail users',
      '421-4.7.27 Your email has been rate limited because SPF authentication did not pass.',
    ],
  },
  {
    // These codes speak of a login (RFC 4954 section 6), so the unknown user would be ours.
    meaning: 'policy',
    code: /^53[0458]$/,
    samples: ['535 Authentication failed: user not found', '530 5.7.1 Authentication required'],
  },
  {
    meaning: 'policy',
    text: /\bspf\b|\bdkim\b|\bdmarc\b|unauthenticated|not authenticated|\bauth(?:entication)? (?:is )?required|anti-?spoofing|spoof/,
    samples: [
      '550 5.7.23 The message was rejected because of Sender Policy Framework violation: SPF fail',
      '550 Rejected by header based Anti-Spoofing policy - https://community.mimecast.com/docs/DOC-1369#550',
      '550 5.7.1 Authentication required',
    ],
  },
];
