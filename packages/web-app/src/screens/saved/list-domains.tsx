import { limits } from '@mailproof/shared-types';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, api, queryClient } from '../../api/client.ts';
import { byCursor, refreshSaved, type SavedList } from '../../api/shared-queries.ts';
import { Button } from '../../design/button.tsx';
import { Chip, Chips } from '../../design/chips.tsx';
import { TextArea } from '../../design/field.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Answered, Failure } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { sumOf } from './chosen.ts';
import { domainsIn } from './domains-in-text.ts';

const pageRows = 100;
const domainsShownMax = 3;

/** The company domains of a list of companies, which users paste. */
export function ListDomains({ list: { list_id, domains: count } }: { readonly list: SavedList }) {
  const params = { path: { list_id } };
  const query = $api.useInfiniteQuery(
    'get',
    '/saved-lists/{list_id}/domains',
    { params: { ...params, query: { limit: pageRows } } },
    byCursor,
  );
  const shown = query.data?.pages.flatMap(({ domains }) => domains) ?? [];
  const [removing, setRemoving] = useState<string>();
  const [error, setError] = useState<unknown>();
  function refresh() {
    refreshSaved();
    void queryClient.invalidateQueries({ queryKey: ['get', '/saved-lists/{list_id}/domains'] });
  }
  async function remove(domain: string) {
    setRemoving(domain);
    setError(undefined);
    try {
      await api.POST('/saved-lists/{list_id}/entries/removals', { params, body: { domains: [domain] } });
      announce(`${domain} removed from the list.`);
      refresh();
    } catch (cause) {
      setError(cause);
    } finally {
      setRemoving(undefined);
    }
  }
  return (
    <Card title={count > 0 ? `Company domains (${formatNumber(count)})` : 'Company domains'}>
      <p>
        Add the domains of any companies, such as your customers. A people search can then keep the people who
        work there, or leave them out. Domains cost nothing and are not exported. You can also{' '}
        <Link to="/integrations">import the companies of a CRM segment</Link>.
      </p>
      <AddDomains listId={list_id} onAdded={refresh} />
      {error !== undefined && <Failure error={error} />}
      <Answered question={query} loading="Loading domains">
        {() =>
          shown.length > 0 && (
            <>
              <Chips name="Company domains">
                {shown.map(domain => (
                  <Chip
                    key={domain}
                    label={domain}
                    onRemove={removing === undefined ? () => void remove(domain) : undefined}
                  />
                ))}
              </Chips>
              {query.hasNextPage && (
                <Row>
                  <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    Show more domains
                  </Button>
                </Row>
              )}
            </>
          )
        }
      </Answered>
    </Card>
  );
}

function AddDomains({ listId, onAdded }: { readonly listId: string; readonly onAdded: () => void }) {
  const [text, setText] = useState('');
  const [isAdding, setAdding] = useState(false);
  const [error, setError] = useState<unknown>();
  const { domains, faulty } = domainsIn(text);
  async function add() {
    setAdding(true);
    setError(undefined);
    try {
      const added: number[] = [];
      for (let from = 0; from < domains.length; from += limits.listDomainsPerRequestMax) {
        const part = domains.slice(from, from + limits.listDomainsPerRequestMax);
        const { data } = await api.POST('/saved-lists/{list_id}/entries', {
          params: { path: { list_id: listId } },
          body: { domains: part },
        });
        added.push(data?.added ?? 0);
      }
      const known = domains.length - sumOf(added);
      announce(
        `${countOf(sumOf(added), 'domain')} added${known > 0 ? `; ${countOf(known, 'was', 'were')} already on the list` : ''}.`,
      );
      setText('');
    } catch (cause) {
      setError(cause);
    } finally {
      setAdding(false);
      onAdded();
    }
  }
  const examples = faulty.slice(0, domainsShownMax).map(each => `“${each}”`);
  return (
    <>
      <TextArea
        label="Domains to add"
        hint={`Paste any number, up to ${formatNumber(limits.listDomainsMax)} on a list. Of email and web addresses, the domain is taken.`}
        rows={3}
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
        error={
          faulty.length === 0
            ? undefined
            : `${countOf(faulty.length, 'entry has', 'entries have')} no domain: ${examples.join(', ')}${faulty.length > examples.length ? ', …' : ''}`
        }
      />
      {error !== undefined && <Failure error={error} />}
      <Row>
        <Button
          busy={isAdding}
          disabled={domains.length === 0 || faulty.length > 0}
          onClick={() => void add()}
        >
          {domains.length > 0 ? `Add ${countOf(domains.length, 'domain')}` : 'Add domains'}
        </Button>
      </Row>
    </>
  );
}
