import type { Department } from '@mailproof/shared-types';
import { departments } from '@mailproof/shared-types/vocabularies';

/**
 * What determines a department, in three steps: the earlier step decides. A recruiter of engineers is in human
 * resources, and a sales representative for medical devices in sales: callings and functions decide before fields. An
 * analyst or a coordinator is named by their field, so such roles of any field decide last. Within a step, earlier
 * lines win.
 *
 * After `people` come words for what one person does (an engineer, a nurse), in other lines words for a function of
 * companies or a field (engineering, nursing). An indented line continues the one before. `a+b` needs both words.
 */
const callingsAndFunctions = `
operations: health+safety hse ehs
finance people: revenue+accountant sales+accountant accountant+marketing
sales_engineering people: sales+engineer sales+architect solutions+architect
sales_engineering: sales+engineering solutions+engineering solution+engineering
engineering people: data+steward agile+coach
creative people: host+radio host+television host+podcast
sales people: beauty+advisor jewelry+consultant counter+manager auctioneer fishmonger florist checkout+operator
fulfillment people: customs+broker
trade people: concrete+finisher drywall+finisher carpet+fitter kitchen+fitter window+fitter floor+fitter
education people: sports+coach athletic+coach football+coach tennis+coach swim+coach basketball+coach
  soccer+coach literacy+coach curriculum+engineer
health people: perfusionist orthotist prosthetist hospitalist intensivist doula denturist lactation+consultant
  wellness+coach hospital+porter coroner
education people: teacher+head principal+school principal+assistant principal+deputy principal+vice school_head
product people: product_owner
product: product+manager product+head product+director product+chief product+vice_president product+lead
  product_management
human_resources people: recruiting+specialist sourcer recruiter
human_resources: human_resources recruiting payroll talent compensation benefits staffing workforce
  learning_development chief+learning volunteer_matters training+manager training+coordinator
  training+specialist rewards
legal people: lawyer counsel of_counsel paralegal judge mediator arbitrator notary magistrate conveyancer
  prosecutor company_secretary
legal: legal compliance litigation patent conveyancing intellectual_property
health people: nurse physician surgeon dentist pharmacist therapist veterinarian caregiver paramedic midwife
  psychologist hygienist dietitian nutritionist optician optometrist chiropractor osteopath podiatrist
  phlebotomist carer radiographer sonographer audiologist matron anaesthetist home+help health+visitor
  care+assistant care+worker support+worker
education people: teacher professor lecturer tutor instructor dean librarian educator headmaster headmistress
  nanny au+pair childminder childcare+worker school+principal educationalist chancellor provost rector
  registrar bursar
hospitality people: hostess butler purser travel+representative doorman busser bellhop room+attendant chef
  cook waiter bartender barista concierge housekeeper sommelier hotelier baker+head caterer maid steward
  maitre host croupier porter+hotel stewardess tour+guide travel+agent flight+attendant
hospitality: front+desk room+service
public_service people: senator representative+state mayor congressman congresswoman minister ambassador
  diplomat councillor firefighter soldier legislator governor sheriff constable state_secretary consul
  detective social_worker civil_servant probation+officer prison+officer sergeant lieutenant colonel
  captain+army captain+fire captain+police major+army security_guard ranger warden alderman attache lobbyist
  ombudsman caseworker marshal postmaster jailer
public_service: police military army navy fire+officer customs+officer border+officer fire+chief
partnerships: partnerships partnership partner+manager alliances alliance partner+channel
  business_partner+channel ecosystem+partner partner+development partner+success
operations people: executive+assistant chief_of_staff
operations: revenue_operations sales_operations marketing_operations business_operations
support people: helpdesk+technician
support: support helpdesk help+desk customer+service customer+success customer+care service+desk call+centre
  customer+chief call+center contact+centre contact+center customer+experience
marketing people: content+strategist copywriter publicist marketer evangelist
marketing: product_marketing marketing seo sem public_relations communications advertising social+media
  planner+account membership ecommerce demand+generation growth brand content+manager lead+generation
  planner+media
sales people: salesperson salesman saleswoman cashier merchandiser account_executive seller telemarketer
  shop+assistant store+assistant retail+assistant shopkeeper
sales: sales account+executive account+manager account+director business_development revenue store+manager
  retail+manager presales account+head account+lead account+supervisor store+director
creative people: designer artist photographer writer editor illustrator animator musician journalist
  videographer actor filmmaker composer dancer singer author poet sculptor stylist curator choreographer
  cameraman comedian dj organist novelist colorist gaffer casting+director historian presenter newscaster
  newsreader broadcaster correspondent columnist anchor+news anchor+television proofreader dramaturg
  cinematographer publisher blogger youtuber producer+film producer+music producer+executive producer+video
  producer
creative: user_experience ui creative art+director
finance people: accountant auditor treasurer banker economist underwriter actuary trader cfo teller bookkeeper
  tax+advisor insurance+agent insurance+broker reinsurance+broker mortgage+broker mortgage+advisor
  financial_advisor claims+adjuster loss+adjuster loan+officer financier cost+estimator loan+processor
  mortgage+processor claims+processor controller+finance controller+group controller+plant controller+cost
finance: stock_broker revenue_cycle investment+banking equity+research finance accounts+payable
  accounts+receivable tax bookkeeping audit treasury
fulfillment people: driver courier dispatcher postman sailor seaman stevedore docker pilot packer picker
  loader porter storekeeper storeman trucker mover carrier
fulfillment: logistics warehouse shipping delivery+driver supply+chain forklift freight
professional_service people: realtor hairdresser barber translator interpreter beautician estate+agent
  housing+agent immigration+consultant surveyor
advisory people: non_executive+director trustee mentor
research people: scholar botanist astronomer cartographer conservator scientist researcher postdoc
  statistician chemist physicist mathematician data+scientist archivist
research: research research+development
trade people: zookeeper chimney+sweep lathe+operator dozer+operator excavator+operator groundskeeper
  greenkeeper electrician plumber carpenter mechanic mason roofer installer builder gardener joiner plasterer
  bricklayer glassblower jeweller jeweler potter glazier decorator landscaper scaffolder tiler groundsman
  handyman labourer locksmith layer farmer repairer erector linesman painter contractor insulator paver
  wireman roofer foreman+site jointer fixer forester fisherman
trade: hvac construction plumbing carpentry building+site site+manager
manufacturing people: machinist assembler welder fitter toolmaker moulder molder machine+operator
  plant+operator maker cutter grinder finisher polisher turner setter winder sewer spinner weaver dyer presser
  printer mixer miller plater caster miner driller butcher baker brewer tailor seamstress upholsterer sawyer
  cnc+operator production+operator fabricator trimmer smith blacksmith furnaceman boilermaker sorter filler
  stamper binder engraver stitcher processor preparer feeder burner dresser mounter roller
engineering people: engineer software+tester devops+specialist architect+software architect+cloud
  architect+enterprise architect sysadmin systems+administrator database+administrator network+administrator
  webmaster tester draughtsman draftsman bauzeichner hacker drafting developer_advocate scrum+master
  quality_assurance+analyst
engineering: engineering devops sre chief+technology chief+information chief+digital platform+lead
`;

