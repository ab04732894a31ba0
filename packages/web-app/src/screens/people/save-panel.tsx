import { limits } from '@mailproof/shared-types';
import { type FormEvent, useState } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { Button } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { TextInput } from '../../design/field.tsx';
import { countOf, formatCredits, formatNumber } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { wholeNumber } from '../../design/whole-number.ts';
import { ListSelect } from '../discovery/list-select.tsx';
import styles from './people.module.css';

interface SavePanelProps {
  readonly search: Schema['PreviewedPeopleSearch'];
  readonly onStarted: (run: Schema['DiscoveryRun']) => void;
}

const usuallySaved = 50;
const presets = [10, 50, 100, 500, 1_000, 5_000] as const;
const presetsShownMax = 4;

/** Saves people of a search, at a price that is said before. */
export function SavePanel({ search, onStarted }: SavePanelProps) {
  const { deliverable, price, already_saved, matching } = search.estimate;
  const { data: balance } = $api.useQuery('get', '/balance');
  const [typed, setText] = useState<string>();
  const [listId, setListId] = useState('');
  const key = useIdempotencyKey();
  const start = $api.useMutation('post', '/people-searches/{search_id}/runs');
  const text = typed ?? String(Math.min(usuallySaved, deliverable));
  const people = wholeNumber(text, Number.MAX_SAFE_INTEGER) ?? 0;
  const fault = faultOf(people, deliverable);
  const affordable = balance && price > 0 ? Math.floor(balance.available / price) : deliverable;
  const cost = fault ? 0 : people * price;
  const isShort = balance !== undefined && balance.available < cost;
  function submit(event: FormEvent) {
    event.preventDefault();
    if (fault || isShort) return;
    const body = {
      people: people === deliverable ? ('all' as const) : people,
      ...(listId && { list_id: listId }),
    };
    start.mutate(
      {
        body,
        params: {
          path: { search_id: search.search_id },
          header: { 'Idempotency-Key': key.keyOf(search.search_id, body) },
        },
      },
      {
        onSuccess(run) {
          key.answered();
          onStarted(run);
        },
        onError: error => key.answered(error),
      },
    );
  }
  if (deliverable === 0) {
    return matching === 0 ? null : (
      <Notice tone="good" title="You have saved everybody whom this search finds">
        Who comes into the store later can be saved here.
      </Notice>
    );
  }
  return (
    <Card title="Save people">
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
            <legend className="visually-hidden">Usual numbers</legend>
            {presetsFor(deliverable, affordable).map(({ value, label }) => (
              <Button key={label} aria-pressed={people === value} onClick={() => setText(String(value))}>
                {label}
              </Button>
            ))}
          </fieldset>
        </div>
        <ListSelect kind="people" value={listId} onChange={setListId} />
        <Cost
          max={cost}
          note={fault ? '' : `for ${countOf(people, 'person', 'people')} at ${formatCredits(price)} each`}
        />
        <p className={styles.soft}>
          {already_saved > 0 &&
            `${countOf(already_saved, 'person', 'people')} you have saved already are left out and cost nothing. `}
          Credits are set aside at the start; whoever cannot be delivered is not charged.
          {search.state === 'preview' && ' From the first run on the filters are fixed.'}
        </p>
        {start.isError && <Failure error={start.error} />}
        <div>
          <Button
            type="submit"
            look="primary"
            busy={start.isPending}
            disabled={fault !== undefined || isShort}
          >
            {fault ? 'Save people' : `Save ${countOf(people, 'person', 'people')}`}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function faultOf(people: number, deliverable: number): string | undefined {
  if (people < 1) return 'A whole number from 1 on.';
  if (people <= deliverable) return undefined;
  return deliverable === limits.peoplePerRunMax
    ? `One run saves at most ${formatNumber(deliverable)}.`
    : `There are ${formatNumber(deliverable)}.`;
}

function presetsFor(deliverable: number, affordable: number): readonly { value: number; label: string }[] {
  const usual = presets.filter(each => each < deliverable).slice(-presetsShownMax);
  const choices: { value: number; label: string }[] = usual.map(value => ({
    value,
    label: formatNumber(value),
  }));
  if (affordable > 0 && affordable < deliverable && !usual.some(each => each === affordable)) {
    choices.push({ value: affordable, label: `As many as your credits pay: ${formatNumber(affordable)}` });
  }
  return [...choices, { value: deliverable, label: `All ${formatNumber(deliverable)}` }];
}
