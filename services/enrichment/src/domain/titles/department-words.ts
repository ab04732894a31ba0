import type { Department } from '@mailproof/shared-types';

/**
 * What determines a department, in three steps: the earlier step decides. A recruiter of engineers is in human
 * resources, and a sales representative for medical devices in sales: callings and functions decide before fields. An
 * analyst or a coordinator is named by their field, so such roles of any field decide last. Within a step, earlier
 * entries win. `a+b` needs both words.
 */
interface Tellers {
  readonly department: Department;
  /** Words for what one person does: an engineer, a nurse. */
  readonly people?: string;
  /** Words for a function of companies or a field: engineering, nursing. */
  readonly areas?: string;
}

const callingsAndFunctions: readonly Tellers[] = [
  { department: 'operations', areas: 'health+safety hse ehs' },
  { department: 'finance', people: 'revenue+accountant sales+accountant accountant+marketing' },
  { department: 'sales_engineering', people: 'sales+engineer sales+architect solutions+architect' },
  { department: 'sales_engineering', areas: 'sales+engineering solutions+engineering solution+engineering' },
  {
    department: 'education',
    people: 'teacher+head principal+school principal+assistant principal+deputy principal+vice school_head',
  },
  { department: 'product', people: 'product_owner', areas: 'product+manager product+head product+director' },
  { department: 'product', areas: 'product+chief product+vice_president product+lead product_management' },
  {
    department: 'human_resources',
    people: 'recruiting+specialist sourcer recruiter',
    areas:
      'human_resources recruiting payroll talent compensation benefits staffing workforce learning_development',
  },
  {
    department: 'human_resources',
    areas: 'volunteer_matters training+manager training+coordinator training+specialist rewards',
  },
  {
    department: 'legal',
    people:
      'lawyer counsel of_counsel paralegal judge notary magistrate conveyancer prosecutor company_secretary',
    areas: 'legal compliance litigation patent conveyancing',
  },
  {
    department: 'health',
    people:
      'nurse physician surgeon dentist pharmacist therapist veterinarian caregiver paramedic midwife psychologist',
  },
  {
    department: 'health',
    people:
      'hygienist dietitian nutritionist optician optometrist chiropractor osteopath podiatrist phlebotomist carer',
  },
  { department: 'health', people: 'radiographer sonographer audiologist matron anaesthetist home+help' },
  { department: 'health', people: 'health+visitor care+assistant care+worker support+worker' },
  {
    department: 'education',
    people: 'teacher professor lecturer tutor instructor dean librarian educator headmaster headmistress',
  },
  { department: 'education', people: 'nanny childminder childcare+worker school+principal educationalist' },
  {
    department: 'hospitality',
    people: 'chef cook waiter bartender barista concierge housekeeper sommelier hotelier baker+head',
  },
  { department: 'hospitality', people: 'caterer maid steward maitre host croupier porter+hotel stewardess' },
  { department: 'hospitality', people: 'tour+guide travel+agent flight+attendant', areas: 'front+desk' },
  {
    department: 'public_service',
    people:
      'senator representative+state mayor congressman congresswoman minister ambassador diplomat councillor',
  },
  {
    department: 'public_service',
    people: 'firefighter soldier legislator governor sheriff constable state_secretary consul detective',
  },
  {
    department: 'public_service',
    people: 'social_worker civil_servant probation+officer prison+officer sergeant lieutenant colonel',
  },
  {
    department: 'public_service',
    areas: 'police military army navy fire+officer customs+officer border+officer fire+chief',
    people: 'captain+army captain+fire captain+police major+army security_guard',
  },
  {
    department: 'partnerships',
    areas:
      'partnerships partnership partner+manager alliances alliance partner+channel business_partner+channel',
  },
  { department: 'partnerships', areas: 'ecosystem+partner partner+development partner+success' },
  {
    department: 'operations',
    people: 'executive+assistant chief_of_staff',
    areas: 'revenue_operations sales_operations marketing_operations business_operations',
  },
  {
    department: 'support',
    people: 'helpdesk+technician',
    areas:
      'support helpdesk help+desk customer+service customer+success customer+care service+desk call+centre customer+chief',
  },
  { department: 'support', areas: 'call+center contact+centre contact+center customer+experience' },
  {
    department: 'marketing',
    people: 'content+strategist copywriter publicist marketer evangelist',
    areas: 'product_marketing marketing seo sem public_relations communications advertising social+media',
  },
  {
    department: 'marketing',
    areas: 'ecommerce demand+generation growth brand content+manager lead+generation planner+media',
  },
  {
    department: 'sales',
    people: 'salesperson salesman saleswoman cashier merchandiser account_executive seller telemarketer',
  },
  {
    department: 'sales',
    people: 'shop+assistant store+assistant retail+assistant shopkeeper',
    areas: 'sales account+executive account+manager account+director business_development revenue',
  },
  {
    department: 'sales',
    areas: 'store+manager shop+manager retail+manager presales account+head account+lead',
  },
  {
    department: 'creative',
    people:
      'designer artist photographer writer editor illustrator animator musician journalist videographer actor',
  },
  {
    department: 'creative',
    people: 'filmmaker composer dancer singer author poet sculptor stylist curator choreographer cameraman',
    areas: 'user_experience ui creative art+director',
  },
  {
    department: 'creative',
    people: 'producer+film producer+music producer+executive producer+video producer',
  },
  {
    department: 'finance',
    people:
      'accountant auditor treasurer banker economist underwriter actuary trader cfo teller stockbroker bookkeeper',
  },
  {
    department: 'finance',
    people:
      'tax+advisor insurance+agent insurance+broker reinsurance+broker mortgage+broker mortgage+advisor financial_advisor',
  },
  {
    department: 'finance',
    people: 'claims+adjuster loss+adjuster loan+officer financier cost+estimator',
    areas: 'investment+banking finance accounts+payable accounts+receivable tax bookkeeping audit treasury',
  },
  { department: 'finance', people: 'controller+finance controller+group controller+plant controller+cost' },
  {
    department: 'fulfillment',
    people: 'driver courier dispatcher postman sailor seaman stevedore docker pilot',
  },
  {
    department: 'fulfillment',
    people: 'packer picker loader porter storekeeper storeman trucker mover carrier',
    areas: 'logistics warehouse shipping delivery+driver supply+chain forklift freight',
  },
  {
    department: 'professional_service',
    people: 'realtor hairdresser barber translator interpreter beautician',
  },
  {
    department: 'professional_service',
    people: 'estate+agent housing+agent immigration+consultant surveyor',
  },
  { department: 'advisory', people: 'non_executive+director trustee mentor' },
  {
    department: 'research',
    people:
      'scientist researcher postdoc statistician chemist physicist mathematician data+scientist archivist',
    areas: 'research research+development',
  },
  {
    department: 'trade',
    people: 'electrician plumber carpenter mechanic mason roofer installer builder gardener joiner plasterer',
  },
  {
    department: 'trade',
    people:
      'bricklayer glazier decorator landscaper scaffolder tiler groundsman handyman labourer locksmith layer farmer',
  },
  {
    department: 'trade',
    people:
      'repairer erector linesman painter contractor insulator paver wireman roofer foreman+site jointer fixer forester fisherman',
    areas: 'hvac construction plumbing carpentry building+site site+manager',
  },
  {
    department: 'manufacturing',
    people:
      'machinist assembler welder fitter toolmaker moulder molder machine+operator plant+operator maker',
  },
  {
    department: 'manufacturing',
    people: 'cutter grinder finisher polisher turner setter winder sewer spinner weaver dyer presser printer',
  },
  {
    department: 'manufacturing',
    people:
      'mixer miller plater caster miner driller butcher baker brewer tailor seamstress upholsterer sawyer',
  },
  {
    department: 'manufacturing',
    people:
      'cnc+operator production+operator fabricator trimmer smith blacksmith furnaceman boilermaker sorter',
  },
  {
    department: 'manufacturing',
    people: 'filler stamper binder engraver stitcher processor preparer feeder burner dresser mounter roller',
  },
  {
    department: 'engineering',
    people:
      'engineer software+tester devops+specialist architect+software architect+cloud architect+enterprise',
  },
  {
    department: 'engineering',
    people: 'architect sysadmin systems+administrator database+administrator network+administrator webmaster',
    areas: 'engineering devops sre chief+technology chief+information platform+lead',
  },
  {
    department: 'engineering',
    people: 'tester draughtsman draftsman developer_advocate scrum+master quality_assurance+analyst',
  },
];

