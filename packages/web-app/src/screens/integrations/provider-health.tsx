import type { Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';

type Health = Schema['ProfileProvider']['health'];
export type ProviderFailure = NonNullable<Health['last_failure']>;

const failures: Readonly<Record<ProviderFailure['reason'], string>> = {
  refused: 'It refused us: a secret header may be wrong.',
  rate_limited: 'It asked for fewer requests.',
  unexpected_status: 'It answered with a status that was not expected.',
  not_json: 'It answered with something else than JSON.',
  not_allowed: 'Its address may not be contacted: it has to be public and speak HTTPS.',
  unreachable: 'It could not be reached.',
  too_late: 'It did not answer in time.',
  too_large: 'Its answer was too large.',
  not_readable: 'Its answer could not be read.',
  secret_not_readable: 'Its secret headers can no longer be read. Enter them again.',
};

/** What went wrong, in words. */
export function failureSentence({ reason, status }: ProviderFailure): string {
  return `${failures[reason]}${status === null ? '' : ` (Status ${status})`}`;
}

/** Whether the provider did well last. */
export function ProviderHealth({ health }: { readonly health: Health }) {
  const { last_success_at: success, last_failure_at: failure } = health;
  if (!success && !failure) return <Badge>Not asked yet</Badge>;
  return failure && (!success || failure > success) ? (
    <Badge tone="bad">Failed last</Badge>
  ) : (
    <Badge tone="good">Works</Badge>
  );
}
