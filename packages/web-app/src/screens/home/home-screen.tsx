import { $api } from '../../api/client.ts';
import { AnchorButton, LinkButton } from '../../design/button.tsx';
import { Card, Grid, Page } from '../../design/layout.tsx';
import { useSession } from '../../shell/session.ts';
import { CreditsCard, MonthCard, PlanCard } from './account-cards.tsx';
import { FirstSteps } from './first-steps.tsx';
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
      <FirstSteps />
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
