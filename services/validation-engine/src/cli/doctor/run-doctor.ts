import { createAddressGuard } from '@mailproof/service-kit';
import { parseEmailAddress } from '@mailproof/shared-types';
import { composeExamination } from '../../compose/validation.ts';
import { loadValidationConfig, type ValidationConfig } from '../../config.ts';
import { blockLists } from '../../domain/standing/examination/block-lists.ts';
import { countFailed } from '../../domain/standing/examination/finding.ts';
import { judge } from '../../domain/standing/examination/judge.ts';
import {
  type ExaminationPorts,
  type LookAroundOptions,
  lookAround,
  probeDomainsDefault,
} from '../../domain/standing/examination/look-around.ts';
import { exitCodes, paint, type Terminal, UsageError, write } from '../terminal.ts';
import { toJson, toText } from './report.ts';

export interface DoctorOptions {
  readonly probeDomain?: readonly string[];
  readonly publicAddress?: string;
  readonly blocklists: boolean;
  readonly json?: true;
  readonly lab?: true;
}

/** Examines this machine, judges the findings, and reports them. Tests may replace the ports. */
export async function runDoctor(
  options: DoctorOptions,
  terminal: Terminal,
  overrides: Partial<ExaminationPorts> = {},
): Promise<number> {
  const config = loadValidationConfig(terminal.environment);
  const seen = await lookAround(
    { ...composeExamination(config), ...overrides },
    {
      probeDomains:
        options.probeDomain === undefined ? probeDomainsDefault : readProbeDomains(options.probeDomain),
      heloName: config.VALIDATION_HELO_NAME,
      publicAddress: readPublicAddress(options.publicAddress, config),
      blockLists: options.blocklists ? blockLists : [],
    },
    terminal.signal,
  );
  if (terminal.signal.aborted) {
    return exitCodes.interrupted;
  }
  const findings = judge(seen, {
    smtpPort: config.VALIDATION_SMTP_PORT,
    withBlockLists: options.blocklists,
  });
  const { stdout, environment } = terminal;
  await write(
    stdout,
    options.json
      ? toJson(findings)
      : toText(findings, config.VALIDATION_EVIDENCE_SOURCES, (text, color) =>
          paint(text, color, stdout, environment),
        ),
  );
  return countFailed(findings) > 0 ? exitCodes.bad : exitCodes.good;
}

function readProbeDomains(texts: readonly string[]): LookAroundOptions['probeDomains'] {
  const names = texts.map(text => {
    const parsed = parseEmailAddress(`postmaster@${text}`);
    if (!parsed.ok || parsed.value.domain.kind !== 'name') {
      throw new UsageError(`--probe-domain: "${text}" is not a valid domain.`);
    }
    return parsed.value.domain;
  });
  const [first, ...others] = names;
  if (first === undefined) {
    throw new UsageError('--probe-domain needs at least one domain.');
  }
  return [first, ...others];
}

/** Reads an address in normal form, to compare it with DNS. */
function readPublicAddress(text: string | undefined, config: ValidationConfig): string | undefined {
  if (text === undefined) {
    return undefined;
  }
  const guarded = createAddressGuard(config.VALIDATION_ALLOWED_PRIVATE_RANGES)(text);
  if (!guarded.allowed) {
    throw new UsageError(`--public-address: "${text}" is not a public IP address.`);
  }
  return guarded.address;
}
