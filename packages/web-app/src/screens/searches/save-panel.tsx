import { limits } from '@mailproof/shared-types';
import { type FormEvent, useState } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { TextInput } from '../../design/field.tsx';
import { wholeNumber } from '../../design/field-rules.ts';
import { countOf, formatCredits, formatNumber } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { ActiveRun } from '../discovery/active-run.tsx';
import { ListSelect } from '../discovery/list-select.tsx';
import { RunReceipts } from '../discovery/run-receipts.tsx';
import { ExportButton } from '../exports/export-button.tsx';
import { useFinding } from './finding.ts';
import { DataCoverage, Figures } from './matches-card.tsx';
import { presetsFor } from './save-presets.ts';
import { type Saver, type Search, searchOf, useSaver } from './search-queries.ts';
import styles from './searches.module.css';

/** The active run, or the form for another run, and the runs so far. */
export function Saving({ search }: { readonly search: Search }) {
  const { kind, many, saved } = useFinding();
  const saver = useSaver(search);
  const { search_id, active_run_id } = search;
  const { queryKey } = searchOf(kind, search_id);
  return (
    <>
      {active_run_id ? (
        <ActiveRun
          runId={active_run_id}
          kind={kind}
          onEnded={() => void queryClient.invalidateQueries({ queryKey })}
        />
      ) : (
        <SavePanel search={search} saver={saver} />
      )}
      <RunReceipts
        searchId={search_id}
        next={
          <>
            <LinkButton to={saved}>View saved {many}</LinkButton>
            {kind === 'companies' && (
              <ExportButton source={{ kind: 'saved_companies', search_id }} name={search.name} />
            )}
          </>
        }
      />
    </>
  );
}

export function SearchFigures({ search }: { readonly search: Search }) {
  const { one, many } = useFinding();
  const { matching, already_saved, deliverable } = search.estimate;
  return (
    <Card>
      <Figures
        figures={[
          [matching === 1 ? `${one} matches` : `${many} match`, matching],
          ['already saved, skipped', already_saved],
          ['available to save', deliverable],
        ]}
      />
      {search.total > 0 && (
        <DataCoverage filters={search.filters} facets={search.facets} total={search.total} />
      )}
    </Card>
  );
}

interface SavePanelProps {
  readonly search: Search;
  readonly saver: Saver;
}

const usuallySaved = 50;

/** Saves people or companies of a search, after showing the price. */
function SavePanel({ search, saver: { start, save } }: SavePanelProps) {
  const { kind, one, many } = useFinding();
  const { deliverable, price, already_saved, matching } = search.estimate;
  const { data: balance } = $api.useQuery('get', '/balance');
  const [typed, setText] = useState<string>();
  const [listId, setListId] = useState('');
  const text = typed ?? String(Math.min(usuallySaved, deliverable));
  const records = wholeNumber(text, Number.MAX_SAFE_INTEGER) ?? 0;
  const fault = faultOf(records, deliverable);
  const affordable = balance && price > 0 ? Math.floor(balance.available / price) : deliverable;
  const cost = fault ? 0 : records * price;
  const isShort = balance !== undefined && balance.available < cost;
  function submit(event: FormEvent) {
    event.preventDefault();
    if (fault || isShort) return;
    save({ records }, listId);
  }
  if (deliverable === 0) {
    return matching === 0 ? null : (
      <Notice
        tone="good"
        title={`You have saved ${kind === 'people' ? 'everyone who matches' : 'all companies that match'}`}
      >
        You can save new matches here later.
      </Notice>
    );
  }
  return (
    <Card title={`Save ${many}`}>
      <form onSubmit={submit} className={styles.main}>
        <div className={styles.amount}>
          <TextInput
            label="How many"
            inputMode="numeric"
            autoComplete="off"
            value={text}
            error={fault}
            onChange={({ target }) => setText(target.value)}
          />
          <fieldset className={styles.presets}>
            <legend className="visually-hidden">Suggested numbers</legend>
            {presetsFor(deliverable, affordable).map(({ value, label }) => (
              <Button key={label} aria-pressed={records === value} onClick={() => setText(String(value))}>
                {label}
              </Button>
            ))}
          </fieldset>
        </div>
        <ListSelect kind={kind} value={listId} onChange={setListId} />
        <Cost
          max={cost}
          note={fault ? '' : `for ${countOf(records, one, many)} at ${formatCredits(price)} each`}
        />
        <p className={styles.soft}>
          {already_saved > 0 &&
            `${countOf(already_saved, one, many)} already saved will be skipped for free. `}
          Credits are reserved at the start; you pay only for {many} that are delivered.
          {search.state === 'preview' && ' Starting the first run locks the filters.'}
        </p>
        {start.isError && <Failure error={start.error} />}
        <div>
          <Button
            type="submit"
            look="primary"
            busy={start.isPending}
            disabled={fault !== undefined || isShort}
          >
            {fault ? `Save ${many}` : `Save ${countOf(records, one, many)}`}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function faultOf(records: number, deliverable: number): string | undefined {
  if (records < 1) return 'Enter a whole number of at least 1.';
  if (records <= deliverable) return undefined;
  return deliverable === limits.peoplePerRunMax
    ? `A run saves at most ${formatNumber(deliverable)}.`
    : `Only ${formatNumber(deliverable)} available.`;
}
