import { limits } from '@mailproof/shared-types';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { type SavedList, savedHasChanged } from '../../api/saved-lists.ts';
import { ChipInput } from '../../design/chip-input.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { Select, TextInput } from '../../design/field.tsx';

interface ListDialogProps {
  /** The list that is changed; a new one is made without it. */
  readonly list?: SavedList;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Makes a list, or names and tags one. */
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
    savedHasChanged();
  }
  return (
    <Confirm
      title={list ? 'Rename and tag the list' : 'New list'}
      lead={
        list ? 'What is on it stays.' : 'For a campaign, a region, a colleague: whatever belongs together.'
      }
      verb={list ? 'Save' : 'Make the list'}
      disabled={isTooMany || tags.some(tag => tagFault(tag))}
      open={open}
      onOpenChange={onOpenChange}
      onConfirm={save}
    >
      {!list && (
        <Select
          label="Of"
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
        hint="Words by which you find it again; end each by Enter or a comma."
        values={tags}
        onChange={setTags}
        split={text =>
          text
            .split(/[,\n]/u)
            .map(tag => tag.trim())
            .filter(tag => tag !== '')
        }
        faultOf={tagFault}
        error={isTooMany ? `${limits.listTagsMax} tags at most.` : undefined}
      />
    </Confirm>
  );
}

function tagFault(tag: string): string | undefined {
  return tag.length > limits.listTagCharactersMax
    ? `“${tag}” is too long: a tag has ${limits.listTagCharactersMax} characters at most.`
    : undefined;
}
