import { at, atRcpt, type RealLine } from './real-line.ts';

const reference = 'Google, "Gmail SMTP errors and codes" (support.google.com/a/answer/3726730)';
const rhost = 'sisimai, lib/Sisimai/Rhost/Google.pm';
const manual = 'smtp-field-manual, data/codes (Google)';

export const googleLines: readonly RealLine[] = [
  ...atRcpt(reference, 'google_workspace', {
    missing: [
      "550-5.1.1 The email account that you tried to reach does not exist. Please try\n550-5.1.1 double-checking the recipient's email address for typos or\n550-5.1.1 unnecessary spaces. For more information, go to\n550 5.1.1  https://support.google.com/mail/?p=NoSuchUser 4fb4d7f45d1cf-5c5b7a si3303772ybd.234 - gsmtp",
    ],
    full: [
      '452 4.2.2 The email account that you tried to reach is over quota. Please direct the recipient to this article.',
    ],
    rate_limited: [
      '450 4.2.1 The user you are trying to contact is receiving mail too quickly. Please resend your message at a later time. If the user is able to receive mail at that time, your message will be delivered.',
      '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered. Please resend your message at a later time.',
    ],
    temporary: [
      '421 4.3.0 Temporary System Problem. Try again later',
      '421 4.4.5 Server busy, try again later.',
      '451 4.3.0 Mail server temporarily rejected message.',
    ],
    too_many_recipients: [
      "452 4.5.3 Your message has too many recipients. For more information regarding Google's sending limits, review this article.",
      '452 4.5.3 Domain policy size per transaction exceeded, please try this recipient in a separate transaction.',
      '451 4.3.0 Multiple destination domains per transaction is unsupported. Please try again.',
    ],
    blocked: [
      '421 4.7.0 IP not in whitelist for RCPT domain, closing connection.',
      '421 4.7.0 Our system has detected an unusual rate of unsolicited mail originating from your IP address. To protect our users from spam, mail sent from your IP address has been temporarily blocked.',
    ],
    tls_required: ['421 4.7.0 TLS required for RCPT domain, closing connection.'],
    policy: ['550 5.7.1 This message violates example.com email policy. - gcdp 5-20020a05 - gsmtp'],
  }),
  ...atRcpt(rhost, 'google_workspace', {
    missing: [
      "553 5.1.2 We weren't able to find the recipient domain. Please check for any spelling errors, and make sure you didn't enter any spaces, periods, or other punctuation after the recipient's email address.",
      '553 5.1.3 The recipient address <.@ordinary.example> is not a valid RFC 5321 address. For more information, go to https://support.google.com/a/answer/3221692 - gsmtp',
    ],
    full: [
      "452-4.2.2 The recipient's inbox is out of storage space. Please direct the\n452-4.2.2 recipient to\n452 4.2.2  https://support.google.com/mail/?p=OverQuotaTemp - gsmtp",
      "552 5.2.2 The recipient's inbox is out of storage space and inactive. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaPerm - gsmtp",
    ],
    disabled: [
      '550-5.2.1 The email account that you tried to reach is inactive. For more\n550-5.2.1 information, go to\n550 5.2.1  https://support.google.com/mail/?p=DisabledUser - gsmtp',
    ],
    blocked: [
      '421 4.7.0 This message is suspicious due to the very low reputation of the sending IP address. To protect our users from spam, mail sent from your IP address has been temporarily rate limited.',
      '550 5.7.1 Our system has detected that this message is likely suspicious due to the very low reputation of the sending domain. To best protect our users from spam, the message has been blocked.',
      '550-5.7.25 The IP address sending this message does not have a PTR record setup, or the corresponding forward DNS entry does not point to the sending IP. As a policy, Gmail does not accept messages from IPs with missing PTR records.',
      "421 4.7.23 The sending IP address for this message doesn't have a PTR record, or the PTR record's forward DNS entry doesn't match the sending IP address.",
      '550 5.7.1 This message does not meet IPv6 sending guidelines regarding PTR records and authentication.',
      '550 5.7.28 There is an unusual rate of unsolicited mail originating from your IP address. To protect our users from spam, mail sent from your IP address has been blocked.',
      '550 5.7.1 Our system has detected that this message is likely unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been blocked.',
      '550 5.4.5 Daily user sending limit exceeded. For more information on Gmail sending limits go to https://support.google.com/a/answer/166852',
    ],
    policy: [
      '451 4.7.24 The SPF record of the sending domain has one or more suspicious entries. To protect our users from spam, mail sent from your IP address has been temporarily rate limited.',
      '550 5.7.26 This mail has been blocked because the sender is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM.',
      "421 4.7.30 Your email has been rate limited because DKIM authentication didn't pass for this message. Gmail requires all email bulk senders to authenticate their email with DKIM.",
      '550 5.7.1 The user or domain that you are sending to (or from) has a policy that prohibited the mail that you sent. Please contact your domain administrator for further details.',
      "550 5.7.1 Invalid credentials for relay [192.0.2.1]. The IP address you've registered in your Workspace SMTP Relay service doesn't match the domain of the account this email is being sent from.",
      '550 5.7.0 Mail relay denied [192.0.2.1]. Invalid credentials for relay for one of the domains in: checker.example (as obtained from HELO and MAIL FROM).',
      '553 5.1.7 The sender address <probe@checker.example> is not a valid RFC 5321 address.',
      '530 5.7.0 Authentication Required. For more information, go to https://support.google.com/mail/?p=WantAuthError',
      "550 5.7.29 This mail has been blocked because it wasn't sent over a TLS connection. Gmail requires all bulk email senders to use TLS/SSL for SMTP connections.",
    ],
    temporary: ['421 4.7.0 Try again later, closing connection. https://support.google.com/a/answer/3221692'],
  }),
  ...atRcpt(manual, 'gmail', {
    disabled: [
      '550 5.2.1 The email account that you tried to reach is disabled. Learn more at https://support.google.com/mail/?p=DisabledUser - gsmtp',
    ],
    rate_limited: [
      '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered. For more information, please visit https://support.google.com/mail/?p=ReceivingRatePerm - gsmtp',
    ],
    full: [
      '552 5.2.2 The email account that you tried to reach is over quota. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaPerm - gsmtp',
    ],
    policy: [
      "550 5.7.1 Unauthenticated email from checker.example is not accepted due to domain's DMARC policy. Please contact the administrator of checker.example domain if this was a legitimate mail.",
    ],
  }),
  ...atRcpt("Google Groups' refusal, in a bounce test on GitHub", 'google_workspace', {
    policy: [
      '550 5.7.1 The group you tried to contact (info) may not exist, or you may not have permission to post messages to the group.',
    ],
  }),
  ...at('ehlo', rhost, 'google_workspace', {
    blocked: ['501 5.5.4 HELO/EHLO argument is invalid. https://support.google.com/mail/?p=helo'],
  }),
];
