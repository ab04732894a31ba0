/** Checks of the conformance suite that cannot pass here, with the reason. */
export interface ConformanceException {
  readonly reason: string;
  /** Names of scenarios, or `scenario:check` for a single check of a scenario whose other checks must pass. */
  readonly excused: readonly string[];
}

const testTools: ConformanceException = {
  reason: 'The scenario calls a tool that exists for the suite alone; ours are those of the product.',
  excused: [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-error',
    'tools-call-with-progress',
    'json-schema-2020-12',
  ],
};

const testResources: ConformanceException = {
  reason: 'The scenario reads a resource that exists for the suite alone; ours is the usage guide.',
  excused: ['resources-read-text', 'resources-read-binary', 'resources-templates-read'],
};

const testPrompts: ConformanceException = {
  reason: 'The scenario gets a prompt of the suite’s own server; the product has its own prompts.',
  excused: [
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
    'completion-complete',
  ],
};

/** By specification: everything else must pass, and these must fail. */
export const conformanceExceptions: Readonly<Record<string, readonly ConformanceException[]>> = {
  '2025-11-25': [
    testTools,
    testResources,
    testPrompts,
    {
      reason:
        'The scenario calls a tool of the suite’s own server that asks the client; our tools do not ask in this era.',
      excused: [
        'tools-call-with-logging',
        'tools-call-sampling',
        'tools-call-elicitation',
        'elicitation-sep1034-defaults',
        'elicitation-sep1330-enums',
      ],
    },
    {
      reason:
        'We declare neither logging nor subscriptions: nothing that we offer changes while a client is connected.',
      excused: ['logging-set-level', 'resources-subscribe', 'resources-unsubscribe'],
    },
    {
      reason: 'The server keeps no sessions, so the scenario examines nothing.',
      excused: ['server-session-lifecycle', 'server-sse-polling', 'server-sse-multiple-streams'],
    },
  ],
  '2026-07-28': [
    testTools,
    testResources,
    testPrompts,
    {
      reason: 'These checks need tools that log, ask back or miss a capability, for the suite alone.',
      excused: [
        'server-stateless:sep-2575-server-rejects-undeclared-capability',
        'server-stateless:sep-2575-missing-capability-http-400',
        'server-stateless:sep-2575-http-server-no-independent-requests-on-stream',
        'server-stateless:sep-2575-server-no-log-without-loglevel',
      ],
    },
    {
      reason: 'None of our tools takes an argument from a header.',
      excused: ['http-custom-header-server-validation'],
    },
    {
      reason:
        'The scenario calls a tool of the suite’s own server that asks the client; our tool asks after a hundred calls.',
      excused: [
        'input-required-result-basic-elicitation',
        'input-required-result-basic-sampling',
        'input-required-result-basic-list-roots',
        'input-required-result-request-state',
        'input-required-result-multiple-input-requests',
        'input-required-result-multi-round',
        'input-required-result-missing-input-response',
        'input-required-result-non-tool-request',
        'input-required-result-result-type',
        'input-required-result-tampered-state',
        'input-required-result-capability-check',
        'input-required-result-ignore-extra-params',
      ],
    },
  ],
};

/** Scenarios that need no special tool: each must run and pass, except for single checks that are excused above. */
export const conformanceRequired: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'prompts-list',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'server-stateless',
    'caching',
    'http-header-validation',
  ],
};
