import type { ReplyRule } from './reply-rule.ts';

/** Replies that say that there is no such mailbox. */
export const missingRules: readonly ReplyRule[] = [
  {
    // 5.1.4 (ambiguous), 5.1.5 (valid), 5.1.7 and 5.1.8 (of the sender) and 5.1.9 say no such thing (RFC 3463 section 3.2).
    meaning: 'missing',
    enhanced: /^5\.1\.(?:0|1|2|3|6|10)$/,
    samples: [
      '550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: User unknown in local recipient table',
      '550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: undeliverable address: unknown user',
      '550-5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient’s email address',
      '550 #5.1.0 Address rejected.',
      '550 sorry, no mailbox here by that name. (#5.1.1 - chkuser)',
      '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient nobody@ordinary.example not found by SMTP address lookup',
      '550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found',
      '553 5.1.2 We are unable to find the recipient domain',
      '501 5.1.3 Bad recipient address syntax',
      '551 5.1.6 Recipient has moved, no forwarding address',
      '550 5.1.1 <nobody@ordinary.example> unknown or illegal alias',
      '550 5.1.1 MXIN501 mailbox nobody@ordinary.example unknown',
      '553 5.1.1 <nobody@ordinary.example>... User unknown',
      '550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: undeliverable address: host mx.ordinary.example[192.0.2.1] said: 550 5.1.1 User unknown (in reply to RCPT TO command)',
    ],
  },
  {
    // Microsoft's edge refuses whoever is not in the directory with a routing code and this very text.
    meaning: 'missing',
    enhanced: /^5\.4\.1$/,
    text: /recipient address rejected: access denied/,
    samples: [
      '550 5.4.1 Recipient address rejected: Access denied. [AM3PEPF0000A791.eurprd04.prod.outlook.com]',
      '550 5.4.1 [nobody@ordinary.example]: Recipient address rejected: Access denied [BN8NAM11FT050.eop-nam11.prod.protection.outlook.com]',
    ],
  },
  {
    // OpenSMTPD answers so for a virtual user that its table does not hold.
    meaning: 'missing',
    enhanced: /^5\.2\.4$/,
    text: /mailing list expansion problem/,
    samples: ['524 5.2.4 Mailing list expansion problem: <nobody@ordinary.example>'],
  },
  {
    meaning: 'missing',
    text: /\b(?:no such|unknown) address(?! \[)\b|\b(?:no such|unknown|non-?existent|nonexisting|invalid|bad) (?:local |virtual |mail )?(?:user|recipient|mailbox|account|alias|person|local[- ]part|destination (?:mailbox|address)|recipient address)(?! table)\b/,
    samples: [
      '550 No such user here',
      '550 No such address here',
      '550 No such recipient',
      '550 Unknown user',
      '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [us100]',
      '550 unknown local-part "nobody" in domain "ordinary.example"',
      '550 Callout verification failed: 550 No Such User Here',
      '554 Unknown Recipient (on @ordinary.example)',
      '550 No such person at this address.',
      '550 Non-existent user',
      '554 5.7.1 <nobody@ordinary.example>: Recipient address rejected: no such user',
    ],
  },
  {
    meaning: 'missing',
    text: /\b(?:user|recipient|mailbox|account|address|e-?mail)(?: name)?(?: address)?(?: <address>| "?\S+"?)? (?:is |was )?(?:unknown|not (?:found|known|exist(?:ing)?|present|registered)\b|(?:could|can) ?not be found|does ?n[o']t exist|do ?n[o']t exist|doesn'?t exist|nonexistent|invalid)/,
    samples: [
      '550 User unknown',
      '550 <nobody@ordinary.example>, Recipient unknown',
      '503 User unknown',
      '550 Mailbox not found',
      '550 5.5.0 mailbox not found',
      '550 5.7.1 The mailbox you tried to reach: user does not exist',
      '550 5.7.1 The group or e-mail address does not exist',
      '550 Recipient not found',
      '550 Address unknown',
      '550 Mailbox invalid',
      '550 Account does not exist',
      '550 5.2.0 User not found: nobody',
    ],
  },
  {
    // Google Groups refuses unknown groups and groups that one may not post to with the same sentence.
    meaning: 'policy',
    text: /may not exist|might not exist/,
    samples: [
      '550-5.7.1 We’re writing to let you know that the group you tried to contact (sales) may not exist, or you may not have permission to post messages to the group.',
    ],
  },
  {
    meaning: 'missing',
    text: /does ?n[o']t exist|do(?:es)?n'?t exist|dosn't exist|is not exist|doesn'?t have an? .{0,40}account|does not have an? .{0,40}account|no mailbox (?:here )?(?:by|with|for|found|named)|\.recip(?:ient)?notfound|no (?:mail ?box|account|user|one|recipient) (?:by that name|with that|here|at this|is available|found)|there is no one at this address|not a (?:known|valid|local) (?:user|mailbox|recipient|address)|is not a valid mailbox|unrouteable address|unroutable address|not our customer|not listed in (?:domino|public name)|name directory|can't accept user|address is not handled|no longer (?:available|valid|exists|with)|has left the (?:company|organi[sz]ation)|badrcptto/,
    samples: [
      '554 delivery error: dd This user doesn’t have a yahoo.com account (nobody@yahoo.com) [0] - mta4012.mail.bf1.yahoo.com',
      '550 Unrouteable address',
      '550 sorry, no mailbox here by that name.',
      '550 No mailbox named nobody',
      '550 RESOLVER.ADR.RecipNotFound; not found',
      '550 There is no one at this address',
      '550 nobody@ordinary.example... No such user, not listed in Domino Directory',
      '550 nobody@ordinary.example not listed in public Name & Address Book',
      '550 nobody@ordinary.example is not a valid mailbox',
      '550 RCPT (nobody@ordinary.example) dosn’t exist',
      '550 <nobody@ordinary.example> recipient is not exist',
      '550 nobody@ordinary.example... No such address: is not a known user',
      '553 sorry, your envelope recipient is in my badrcptto list',
      '550 E-mail address is not handled by this system',
      '550 5.7.1 Requested action not taken: this address does not exist',
    ],
  },
];
