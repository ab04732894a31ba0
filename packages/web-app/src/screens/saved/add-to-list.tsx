import { limits } from '@mailproof/shared-types';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { refreshSaved, type SavedList, savedListsQuery } from '../../api/shared-queries.ts';
import { Confirm } from '../../design/dialog.tsx';
import { Select, TextInput } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { Answered } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { type Chosen, fillList, useMadeList } from './chosen.ts';

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
  const make = useMadeList(kind);
  const chosen = picked ?? lists[0]?.list_id ?? isNew;

  async function add() {
    const list = lists.find(({ list_id }) => list_id === chosen) ?? (await make(name.trim()));
    const added = await fillList(list, records);
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
