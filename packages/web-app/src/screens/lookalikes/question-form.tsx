import { limits } from '@mailproof/shared-types';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { asProblem } from '../../api/problem.ts';
import { savedListsQuery, useVocabulary } from '../../api/shared-queries.ts';
import { Button } from '../../design/button.tsx';
import { Chip, ChipInput, Chips } from '../../design/chips.tsx';
import { TextArea, TextInput } from '../../design/field.tsx';
import type { PickerOption } from '../../design/looks.ts';
import { Answered, Failure, Notice } from '../../design/states.tsx';
import { ValuePicker } from '../../design/value-picker.tsx';
import styles from './lookalikes.module.css';
import {
  domainFault,
  domainFaults,
  type Filters,
  type Question,
  splitDomains,
  withFilter,
  withText,
} from './question.ts';

interface QuestionFormProps {
  readonly question: Question;
  /** Whether this is a new search, which also needs a name. */
  readonly isNew?: boolean;
  readonly verb: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSubmit: (asked: { name: string; question: Question }) => void;
}

/** The form for a search's seeds, unlike companies, and filters. */
export function QuestionForm({ question, isNew, verb, busy, error, onSubmit }: QuestionFormProps) {
  const [name, setName] = useState('');
  const [seeds, setSeeds] = useState(question.seed_domains);
  const [text, setText] = useState(question.seed_text ?? '');
  const [unlike, setUnlike] = useState(question.unlike_domains);
  const [filters, setFilters] = useState(question.filters);
  const [sent, setSent] = useState(question);
  const [isTried, setTried] = useState(false);
  const problem = error ? asProblem(error) : undefined;
  const seedFaults = domainFaults(problem, 'seed_domains', sent.seed_domains);
  const unlikeFaults = domainFaults(problem, 'unlike_domains', sent.unlike_domains);
  const isUsable = [...seeds, ...unlike].every(domain => domainFault(domain) === undefined);
  const isEmpty = seeds.length === 0 && text.trim() === '';
  const seedsError = isTried && isEmpty ? 'Enter a company, or a description below.' : tooMany(seeds);
  const textFault =
    text === (sent.seed_text ?? '') && problem?.faults.find(({ pointer }) => pointer === '/seed_text');

  function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (isEmpty || seedsError || tooMany(unlike) || !isUsable) return;
    const asked = withText({ seed_domains: seeds, unlike_domains: unlike, filters }, text);
    setText(asked.seed_text ?? '');
    setSent(asked);
    onSubmit({ name: name.trim() || suggestedName(seeds, text), question: asked });
  }
  return (
    <form onSubmit={submit} className={styles.form} noValidate>
      <ChipInput
        label="Like these companies"
        hint={`Domains or website URLs; paste up to ${limits.seedDomainsMax} at once. If a company is not in the store, its website may be read, for up to ${limits.seedPagesMax}.`}
        values={seeds}
        onChange={setSeeds}
        split={splitDomains}
        faultOf={domain => domainFault(domain) ?? seedFaults.get(domain)}
        error={seedsError}
      />
      {isNew && <ExampleSeeds onChoose={examples => setSeeds([...new Set([...seeds, ...examples])])} />}
      <TextArea
        label="Or describe the companies"
        hint="What they do, in a sentence or two."
        value={text}
        rows={3}
        maxLength={limits.seedTextCharactersMax}
        error={textFault ? textFault.detail : undefined}
        onChange={event => setText(event.target.value)}
      />
      <ChipInput
        label="Less like these (optional)"
        hint="Companies that you do not want. Matches that are similar to them rank lower."
        values={unlike}
        onChange={setUnlike}
        split={splitDomains}
        faultOf={domain => domainFault(domain) ?? unlikeFaults.get(domain)}
        error={tooMany(unlike)}
      />
      <FilterFields filters={filters} onChange={setFilters} />
      {isNew && (
        <TextInput
          label="Name"
          value={name}
          maxLength={limits.discoveryNameCharactersMax}
          placeholder={suggestedName(seeds, text)}
          onChange={event => setName(event.target.value)}
        />
      )}
      {problem?.code === 'seed_not_found' && (
        <Notice tone="bad" title="None of these can be compared" alert>
          <span>The reasons are above. Use other companies, or describe what they do.</span>
        </Notice>
      )}
      {problem && problem.code !== 'seed_not_found' && <Failure error={error} />}
      <Button type="submit" look="primary" busy={busy}>
        {verb}
      </Button>
    </form>
  );
}

