import { limits } from '@mailproof/shared-types';
import { useState } from 'react';
import { Confirm } from '../../design/dialog.tsx';
import { TextInput } from '../../design/field.tsx';

interface RenameSearchProps {
  readonly name: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onRename: (name: string) => Promise<unknown>;
}

/** A dialog that renames a search. */
export function RenameSearch({ name: before, open, onOpenChange, onRename }: RenameSearchProps) {
  const [typed, setTyped] = useState<string>();
  const name = typed ?? before;
  function change(isOpen: boolean) {
    setTyped(undefined);
    onOpenChange(isOpen);
  }
  return (
    <Confirm
      title="Rename search"
      lead="Renaming does not change the results."
      verb="Rename"
      open={open}
      onOpenChange={change}
      onConfirm={() => onRename(name.trim())}
    >
      <TextInput
        label="Name"
        required
        autoComplete="off"
        maxLength={limits.discoveryNameCharactersMax}
        value={name}
        onChange={({ target }) => setTyped(target.value)}
      />
    </Confirm>
  );
}
