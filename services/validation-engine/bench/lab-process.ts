import { benchmarkCatalog, type LabCounts, type MailLab, startMailLab } from '@mailproof/mail-lab';
import { createLoadMeter } from './load-meter.ts';
import type { LabAnswer, LabFigures, LabOrder, LabRequest } from './messages.ts';

/** Runs the lab in its own process, so that its memory and CPU time do not count for the prober. */

const complaintsShownMax = 5;

const meter = createLoadMeter();
let lab: MailLab | undefined;

process.on('message', async (request: LabRequest) => {
  switch (request.type) {
    case 'open':
      lab = await open(request);
      break;
    case 'begin':
      lab?.resetCounts();
      meter.restart();
      tell({ type: 'started' });
      break;
    case 'tell':
      if (lab) {
        tell({ type: 'told', figures: figuresOf(lab.counts()) });
      }
      break;
  }
});
// The closed channel ends the benchmark, however its parent ended.
process.once('disconnect', () => process.exit());

async function open({ size, roundTripMs }: LabOrder): Promise<MailLab> {
  const opened = await startMailLab({ catalog: benchmarkCatalog(size), roundTripMs });
  const { dnsServer, smtpPort, httpsPort, caCertificatePem, allowedRanges } = opened;
  tell({
    type: 'open',
    surroundings: { dnsServer, smtpPort, httpsPort, caCertificatePem, allowedRanges },
  });
  return opened;
}

function figuresOf({ dns, smtp, web, unscripted }: LabCounts): LabFigures {
  const hosts = Object.values(smtp);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const complaints = [...hosts.flatMap(({ violations }) => violations), ...unscripted];
  return {
    connections: sum(hosts.map(({ connections }) => connections)),
    roundTrips: sum(hosts.map(({ roundTrips }) => roundTrips)),
    sessionsOpen: sum(hosts.map(({ sessionsOpen }) => sessionsOpen)),
    sessionsPeakMax: Math.max(0, ...hosts.map(({ sessionsPeak }) => sessionsPeak)),
    recipientsAsked: sum(hosts.map(({ recipientsAsked }) => recipientsAsked)),
    dnsQueries: dns.queries,
    webRequests: sum(Object.values(web)),
    complaints: complaints.length,
    firstComplaints: complaints.slice(0, complaintsShownMax),
    load: meter.read(),
  };
}

function tell(answer: LabAnswer): void {
  process.send?.(answer);
}
