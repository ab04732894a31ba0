import { limits } from '@mailproof/shared-types';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { formatNumber } from '../../design/format.ts';
import styles from './saved.module.css';

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  readonly set: (ids: readonly string[]) => void;
  readonly clear: () => void;
}

const none: Selection = {
  ids: new Set(),
  toggle: () => undefined,
  set: () => undefined,
  clear: () => undefined,
};

/** Cells read the selection from this context, so that the columns do not depend on it. */
export const SelectionOf = createContext(none);

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return {
    ids,
    toggle: id =>
      setIds(before => {
        const after = new Set(before);
        if (!after.delete(id)) after.add(id);
        return after;
      }),
    set: all => setIds(new Set(all)),
    clear: () => setIds(new Set()),
  };
}

/** A checkbox that selects a row. */
export function SelectCell({ id, name }: { readonly id: string; readonly name: string }) {
  const { ids, toggle } = useContext(SelectionOf);
  return (
    <input
      type="checkbox"
      className={styles.select}
      aria-label={`Select ${name}`}
      checked={ids.has(id)}
      onChange={() => toggle(id)}
    />
  );
}

interface SelectionBarProps {
  readonly selection: Selection;
  /** The ids of the rows loaded so far. */
  readonly loaded: readonly string[];
  readonly hasMore: boolean;
  /** The actions for the selected rows. */
  readonly children: ReactNode;
}

/** The number of selected rows, and their actions. */
export function SelectionBar({ selection, loaded, hasMore, children }: SelectionBarProps) {
  const { ids, set, clear } = selection;
  const most = loaded.slice(0, limits.savedIdsPerRequestMax);
  const isTooMany = ids.size > limits.savedIdsPerRequestMax;
  return (
    <div className={styles.selection}>
      <span role="status">
        {ids.size === 0
          ? 'Select rows to add them to a list or to remove them.'
          : `${formatNumber(ids.size)} selected`}
        {isTooMany && `: at most ${formatNumber(limits.savedIdsPerRequestMax)} at once.`}
      </span>
      <div className={styles.selectionActions}>
        {ids.size < most.length && (
          <Button look="quiet" onClick={() => set(most)}>
            Select {hasMore || most.length < loaded.length ? `the first ${formatNumber(most.length)}` : 'all'}
          </Button>
        )}
        {ids.size > 0 && (
          <Button look="quiet" onClick={clear}>
            Clear selection
          </Button>
        )}
        {ids.size > 0 && !isTooMany && children}
      </div>
    </div>
  );
}
