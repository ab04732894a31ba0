/** The arrows of the house: main → compose → {http, workers, adapters} → domain → shared-types. */
export default {
  forbidden: [
    {
      name: 'services-are-strangers',
      comment: 'Services talk over HTTP and never import each other.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/([^/]+)/', pathNot: '^services/$1/' },
    },
    {
      name: 'packages-know-no-service',
      comment: 'A package serves services; it cannot depend on one.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^services/' },
    },
    {
      name: 'shared-types-stand-alone',
      comment: 'Contracts depend on nothing of ours and run in a browser too.',
      severity: 'error',
      from: { path: '^packages/shared-types/src/', pathNot: '(\\.test\\.ts|/openapi/contract-list\\.ts)$' },
      to: { path: ['^packages/(?!shared-types/)', '^(node:|fs|net|http|crypto|path)'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'The knowledge of the field does no I/O: it declares ports, and adapters implement them.',
      severity: 'error',
      from: {
        path: '^(services/[^/]+/src/domain|packages/durable-work/src)/',
        pathNot: '(\\.test\\.ts$|/testing/|^packages/durable-work/src/(ledger|postgres)/)',
      },
      to: {
        path: [
          '^services/[^/]+/src/(adapters|http|workers|pages|ops|compose|config|setting-forms|events|main)',
          '^packages/(?!shared-types/|durable-work/src/(?!(ledger|postgres)/))',
          'node_modules/(express|@prisma|ioredis|bullmq|pg|undici|pino)(/|$)',
          '^(node:)?(net|tls|dgram|dns|http|https|http2|fs|child_process|process|worker_threads)(/|$)',
        ],
      },
    },
    {
      name: 'edges-do-not-meet',
      comment: 'http, workers and adapters meet in compose only.',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/(http|workers|adapters)/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^services/$1/src/(http|workers|adapters|pages|ops|compose|config|setting-forms|main)',
        pathNot: '^services/$1/src/$2/',
      },
    },
    {
      name: 'adapters-are-built-in-compose',
      comment: 'compose is the only place that builds adapters.',
      severity: 'error',
      from: {
        path: '^services/[^/]+/(src|bench)/',
        pathNot: '(^services/[^/]+/src/(compose(\\.ts|/)|adapters/)|\\.test\\.ts$)',
      },
      to: { path: '^services/[^/]+/src/adapters/' },
    },
    {
      name: 'web-app-knows-contracts-alone',
      comment: 'What runs in a browser shares facts with the services, and nothing that needs Node.',
      severity: 'error',
      from: { path: '^packages/web-app/src/', pathNot: '\\.test\\.ts$' },
      to: { path: ['^packages/(?!web-app/|shared-types/)', '^(node:|fs|net|http|crypto|path)'] },
    },
    {
      name: 'sdk-stands-alone',
      comment: 'Integrators install it without Mailproof and run it without Node.',
      severity: 'error',
      from: { path: '^packages/sdk-typescript/src/' },
      to: { path: ['^packages/(?!sdk-typescript/)', '^(node:|fs|net|http|crypto|path)'] },
    },
    {
      name: 'fixtures-are-asked-for',
      comment:
        'Invented records are loaded by an operator’s command, by tests and by benchmarks; no service runs on them.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/', pathNot: '(/src/(fixtures|ops)/|\\.test\\.ts$)' },
      to: { path: '^services/[^/]+/src/fixtures/' },
    },
    {
      name: 'no-cycles',
      comment: 'Files that need each other are one file, or lack a third.',
      severity: 'error',
      from: { pathNot: '/generated/' },
      to: { circular: true },
    },
    {
      name: 'no-lost-imports',
      comment: 'An import that cannot be resolved would escape every other rule.',
      severity: 'error',
      from: { pathNot: '/generated/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/generated/'] },
    exclude: { path: '/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
    combinedDependencies: true,
  },
};
