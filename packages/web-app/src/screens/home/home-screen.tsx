import { useSession } from '../../api/session.ts';
import { LinkButton } from '../../design/button.tsx';
import { Grid, Page } from '../../design/layout.tsx';
import { CreditsCard } from './credits-card.tsx';
import { DevelopersCard } from './developers-card.tsx';
import { FirstSteps } from './first-steps.tsx';
import { MonthCard } from './month-card.tsx';
import { PlanCard } from './plan-card.tsx';
import { RecentWork } from './recent-work.tsx';
import { useRecentWork } from './use-recent-work.ts';

/** Where one begins: what there is to spend, what goes on, and what could be next. */
export function HomeScreen() {
  const { account } = useSession();
  const recent = useRecentWork();
  return (
    <Page
      title="Home"
      lead={account.name}
      actions={
        <LinkButton to="/check" look="primary">
          Check an address
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