const fields: readonly Tellers[] = [
  {
    department: 'analyst',
    areas: 'data+analyst business+analyst business_intelligence reporting+analyst insights+analyst analytics',
  },
  {
    department: 'health',
    areas: 'medical clinical dental nursing healthcare pharmacy hospital surgical psychiatric health+mental',
  },
  { department: 'health', areas: 'veterinary caring hospice ambulance patient ward rehabilitation' },
  { department: 'education', areas: 'school teaching faculty education university college student_matters' },
  { department: 'education', areas: 'curriculum academic nursery kindergarten admissions library' },
  {
    department: 'hospitality',
    areas:
      'hotel restaurant housekeeping catering kitchen bar banquet guest cafe pub hospitality food+beverage',
  },
  { department: 'hospitality', areas: 'cabin+crew leisure tourism travel' },
  {
    department: 'finance',
    areas:
      'banking investment credit portfolio wealth capital equity markets mortgage insurance underwriting funds',
  },
  {
    department: 'finance',
    areas: 'actuarial trading securities mergers billing invoicing fund hedge venture claims bank loan loans',
  },
  {
    department: 'finance',
    areas: 'investor+relations risk financial_planning accounts private_equity pensions',
  },
  {
    department: 'trade',
    areas: 'electrical+technician maintenance plumbing building painting roofing landscaping',
  },
  { department: 'trade', areas: 'site+foreman site+supervisor carpentry' },
  {
    department: 'manufacturing',
    areas:
      'manufacturing plant factory fabrication assembly tooling machining machine mill foundry brewery lean',
  },
  { department: 'manufacturing', areas: 'steelworks furnace tannery refining boiler metal coal' },
  {
    department: 'manufacturing',
    areas: 'production quality+inspector quality+control quality+controller mining printing bakery',
  },
  {
    department: 'fulfillment',
    areas:
      'delivery transport transportation fleet distribution stock inventory dispatch dock postal railway airline',
  },
  {
    department: 'public_service',
    areas:
      'government council municipal public+policy policy welfare housing+officer parliamentary community',
  },
  {
    department: 'engineering',
    areas:
      'software information_technology quality_assurance machine_learning artificial_intelligence front_end back_end',
  },
  {
    department: 'engineering',
    areas:
      'full_stack infrastructure cloud security+information network cybersecurity technology scrum robotics',
  },
  {
    department: 'engineering',
    areas:
      'data security+analyst security+application web technical+lead tech+lead hardware electronics systems computing',
  },
  { department: 'research', areas: 'laboratory science lab biotechnology' },
  { department: 'creative', areas: 'design art film music theatre video media journalism editorial' },
  { department: 'product', areas: 'product' },
  { department: 'sales', areas: 'commercial retail' },
  { department: 'marketing', areas: 'events+marketing content campaign campaigns communication' },
  { department: 'legal', areas: 'law contracts+manager privacy regulatory' },
  {
    department: 'health',
    people: 'clinician',
    areas: 'care home+residential social+care health clinic fitness optical',
  },
  { department: 'health', areas: 'biomedical disability counselling mental wellness' },
  {
    department: 'finance',
    people: 'adjuster appraiser actuary investor',
    areas: 'collections pension lending',
  },
  { department: 'finance', areas: 'money+laundering fraud taxation payments+operations accounting' },
  { department: 'education', areas: 'educational playgroup creche early+years youth+work childcare' },
  {
    department: 'public_service',
    people: 'commissioner',
    areas:
      'immigration customs border federal election municipality ministry urban fire prison probation justice coastguard naval parliament youth social civil+service public+sector defence',
  },
  {
    department: 'hospitality',
    areas: 'club museum tourist holiday cruise casino spa conference sports entertainment',
  },
  {
    department: 'creative',
    areas: 'broadcasting television radio studio publishing press visual sound photography',
  },
  {
    department: 'engineering',
    areas: 'computer electrical mechanical architectural telecommunications technical',
  },
  {
    department: 'fulfillment',
    people: 'supply+planner demand+planner material+handler',
    areas: 'traffic port ship shipment export import captain materials flight aviation',
  },
  { department: 'research', areas: 'scientific innovation' },
  { department: 'marketing', areas: 'events exhibition publicity influencer' },
  { department: 'support', areas: 'telephone switchboard onboarding' },
  {
    department: 'trade',
    people: 'rigger lineman crane+operator excavator+operator',
    areas: 'gas stone installation crane',
  },
  {
    department: 'trade',
    areas: 'equipment vehicle vehicles elevator solar appliance automotive locksmith flooring mechanics',
  },
  {
    department: 'engineering',
    people: 'drafter',
    areas: 'civil structural chemical aerospace nuclear process+engineering',
  },
  { department: 'sales', people: 'dealer', areas: 'leads territory key+accounts wholesale' },
  {
    department: 'manufacturing',
    areas: 'process packaging textile textiles chemicals machinery cutting welding',
  },
  { department: 'human_resources', areas: 'employee employees diversity inclusion hiring payrolls' },
  { department: 'partnerships', areas: 'affiliate ecosystem reseller' },
  {
    department: 'finance',
    areas: 'asset assets brokerage equities derivatives forex commodities leasing budget income',
  },
  { department: 'finance', areas: 'financing economics cash+management procurement+finance' },
  { department: 'legal', people: 'bailiff', areas: 'court governance ethics contract' },
  { department: 'human_resources', areas: 'culture wellbeing labor+relations industrial+relations' },
  {
    department: 'engineering',
    areas:
      'site_reliability embedded firmware platform application applications api database java python php android ios',
  },
  {
    department: 'engineering',
    areas:
      'mobile sap erp salesforce oracle aws azure linux automation simulation cad gis iot testing test release',
  },
  { department: 'engineering', areas: 'networking telecom semiconductor mechatronics deployment' },
  {
    department: 'sales',
    people: 'account+executive',
    areas: 'renewals deal+desk bid proposals merchandising gtm',
  },
  {
    department: 'marketing',
    areas: 'conversion promotions sponsorship audience newsletter crm copywriting',
  },
  {
    department: 'support',
    areas: 'client+relations complaints implementation service+manager service+advisor',
  },
  {
    department: 'creative',
    areas: 'graphic graphics animation illustration fashion makeup costume lighting stage',
  },
  { department: 'creative', areas: 'orchestra gallery interior writing' },
  {
    department: 'health',
    people: 'acupuncturist masseur masseuse',
    areas: 'massage therapy icu surgery imaging blood',
  },
  {
    department: 'education',
    people: 'invigilator',
    areas: 'student elearning instructional campus course montessori',
  },
  {
    department: 'hospitality',
    people: 'dishwasher lifeguard valet bellman',
    areas: 'reservations beverage resort venue',
  },
  {
    department: 'public_service',
    people: 'priest pastor vicar imam rabbi chaplain',
    areas: 'corrections correctional parole patrol intelligence embassy charity nonprofit fundraising',
  },
  {
    department: 'fulfillment',
    people: 'traffic_controller',
    areas:
      'receiving packing picking fulfillment fulfilment rail train bus taxi truck cargo airport aircraft mail',
  },
  {
    department: 'manufacturing',
    areas: 'extrusion injection molding moulding bottling sewing quality operator+line',
  },
  {
    department: 'trade',
    areas: 'refrigeration heating glazing drywall concrete masonry paving fencing scaffolding',
  },
  { department: 'trade', areas: 'demolition excavation pest+control repair' },
  { department: 'research', areas: 'biology chemistry physics genomics archaeology environmental' },
  { department: 'professional_service', areas: 'property salon funeral wedding translation letting' },
  { department: 'operations', areas: 'sustainability safety records cleaning security_guard' },
];

