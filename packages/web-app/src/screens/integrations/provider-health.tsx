import { $api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Badge } from '../../design/badge.tsx';
import { LinkButton } from '../../design/button.tsx';
import { Card, Row } from '../../design/layout.tsx';
import { Failure, Loading } from '../../design/states.tsx';
import styles from './integrations.module.css';

type Health = Schema['ProfileProvider']['health'];
type ProviderFailure = NonNullable<Health['last_failure']>;

const failures: Readonly<Record<ProviderFailure['reason'], string>> = {
  refused: 'It rejected the request: check the secret headers.',
  rate_limited: 'It rate-limited the requests.',
  unexpected_status: 'It responded with an unexpected status.',
  not_json: 'Its response is not JSON.',
  not_allowed: 'Its address is not allowed: it must be public and use HTTPS.',
  unreachable: 'It could not be reached.',
  too_late: 'It did not respond in time.',
  too_large: 'Its response is too large.',
  not_readable: 'Its response could not be read.',
  budget_spent: 'Its budget of this month is spent.',
  secret_not_readable: 'Its secret headers can no longer be read. Enter them again.',
};

/** Describes a failure. */
export function failureSentence({ reason, status }: ProviderFailure): string {
  return `${failures[reason]}${status === null ? '' : ` (Status ${status})`}`;
}

/** Shows whether the last request to the provider succeeded. */
export function ProviderHealth({ health }: { readonly health: Health }) {
  const { last_success_at: success, last_failure_at: failure } = health;
  if (!success && !failure) return <Badge>Not used yet</Badge>;
  return failure && (!success || failure > success) ? (
    <Badge tone="bad">Last request failed</Badge>
  ) : (
    <Badge tone="good">Working</Badge>
  );
}

/** The account's own profile provider: whether it is set up, and its health. */
export function ProfileProviderCard() {
  const found = $api.useQuery('get', '/profile-provider');
  const isNone = found.isError && asProblem(found.error).code === 'profile_provider_not_found';
  return (
    <Card
      title="Your own profile provider"
      actions={
        found.data ? <ProviderHealth health={found.data.health} /> : isNone && <Badge>Not configured</Badge>
      }
    >
      <p className={styles.soft}>
        Profiles that Mailproof does not have are looked up at a provider of your choice.
      </p>
      {found.isPending && <Loading lines={1} name="Loading provider" />}
      {found.isError && !isNone && <Failure error={found.error} onRetry={found.refetch} />}
      {found.data && <p className={styles.name}>{found.data.name}</p>}
      {(found.data || isNone) && (
        <Row>
          <LinkButton to="/integrations/profile-provider">
            {found.data ? 'Provider settings' : 'Set up a provider'}
          </LinkButton>
        </Row>
      )}
    </Card>
  );
}
