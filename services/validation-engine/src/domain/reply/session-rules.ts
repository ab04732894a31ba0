import type { ReplyRule } from './reply-rule.ts';

/** Replies about the course of the session itself. */
export const sessionRules: readonly ReplyRule[] = [
  {
    // Under whatever code: 530 by RFC 3207, 450 with Postfix, 523 by RFC 5248.
    meaning: 'tls_required',
    text: /must (?:first )?(?:issue|use|send) (?:a )?starttls|starttls (?:is )?(?:required|command first)|(?:tls|encryption) (?:is )?(?:required|needed|mandatory)|session encryption is required|requires? (?:tls|encryption)/,
    samples: [
      '530 5.7.0 Must issue a STARTTLS command first',
      '530 5.7.1 Session encryption is required',
      '451 5.7.3 STARTTLS is required to send mail [BN8NAM11FT050.eop-nam11.prod.protection.outlook.com]',
      '550 5.7.10 Encryption required for this recipient',
      '450 4.7.1 Session encryption is required',
      '523 5.7.10 Encryption Needed',
    ],
  },
  {
    meaning: 'too_many_recipients',
    stages: ['rcpt'],
    enhanced: /^[45]\.5\.3$/,
    samples: [
      '452 4.5.3 Error: too many recipients',
      '452 4.5.3 Your message has too many recipients. For more information regarding',
      '550 5.5.3 Too many recipients',
    ],
  },
  {
    meaning: 'too_many_recipients',
    stages: ['rcpt'],
    text: /too many recipients|maximum number of recipients|recipient limit|one (?:recipient|rcpt)(?: \w+)? at a time|(?:only|just|more than) (?:have |accept |allow )?(?:one|1|a single) (?:recipient|rcpt)|multiple recipients (?:not allowed|disallowed)|multi-recipient bounce/,
    samples: [
      '452 Too many recipients received this hour',
      '451 4.3.0 Multiple destination domains per transaction is unsupported. Please try again. One recipient at a time.',
      '550 Maximum number of recipients exceeded',
      '550 only one recipient accepted for NULL sender',
      '550 Bounces can only have one recipient',
    ],
  },
];
