import { useState } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { TextInput } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { Card, Facts, Row, Stack } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { failureSentence } from './provider-health.tsx';

/** Asks the provider about one profile, and shows what becomes of its answer. */
export function ProviderTest() {
  const [url, setUrl] = useState('');
  const test = $api.useMutation('post', '/profile-provider/tests', {
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['get', '/profile-provider'] }),
  });
  const { data } = test;
  return (
    <Card title="Try it">
      <form
        onSubmit={event => {
          event.preventDefault();
          test.mutate({ body: { profile_url: url.trim() } });
        }}
      >
        <Stack>
          <TextInput
            label="A profile"
            hint="Mailproof charges nothing for a try; the provider may."
            placeholder="https://www.linkedin.com/in/ada"
            required
            value={url}
            onChange={event => setUrl(event.target.value)}
          />
          <Row>
            <Button type="submit" busy={test.isPending}>
              Ask the provider
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
        <Notice tone="neutral" title="The provider does not know this profile" alert />
      )}
      {data?.profile && (
        <Stack>
          <Notice tone="good" title="Found" alert>
            {`It took ${countOf(data.elapsed_ms, 'millisecond')}.`}
          </Notice>
          <Facts
            facts={Object.entries(data.profile).map(
              ([field, value]) =>
                [
                  field.replaceAll('_', ' '),
                  Array.isArray(value) ? value.join(', ') : String(value),
                ] as const,
            )}
          />
        </Stack>
      )}
    </Card>
  );
}
