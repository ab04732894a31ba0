import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, api, queryClient } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { formatMoment } from '../../design/format.ts';
import { Card, Facts, Page } from '../../design/layout.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { ProviderForm } from './provider-form.tsx';
import { failureSentence, ProviderHealth } from './provider-health.tsx';
import { ProviderTest } from './provider-test.tsx';

const queryKey = ['get', '/profile-provider'];

/** The account's own provider of profiles: how it is asked, whether it works, and a try. */
export function ProfileProviderScreen() {
  const { role } = useSession();
  const found = $api.useQuery('get', '/profile-provider');
  const isNone = found.isError && asProblem(found.error).code === 'profile_provider_not_found';
  const isOwner = role === 'owner';
  const provider = isNone ? undefined : found.data;
  return (
    <Page
      title="Your own profile provider"
      lead="Profiles that the store does not know are looked up there. What it costs you is between you and the provider; a profile that is found costs 1 credit here, as always."
      actions={
        <>
          <LinkButton to="/integrations" look="quiet">
            All integrations
          </LinkButton>
          {provider && isOwner && <RemoveProvider />}
        </>
      }
    >
      {found.isPending && <Loading lines={8} />}
      {found.isError && !isNone && <Failure error={found.error} onRetry={found.refetch} />}
      {provider && (
        <Card title="How it does" actions={<ProviderHealth health={provider.health} />}>
          <Facts
            facts={[
              ['Last success', at(provider.health.last_success_at)],
              ['Last failure', at(provider.health.last_failure_at)],
              ...(provider.health.last_failure
                ? ([['What went wrong', failureSentence(provider.health.last_failure)]] as const)
                : []),
            ]}
          />
        </Card>
      )}
      {provider && isOwner && <ProviderTest />}
      {(found.isSuccess || isNone) &&
        (isOwner ? (
          <ProviderForm provider={provider} />
        ) : (
          <Notice tone="neutral" title={provider ? provider.name : 'No provider is set up'}>
            An owner of the account can change this.
          </Notice>
        ))}
    </Page>
  );
}

function at(moment: string | null): string {
  return moment === null ? 'Never' : formatMoment(moment);
}

function RemoveProvider() {
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  async function remove() {
    await api.DELETE('/profile-provider');
    queryClient.removeQueries({ queryKey });
    await navigate({ to: '/integrations' });
    announce('The provider is removed.');
  }
  return (
    <>
      <Button onClick={() => setAsked(true)}>Remove</Button>
      <Confirm
        title="Remove the provider?"
        lead="Its settings, its secrets and everything that it has said are forgotten."
        verb="Remove"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={remove}
      />
    </>
  );
}