const fields = `
analyst: data+analyst business+analyst business_intelligence reporting+analyst insights+analyst analytics
health: medical clinical dental nursing healthcare pharmacy hospital surgical psychiatric health+mental
  veterinary medicine rehab infection transplant hearing emergency+room emergency+department trauma
  revenue+medical caring hospice pharmacovigilance drug+safety mri eeg ecg radiologic sterile orderly
  diagnostic dietary nutrition ultrasound respiratory vascular cardiac dialysis prosthetic orthotic ambulance
  patient ward rehabilitation
education: preschool daycare academy literacy reading+specialist school teaching faculty education university
  college student_matters curriculum academic nursery kindergarten admissions library
hospitality: hotel restaurant housekeeping catering kitchen bar banquet guest cafe pub hospitality
  food+beverage cabin+crew leisure tourism travel
finance: banking investment credit portfolio wealth capital equity markets mortgage insurance underwriting
  funds actuarial trading securities mergers billing invoicing fund hedge venture claims bank loan loans
  investor+relations escrow title+officer corporate+development quant risk financial_planning accounts
  private_equity pensions
trade: electrical+technician electrical+foreman sprayer maintenance plumbing building painting roofing landscaping site+foreman
  site+supervisor carpentry
manufacturing: manufacturing plant factory fabrication assembly tooling machining machine mill foundry brewery
  lean steelworks furnace tannery refining boiler metal coal production quality+inspector quality+control
  quality+controller mining printing bakery
fulfillment: delivery transport transportation fleet distribution stock inventory dispatch dock postal railway
  airline
public_service: legislative congressional congress senate foreign+service code+enforcement forensic crime
  social+services case+manager government council municipal public+policy policy welfare housing+officer
  parliamentary community
engineering: software information_technology quality_assurance machine_learning artificial_intelligence
  front_end back_end full_stack infrastructure cloud security+information network cybersecurity technology
  scrum robotics data security+analyst security+application web technical+lead tech+lead hardware electronics
  systems computing
research people: agronomist
research: laboratory science lab biotechnology
creative: news camera design art film music theatre video media journalism editorial
product: product
sales: commercial retail
marketing: consumer_insights events+marketing content campaign campaigns communication
legal: law contracts+manager privacy regulatory
health people: clinician
health: care home+residential social+care health clinic fitness optical biomedical disability counselling
  mental wellness
finance people: adjuster appraiser actuary investor
finance: collections pension lending money+laundering fraud taxation payments+operations accounting
education: educational playgroup creche early+years youth+work childcare
public_service people: commissioner
public_service: immigration customs border federal election municipality ministry urban fire prison probation
  justice coastguard naval parliament youth social civil+service public+sector defence
hospitality: club museum tourist holiday cruise casino spa conference sports entertainment
creative: broadcasting television radio studio publishing press visual sound photography
engineering: computer electrical mechanical architectural telecommunications technical
fulfillment people: supply+planner demand+planner material+handler
fulfillment: traffic port ship shipment export import captain materials flight aviation
research: scientific innovation
marketing: events exhibition publicity influencer
support: telephone switchboard onboarding
trade people: rigger lineman crane+operator excavator+operator
trade: gas stone installation crane equipment vehicle vehicles elevator solar appliance automotive locksmith
  flooring mechanics
engineering people: drafter
engineering: building_information identity_access configuration civil structural chemical aerospace nuclear
  process+engineering
sales people: dealer
sales: leads territory key+accounts wholesale
manufacturing: process packaging textile textiles chemicals machinery cutting welding
human_resources: employee employees diversity inclusion hiring payrolls
partnerships: affiliate ecosystem reseller
finance: debt trust estates cash asset assets brokerage equities derivatives forex commodities leasing budget
  income financing economics cash+management procurement+finance
legal people: bailiff
legal: court governance ethics contract
human_resources: resourcing organizational culture wellbeing labor+relations industrial+relations
engineering: site_reliability embedded firmware platform application applications api database java python php
  android ios mobile sap erp salesforce oracle aws azure linux automation simulation cad gis iot testing test
  release networking telecom semiconductor mechatronics deployment
sales people: account+executive
sales people: key+holder
sales: produce grocery deli proposal tender deal+manager relationship+manager relationship+director
  customer+partner customer+executive customer+director customer+manager floor+manager market+access renewals
  deal+desk bid proposals merchandising gtm
marketing: ad loyalty insights spokesperson promoter demonstrator conversion promotions sponsorship audience
  newsletter crm copywriting
support: escalation escalations client+relations complaints implementation service+manager service+advisor
creative: vfx script theater location+manager casting graphic graphics animation illustration fashion makeup
  costume lighting stage orchestra gallery interior writing
health people: acupuncturist masseur masseuse
health: massage therapy icu surgery imaging blood
education people: invigilator
education: student elearning instructional campus course montessori
hospitality people: dishwasher lifeguard valet bellman
hospitality: laundry slot bingo theme+park camp recreation food wine reservations beverage resort venue
public_service people: priest pastor vicar imam rabbi chaplain
public_service: corrections correctional parole patrol intelligence embassy charity nonprofit fundraising
fulfillment people: traffic_controller
fulfillment: yard depot harbor harbour cold+storage goods+in load+planner route+planner stocker shelf rider
  bosun order+management parts receiving packing picking fulfillment fulfilment rail train bus taxi truck
  cargo airport aircraft mail
manufacturing: electroplating plating toolroom extruder kiln brewmaster distiller food+technologist line+lead scheduler
  quality+management refinery water+treatment wastewater bindery prepress extrusion injection molding moulding
  bottling sewing quality operator+line
trade: insulation parking_attendant farm agriculture agricultural horticulture zoo refrigeration heating
  glazing drywall concrete masonry paving fencing scaffolding demolition excavation pest+control repair
research: conservation biology chemistry physics genomics archaeology environmental
professional_service: language localization property salon funeral wedding translation letting
public_service: housing parks economic+development water+resources refugee refugees asylum emergency disaster outreach
  city county town borough township donor philanthropy
operations: workplace continuity crisis loss+prevention asset+protection security waste recycling
  sustainability safety records cleaning security_guard
`;

