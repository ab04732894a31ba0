import { limits } from '@mailproof/shared-types';
import { Upload } from 'lucide-react';
import { Suspense, useState } from 'react';
import { refreshSaved, type SavedList } from '../../api/shared-queries.ts';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { TextInput } from '../../design/field.tsx';
import { countOf, formatMoment } from '../../design/format.ts';
import { LazyExportDrawer } from '../exports/export-button.tsx';
import type { ExportSource } from '../exports/export-words.ts';
import { type Chosen, fillList, useMadeList } from './chosen.ts';

interface ExportSelectedProps {
  readonly kind: SavedList['kind'];
  readonly chosen: Chosen;
  /** The source that has exactly the selected records, if there is one. */
  readonly whole: ExportSource | undefined;
}

interface Exported {
  readonly source: ExportSource;
  readonly name?: string;
}

const kindOfSource = { people: 'saved_people', companies: 'saved_companies' } as const;

/**
 * Exports the selected records. An export reads its rows from a source that lasts, so that it can be repeated and its
 * failed rows sent again: a selection becomes a list first.
 */
export function ExportSelected({ kind, chosen, whole }: ExportSelectedProps) {
  const [isAsked, setAsked] = useState(false);
  const [name, setName] = useState('');
  const [exported, setExported] = useState<Exported>();
  const make = useMadeList(kind);

  function start() {
    if (whole) {
      setExported({ source: whole });
      return;
    }
    setName(`Selection of ${formatMoment(new Date().toISOString())}`);
    setAsked(true);
  }
  async function makeList() {
    const list = await make(name.trim(), chosen);
    await fillList(list, chosen);
    refreshSaved();
    setExported({ source: { kind: kindOfSource[kind], list_id: list.list_id }, name: list.name });
  }
  return (
    <>
      <Button onClick={start}>
        <Upload size={16} aria-hidden />
        Export selected
      </Button>
      <Confirm
        title={`Export ${countOf(chosen.count, 'record')}`}
        lead="They become a list of this name, so that you can repeat the export and send failed rows again. You can delete the list later; the records stay saved."
        verb="Create list and export"
        disabled={name.trim() === ''}
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={makeList}
      >
        <TextInput
          label="Name of the list"
          required
          value={name}
          maxLength={limits.discoveryNameCharactersMax}
          onChange={event => setName(event.target.value)}
        />
      </Confirm>
      {exported && !isAsked && (
        <Suspense>
          <LazyExportDrawer
            source={exported.source}
            name={exported.name}
            open
            onOpenChange={open => !open && setExported(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
