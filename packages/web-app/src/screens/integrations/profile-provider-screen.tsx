import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, api, queryClient } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { TextInput } from '../../design/field.tsx';
import { countOf, formatMoment } from '../../design/format.ts';
import { Card, Facts, Page, Row, Stack } from '../../design/layout.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { useSession } from '../../shell/session.ts';
import { ProviderForm } from './provider-form.tsx';
import { failureSentence, ProviderHealth } from './provider-health.tsx';
import { type FieldName, fieldNames } from './provider-settings.ts';

const queryKey = ['get', '/profile-provider'];

/** The account's own profile provider: its settings, its health, and a test. */
export function ProfileProviderScreen() {
  const { role } = useSession();
  const found = $api.useQuery('get', '/profile-provider');
  const isNone = found.isError && asProblem(found.error).code === 'profile_provider_not_found';
  const isOwner = role === 'owner';
  const provider = isNone ? undefined : found.data;
  return (
    <Page
      title="Your own profile provider"
      lead="Profiles that are not in the store are looked up at this provider. You pay the provider directly; each profile found costs 1 credit here, as usual."
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
        <Card title="Status" actions={<ProviderHealth health={provider.health} />}>
          <Facts
            facts={[
              ['Last success', at(provider.health.last_success_at)],
              ['Last failure', at(provider.health.last_failure_at)],
              ...(provider.health.last_failure
                ? ([['Error', failureSentence(provider.health.last_failure)]] as const)
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
          <Notice tone="neutral" title={provider ? provider.name : 'No provider configured'}>
            Only owners can change this.
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
    announce('Provider removed.');
  }
  return (
    <>
      <Button onClick={() => setAsked(true)}>Remove</Button>
      <Confirm
        title="Remove the provider?"
        lead="Its settings, secrets and cached responses are deleted."
        verb="Remove provider"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={remove}
      />
    </>
  );
}

/** Requests one profile from the provider, and shows the mapped result. */
function ProviderTest() {
  const [url, setUrl] = useState('');
  const test = $api.useMutation('post', '/profile-provider/tests', {
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['get', '/profile-provider'] }),
  });
  const { data } = test;
  return (
    <Card title="Test">
      <form
        onSubmit={event => {
          event.preventDefault();
          test.mutate({ body: { profile_url: url.trim() } });
        }}
      >
        <Stack>
          <TextInput
            label="Profile URL"
            hint="Mailproof does not charge for a test; the provider may."
            placeholder="https://www.linkedin.com/in/ada"
            required
            value={url}
            onChange={event => setUrl(event.target.value)}
          />
          <Row>
            <Button type="submit" busy={test.isPending}>
              Test provider
            </Button>
          </Row>
        </Stack>
      </form>
      {test.isError && <Failure error={test.error} />}
      {data?.failure && (
        <Notice tone="bad" title="The provider failed" alert>
          {failureSentence(data.failure)}
        </Notice>
      )}
      {data?.outcome === 'no_match' && (
        <Notice tone="neutral" title="Profile not found at the provider" alert />
      )}
      {data?.profile && (
        <Stack>
          <Notice tone="good" title="Found" alert>
            {`Took ${countOf(data.elapsed_ms, 'millisecond')}.`}
          </Notice>
          <Facts
            facts={Object.entries(data.profile).map(
              ([field, value]) =>
                [
                  Object.hasOwn(fieldNames, field)
                    ? fieldNames[field as FieldName]
                    : field.replaceAll('_', ' '),
                  Array.isArray(value) ? value.join(', ') : String(value),
                ] as const,
            )}
          />
        </Stack>
      )}
    </Card>
  );
}
