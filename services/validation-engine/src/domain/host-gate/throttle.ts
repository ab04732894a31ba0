import type { SmtpOutcome } from '../smtp/connection.ts';

/** Microsoft's codes for senders that it slows down. */
const throttleCodes = /^4\.7\.(?:28|5\d\d|6\d\d|8[5-9]\d)$/;

/**
 * 450 4.7.1 Error: too many connections from 192.0.2.1
 * 451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited.
 * 421 4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your IP address.
 * 421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints
 * 421 4.7.0 Connection rate limit exceeded.
 * 450 4.7.1 You are connecting too often, slow down.
 */
const throttleText =
  /too many (?:concurrent |simultaneous )?(?:smtp )?(?:connections|sessions)|rate[- ]limit|unusual rate|unexpected volume|throttl|too (?:fast|often|frequently)|connection (?:rate|frequency)|slow(?:ing)? down/i;

/** Such words about the recipient tell of its own mail: 450 4.2.1 The user you are trying to contact is receiving mail at a rate … */
const aboutRecipient = /^[45]\.[12]\.|(?:user|recipient|mailbox)[^.]{0,60}(?:receiving|rate)/i;

/** True for a passing refusal by which a host says that we come too often; a lasting one is a block. */
export function isThrottle(outcome: SmtpOutcome): boolean {
  if (outcome.kind === 'failure' || outcome.reply.code < 400 || outcome.reply.code >= 500) {
    return false;
  }
  const { enhanced = '', lines } = outcome.reply;
  const text = lines.join(' ');
  return (
    throttleCodes.test(enhanced) ||
    (throttleText.test(text) && !aboutRecipient.test(`${enhanced} `) && !aboutRecipient.test(text))
  );
}
