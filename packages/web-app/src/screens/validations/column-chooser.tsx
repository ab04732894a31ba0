import { Columns3 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Checkbox } from '../../design/field.tsx';
import { formatNumber } from '../../design/format.ts';
import type { Job } from './job-search.ts';
import styles from './validations.module.css';

interface ColumnChooserProps {
  readonly job: Job;
  readonly seen: readonly number[];
  /** Positions with dashes between. */
  readonly onChoose: (columns: string) => void;
}

/** Which columns of the list are seen beside the results. */
export function ColumnChooser({ job, seen, onChoose }: ColumnChooserProps) {
  const [isOpen, setOpen] = useState(false);
  const places = [...job.columns.keys()].filter(place => place !== job.address_column);
  if (places.length === 0) return null;
  function toggle(place: number, isSeen: boolean) {
    onChoose(places.filter(each => (each === place ? isSeen : seen.includes(each))).join('-'));
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Columns3 size={16} aria-hidden />
        Columns ({formatNumber(seen.length)} of {formatNumber(places.length)})
      </Button>
      <Dialog
        title="Columns of your list"
        lead="Those that are seen beside the results."
        open={isOpen}
        onOpenChange={setOpen}
      >
        <div className={styles.choices}>
          {places.map(place => (
            <Checkbox
              key={place}
              label={job.columns[place]?.name}
              checked={seen.includes(place)}
              onChange={({ target }) => toggle(place, target.checked)}
            />
          ))}
        </div>
      </Dialog>
    </>
  );
}
