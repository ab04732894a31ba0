import { type FormEvent, useState } from 'react';
import { $api, queryClient, type Schema } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { Button } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { TextInput } from '../../design/field.tsx';
import { countOf, formatCredits, formatNumber } from '../../design/format.ts';
import { Failure } from '../../design/states.tsx';
import { wholeNumber } from '../../design/whole-number.ts';
import { ListSelect } from '../discovery/list-select.tsx';
import { keepRun } from '../discovery/run-query.ts';
import { ExpectedFacts, StrengthBands } from './expected-facts.tsx';
import styles from './lookalikes.module.css';
import { affordable, allOf, type Choice, creditsMaxOf, type Expected, requestOf } from './offer.ts';
import type { View } from './question.ts';
import { searchHasMoved, viewQuery } from './view-query.ts';

const own = 'own';

/** How many to fetch, what is known of so many, and what they cost at most. */
export function OfferPanel({ view, expected }: { readonly view: View; readonly expected: Expected }) {
  const all = allOf(expected);
  const first = expected.offers[0];
  const [picked, setPicked] = useState<string>();
  const [text, setText] = useState('');
  const [listId, setListId] = useState('');
  const balance = $api.useQuery('get', '/balance');
  const start = useStart(view);
  if (!all || !first) return null;

  const companiesMax = all.companies;
  const exact = wholeNumber(text, companiesMax);
  const offer = expected.offers.find(each => nameOf(each) === picked) ?? first;
  const choice: Choice | undefined =
    picked !== own ? { kind: 'offer', offer } : exact ? { kind: 'exact', companies: exact } : undefined;
  const creditsMax = choice ? creditsMaxOf(choice, expected) : 0;
  const available = balance.data?.available;
  const isShort = available !== undefined && available < creditsMax;
  const within = available === undefined ? 0 : Math.min(affordable(available, expected), companiesMax);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (choice) start.begin({ companies: requestOf(choice), ...(listId && { list_id: listId }) });
  }
  return (
    <form onSubmit={submit} className={styles.form} noValidate>
      <fieldset className={styles.offers}>
        <legend>How many companies?</legend>
        {expected.offers.map(each => (
          <OfferChoice
            key={nameOf(each)}
            label={each.kind === 'all' ? `All ${formatNumber(each.companies)}` : formatNumber(each.companies)}
            price={formatCredits(each.credits_max)}
            isChosen={picked !== own && each === offer}
            onChoose={() => setPicked(nameOf(each))}
          />
        ))}
        {companiesMax > 1 && (
          <OfferChoice
            label="Another number"
            price={`${formatCredits(expected.credits_per_company)} each`}
            isChosen={picked === own}
            onChoose={() => setPicked(own)}
          />
        )}
      </fieldset>
      {picked === own && (
        <TextInput
          label="Exact number of companies"
          inputMode="numeric"
          value={text}
          hint={`1 to ${formatNumber(companiesMax)}`}
          error={
            text !== '' && !exact
              ? `Enter a whole number from 1 to ${formatNumber(companiesMax)}.`
              : undefined
          }
          onChange={event => setText(event.target.value)}
        />
      )}
      <ListSelect kind="companies" value={listId} onChange={setListId} />
      {choice && <Cost max={creditsMax} note="– only what is delivered is charged" />}
      {isShort && within > 0 && (
        <Button
          onClick={() => {
            setPicked(own);
            setText(String(within));
          }}
        >
          Take {countOf(within, 'company', 'companies')} instead
        </Button>
      )}
      {start.error !== null && <Failure error={start.error} />}
      <Button type="submit" look="primary" busy={start.isPending} disabled={!choice || isShort}>
        {choice ? `Fetch ${countOf(countIn(choice), 'company', 'companies')}` : 'Fetch companies'}
      </Button>
      {!view.locked && (
        <p className={styles.soft}>From the start on, seeds and filters of this search are fixed.</p>
      )}
      {choice?.kind === 'offer' && <ExpectedFacts offer={choice.offer} />}
      <StrengthBands expected={expected} />
    </form>
  );
}

interface OfferChoiceProps {
  readonly label: string;
  readonly price: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function OfferChoice({ label, price, isChosen, onChoose }: OfferChoiceProps) {
  return (
    <label className={styles.offer}>
      <input type="radio" name="companies" checked={isChosen} onChange={onChoose} />
      <strong>{label}</strong>
      <span>{price}</span>
    </label>
  );
}

/** Begins a run; pressing again where no answer came asks for the same one, and pays once. */
function useStart({ search_id }: View) {
  const key = useIdempotencyKey();
  const start = $api.useMutation('post', '/lookalike-searches/{search_id}/runs');
  function begin(body: Schema['NewLookalikeRun']) {
    const header = { 'Idempotency-Key': key.keyOf(search_id, body) };
    start.mutate(
      { params: { path: { search_id }, header }, body },
      {
        onSuccess(run) {
          key.answered();
          keepRun(run);
          const { queryKey } = viewQuery(search_id);
          queryClient.setQueryData(
            queryKey,
            known => known && { ...known, locked: true, active_run_id: run.run_id },
          );
          searchHasMoved();
        },
        onError: error => key.answered(error),
      },
    );
  }
  return { begin, isPending: start.isPending, error: start.error };
}

function nameOf({ kind, companies }: Expected['offers'][number]): string {
  return `${kind}-${companies}`;
}

function countIn(choice: Choice): number {
  return choice.kind === 'exact' ? choice.companies : choice.offer.companies;
}
