import type { ReplyRule } from './reply-rule.ts';

/** Replies about the sender, relaying or our standing: an unknown name in these is never the mailbox. */
export const senderRules: readonly ReplyRule[] = [
  {
    // Exim quotes the answer of the sender's own host about the sender, so this must come before "no such user".
    meaning: 'policy',
    text: /sender verify failed|verification failed (?:for|while checking)|callback setup failed|callout (?:setup|verification) failed while|sender address (?:rejected|verification)|could not verify sender|unable to verify sender|verify (?:sender|mailfrom)|sender (?:is )?(?:denied|rejected|refused|invalid|unknown|not (?:allowed|accepted|in allowed))|invalid sender|unknown sender|(?:null|empty|bounce) (?:sender|return[- ]?path|envelope)|blank from:|does not accept (?:bounces|mails? from)|domain of sender|sender domain|sender email is not|sender \S+ has no |^mail address invalid|denies the sender|from: domain is invalid|from:domain must resolve|mail from[: ]{1,2}(?:command |<address> |<> )?(?:rejected|denied|refused|not accepted)/,
    samples: [
      '550-Verification failed for <probe@checker.example>\n550-Called:   192.0.2.1\n550-Sent:     RCPT TO:<probe@checker.example>\n550-Response: 550 5.1.1 <probe@checker.example>: Recipient address rejected: User unknown in local recipient table\n550 Sender verify failed',
      '550 5.1.0 <probe@checker.example>: Sender address rejected: User unknown in relay recipient table',
      '450 4.1.8 <probe@checker.example>: Sender address rejected: Domain not found',
      '553 Domain of sender address probe@checker.example does not exist',
      '550 5.1.0 Sender denied',
      '550 Requested action not taken: NULL sender is not allowed',
      '550 Sender probe@checker.example has no A, AAAA, or MX DNS records.',
      '553 host denies the sender.',
      '554 mail address invalid.',
      '550 5.2.1 Mailbox unavailable. This server does not accept mails from this sender address (probe@checker.example)',
    ],
  },
  {
    // Some hosts send this under 5.1.1 or 5.1.2, yet it says only that the host is not responsible for the domain.
    meaning: 'policy',
    text: /\brelay(?:ing)?(?: access| attempt| to <address>)? (?:is |was )?(?:denied|not (?:permitted|allowed|authori[sz]ed)|prohibited|refused|disabled|disallowed)|(?:unable|not (?:allowed|permitted|authori[sz]ed)|do(?:es)?(?: not|n't)|will not|won't|refuse|for) (?:to )?relay|no longer relays|(?:as a|denies|unauthorized) relay|rcpthosts|not local host|local user only|domain not in|tenant or domain not found/,
    samples: [
      '554 5.7.1 <ada@icloud.com>: Relay access denied',
      '550 relaying to <ada@ordinary.example> prohibited by administrator',
      '550 Unable to relay for ada@ordinary.example',
      '550 User not local or invalid address - Relay denied',
      "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.5.3 - chkuser)",
      '553 Relaying disallowed',
      '500 Domain not in ovh system',
      '550 Requested action not taken: Local user only',
      '556 Invalid account. Tenant or Domain not found',
    ],
  },
  {
    // The unknown name here is our address, our name or our sender.
    meaning: 'policy',
    text: /(?<![?&])\b(?:sender|sending(?! to\b)|originator|client|ip|dns|ptr|(?:mx|aaaa|a) records?|credentials|your (?:account|address|domain|e-?mail (?:address|server)|host|mail server|name|network|server|system))\b.{0,40}(?:does ?n[o']t exist|not (?:be )?(?:active|exist|found|known|registered|resolv|valid)|unknown|invalid|inactive|suspended|disabled|deactivated|expired|locked|terminated)|(?:unknown|invalid|bad|no such) (?:\w+ )?(?:client|originator|helo|ehlo|ip|credentials|password)\b/,
    samples: ['550 INVALID IP FOR SENDING MAIL OF DOMAIN checker.example'],
  },
  {
    // Hosts, domains and senders can be missing too; this does not concern the mailbox.
    meaning: 'policy',
    text: /\b(?:sender(?:'s)?(?: e-?mail)? address|from address|return[- ]path|domain|host(?:name)?|relay user|helo(?: name)?|ehlo(?: name)?)(?: (?:of|in|for) (?:the |this )?(?:recipient|address|user)| \S{1,260})?(?: is| was)? (?:does ?n[o']t exist|not (?:found|exist|known|resolv)|unknown|invalid|must exist)|\bno such domain\b(?! user)|\b(?:unknown|non-?existent|invalid) (?:virtual |mail |local )?domain\b(?! (?:mailbox|user|recipient|account)\b)/,
    samples: ['550 Host unknown', '550 sorry, your envelope sender domain must exist (#5.7.1)'],
  },
  {
    meaning: 'policy',
    enhanced: /^[45]\.1\.[78]$/,
    samples: ['550 5.1.7 Invalid address', '550 5.1.8 Access denied, bad outbound sender'],
  },
  {
    // These codes concern a login (RFC 4954 section 6), so the unknown user would be ours.
    meaning: 'policy',
    code: /^53[0458]$/,
    samples: [
      '535 Incorrect authentication data',
      '530 5.7.57 SMTP; Client was not authenticated to send anonymous mail during MAIL FROM [AM6PR0732BE0065.eurprd07.prod.outlook.com]',
    ],
  },
  {
    meaning: 'policy',
    text: /\bspf\b|\bdkim\b|\bdmarc\b|\bunauthenticated|not authenticated|requires authentication|\bauth(?:entication)? (?:is )?(?:required|failed)|smtp auth|anti-?spoofing|spoof|\bforg(?:ed|ery)\b/,
    samples: [
      '550 5.7.1 Email rejected per DMARC policy for zoho.com',
      '550 5.1.0 0bcW1i00G0jifNx01bcmHa blocked by SPF',
      '550 Anti-Spoofing policy - Inbound not allowed',
      '503 This mail server requires authentication when attempting to send to a non-local e-mail address.',
      '553 VS10-RT Possible forgery or deactivated due to abuse (#5.1.1) 192.0.2.1',
      '553 AUTH FAILED - probe@checker.example',
    ],
  },
  {
    // Zoho reports a local rule under the code of a missing mailbox.
    meaning: 'policy',
    text: /policy (?:error|violation|restriction)/,
    samples: ['552 5.1.1 <ada@zoho.com> Mailbox delivery failure policy error'],
  },
];
