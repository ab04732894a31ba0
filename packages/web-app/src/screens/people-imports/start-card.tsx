import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { refreshSaved, savedListsQuery } from '../../api/shared-queries.ts';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { Row } from '../../design/layout.tsx';
import { Failure } from '../../design/states.tsx';
import { keepImport } from './import-query.ts';
import type { PeopleImport } from './mapping.ts';

/** The choice of a list that is created with the name of the import. */
const newList = 'new';

/** Starts an import that has been previewed. */
export function StartImport({ record }: { readonly record: PeopleImport }) {
  const lists = useQuery(savedListsQuery).data?.filter(({ kind }) => kind === 'people') ?? [];
  const [chosen, setChosen] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const people = (record.preview?.added ?? 0) + (record.preview?.changed ?? 0);
  async function start() {
    setBusy(true);
    setError(undefined);
    try {
      const listId = chosen === newList ? await createList(record.name) : chosen;
      if (chosen === newList && listId) setChosen(listId);
      const { data } = await api.POST('/people-imports/{import_id}/start', {
        params: { path: { import_id: record.import_id } },
        body: listId ? { list_id: listId } : {},
      });
      if (data) keepImport(data);
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      <Select
        label="Put everyone into a list (optional)"
        value={chosen}
        onChange={({ target }) => setChosen(target.value)}
      >
        <option value="">No list</option>
        <option value={newList}>New list “{record.name}”</option>
        {lists.map(list => (
          <option key={list.list_id} value={list.list_id}>
            {list.name}
          </option>
        ))}
      </Select>
      {error !== undefined && <Failure error={error} />}
      <Row>
        <Button look="primary" busy={isBusy} onClick={start}>
          {people > 0 ? `Import ${countOf(people, 'person', 'people')}` : 'Import'}
        </Button>
      </Row>
    </>
  );
}

async function createList(name: string): Promise<string | undefined> {
  const { data } = await api.POST('/saved-lists', { body: { kind: 'people', name, tags: [] } });
  refreshSaved();
  return data?.list_id;
}
