import { useQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { savedListsQuery, useVocabulary } from '../../api/shared-queries.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Chip, Chips } from '../../design/chips.tsx';
import { Card } from '../../design/layout.tsx';
import { Notice } from '../../design/states.tsx';
import styles from './lookalikes.module.css';
import { type Filters, type QuestionChange, type View, withFilter, withText } from './question.ts';

interface QuestionCardProps {
  readonly view: View;
  readonly onAsk: ((change: QuestionChange, done: string) => void) | undefined;
}

/** The seeds and filters of a search, and whether each named company is used. */
export function QuestionCard({ view, onAsk }: QuestionCardProps) {
  // An earlier release sends no `seed_text`.
  const { seeds, unlike, seed_text: text = null, seed_text_fault: textFault = null } = view;
  const unused = [...seeds, ...unlike].flatMap(({ detail }) => detail ?? []);
  const faults = textFault === null ? unused : [...unused, textFault];
  const seedCount = seeds.length + (text === null ? 0 : 1);
  return (
    <Card
      title="Search"
      actions={
        onAsk && (
          <LinkButton
            to="/lookalikes/$searchId"
            params={{ searchId: view.search_id }}
            search={{ change: true }}
          >
            Change
          </LinkButton>
        )
      }
    >
      {seeds.length > 0 && (
        <NamedCompanies
          label="Like"
          companies={seeds}
          onRemove={
            onAsk && seedCount > 1
              ? domain =>
                  onAsk(
                    asked => ({ ...asked, seed_domains: asked.seed_domains.filter(each => each !== domain) }),
                    `${domain} removed from the seeds.`,
                  )
              : undefined
          }
        />
      )}
      {text !== null && (
        <Named label="Like this description" name="Description">
          {[
            <Chip
              key="text"
              label={text.length > textShownMax ? `${text.slice(0, textShownMax)}…` : text}
              fault={textFault ?? undefined}
              onRemove={
                onAsk && seedCount > 1
                  ? () => onAsk(asked => withText(asked, ''), 'Description removed.')
                  : undefined
              }
            />,
          ]}
        </Named>
      )}
      {unlike.length > 0 && (
        <NamedCompanies
          label="Less like"
          companies={unlike}
          onRemove={
            onAsk &&
            (domain =>
              onAsk(
                asked => ({ ...asked, unlike_domains: asked.unlike_domains.filter(each => each !== domain) }),
                `${domain} removed.`,
              ))
          }
        />
      )}
      <FilterChips
        filters={view.filters}
        onRemove={
          onAsk &&
          ((name, value) =>
            onAsk(({ filters, ...asked }) => {
              const rest = (filters[name] ?? []).filter(each => each !== value);
              return { ...asked, filters: withFilter(filters, name, rest) };
            }, 'Filter removed.'))
        }
      />
      {faults.length > 0 && (
        <Notice tone="caution" title={titleOfFaults(unused.length, textFault !== null)}>
          <ul>
            {faults.map(fault => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </Notice>
      )}
      {view.locked && (
        <p className={styles.locked}>
          <Lock size={16} aria-hidden />
          <span>
            The first run locked the seeds and filters, so that the next run continues where the last one
            ended. Create a new search to change them.
          </span>
        </p>
      )}
    </Card>
  );
}

function titleOfFaults(companies: number, isTextUnused: boolean): string {
  if (companies === 0) return 'The description is not used';
  const named = companies === 1 ? 'One company is not used' : `${companies} companies are not used`;
  return isTextUnused ? `${named}, nor is the description` : named;
}

interface NamedCompaniesProps {
  readonly label: string;
  readonly companies: View['seeds'];
  readonly onRemove: ((domain: string) => void) | undefined;
}

function NamedCompanies({ label, companies, onRemove }: NamedCompaniesProps) {
  return (
    <Named label={label} name={label}>
      {companies.map(({ domain, name, detail }) => (
        <Chip
          key={domain}
          label={name ? `${name} (${domain})` : domain}
          fault={detail ?? undefined}
          onRemove={onRemove && (() => onRemove(domain))}
        />
      ))}
    </Named>
  );
}

/** As much of the description as a line or two show. */
const textShownMax = 120;

/** Few enough that the first matches stay in sight. */
const chipsAtFirst = 4;

interface NamedProps {
  readonly label: string;
  /** The name of the list of chips. */
  readonly name: string;
  readonly children: readonly ReactNode[];
}

/** A label with its chips: the first few, until the user asks for all. */
function Named({ label, name, children }: NamedProps) {
  const [areAllShown, setAllShown] = useState(false);
  const isLong = children.length > chipsAtFirst + 1;
  const verb = areAllShown ? 'Show fewer' : `Show all ${children.length}`;
  return (
    <div className={styles.named}>
      <h3>{label}</h3>
      <Chips name={name}>{isLong && !areAllShown ? children.slice(0, chipsAtFirst) : children}</Chips>
      {isLong && (
        <Button
          look="quiet"
          aria-expanded={areAllShown}
          aria-label={`${verb}: ${label.toLowerCase()}`}
          onClick={() => setAllShown(!areAllShown)}
        >
          {verb}
        </Button>
      )}
    </div>
  );
}

const filterNames = {
  countries: 'Country',
  industries: 'Industry',
  company_sizes: 'Employees',
  revenues: 'Revenue',
  company_types: 'Type',
  excluded_domains: 'Excluded',
  excluded_saved_lists: 'Excluded list',
} as const satisfies Record<keyof Filters, string>;

interface FilterChipsProps {
  readonly filters: Filters;
  readonly onRemove: ((name: keyof Filters, value: string) => void) | undefined;
}

function FilterChips({ filters, onRemove }: FilterChipsProps) {
  const { data: vocabulary } = useVocabulary();
  const { data: lists = [] } = useQuery(savedListsQuery);
  const names = Object.keys(filterNames) as (keyof Filters)[];
  const chips = names.flatMap(name => (filters[name] ?? []).map(value => ({ name, value })));
  if (chips.length === 0) return null;
  function labelOf(name: keyof Filters, value: string): string {
    if (name === 'excluded_saved_lists') return lists.find(list => list.list_id === value)?.name ?? value;
    const options = name === 'excluded_domains' ? [] : (vocabulary?.[name] ?? []);
    return options.find(option => option.value === value)?.label ?? value;
  }
  return (
    <Named label="Only" name="Filters">
      {chips.map(({ name, value }) => (
        <Chip
          key={`${name} ${value}`}
          kind={filterNames[name]}
          label={labelOf(name, value)}
          onRemove={onRemove && (() => onRemove(name, value))}
        />
      ))}
    </Named>
  );
}
