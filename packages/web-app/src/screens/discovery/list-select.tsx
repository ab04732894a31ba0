import { useQuery } from '@tanstack/react-query';
import { type SavedList, savedListsQuery } from '../../api/shared-queries.ts';
import { Select } from '../../design/field.tsx';

interface ListSelectProps {
  readonly kind: SavedList['kind'];
  /** The id of the list; empty for none. */
  readonly value: string;
  readonly onChange: (listId: string) => void;
}

/** Selects the list to which a run adds its records; hidden if the account has no such list. */
export function ListSelect({ kind, value, onChange }: ListSelectProps) {
  const { data } = useQuery(savedListsQuery);
  const lists = data?.filter(list => list.kind === kind) ?? [];
  if (lists.length === 0) return null;
  return (
    <Select label="Add to a list (optional)" value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">No list</option>
      {lists.map(list => (
        <option key={list.list_id} value={list.list_id}>
          {list.name}
        </option>
      ))}
    </Select>
  );
}
