import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { formatNumber } from './format.ts';
import styles from './selection.module.css';

export interface Selection {
  /** The ids of the selected rows; of the loaded ones only if `isAll`. */
  readonly ids: ReadonlySet<string>;
  /** Whether every row that matches is selected, loaded or not. */
  readonly isAll: boolean;
  /** The ids of the rows that are loaded and can be selected, in their order. */
  readonly loaded: readonly string[];
  /** Selects a row or takes it out; `isRange` includes the rows between it and the one before. */
  readonly toggle: (id: string, isRange: boolean) => void;
  /** Selects exactly these rows. */
  readonly set: (ids: readonly string[]) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
}

const none: Selection = {
  ids: new Set(),
  isAll: false,
  loaded: [],
  toggle: () => undefined,
  set: () => undefined,
  selectAll: () => undefined,
  clear: () => undefined,
};

/** Cells read the selection from this context, so that the columns do not depend on it. */
export const SelectionOf = createContext(none);

/** Remembers which rows are selected; `loaded` are the ids of the rows that can be. */
export function useSelection(loaded: readonly string[]): Selection {
  const [picked, setPicked] = useState<ReadonlySet<string>>(none.ids);
  const [isAll, setIsAll] = useState(false);
  const [anchor, setAnchor] = useState<string>();
  const ids = isAll ? new Set(loaded) : picked;
  function set(next: readonly string[]) {
    setIsAll(false);
    setPicked(new Set(next));
  }
  return {
    ids,
    isAll,
    loaded,
    toggle(id, isRange) {
      const changed = isRange ? between(loaded, anchor, id) : [id];
      const after = new Set(ids);
      for (const each of changed) {
        if (ids.has(id)) after.delete(each);
        else after.add(each);
      }
      setAnchor(id);
      set([...after]);
    },
    set,
    selectAll: () => setIsAll(true),
    clear: () => set([]),
  };
}

/** Returns the rows from one to another, in either direction; only the other if the one is not loaded. */
export function between(
  loaded: readonly string[],
  one: string | undefined,
  other: string,
): readonly string[] {
  const [from, to] = [one === undefined ? -1 : loaded.indexOf(one), loaded.indexOf(other)];
  return from < 0 || to < 0 ? [other] : loaded.slice(Math.min(from, to), Math.max(from, to) + 1);
}

/** A checkbox that selects a row; with Shift, also the rows up to the one before. */
export function SelectCell({ id, name }: { readonly id: string; readonly name: string }) {
  const { ids, toggle } = useContext(SelectionOf);
  return (
    <input
      type="checkbox"
      className={styles.select}
      aria-label={`Select ${name}`}
      checked={ids.has(id)}
      onChange={({ nativeEvent }) => toggle(id, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
    />
  );
}

/** A checkbox in the head of a table that selects every row that is shown. */
export function SelectShown() {
  const { ids, loaded, set, clear } = useContext(SelectionOf);
  const box = useRef<HTMLInputElement>(null);
  const selected = loaded.filter(id => ids.has(id)).length;
  const isWhole = loaded.length > 0 && selected === loaded.length;
  useEffect(() => {
    if (box.current) box.current.indeterminate = selected > 0 && !isWhole;
  }, [selected, isWhole]);
  return (
    <input
      ref={box}
      type="checkbox"
      className={styles.select}
      aria-label="Select every row shown"
      checked={isWhole}
      disabled={loaded.length === 0}
      onChange={() => (isWhole ? clear() : set(loaded))}
    />
  );
}

interface SelectionBarProps {
  readonly selection: Selection;
  /** The number of rows that match, loaded or not; undefined if only loaded rows can be selected. */
  readonly total?: number | undefined;
  /** What to do with a selection, shown until there is one. */
  readonly hint: string;
  /** The actions for the selected rows. */
  readonly children: ReactNode;
}

/** The number of selected rows, and their actions. */
export function SelectionBar({ selection, total, hint, children }: SelectionBarProps) {
  const { ids, isAll, loaded, set, selectAll, clear } = selection;
  const count = selectedCount(selection, total);
  return (
    <div className={styles.bar}>
      <span role="status">{count === 0 ? hint : `${formatNumber(count)} selected`}</span>
      <div className={styles.actions}>
        {total !== undefined && !isAll && ids.size < total && (
          <Button look="quiet" onClick={() => (total > loaded.length ? selectAll() : set(loaded))}>
            Select all {formatNumber(total)}
          </Button>
        )}
        {count > 0 && (
          <Button look="quiet" onClick={clear}>
            Clear selection
          </Button>
        )}
        {count > 0 && children}
      </div>
    </div>
  );
}

/** Returns the number of selected rows. */
export function selectedCount({ ids, isAll }: Selection, total: number | undefined): number {
  return isAll ? (total ?? ids.size) : ids.size;
}
