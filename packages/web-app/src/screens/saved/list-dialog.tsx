import { limits } from '@mailproof/shared-types';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { refreshSaved, type SavedList } from '../../api/shared-queries.ts';
import { ChipInput } from '../../design/chips.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { Select, TextInput } from '../../design/field.tsx';

interface ListDialogProps {
  /** The list to change; if omitted, a new one is created. */
  readonly list?: SavedList;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Creates a list, or changes the name and tags of one. */
export function ListDialog({ list, open, onOpenChange }: ListDialogProps) {
  const [kind, setKind] = useState<SavedList['kind']>('people');
  const [name, setName] = useState(list?.name ?? '');
  const [tags, setTags] = useState<readonly string[]>(list?.tags ?? []);
  const isTooMany = tags.length > limits.listTagsMax;
  async function save() {
    const words = { name: name.trim(), tags: [...tags] };
    await (list
      ? api.PUT('/saved-lists/{list_id}', { params: { path: { list_id: list.list_id } }, body: words })
      : api.POST('/saved-lists', { body: { kind, ...words } }));
    refreshSaved();
  }
  return (
    <Confirm
      title={list ? 'Edit list' : 'Create list'}
      lead={list ? 'Its records are kept.' : 'Group records, for example by campaign or region.'}
      verb={list ? 'Save' : 'Create list'}
      disabled={isTooMany || tags.some(tag => tagFault(tag))}
      open={open}
      onOpenChange={onOpenChange}
      onConfirm={save}
    >
      {!list && (
        <Select
          label="Type"
          value={kind}
          onChange={event => setKind(event.target.value === 'companies' ? 'companies' : 'people')}
        >
          <option value="people">People</option>
          <option value="companies">Companies</option>
        </Select>
      )}
      <TextInput
        label="Name"
        required
        value={name}
        maxLength={limits.discoveryNameCharactersMax}
        onChange={event => setName(event.target.value)}
      />
      <ChipInput
        label="Tags (optional)"
        hint="You can filter lists by tag. Separate tags with Enter or a comma."
        values={tags}
        onChange={setTags}
        split={text =>
          text
            .split(/[,\n]/u)
            .map(tag => tag.trim())
            .filter(tag => tag !== '')
        }
        faultOf={tagFault}
        error={isTooMany ? `At most ${limits.listTagsMax} tags.` : undefined}
      />
    </Confirm>
  );
}

function tagFault(tag: string): string | undefined {
  return tag.length > limits.listTagCharactersMax
    ? `“${tag}” is too long: a tag can have at most ${limits.listTagCharactersMax} characters.`
    : undefined;
}