/**
 * Companies of this installation's store to try a search with; nothing if the store has none. They stay when there are
 * seeds, because the button below would move away from a pointer that is about to press it.
 */
function ExampleSeeds({ onChoose }: { readonly onChoose: (domains: string[]) => void }) {
  const examples = useVocabulary().data?.seed_companies ?? [];
  if (examples.length === 0) return null;
  return (
    <div className={styles.examples}>
      <p className={styles.soft}>
        For example: {examples.map(({ name, domain }) => `${name} (${domain})`).join(', ')}
      </p>
      <Button onClick={() => onChoose(examples.map(({ domain }) => domain))}>Use these companies</Button>
    </div>
  );
}

function tooMany(domains: readonly string[]): string | undefined {
  return domains.length > limits.seedDomainsMax
    ? `At most ${limits.seedDomainsMax}: remove ${domains.length - limits.seedDomainsMax}.`
    : undefined;
}

function suggestedName(seeds: readonly string[], text: string): string {
  const [first, ...rest] = seeds;
  if (first === undefined && text.trim() !== '') {
    return `Like “${text.trim().replace(/\s+/g, ' ').slice(0, 40)}”`;
  }
  if (first === undefined) return 'Like our best customers';
  const name = `Like ${first}${rest.length > 0 ? ` and ${rest.length} more` : ''}`;
  return name.slice(0, limits.discoveryNameCharactersMax);
}

interface FilterFieldsProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

const fields = [
  ['countries', 'Countries'],
  ['industries', 'Industries'],
  ['company_sizes', 'Employees'],
  ['revenues', 'Annual revenue'],
  ['company_types', 'Company type'],
] as const;

/** The filters for the companies to find. */
function FilterFields({ filters, onChange }: FilterFieldsProps) {
  const vocabulary = useVocabulary();
  const { data: saved = [] } = useQuery(savedListsQuery);
  const lists = saved
    .filter(({ kind }) => kind === 'companies')
    .map(({ list_id, name }) => ({ value: list_id, label: name }));
  const set = Object.keys(filters).length;
  const [isOpenAtFirst] = useState(set > 0);
  return (
    <details className={styles.filters} open={isOpenAtFirst}>
      <summary>Narrow the companies (optional){set > 0 && `: ${set} set`}</summary>
      <div>
        <Answered question={vocabulary} loading="Loading filters">
          {offered =>
            fields.map(([name, label]) => (
              <FilterField
                key={name}
                label={label}
                options={offered[name]}
                chosen={filters[name] ?? []}
                onChange={values => onChange(withFilter(filters, name, values))}
              />
            ))
          }
        </Answered>
        <ChipInput
          label="Exclude companies"
          hint={`Up to ${limits.filterValuesMax} domains or website URLs. For more, use a list, for example of the companies in your CRM.`}
          values={filters.excluded_domains ?? []}
          onChange={values => onChange(withFilter(filters, 'excluded_domains', values))}
          split={splitDomains}
          faultOf={domainFault}
        />
        {lists.length > 0 && (
          <FilterField
            label="Exclude the companies on a list"
            options={lists}
            chosen={filters.excluded_saved_lists ?? []}
            onChange={values => onChange(withFilter(filters, 'excluded_saved_lists', values))}
          />
        )}
      </div>
    </details>
  );
}

interface FilterFieldProps {
  readonly label: string;
  readonly options: readonly PickerOption[];
  readonly chosen: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

function FilterField({ label, options, chosen, onChange }: FilterFieldProps) {
  return (
    <details className={styles.filter}>
      <summary>
        {label}
        {chosen.length > 0 && ` (${chosen.length})`}
      </summary>
      <div>
        {chosen.length > 0 && (
          <Chips name={`${label}: chosen`}>
            {chosen.map(value => (
              <Chip
                key={value}
                label={options.find(option => option.value === value)?.label ?? value}
                onRemove={() => onChange(chosen.filter(each => each !== value))}
              />
            ))}
          </Chips>
        )}
        <ValuePicker name={label} options={options} chosen={chosen} onChange={onChange} />
      </div>
    </details>
  );
}
