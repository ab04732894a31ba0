import { reportableOutcomes } from '@mailproof/shared-types';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { z } from 'zod';
import {
  type MailProvider,
  type ProviderEvent,
  type ProviderRequest,
  RequestRefused,
} from '../../domain/outcomes/receive-events.ts';
import { eventOf, jsonOf, readEach } from './provider-request.ts';

/** Any other system: outcomes as JSON, signed as Standard Webhooks defines. */
export const signedJson: MailProvider = {
  async read(request, { key }) {
    assertSigned(request, key ?? '');
    const { outcomes } = jsonOf(z.object({ outcomes: z.array(z.unknown()) }), request.content);
    return { kind: 'events', events: readEach(outcomes, reported, readOutcome) };
  },
};

function assertSigned({ headers, content }: ProviderRequest, key: string): void {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
  if (names.some(name => headers[name] === undefined)) {
    throw new RequestRefused('signature_missing');
  }
  try {
    new Webhook(key).verify(content, headers as Record<string, string>);
  } catch (cause) {
    if (!(cause instanceof WebhookVerificationError)) {
      // The library also parses the body.
      throw new RequestRefused('body_not_readable', { cause });
    }
    // The library tells the two apart by its message alone.
    const isLate = /timestamp too/i.test(cause.message);
    throw new RequestRefused(isLate ? 'signature_expired' : 'signature_wrong', { cause });
  }
}

const reported = z.object({
  email: z.string(),
  outcome: z.enum(reportableOutcomes),
  date: z.iso.datetime({ offset: true }),
  code: z.string().nullish(),
  text: z.string().nullish(),
});

function readOutcome({ email, outcome, date, code, text }: z.output<typeof reported>): ProviderEvent {
  return eventOf(outcome, { email, at: new Date(date), code, text });
}
