import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Progress } from '../../design/progress.tsx';
import { Notice } from '../../design/states.tsx';
import { type Export, isUnderWay } from './export-words.ts';
import styles from './exports.module.css';
import { keepExport } from './use-export.ts';

/** Takes away again what a push to a CRM has created, and says how far that is. */
export function UndoCard({ record }: { readonly record: Export }) {
  const [isAsked, setAsked] = useState(false);
  const { undo } = record;
  const created = record.actions?.created ?? 0;
  const left = undo ? undo.records.total - undo.records.removed : created;
  // Nothing was written by a dry run, and what still goes on creates more.
  const canUndo =
    !isUnderWay(record) && record.options['dry_run'] !== true && undo?.status !== 'running' && left > 0;
  if (!undo && !canUndo) return null;
  return (
    <Card
      title="Undo"
      actions={
        canUndo && (
          <Button onClick={() => setAsked(true)}>
            <Undo2 size={16} aria-hidden />
            {undo ? 'Undo the rest' : `Undo ${countOf(created, 'new record')}`}
          </Button>
        )
      }
    >
      {undo ? (
        <UndoProgress undo={undo} />
      ) : (
        <p className={styles.soft}>
          Records that this push created can be taken away again. Those that were there before stay, with what
          was written into them.
        </p>
      )}
      <Confirm
        title="Undo this push?"
        lead={`${countOf(left, 'record that it created goes', 'records that it created go')} to the bin of the CRM, also where somebody has changed something since. Records that were there before stay, with what was written into them.`}
        verb="Undo"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={async () => {
          const path = { export_id: record.export_id };
          const { data } = await api.POST('/exports/{export_id}/undo', { params: { path } });
          if (data) keepExport(data);
        }}
      />
    </Card>
  );
}

function UndoProgress({ undo }: { readonly undo: NonNullable<Export['undo']> }) {
  const { total, removed, failed } = undo.records;
  return (
    <>
      {undo.status === 'running' && (
        <Progress name="Undo" value={total === 0 ? 0 : Math.min(1, (removed + failed) / total)} />
      )}
      <p>
        {formatNumber(removed)} of {countOf(total, 'record')} taken away
        {failed > 0 && `, ${formatNumber(failed)} could not be`}.
      </p>
      {undo.failure && (
        <Notice tone="bad" title="It has not come to its end">
          {undo.failure.detail}
        </Notice>
      )}
      {undo.status === 'succeeded' && failed === 0 && (
        <Notice tone="good" title="Everything was taken away" />
      )}
    </>
  );
}
