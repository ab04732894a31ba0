import { $api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Drawer } from '../../design/dialog.tsx';
import { formatMoment, formatNumber } from '../../design/format.ts';
import { WebLink } from '../../design/site-link.tsx';
import { Empty, Failure, Loading, Notice } from '../../design/states.tsx';
import styles from './saved.module.css';
import { type SourcedFact, SourcedFacts } from './sourced-facts.tsx';
import { moneyOf, placeOf, wordsOf } from './words.ts';

type Person = Schema['SavedPersonWithProvenance'];

interface PersonDrawerProps {
  readonly personId: string;
  readonly onClose: () => void;
}

/** A saved person, with the source of every field. */
export function PersonDrawer({ personId, onClose }: PersonDrawerProps) {
  const query = $api.useQuery('get', '/saved-people/{person_id}', {
    params: { path: { person_id: personId } },
  });
  const person = query.data;
  const isGone = query.isError && asProblem(query.error).code === 'saved_person_not_found';
  return (
    <Drawer
      title={person?.name ?? 'Saved person'}
      lead={person && leadOf(person)}
      open
      onOpenChange={onClose}
    >
      {query.isPending && <Loading name="Loading the person" lines={8} />}
      {isGone && (
        <Empty title="Not saved any more">They may have been removed, or asked to be left out.</Empty>
      )}
      {query.isError && !isGone && <Failure error={query.error} onRetry={query.refetch} />}
      {person && (
        <>
          {person.is_synthetic && (
            <Notice tone="caution" title="An invented person">
              <span>For demonstrations: nobody of this name was looked up.</span>
            </Notice>
          )}
          <h3>What is known, and who says so</h3>
          <SourcedFacts facts={factsOf(person)} />
          <p className={styles.soft}>
            Saved {formatMoment(person.saved_at)}. Records of people carry no email address.
          </p>
        </>
      )}
    </Drawer>
  );
}

function leadOf({ job_title, company }: Person): string | undefined {
  return [job_title, company.name].filter(Boolean).join(', ') || undefined;
}

function factsOf(person: Person): SourcedFact[] {
  const { provenance, follower_count, connection_count } = person;
  const fact = (field: string, name: string, value: SourcedFact['value']) => ({
    name,
    value,
    source: provenance[field],
  });
  return [
    fact('name', 'Name', person.name),
    fact('job_title', 'Job title', person.job_title),
    fact('headline', 'Headline', person.headline),
    fact('seniority', 'Seniority', wordsOf(person.seniority)),
    fact('department', 'Department', wordsOf(person.department)),
    fact('location', 'Place', placeOf(person.location)),
    fact('company', 'Company', [person.company.name, person.company.domain].filter(Boolean).join(', ')),
    fact('industry', 'Industry', person.industry),
    fact('company_size', 'Employees of the company', person.company_size),
    // The band follows from the number where that is known.
    ...(person.annual_revenue_usd === null
      ? [fact('revenue', 'Revenue of the company', person.revenue)]
      : [fact('annual_revenue_usd', 'Revenue of the company', moneyOf(person.annual_revenue_usd, null))]),
    fact('company_type', 'Kind of company', wordsOf(person.company_type)),
    fact('website', 'Website', <WebLink url={person.website} />),
    fact('profile_url', 'Profile', <WebLink url={person.profile_url} />),
    fact('follower_count', 'Followers', follower_count === null ? null : formatNumber(follower_count)),
    fact(
      'connection_count',
      'Connections',
      connection_count === null ? null : formatNumber(connection_count),
    ),
    fact('keywords', 'Keywords', person.keywords.join(', ')),
    fact('profile_badges', 'Marks of the network', person.profile_badges.join(', ')),
  ];
}
