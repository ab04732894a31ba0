import { limits } from '@mailproof/shared-types';
import { type FormEvent, useState } from 'react';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { ChipInput } from '../../design/chip-input.tsx';
import { TextInput } from '../../design/field.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { domainFault, splitDomains } from './domains.ts';
import { FilterFields } from './filter-fields.tsx';
import styles from './lookalikes.module.css';
import { domainFaults, type Question } from './question.ts';

interface QuestionFormProps {
  readonly question: Question;
  /** A new search has a name, too. */
  readonly isNew?: boolean;
  readonly verb: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSubmit: (asked: { name: string; question: Question }) => void;
}

/** What a search asks: whom matches are like, whom unlike, and which may be an answer. */
export function QuestionForm({ question, isNew, verb, busy, error, onSubmit }: QuestionFormProps) {
  const [name, setName] = useState('');
  const [seeds, setSeeds] = useState(question.seed_domains);
  const [unlike, setUnlike] = useState(question.unlike_domains);
  const [filters, setFilters] = useState(question.filters);
  const [sent, setSent] = useState(question);
  const [isTried, setTried] = useState(false);
  const problem = error ? asProblem(error) : undefined;
  const seedFaults = domainFaults(problem, 'seed_domains', sent.seed_domains);
  const unlikeFaults = domainFaults(problem, 'unlike_domains', sent.unlike_domains);
  const isUsable = [...seeds, ...unlike].every(domain => domainFault(domain) === undefined);
  const seedsError = isTried && seeds.length === 0 ? 'Name at least one company.' : tooMany(seeds);

  function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (seeds.length === 0 || seedsError || tooMany(unlike) || !isUsable) return;
    const asked = { seed_domains: seeds, unlike_domains: unlike, filters };
    setSent(asked);
    onSubmit({ name: name.trim() || suggestedName(seeds), question: asked });
  }
  return (
    <form onSubmit={submit} className={styles.form} noValidate>
      <ChipInput
        label="Like these companies"
        hint="Domains or addresses of their sites; paste as many as 25 at once."
        placeholder="ordinary.example"
        values={seeds}
        onChange={setSeeds}
        split={splitDomains}
        faultOf={domain => domainFault(domain) ?? seedFaults.get(domain)}
        error={seedsError}
      />
      <ChipInput
        label="Less like these (optional)"
        hint="Companies of a kind that you do not want; matches near to them go down."
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
          placeholder={suggestedName(seeds)}
          onChange={event => setName(event.target.value)}
        />
      )}
      {problem?.code === 'seed_not_found' && (
        <Notice tone="bad" title="None of these companies can be compared" alert>
          <span>The store does not hold them, or knows too few words about them. Name others.</span>
        </Notice>
      )}
      {problem && problem.code !== 'seed_not_found' && <Failure error={error} />}
      <Button type="submit" look="primary" busy={busy}>
        {verb}
      </Button>
    </form>
  );
}

function tooMany(domains: readonly string[]): string | undefined {
  return domains.length > limits.seedDomainsMax
    ? `${limits.seedDomainsMax} at most: remove ${domains.length - limits.seedDomainsMax}.`
    : undefined;
}

function suggestedName(seeds: readonly string[]): string {
  const [first, ...rest] = seeds;
  if (first === undefined) return 'Like our best customers';
  const name = `Like ${first}${rest.length > 0 ? ` and ${rest.length} more` : ''}`;
  return name.slice(0, limits.discoveryNameCharactersMax);
}
