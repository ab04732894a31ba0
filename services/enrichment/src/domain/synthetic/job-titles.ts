import type { Department, Seniority } from '@mailproof/shared-types';

interface Role {
  readonly weight: number;
  readonly department: Department;
  /** What the head of it is called in the board, if there is one there. */
  readonly chief?: string;
  /** What is led: `Head of …`, `VP of …`. */
  readonly field: string;
  /** What the one who does the work is called. */
  readonly workers: readonly [string, ...string[]];
  readonly keywords: readonly string[];
}

function role(
  weight: number,
  department: Department,
  field: string,
  workers: string,
  keywords: string,
  chief?: string,
): Role {
  return {
    weight,
    department,
    field,
    workers: workers.split('|') as unknown as readonly [string, ...string[]],
    keywords: keywords.split('|'),
    ...(chief !== undefined && { chief }),
  };
}

export const roles: readonly [Role, ...Role[]] = [
  role(
    18,
    'engineering',
    'Engineering',
    'Software Engineer|Backend Engineer|Frontend Developer|DevOps Engineer|Data Engineer|QA Engineer|Site Reliability Engineer',
    'typescript|kubernetes|distributed systems|postgres|python|cloud',
    'Chief Technology Officer',
  ),
  role(
    5,
    'engineering',
    'Mechanical Engineering',
    'Mechanical Engineer|Electrical Engineer|Process Engineer|Design Engineer',
    'cad|automation|reliability',
  ),
  role(
    14,
    'sales',
    'Sales',
    'Account Executive|Sales Representative|Business Development Representative|Account Manager',
    'b2b sales|pipeline|negotiation|crm',
    'Chief Revenue Officer',
  ),
  role(
    9,
    'marketing',
    'Marketing',
    'Marketing Specialist|Content Marketer|SEO Specialist|Growth Marketer',
    'demand generation|brand|seo|analytics',
    'Chief Marketing Officer',
  ),
  role(
    8,
    'operations',
    'Operations',
    'Operations Specialist|Operations Coordinator|Supply Chain Planner',
    'process improvement|lean|planning',
    'Chief Operating Officer',
  ),
  role(
    8,
    'finance',
    'Finance',
    'Accountant|Financial Controller|Treasury Specialist',
    'forecasting|audit|ifrs',
    'Chief Financial Officer',
  ),
  role(
    6,
    'human_resources',
    'People',
    'Recruiter|HR Generalist|Talent Partner',
    'hiring|onboarding|compensation',
    'Chief People Officer',
  ),
  role(
    6,
    'product',
    'Product',
    'Product Owner|Product Designer',
    'roadmap|user research|discovery',
    'Chief Product Officer',
  ),
  role(
    5,
    'support',
    'Customer Support',
    'Support Specialist|Customer Success Associate|Technical Support Engineer',
    'customer success|ticketing|retention',
    'Chief Customer Officer',
  ),
  role(
    4,
    'analyst',
    'Analytics',
    'Data Analyst|Business Analyst|Data Scientist',
    'sql|dashboards|statistics',
    'Chief Data Officer',
  ),
  role(
    3,
    'legal',
    'Legal',
    'Legal Counsel|Paralegal|Compliance Officer',
    'contracts|compliance|gdpr',
    'Chief Legal Officer',
  ),
  role(
    3,
    'creative',
    'Design',
    'Graphic Designer|Copywriter|Art Director',
    'branding|illustration|typography',
    'Chief Creative Officer',
  ),
  role(
    3,
    'research',
    'Research',
    'Research Scientist|Research Associate',
    'clinical trials|experiments|publications',
    'Chief Scientific Officer',
  ),
  role(
    2,
    'partnerships',
    'Partnerships',
    'Partner Account Lead|Alliances Specialist',
    'alliances|channel|ecosystem',
  ),
  role(
    2,
    'sales_engineering',
    'Solutions Engineering',
    'Sales Engineer|Solutions Architect',
    'demos|integration|proof of concept',
  ),
  role(
    3,
    'manufacturing',
    'Manufacturing',
    'Production Planner|Quality Inspector|Plant Technician',
    'six sigma|quality|safety',
  ),
  role(
    2,
    'fulfillment',
    'Logistics',
    'Warehouse Coordinator|Dispatch Planner',
    'inventory|freight|last mile',
  ),
  role(
    3,
    'health',
    'Clinical Services',
    'Registered Nurse|Pharmacist|Physician',
    'patient care|clinical|safety',
    'Chief Medical Officer',
  ),
  role(
    2,
    'education',
    'Learning',
    'Instructional Designer|Lecturer|Trainer',
    'curriculum|coaching|e-learning',
  ),
  role(1, 'hospitality', 'Guest Services', 'Concierge|Event Planner|Chef', 'guest experience|events'),
  role(
    2,
    'professional_service',
    'Consulting',
    'Consultant|Implementation Specialist',
    'change projects|workshops|advisory',
  ),
];

interface Rank {
  readonly weight: number;
  readonly seniority: Seniority;
  readonly title: (role: Role, worker: string) => string;
}

/** From the many who do the work to the few who lead it. */
export const ranks: readonly [Rank, ...Rank[]] = [
  { weight: 30, seniority: 'entry', title: (_, worker) => worker },
  { weight: 24, seniority: 'senior', title: (_, worker) => `Senior ${worker}` },
  { weight: 5, seniority: 'senior', title: (_, worker) => `Lead ${worker}` },
  { weight: 18, seniority: 'manager', title: ({ field }) => `${field} Manager` },
  { weight: 5, seniority: 'director', title: ({ field }) => `Head of ${field}` },
  { weight: 7, seniority: 'director', title: ({ field }) => `Director of ${field}` },
  { weight: 4, seniority: 'vp', title: ({ field }) => `VP of ${field}` },
  { weight: 3, seniority: 'cxo', title: ({ chief, field }) => chief ?? `Director of ${field}` },
  { weight: 3, seniority: 'training', title: ({ field }) => `${field} Intern` },
];

interface Leader {
  readonly title: string;
  readonly seniority: Seniority;
}

/** Who leads the whole house; small ones have owners. */
export const leaders: Readonly<Record<'small' | 'large', readonly [Leader, ...Leader[]]>> = {
  small: [
    { title: 'Founder & CEO', seniority: 'cxo' },
    { title: 'Owner', seniority: 'owner' },
    { title: 'Managing Partner', seniority: 'partner' },
    { title: 'Co-Founder', seniority: 'owner' },
  ],
  large: [
    { title: 'Chief Executive Officer', seniority: 'cxo' },
    { title: 'President', seniority: 'cxo' },
    { title: 'Managing Director', seniority: 'director' },
  ],
};
