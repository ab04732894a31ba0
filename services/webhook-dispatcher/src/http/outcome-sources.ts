import { type Handlers, Problem, unavailable } from '@mailproof/service-kit';
import {
  type AccountId,
  countNoOutcomes,
  hasPaidHeader,
  limits,
  newId,
  type OutcomeIgnoredReason,
  type OutcomeKind,
  type OutcomeRefusedReason,
  type OutcomeSourceId,
  type OutcomeSourceRecord,
  outcomeIgnoredReasons,
  outcomeRefusedReasons,
  verificationKeyFault,
} from '@mailproof/shared-types';
import {
  type CountedSource,
  hashOfToken,
  type ReceivingStore,
  type SourceAct,
  type SourceStore,
} from '../domain/outcomes/outcome-source.ts';
import { TooMuchWaits } from '../domain/outcomes/reading-turns.ts';
import { type ReceivePorts, RequestRefused, receiveEvents } from '../domain/outcomes/receive-events.ts';

export interface OutcomeSourcePorts extends ReceivePorts {
  readonly sources: SourceStore & ReceivingStore;
  readonly newToken: () => string;
  /** The URL that the provider calls. */
  readonly urlOf: (token: string) => string;
  readonly sourceManaged: (
    source: Pick<CountedSource, 'sourceId' | 'accountId'>,
    callerId: string,
    act: SourceAct,
  ) => void;
}

/** Sources of outcomes, and the requests of mail providers to them. */
export function outcomeSourceHandlers(ports: OutcomeSourcePorts) {
  const { sources, newToken, urlOf, sourceManaged, now } = ports;

  /** A source of the account, or the problem `outcome_source_not_found`. */
  const find = async (accountId: AccountId, sourceId: OutcomeSourceId) =>
    found(await sources.findOf(accountId, sourceId));

  return {
    async createOutcomeSource({ params: { accountId, callerId }, body }) {
      const token = newToken();
      const created = await sources.create(
        {
          sourceId: newId('outcomeSource'),
          accountId,
          createdBy: callerId,
          provider: body.provider,
          description: body.description ?? null,
          key: body.verification_key ?? null,
          tokenHash: hashOfToken(token),
          createdAt: now(),
        },
        limits.outcomeSourcesMax,
      );
      if (!created) {
        throw new Problem('too_many_outcome_sources');
      }
      sourceManaged(created, callerId, 'created');
      return { ...sourceAnswer(created, now()), url: urlOf(token) };
    },

    listOutcomeSources: async ({ params: { accountId } }) => ({
      sources: (await sources.list(accountId)).map(each => sourceAnswer(each, now())),
    }),

    getOutcomeSource: async ({ params: { accountId, source_id: sourceId } }) =>
      sourceAnswer(await find(accountId, sourceId), now()),

    async changeOutcomeSource({ params: { accountId, callerId, source_id: sourceId }, body }) {
      const { verification_key: key, description } = body;
      const { provider } = await find(accountId, sourceId);
      const fault = key === undefined ? undefined : verificationKeyFault(provider, key);
      if (fault !== undefined) {
        const errors = [{ pointer: '/verification_key', detail: fault }];
        throw new Problem('invalid_request', { extra: { errors } });
      }
      const changed = found(await sources.change(accountId, sourceId, { key, description }));
      sourceManaged(changed, callerId, 'changed');
      return sourceAnswer(changed, now());
    },

    async replaceOutcomeSourceUrl({ params: { accountId, callerId, source_id: sourceId } }) {
      const token = newToken();
      const previousUntil = new Date(now().getTime() + limits.outcomeSourceOverlapMs);
      const replaced = found(
        await sources.replaceToken(accountId, sourceId, hashOfToken(token), previousUntil),
      );
      sourceManaged(replaced, callerId, 'url_replaced');
      return { ...sourceAnswer(replaced, now()), url: urlOf(token) };
    },

    async deleteOutcomeSource({ params: { accountId, callerId, source_id: sourceId } }) {
      if (!(await sources.delete(accountId, sourceId))) {
        throw new Problem('outcome_source_not_found');
      }
      sourceManaged({ sourceId, accountId }, callerId, 'deleted');
      return { deleted: true as const };
    },

    async findOutcomeSource({ body: { token } }) {
      return found(await sources.findByToken(hashOfToken(token), now()));
    },

    async takeOutcomeEvents({ body: { sourceId, headers, content } }, { header, signal }) {
      const hasPaid = header(hasPaidHeader) === 'true';
      const request = { hasPaid, headers, content: Buffer.from(content, 'base64'), signal };
      const { recorded, repeated, ignored } = found(
        await receiveEvents(ports, sourceId, request).catch((error: unknown) => {
          throw problemOf(error);
        }),
      );
      return { recorded, repeated, ignored: Object.values(ignored).reduce((sum, count) => sum + count, 0) };
    },
  } satisfies Partial<Handlers<'webhook-dispatcher'>>;
}

function found<Found>(source: Found | undefined): Found {
  if (!source) {
    throw new Problem('outcome_source_not_found');
  }
  return source;
}

function problemOf(refused: unknown): unknown {
  if (refused instanceof TooMuchWaits) {
    return unavailable('Too many requests of this account wait to be read. Send the request again.', refused);
  }
  if (!(refused instanceof RequestRefused)) {
    return refused;
  }
  const isUnreadable = refused.reason === 'body_not_readable' || refused.reason === 'too_many_events';
  return new Problem(isUnreadable ? 'invalid_request' : 'outcome_signature_not_valid', {
    detail: refused.message,
    cause: refused,
  });
}

function sourceAnswer(source: CountedSource, now: Date): OutcomeSourceRecord {
  const { previousTokenUntil } = source;
  const isOverlapping = previousTokenUntil !== null && previousTokenUntil > now;
  return {
    source_id: source.sourceId,
    provider: source.provider,
    description: source.description,
    has_verification_key: source.key !== null,
    previous_url_valid_until: isOverlapping ? previousTokenUntil.toISOString() : null,
    subscribed_at: source.subscribedAt?.toISOString() ?? null,
    last_received_at: source.lastReceivedAt?.toISOString() ?? null,
    recorded: source.recorded,
    repeated: source.repeated,
    kinds: kindsOf(source),
    ignored: talliesOf<OutcomeIgnoredReason>(source, 'ignored', outcomeIgnoredReasons),
    refused: talliesOf<OutcomeRefusedReason>(source, 'refused', outcomeRefusedReasons),
    created_by: source.createdBy,
    created_at: source.createdAt.toISOString(),
  };
}

function kindsOf({ counts }: CountedSource): Record<OutcomeKind, number> {
  const kinds = countNoOutcomes();
  for (const each of counts) {
    // A later release may have counted a kind that this one does not know.
    if (each.class === 'kind' && Object.hasOwn(kinds, each.name)) kinds[each.name] = each.count;
  }
  return kinds;
}

/** A reason that this release does not know is left out: a later release has counted it. */
function talliesOf<Reason extends string>(
  { counts }: CountedSource,
  name: 'ignored' | 'refused',
  details: Readonly<Record<Reason, string>>,
) {
  return counts.flatMap(each =>
    each.class === name && Object.hasOwn(details, each.name)
      ? [
          {
            reason: each.name as Reason,
            detail: details[each.name as Reason],
            count: each.count,
            last_at: each.lastAt.toISOString(),
          },
        ]
      : [],
  );
}