const rolesOfAnyField: readonly Tellers[] = [
  { department: 'analyst', people: 'analyst' },
  { department: 'trade', people: 'technician' },
  { department: 'finance', people: 'controller' },
  { department: 'education', people: 'trainer' },
  { department: 'health', people: 'counsellor' },
  {
    department: 'operations',
    people: 'administrator secretary receptionist clerk typist cleaner caretaker',
    areas:
      'operations procurement facilities administrative administration office project program general+manager',
  },
  {
    department: 'professional_service',
    people: 'consultant broker agent coach engagement+manager',
    areas: 'consulting strategy+associate estate',
  },
  { department: 'operations', areas: 'transformation improvement' },
  {
    department: 'advisory',
    people: 'advisor',
    areas: 'board chair advisory',
  },
];

/** Roles that tell a level but no department: their field does. */
const otherPeople =
  'specialist coordinator representative officer executive business_partner worker operator operative attendant ' +
  'inspector helper planner practitioner professional estimator examiner buyer assessor strategist producer ' +
  'contractor collector generalist expert aide tech investigator guide scheduler registrar labourer technologist';

const steps = [callingsAndFunctions, fields, rolesOfAnyField].flat();

interface Test {
  readonly rank: number;
  readonly department: Department | undefined;
  readonly others: readonly string[];
}

