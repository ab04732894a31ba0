import { useState } from 'react';
import { $api } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { countOf, formatCredits } from '../../design/format.ts';
import { type Selection, SelectionBar } from '../../design/selection.tsx';
import { Failure } from '../../design/states.tsx';
import { ListSelect } from '../discovery/list-select.tsx';
import styles from './people.module.css';
import { type Search, useSavePeople } from './people-queries.ts';

interface SaveChosenProps {
  readonly search: Search;
  readonly selection: Selection;
}

/** Saves the people who are selected in the preview, after showing the price. */
export function SaveChosen({ search, selection }: SaveChosenProps) {
  const [listId, setListId] = useState('');
  const { data: balance } = $api.useQuery('get', '/balance');
  const { start, save } = useSavePeople(search);
  const count = selection.ids.size;
  const { price } = search.estimate;
  const isShort = balance !== undefined && balance.available < count * price;
  return (
    <div className={styles.chosenPeople}>
      <SelectionBar selection={selection} hint="Select people to save only these. Shift selects a range.">
        <Button
          look="primary"
          busy={start.isPending}
          disabled={isShort}
          onClick={() =>
            save({ person_ids: [...selection.ids], ...(listId && { list_id: listId }) }, selection.clear)
          }
        >
          Save {count === 1 ? 'this person' : `these ${countOf(count, 'person', 'people')}`}
        </Button>
      </SelectionBar>
      {count > 0 && (
        <>
          <Cost
            max={count * price}
            note={`for ${countOf(count, 'person', 'people')} at ${formatCredits(price)} each`}
          />
          <ListSelect kind="people" value={listId} onChange={setListId} />
        </>
      )}
      {start.isError && <Failure error={start.error} />}
    </div>
  );
}
