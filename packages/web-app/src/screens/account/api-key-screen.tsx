import { $api } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { Answered } from '../../design/answered.tsx';
import { LinkButton } from '../../design/button.tsx';
import { Empty } from '../../design/states.tsx';
import { AccountPage, OwnersOnly } from './account-page.tsx';
import { KeyCard } from './key-card.tsx';

/** The account's API key, for owners, when they wish to see it. */
export function ApiKeyScreen() {
  const isOwner = useSession().role === 'owner';
  return (
    <AccountPage title="API key" lead="Programs prove with it that they belong to your account.">
      {isOwner ? (
        <OwnersKey />
      ) : (
        <OwnersOnly>
          Owners of the account can see its API key. Ask one of them if a program of yours needs it.
        </OwnersOnly>
      )}
    </AccountPage>
  );
}

function OwnersKey() {
  return (
    <Answered question={$api.useQuery('get', '/plan')} lines={2} loading="Loading the plan">
      {({ plan }) =>
        plan.api_access ? (
          <KeyCard />
        ) : (
          <Empty
            title={`${plan.title} has no API key`}
            action={
              <LinkButton to="/account" look="primary">
                Look at the plans
              </LinkButton>
            }
          >
            A key is made by itself when a plan with API access begins. If the account had one before, the
            same key works again then.
          </Empty>
        )
      }
    </Answered>
  );
}
