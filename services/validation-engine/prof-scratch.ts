import { startMailLab, benchmarkCatalogue } from '@mailproof/mail-lab';
import { writeFileSync } from 'node:fs';
import { createEngineProber } from './bench/engine-prober.ts';
const size = { domains: 500, addresses: 10000, seed: 1 };
const catalogue = benchmarkCatalogue(size);
const lab = await startMailLab({ catalogue, roundTripMs: Number(process.argv[2] ?? 50) });
writeFileSync('/root/scratch/mine/ca.pem', lab.caCertificatePem);
const prober = createEngineProber({
  VALIDATION_DNS_SERVERS: lab.dnsServer, VALIDATION_ALLOWED_PRIVATE_RANGES: lab.allowedRanges.join(','),
  VALIDATION_SMTP_PORT: String(lab.smtpPort), VALIDATION_HTTPS_PORT: String(lab.httpsPort), VALIDATION_CA_FILE: '/root/scratch/mine/ca.pem',
  VALIDATION_HELO_NAME: 'b.example.org', VALIDATION_EVIDENCE_SOURCES: 'none' }, 1800000);
const list = catalogue.flatMap(d => d.expected.map(e => e.address)).map(a => [Math.random(), a] as const).sort((x,y)=>x[0]-y[0]).map(x=>x[1]);
const t = performance.now(); let i = 0;
const cpu0 = process.cpuUsage();
await Promise.all(Array.from({ length: 1000 }, async () => { while (i < list.length) { await prober.probe(list[i++]!); } }));
const s = (performance.now() - t) / 1000;
const counts = Object.values(lab.counts().smtp);
console.log(s.toFixed(1), 's', 'conns', counts.reduce((n, c) => n + c.connections, 0), 'cpu', process.cpuUsage(cpu0));
await prober.close(); await lab.close(); process.exit(0);