/** Tests by the first of their words, so that only those of a title's words are made. */
function byFirstWord(
  tellers: readonly (readonly [words: string, Department?])[],
): ReadonlyMap<string, Test[]> {
  const tests = new Map<string, Test[]>();
  const split = tellers.flatMap(([words, department]) =>
    words
      .split(' ')
      .filter(Boolean)
      .map(each => ({ department, words: each.split('+') })),
  );
  for (const [rank, { department, words }] of split.entries()) {
    const [first = '', ...others] = words;
    tests.set(first, [...(tests.get(first) ?? []), { rank, department, others }]);
  }
  return tests;
}

const departmentTests = byFirstWord(
  steps.map(({ department, people = '', areas = '' }) => [`${people} ${areas}`, department] as const),
);
const peopleTests = byFirstWord([...steps.map(({ people = '' }) => [people] as const), [otherPeople]]);

/** The words that are known, each alone. */
export const wordsThatTell: ReadonlySet<string> = new Set(
  [departmentTests, peopleTests].flatMap(tests =>
    [...tests].flatMap(([first, each]) => [first, ...each.flatMap(({ others }) => others)]),
  ),
);

/** The words that name a person alone: `nurse`. */
export const wordsForPeople: ReadonlySet<string> = new Set(
  [...peopleTests]
    .filter(([, tests]) => tests.some(({ others }) => others.length === 0))
    .map(([word]) => word),
);

export function departmentOfWords(words: ReadonlySet<string>): Department | null {
  return firstPassed(departmentTests, words)?.department ?? null;
}

/** Whether the words say what one person does, and not only the field: `engineer`, but not `engineering`. */
export function namePerson(words: ReadonlySet<string>): boolean {
  return firstPassed(peopleTests, words) !== undefined;
}

function firstPassed(
  tests: ReadonlyMap<string, readonly Test[]>,
  words: ReadonlySet<string>,
): Test | undefined {
  let found: Test | undefined;
  for (const word of words) {
    for (const test of tests.get(word) ?? []) {
      if ((found === undefined || test.rank < found.rank) && test.others.every(other => words.has(other))) {
        found = test;
      }
    }
  }
  return found;
}
