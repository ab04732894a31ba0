import { useState } from 'react';
import { $api } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { countOf, formatCredits } from '../../design/format.ts';
import { type Selection, SelectionBar, selectedCount } from '../../design/selection.tsx';
import { Failure } from '../../design/states.tsx';
import { ListSelect } from '../discovery/list-select.tsx';
import { useFinding } from './finding.ts';
import type { Saver, Search } from './search-queries.ts';
import styles from './searches.module.css';

interface SaveChosenProps {
  readonly search: Search;
  readonly saver: Saver;
  readonly selection: Selection;
}

/** Saves the people or companies that are selected in the preview, after showing the price. */
export function SaveChosen({ search, saver: { start, save }, selection }: SaveChosenProps) {
  const { kind, one, many } = useFinding();
  const [listId, setListId] = useState('');
  const { data: balance } = $api.useQuery('get', '/balance');
  // Those that are saved already are skipped, so "all" are the others.
  const { price, deliverable, matching, already_saved } = search.estimate;
  const isLimited = matching - already_saved > deliverable;
  const count = selectedCount(selection, deliverable);
  const isShort = balance !== undefined && balance.available < count * price;
  return (
    <div className={styles.chosenPeople}>
      <SelectionBar
        selection={selection}
        total={deliverable}
        hint={`Select ${many} to save only these. Shift selects a range.`}
      >
        <Button
          look="primary"
          busy={start.isPending}
          disabled={isShort}
          onClick={() =>
            save(selection.isAll ? { records: count } : { ids: [...selection.ids] }, listId, selection.clear)
          }
        >
          Save {selection.isAll ? (isLimited ? 'the first' : 'all') : count === 1 ? 'this' : 'these'}{' '}
          {count === 1 ? one : countOf(count, one, many)}
        </Button>
      </SelectionBar>
      {count > 0 && (
        <>
          <Cost
            max={count * price}
            note={`for ${countOf(count, one, many)} at ${formatCredits(price)} each`}
          />
          <ListSelect kind={kind} value={listId} onChange={setListId} />
        </>
      )}
      {start.isError && <Failure error={start.error} />}
    </div>
  );
}
