import { $api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Badge } from '../../design/badge.tsx';
import { LinkButton } from '../../design/button.tsx';
import { Card, Row } from '../../design/layout.tsx';
import { Failure, Loading } from '../../design/states.tsx';
import styles from './integrations.module.css';
import { ProviderHealth } from './provider-health.tsx';

/** The account's own provider of profiles: whether there is one, and how it does. */
export function ProfileProviderCard() {
  const found = $api.useQuery('get', '/profile-provider');
  const isNone = found.isError && asProblem(found.error).code === 'profile_provider_not_found';
  return (
    <Card
      title="Your own profile provider"
      actions={
        found.data ? <ProviderHealth health={found.data.health} /> : isNone && <Badge>Not set up</Badge>
      }
    >
      <p className={styles.soft}>
        Profiles that Mailproof does not know are looked up at a provider with which you have an agreement.
      </p>
      {found.isPending && <Loading lines={1} name="Loading the provider" />}
      {found.isError && !isNone && <Failure error={found.error} onRetry={found.refetch} />}
      {found.data && <p className={styles.name}>{found.data.name}</p>}
      {(found.data || isNone) && (
        <Row>
          <LinkButton to="/integrations/profile-provider">
            {found.data ? 'Settings of the provider' : 'Set up a provider'}
          </LinkButton>
        </Row>
      )}
    </Card>
  );
}
