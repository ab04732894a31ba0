import { type FormEvent, useState } from 'react';
import { $api, queryClient, type Schema } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { Button } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { TextInput } from '../../design/field.tsx';
import { wholeNumber } from '../../design/field-rules.ts';
import { countOf, formatCredits, formatNumber, formatShare } from '../../design/format.ts';
import { Failure } from '../../design/states.tsx';
import { ListSelect } from '../discovery/list-select.tsx';
import { keepRun } from '../discovery/run-query.ts';
import { ShareBar } from './likeness.tsx';
import styles from './lookalikes.module.css';
import {
  affordable,
  allOf,
  bandsOf,
  type Choice,
  creditsMaxOf,
  type Expected,
  type Offer,
  outOfHundred,
  requestOf,
} from './offer.ts';
import type { View } from './question.ts';
import { refreshSearch, viewQuery } from './view-query.ts';

const own = 'own';

/** Chooses how many companies to fetch, and shows the known fields and the maximum cost. */
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
      {choice && <Cost max={creditsMax} note="– you pay only for delivered companies" />}
      {isShort && within > 0 && (
        <Button
          onClick={() => {
            setPicked(own);
            setText(String(within));
          }}
        >
          Choose {countOf(within, 'company', 'companies')} instead
        </Button>
      )}
      {start.error !== null && <Failure error={start.error} />}
      <Button type="submit" look="primary" busy={start.isPending} disabled={!choice || isShort}>
        {choice ? `Fetch ${countOf(countIn(choice), 'company', 'companies')}` : 'Fetch companies'}
      </Button>
      {!view.locked && <p className={styles.soft}>Starting the first run locks the seeds and filters.</p>}
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

/** Starts a run. Pressing the button again after a lost response repeats the same request and pays once. */
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
          refreshSearch();
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

const paidFields = {
  location: 'Location',
  employee_count: 'Employees',
  revenue: 'Revenue',
  funding: 'Funding',
  categories: 'Categories',
  links: 'Links',
} as const satisfies Record<keyof Offer['fill_rate'], string>;

/** The known fields of the offered companies, counted before payment. */
function ExpectedFacts({ offer }: { readonly offer: Offer }) {
  return (
    <div className={styles.expected}>
      <h3>What you get</h3>
      <table className={styles.shares}>
        <caption className="visually-hidden">Share of these companies in which each field is known</caption>
        <tbody>
          {Object.entries(paidFields).map(([field, name]) => {
            const share = offer.fill_rate[field as keyof typeof paidFields];
            return (
              <tr key={field}>
                <th scope="row">{name}</th>
                <td>
                  <ShareBar share={share ?? 0} />
                </td>
                <td>{share === null ? '–' : formatShare(share)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className={styles.soft}>
        The weakest match has a strength of {outOfHundred(offer.weakest_match_strength)} of 100.
        {offer.already_paid > 0 &&
          ` Includes ${countOf(offer.already_paid, 'company', 'companies')} for free that you paid for in another search.`}
      </p>
    </div>
  );
}

/** The number of matches of each strength. */
function StrengthBands({ expected }: { readonly expected: Expected }) {
  const bands = bandsOf(expected.by_match_strength).filter(({ companies }) => companies > 0);
  const most = Math.max(1, ...bands.map(({ companies }) => companies));
  return (
    <div className={styles.expected}>
      <h3>Match strength</h3>
      <table className={styles.shares}>
        <caption className="visually-hidden">Matches by strength</caption>
        <tbody>
          {bands.map(({ from, to, companies }) => (
            <tr key={from}>
              <th scope="row">
                {outOfHundred(from)}–{outOfHundred(to)}
              </th>
              <td>
                <ShareBar share={companies / most} />
              </td>
              <td>{countOf(companies, 'company', 'companies')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
