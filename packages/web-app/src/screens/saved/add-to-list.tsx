import { limits } from '@mailproof/shared-types';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { refreshSaved, type SavedList, savedListsQuery } from '../../api/shared-queries.ts';
import { Confirm } from '../../design/dialog.tsx';
import { Select, TextInput } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { Answered } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { type Chosen, forEachPart, sumOf } from './chosen.ts';

interface AddToListProps {
  readonly kind: SavedList['kind'];
  readonly chosen: Chosen;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onDone: () => void;
}

const isNew = 'new';

/** Adds the selected records to an existing or a new list. */
export function AddToList({ kind, chosen: records, open, onOpenChange, onDone }: AddToListProps) {
  const question = useQuery(savedListsQuery);
  const lists = question.data?.filter(list => list.kind === kind) ?? [];
  const [picked, setPicked] = useState<string>();
  const [name, setName] = useState('');
  // Keeps a created list, so that a retry after a failure to fill it does not create another one.
  const [made, setMade] = useState<SavedList>();
  const chosen = picked ?? lists[0]?.list_id ?? isNew;

  async function make(): Promise<SavedList> {
    if (made?.name === name.trim()) return made;
    const { data } = await api.POST('/saved-lists', { body: { kind, name: name.trim(), tags: [] } });
    if (!data) throw new Error('The list was not created.');
    setMade(data);
    return data;
  }
  async function add() {
    const list = lists.find(({ list_id }) => list_id === chosen) ?? (await make());
    const params = { path: { list_id: list.list_id } };
    const answers = await forEachPart(records, body =>
      api.POST('/saved-lists/{list_id}/entries', { params, body }),
    );
    const added = sumOf(answers.map(answer => answer.added));
    const known = Math.max(0, records.count - added);
    announce(
      `${countOf(added, 'record')} added to “${list.name}”${known > 0 ? `; ${countOf(known, 'was', 'were')} already on it` : ''}.`,
    );
    refreshSaved();
    onDone();
  }
  return (
    <Confirm
      title={`Add ${countOf(records.count, 'record')} to a list`}
      lead="A record can be on any number of lists."
      verb="Add to list"
      disabled={question.data === undefined}
      open={open}
      onOpenChange={isOpen => {
        setPicked(undefined);
        setName('');
        onOpenChange(isOpen);
      }}
      onConfirm={add}
    >
      <Answered question={question} lines={1} loading="Loading lists">
        {() => (
          <>
            <Select label="List" value={chosen} onChange={event => setPicked(event.target.value)}>
              {lists.map(list => (
                <option key={list.list_id} value={list.list_id}>
                  {list.name}
                </option>
              ))}
              <option value={isNew}>New list…</option>
            </Select>
            {chosen === isNew && (
              <TextInput
                label="Name of the new list"
                required
                value={name}
                maxLength={limits.discoveryNameCharactersMax}
                onChange={event => setName(event.target.value)}
              />
            )}
          </>
        )}
      </Answered>
    </Confirm>
  );
}
