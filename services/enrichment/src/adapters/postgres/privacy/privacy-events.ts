import type { PoolClient } from 'pg';
import type { PrivacyActor } from '../../../domain/privacy/subjects.ts';

/** Writes down, within a transaction, what was done for privacy's sake. It names nobody. */
export async function writePrivacyEvent(
  client: PoolClient,
  event: {
    readonly kind: 'suppressed' | 'shown' | 'deleted' | 'expired';
    readonly actor: PrivacyActor;
    readonly subjectHash: Buffer | undefined;
    readonly people: number;
    readonly now: Date;
  },
): Promise<void> {
  await client.query(
    'INSERT INTO privacy_event (kind, actor, subject_hash, people, at) VALUES ($1, $2, $3, $4, $5)',
    [event.kind, event.actor, event.subjectHash ?? null, event.people, event.now],
  );
}
