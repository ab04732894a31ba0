import { limits } from '@mailproof/shared-types';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { type SavedList, savedHasChanged, savedListsQuery } from '../../api/saved-lists.ts';
import { Answered } from '../../design/answered.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { Select, TextInput } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { announce } from '../../design/toasts.tsx';

interface AddToListProps {
  readonly kind: SavedList['kind'];
  readonly ids: readonly string[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onDone: () => void;
}

const isNew = 'new';

/** Puts what is selected on a list that there is, or on a new one. */
export function AddToList({ kind, ids, open, onOpenChange, onDone }: AddToListProps) {
  const question = useQuery(savedListsQuery);
  const lists = question.data?.filter(list => list.kind === kind) ?? [];
  const [picked, setPicked] = useState<string>();
  const [name, setName] = useState('');
  // A list that was made, and then could not be filled, is not made again.
  const [made, setMade] = useState<SavedList>();
  const chosen = picked ?? lists[0]?.list_id ?? isNew;

  async function make(): Promise<SavedList> {
    if (made?.name === name.trim()) return made;
    const { data } = await api.POST('/saved-lists', { body: { kind, name: name.trim(), tags: [] } });
    if (!data) throw new Error('The list was not made.');
    setMade(data);
    return data;
  }
  async function add() {
    const list = lists.find(({ list_id }) => list_id === chosen) ?? (await make());
    const { data: answer } = await api.POST('/saved-lists/{list_id}/entries', {
      params: { path: { list_id: list.list_id } },
      body: { ids: [...ids] },
    });
    const added = answer?.added ?? 0;
    const known = ids.length - added;
    announce(
      `${countOf(added, 'record')} put on “${list.name}”${known > 0 ? `; ${countOf(known, 'was', 'were')} on it before` : ''}.`,
    );
    savedHasChanged();
    onDone();
  }
  return (
    <Confirm
      title={`Put ${countOf(ids.length, 'record')} on a list`}
      lead="A record may be on as many lists as you like."
      verb="Put on the list"
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
              <option value={isNew}>A new list…</option>
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
