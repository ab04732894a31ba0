import { prices } from '@mailproof/shared-types';
import { ListChecks, MailSearch, UsersRound } from 'lucide-react';
import { $api } from '../../api/client.ts';
import { AnchorButton, LinkButton } from '../../design/button.tsx';
import { formatCredits } from '../../design/format.ts';
import { Card, Grid, Page } from '../../design/layout.tsx';
import { useSession } from '../../shell/session.ts';
import { CreditsCard, MonthCard, PlanCard } from './account-cards.tsx';
import styles from './home.module.css';
import { useRecentWork } from './recent-work.ts';
import { RecentWork } from './recent-work.tsx';

/** The home screen: the balance, the running work and the next steps. */
export function HomeScreen() {
  const { account } = useSession();
  const recent = useRecentWork();
  return (
    <Page
      title="Home"
      lead={account.name}
      actions={
        <LinkButton to="/check" look="primary">
          Check one address
        </LinkButton>
      }
    >
      {recent.isEmpty && <FirstSteps />}
      <Grid>
        <CreditsCard />
        <MonthCard />
        <PlanCard />
      </Grid>
      {!recent.isEmpty && <RecentWork recent={recent} />}
      <DevelopersCard />
    </Page>
  );
}

/** The three main tasks, for an account without any work. */
function FirstSteps() {
  return (
    <Card title="First steps">
      <ol className={styles.steps}>
        <li>
          <MailSearch size={26} aria-hidden />
          <h3>Check one address</h3>
          <p>
            Will mail to it arrive? Get a clear answer with the reason in seconds.{' '}
            {formatCredits(prices.validation)}, free if the result is unknown.
          </p>
          <LinkButton to="/check">Check one address</LinkButton>
        </li>
        <li>
          <ListChecks size={26} aria-hidden />
          <h3>Validate a list</h3>
          <p>A CSV file, or pasted addresses. You see the maximum price before you pay anything.</p>
          <LinkButton to="/validations/new">Validate a list</LinkButton>
        </li>
        <li>
          <UsersRound size={26} aria-hidden />
          <h3>Find people</h3>
          <p>
            Search by name, title, location, industry and company size. Searching is free; each person you
            save costs {formatCredits(prices.savedPerson)}.
          </p>
          <LinkButton to="/people/new">Find people</LinkButton>
        </li>
      </ol>
    </Card>
  );
}

/** An example API request, for developers. */
function DevelopersCard() {
  const { data: standing } = $api.useQuery('get', '/plan');
  const example = [
    `curl ${window.location.origin}/api/v1/validate-single-email \\`,
    `  -H 'X-Api-Key: …' -H 'Content-Type: application/json' \\`,
    `  -d '{"email": "ada@company.com"}'`,
  ].join('\n');
  return (
    <Card
      title="For developers"
      actions={
        <AnchorButton href="/docs/" target="_blank" rel="noreferrer">
          Open the documentation
        </AnchorButton>
      }
    >
      {standing?.plan.api_access === false ? (
        <p className={styles.soft}>
          Your plan has no API access. Upgrade to use Mailproof from your own programs.
        </p>
      ) : (
        <>
          <p className={styles.soft}>
            Use Mailproof from your own programs with the account’s API key. Owners can view it.
          </p>
          <pre className={styles.example}>{example}</pre>
        </>
      )}
    </Card>
  );
}
