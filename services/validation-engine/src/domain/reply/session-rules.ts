import type { ReplyRule } from './reply-rule.ts';

/** Replies about the course of the session itself. */
export const sessionRules: readonly ReplyRule[] = [
  {
    // Under any code: 530 by RFC 3207, 450 with Postfix, 523 by RFC 5248.
    meaning: 'tls_required',
    text: /must (?:first )?(?:issue|use|send) (?:a )?starttls|starttls (?:is )?(?:required|command first)|(?:tls|encryption) (?:is )?(?:required|needed|mandatory)|session encryption is required|requires? (?:tls|encryption)|tls\/sslv3 connection required/,
    samples: [
      '421 4.7.0 TLS required for RCPT domain, closing connection.',
      '553 This route requires encryption (TLS)',
      '451 TLS/SSLv3 Connection required. (#4.7.1)',
    ],
  },
  {
    // chkuser refuses to relay under this same code.
    meaning: 'too_many_recipients',
    stages: ['rcpt'],
    enhanced: /^[45]\.5\.3$/,
    text: /^(?!.*(?:rcpthosts|mail from))/,
    samples: [
      '452 4.5.3 Too many recipients',
      '452 4.5.3 Domain policy size per transaction exceeded, please try this recipient in a separate transaction.',
    ],
  },
  {
    meaning: 'too_many_recipients',
    stages: ['rcpt'],
    text: /^(?!.*this ip)(?=.*(?:too many recipients|maximum number of recipients|recipient limit|one (?:recipient|rcpt)(?: \w+)? at a time|(?:only|just|more than) (?:have |accept |allow )?(?:one|1|a single) (?:recipient|rcpt)|multiple recipients (?:not allowed|disallowed)|multi-recipient bounce|multiple destination domains))/,
    samples: [
      '452 Too many recipients received this hour',
      '452 This message contains too many recipients. Reduce the number of recipients and retry. IB605',
      '451 4.3.0 Multiple destination domains per transaction is unsupported. Please try again.',
    ],
  },
];
