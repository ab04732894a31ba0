import type { Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { Row } from '../../design/layout.tsx';
import { Monogram } from '../../design/monogram.tsx';
import { SelectCell, SelectShown } from '../../design/selection.tsx';
import { type Column, SiteLink } from '../../design/table.tsx';
import { employeesOf, wordsOf } from '../saved/words.ts';
import type { ValuesFilter } from './filter-fields.ts';
import styles from './searches.module.css';

type Person = Schema['PreviewedPerson'];
type Company = Schema['FoundCompany'];

export interface PersonRow extends Person {
  /** Whether to mark this person as synthetic. */
  readonly isMarked: boolean;
  readonly read: (name: ValuesFilter, value: string | null) => string;
}

export function idOf(found: Person | Company): string {
  return 'person_id' in found ? found.person_id : found.company_id;
}

const selectColumn: Column<Person | Company> = {
  id: 'select',
  header: 'Select',
  heading: <SelectShown />,
  width: '3.25rem',
  cell: found =>
    found.is_saved ? null : (
      <SelectCell id={idOf(found)} name={'person_id' in found ? found.name : found.company.name} />
    ),
};

const ofPeople: readonly Column<PersonRow>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 1.2fr)',
    cell: person => (
      <div className={styles.name}>
        <strong>{person.name}</strong>
        {(person.is_saved || person.isMarked) && (
          <Row>
            {person.is_saved && <Badge tone="good">Saved</Badge>}
            {person.isMarked && <Badge>Synthetic</Badge>}
          </Row>
        )}
      </div>
    ),
  },
  {
    id: 'title',
    header: 'Job title',
    width: 'minmax(10rem, 1.5fr)',
    cell: ({ job_title, seniority, department, read }) => (
      <div className={styles.name}>
        {job_title ?? '–'}
        <span>
          {[seniority && read('seniorities', seniority), department && read('departments', department)]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </div>
    ),
  },
  {
    id: 'company',
    header: 'Company',
    width: 'minmax(10rem, 1.5fr)',
    cell: ({ company, industry, company_size, read }) => (
      <div className={styles.company}>
        <Monogram name={company.name ?? company.domain ?? ''} />
        <div className={styles.name}>
          {company.name ?? company.domain ?? '–'}
          <span>
            {[industry && read('industries', industry), company_size && employeesOf(company_size)]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </div>
      </div>
    ),
  },
  {
    id: 'location',
    header: 'Location',
    width: 'minmax(7.5rem, 1fr)',
    cell: ({ location, read }) => (
      <div className={styles.name}>
        {location.city ?? location.region ?? read('countries', location.country)}
        {(location.city || location.region) && location.country && (
          <span>{read('countries', location.country)}</span>
        )}
      </div>
    ),
  },
];

const ofCompanies: readonly Column<Company>[] = [
  {
    id: 'name',
    header: 'Company',
    width: 'minmax(11rem, 1.5fr)',
    cell: ({ company, is_saved }) => (
      <div className={styles.company}>
        <Monogram name={company.name} />
        <div className={styles.name}>
          <strong>{company.name}</strong>
          {is_saved && <Badge tone="good">Saved</Badge>}
        </div>
      </div>
    ),
  },
  {
    id: 'domain',
    header: 'Domain',
    width: 'minmax(9.5rem, 1fr)',
    cell: ({ company }) => <SiteLink domain={company.domain} />,
  },
  {
    id: 'industry',
    header: 'Industry',
    width: 'minmax(8rem, 1fr)',
    cell: ({ industry }) => wordsOf(industry),
  },
  {
    id: 'description',
    header: 'Description',
    width: 'minmax(12rem, 2fr)',
    cell: ({ description, keywords }) => (
      <div className={styles.words}>{description ?? (keywords.join(', ') || '–')}</div>
    ),
  },
];

/** The columns of the preview, without and with a selection. */
export const previewColumns = {
  people: { shown: ofPeople, selectable: [selectColumn, ...ofPeople] },
  companies: { shown: ofCompanies, selectable: [selectColumn, ...ofCompanies] },
};