const rolesOfAnyField = `
sales: store shop merchandise category
analyst people: analyst
trade people: technician foreman superintendent
finance people: controller
education people: trainer
health people: counsellor
operations people: administrator secretary receptionist clerk typist cleaner caretaker
operations: operations procurement facilities administrative administration office project program
  general+manager
professional_service people: consultant broker agent coach engagement+manager
professional_service: consulting strategy+associate estate
operations: transformation improvement strategy change supplier vendor commodity planning+manager
advisory people: advisor
advisory: board chair advisory
`;

/** Roles that tell a level but no department: their field does. */
const otherPeople =
  'specialist coordinator representative officer executive business_partner worker operator operative attendant ' +
  'inspector helper planner practitioner professional estimator examiner buyer assessor strategist producer ' +
  'contractor collector generalist expert aide tech investigator guide scheduler registrar labourer technologist';

/** Words that tell a department. */
interface Tellers {
  readonly department: Department;
  readonly isOfPeople: boolean;
  readonly words: string;
}

const tellers = [callingsAndFunctions, fields, rolesOfAnyField].flatMap(readTellers);

function readTellers(step: string): Tellers[] {
  const lines = step
    .replace(/\n {2}/gu, ' ')
    .trim()
    .split('\n');
  return lines.map(line => {
    const [, name, people, words = ''] = /^(\w+)( people)?: (.*)$/u.exec(line) ?? [];
    const department = departments.find(each => each === name);
    if (department === undefined) {
      throw new Error(`This line names no department: ${line}`);
    }
    return { department, isOfPeople: people !== undefined, words };
  });
}

interface Test {
  readonly rank: number;
  readonly department: Department | undefined;
  readonly others: readonly string[];
}

/** Tests by the first of their words, so that only those of a title's words are made. */
function byFirstWord(
  telling: readonly { readonly words: string; readonly department?: Department }[],
): ReadonlyMap<string, Test[]> {
  const tests = new Map<string, Test[]>();
  const split = telling.flatMap(({ words, department }) =>
    words.split(' ').map(each => ({ department, words: each.split('+') })),
  );
  for (const [rank, { department, words }] of split.entries()) {
    const [first = '', ...others] = words;
    tests.set(first, [...(tests.get(first) ?? []), { rank, department, others }]);
  }
  return tests;
}

const departmentTests = byFirstWord(tellers);
const peopleTests = byFirstWord([...tellers.filter(({ isOfPeople }) => isOfPeople), { words: otherPeople }]);

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
export function namesPerson(words: ReadonlySet<string>): boolean {
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
