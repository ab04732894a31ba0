/**
 * Synonymous phrases of job titles: the phrases after the colon are read as the words before it. An indented line
 * continues the one before, and a phrase that is listed twice has its last meaning. Words are already folded: lower
 * case, without accents and punctuation. A word with an underscore replaces a whole phrase, so that its parts do not
 * match on their own: a search for presidents does not match vice presidents.
 */
const phrasesByMeaning = `
# Ranks.
chief_executive: ceo, chief executive officer, chief executive, chief exec, geschaftsfuhrer,
  geschaftsfuhrerin, geschaftsfuhrender gesellschafter, vorstandsvorsitzender, vorstandsvorsitzende, directeur
  general, directrice generale, pdg, president directeur general, director general, directora general,
  consejero delegado, consejera delegada, amministratore delegato, amministratrice delegata, algemeen
  directeur, diretor geral, diretora geral
chief finance: cfo, chief financial officer, chief finance officer, chief financial, finanzvorstand
chief technology: cto, chief technology officer, chief technical officer, chief technologist
chief operations: coo, chief operating officer, chief operations officer, chief operating
chief marketing: cmo, chief marketing officer
chief information: cio, chief information officer
chief information security: ciso, chief information security officer
chief human_resources: chro, chief human resources officer, chief people officer, chief hr officer
chief revenue: cro, chief revenue officer
chief product: chief product officer
chief_of_staff: chief of staff
vice_president: vp, v p, vice president, vice pres, vizeprasident, vizeprasidentin, vice presidente
senior vice_president: svp, snr vp, senior vp
executive vice_president: evp
assistant_vice vice_president: avp, assistant vice president
director: dir, direktor, direktorin, directeur, directrice, directora, direttore, direttrice, diretor,
  diretora, bereichsleiter, bereichsleiterin
head: head of, leiter, leiterin, leitung, abteilungsleiter, abteilungsleiterin, hoofd, chef de service, chef
  du service
manager: mgr, managerin, gerente, responsable, responsabile
general manager: gm, general mgr
lead: leader, team lead, team leader, teamlead, leading, teamleiter, teamleiterin, tl
senior: sr, snr
junior: jr, jnr
associate: assoc
assistant: asst, assistent, assistentin, assistante, asistente, assistente, pa
executive assistant: exec assistant, personal assistant
secretary: sekretar, sekretarin, secretaire, secretaria, segretaria
executive: exec, ejecutivo, ejecutiva
founder: co founder, cofounder, founding partner, fondateur, fondatrice, cofondateur, cofondatrice, grunder,
  grunderin, mitgrunder, mitgrunderin, fundador, fundadora, cofundador, cofundadora, fondatore, co fondateur,
  co fondatrice
owner: proprietor, co owner, business owner, inhaber, inhaberin, proprietaire, gerant, propietario,
  propietaria, titolare, dueno, duena, eigenaar
product_owner: product owner
business_partner: business partner
chair: chairman, chairwoman, chairperson, chair of the board, chairman of the board
# Former or future holders.
former: ex, formerly, past, ehemaliger, ehemalige, ancien, ancienne
retired: rentner, pensioner, retraite, jubilado, im ruhestand
aspiring: future, wannabe
intern: internship, praktikant, praktikantin, stagiaire, becario, becaria, tirocinante, stagista
trainee: apprentice, in training, azubi, auszubildender, auszubildende, apprenti, apprentie, aprendiz
student: working student, werkstudent, werkstudentin, etudiant, etudiante, estudiante
volunteer: ehrenamtlich, ehrenamtlicher, ehrenamtliche, benevole, voluntario, voluntaria, volontario
# Departments.
human_resources: hr, human resources, human resource, people, people operations, people ops, people and
  culture, people culture, personnel, ressources humaines, rh, recursos humanos, rrhh, risorse umane,
  personalwesen
human_resources head: personalleiter, personalleiterin, drh, directeur des ressources humaines
recruiting: recruiter, recruitment, talent acquisition, headhunter, recruteur, recruteuse
engineer: dev, developer, programmer, coder, entwickler, entwicklerin, ingenieur, ingenieurin, ingenieure,
  developpeur, developpeuse, desarrollador, desarrolladora, sviluppatore, sviluppatrice, programmierer,
  programmiererin, programador, programadora, ingeniero, ingeniera, ingegnere, ontwikkelaar, desenvolvedor,
  desenvolvedora
software engineer: swe, sde, softwareentwickler, softwareentwicklerin, softwareingenieur
front_end: frontend, front end
back_end: backend, back end
full_stack: fullstack, full stack
information_technology: it, information technology, informatique, informatik
information_technology head: it leiter, it leiterin, dsi
quality_assurance: qa, quality assurance, qualitatssicherung
machine_learning: ml, machine learning
artificial_intelligence: ai, artificial intelligence, ki, ia
user_experience: ux, user experience
research development: r d, r and d, rnd, research and development
sales: vertrieb, verkauf, ventes, ventas, vendite, vendas, verkoop
sales head: vertriebsleiter, vertriebsleiterin, verkaufsleiter, verkaufsleiterin
sales representative: sales rep, vendeur, vendeuse, verkaufer, verkauferin, vendedor, vendedora
sales development representative: sdr, sales development rep
business_development: business development, business developer, biz dev, bizdev
business_development representative: bdr, business development rep
representative: rep
sales engineer: presales engineer, pre sales engineer, presales, pre sales, solutions engineer, solution
  engineer, solutions consultant, solution consultant, ingenieur commercial
account: acct, cuentas
customer success: client success
customer success manager: csm, client success manager
marketing: mktg, mktng
marketing head: marketingleiter, marketingleiterin
public_relations: pr, public relations, public affairs, media relations, press relations, external relations,
  corporate affairs, external affairs
operations: ops, betrieb
finance: financial, finances, finanzen, finanzas, finanza, financier, financiere
accountant: accounting, bookkeeper, buchhalter, buchhalterin, comptable, contador, contable
controller: comptroller, controllerin
lawyer: attorney, solicitor, barrister, rechtsanwalt, rechtsanwaltin, avocat, avocate, abogado, abogada,
  avvocato, attorney at law, jurist, juristin
procurement: purchasing, einkauf, achats, compras, acquisti
procurement buyer: buyer, einkaufer, einkauferin
project manager: chef de projet, cheffe de projet, projektleiter, projektleiterin, projektmanager
product manager: chef de produit, cheffe de produit, produktmanager, produktmanagerin
project: projekt, projet, proyecto, progetto
product: produkt, produit, producto, prodotto
consultant: berater, beraterin, consulente, consultor, consultora, unternehmensberater
advisor: adviser, conseiller, conseillere
administrator: admin, administrador, administradora, amministratore, beheerder, administrateur, administratrice
technician: techniker, technikerin, technicien, technicienne, tecnico, tecnica
physician: doctor, arzt, arztin, medecin, medico, medica
nurse: rn, registered nurse, krankenschwester, krankenpfleger, infirmier, infirmiere, enfermera
teacher: lehrer, lehrerin, enseignant, enseignante, professeur, profesor, profesora, insegnante
designer: designerin, gestalter, gestalterin, disenador, disenadora
analyst: analystin, analyste, analista
architect: architekt, architektin, architecte, arquitecto, arquitecta
customer: client, kunden
# Ranks of fields.
managing_director: managing director
chief: cpo, cdo, cso, clo, cco, cxo, cao, vorstand, vorstandin, vorstandsmitglied
chief_executive: directeur generaal, administrateur delegue, gerente general
non_executive director: non executive director, ned, nonexecutive director, aufsichtsrat
state_secretary: permanent secretary, secretary of state, under secretary, cabinet secretary, staatssekretar,
  staatssekretarin, foreign secretary, home secretary
general_secretary: general secretary, secretary general, generalsekretar, secretaire general
company_secretary: company secretary, corporate secretary
of_counsel: of counsel
counsel of_counsel: counsel of counsel
school_head: head teacher, headteacher, schulleiter, schulleiterin, headmaster, headmistress
school principal director: school principal, directeur decole, directrice decole
general manager: agm, country manager
chef lead: executive chef, head chef, chef de cuisine, kuchenchef, kuchenchefin, chefkoch
chef senior: sous chef, souschef, second de cuisine
chef: chef de partie, commis chef, chef de rang, commis, cuisinier
manager: chef de, chef des, cheffe de, jefe, jefa, jefe de, jefa de, encargado, leidinggevende, capo
store manager: filialleiter, marktleiter, filiaalmanager, responsable de magasin
supervisor: schichtleiter, gruppenleiter, ploegleider, teamleider, chef dequipe, capo squadra
construction manager: bauleiter, bauleiterin, chef de chantier, conducteur de travaux, jefe de obra
plant manager: werkleiter, werksleiter, directeur dusine, jefe de planta
foreman: forewoman, polier, vorarbeiter, capataz, contremaitre, chargehand, ganger
master: meister, meisterin, maestro
deputy: vice, adjoint, adjunto, stellvertretender, stellvertretende, stellvertreter, stv, adjunct directeur,
  plaatsvervangend, vicedirettore
specialist: spezialist, specialiste, especialista, specialista, charge de, referent, fachkraft,
  sachbearbeiter, mitarbeiter, medewerker, employe, empleado, impiegato, tecnico de
coordinator: co ordinator, koordinator, coordinateur, coordinador, coordinatore, organiser
operator: bediener, operateur, operario, operatore, operative, operatives, operators
worker: arbeiter, ouvrier, obrero, operaio, arbeider
fellow: fellowship
student research: phd student, phd candidate, doctoral candidate, doctoral student, doktorand, doctorant,
  doctorando, phd researcher, promovendus
postdoc: post doc, postdoctoral, post doctoral
resident physician: medical resident, resident doctor, assistenzarzt
trainee: graduate trainee, management trainee, summer analyst, summer associate, cadet, alternant, alternance,
  stage, learner
intern: pasante, practicante, becaire, werkstudententatigkeit, stagiair
# Owners of something other than a company.
process_owner: process owner, service owner, data owner, system owner, platform owner, risk owner
owner: store owner, gesellschafter, eigentumer, socio fundador
partner: socio, associe, vennoot, partnerin
# Roles that are known by their letters.
sales account executive: ae, account exec
sales development representative: xdr, ldr, mdr
product manager: pm, product mgr, produktverantwortlicher, productmanager
technical program manager: tpm
revenue_operations: revops, rev ops, revenue operations, revenue ops
sales_operations: salesops, sales ops, sales operations
marketing_operations: marketing operations, marketing ops, mops, marops
business_operations: bizops, biz ops, business operations
product_marketing marketing: product marketing, pmm
product_marketing marketing manager: product marketing manager
sales enablement:
engineering manager: em
site_reliability: site reliability
site_reliability engineering: site reliability engineering
sre engineer: sre, site reliability engineer
devops: dev ops, devsecops
developer_advocate: developer advocate, devrel, developer relations, developer evangelist
accountant: cpa, chartered accountant, expert comptable, boekhouder, ragioniere, aca, acca
financial_planning finance: fp a, fp and a, fpa, financial planning
mergers acquisitions: m a, m and a, mergers and acquisitions
learning_development: l d, l and d, learning and development, training and development
nurse: lpn, lvn, np, cna, pflegefachkraft, pfleger, pflegekraft, verpleegkundige
emergency paramedic: emt, rettungssanitater, ambulancier, notfallsanitater
social_worker: social worker, sozialarbeiter, assistant social, assistante sociale, trabajador social
civil_servant: civil servant, beamter, beamtin, fonctionnaire, funcionario, ambtenaar
financial_advisor: financial advisor, financial adviser, wealth advisor, wealth adviser, ifa
private_equity: private equity, pe associate, vc, venture capital, growth equity, growth capital
business_intelligence: bi, business intelligence
product_management: product management, produktmanagement
information security: infosec, cyber security, appsec
counsellor: counselor, counselling
privacy: data protection, datenschutz, dpo, protection des donnees
traffic_controller: air traffic controller, fluglotse
document administrator: document controller, document control
farmer: landwirt, agriculteur, agricultor, boer, grower, farm worker
trainer: trainerin, entrenador, personal trainer
brand_ambassador marketing: brand ambassador, influencer
advertising: paid media, ppc, paid search, media buyer, paid social, performance marketing
mergers: transaction services, transaction advisory, deal advisory, due diligence, restructuring, corporate
  finance, valuation, valuations, transaction
engineer staff: member of technical staff, mts, technical staff
ecommerce: e commerce, e com, ecom
program: programme, programs, programmes, programm, programa
sales representative: telesales, telesales agent
care: care home, home care, carehome, residential care, social care
events: trade show, trade shows, trade fair, event, evenementiel, eventos, veranstaltungen, evenementen
parliament: member of parliament, mp, mep, abgeordneter, depute, diputado, kamerlid, deputato
owner: entrepreneur, unternehmer, ondernemer, empresario, imprenditore, chef dentreprise
senior: prokurist, fonde de pouvoir, apoderado, procuratore
executive assistant: ea
# Functions and callings in other languages.
finance: financieel, financiero, finanziario, financeiro, kaufmannischer, kaufmannische, financien,
  finanzwesen, rechnungswesen, comptabilite, contabilidad, tresorerie, tesoreria
technical: technisch, technischer, technique, tecnica, technische
commercial: kommerziell, commercieel
controller: controleur, controleur de gestion, controlador
nurse: enfermero, infermiere, enfermeiro, sygeplejerske
engineering: ingenieria, ingenierie, ingegneria, engenharia, entwicklung, developpement
production manager: produktionsleiter, chef de production, jefe de produccion
office: buro, bureau, oficina, kantoor, sekretariat
project manager: projectleider, projectmanager, capo progetto, gestor de proyectos, chef projet
strategist: stratege, estratega
policy: beleid, politique publique, politica publica
planner: werkvoorbereider, arbeitsvorbereiter, planer, planificateur, planificador
healthcare: zorg, gezondheidszorg, gesundheit, sante, salud, sanita, pflege
education: onderwijs, bildung, educacion, istruzione, enseignement
human_resources: personal, personeelszaken, hrm, talent management, hrbp, personalabteilung
human_resources business_partner: hrbp, hr business partner
recruiter recruiting: recruiter, headhunter, recruteur, reclutador, selezionatore
sales: inside sales, verkoper, commercieel, comercial, commerciale, aussendienst, innendienst
sales representative: handelsvertreter, technico commercial, attache commercial, delegue commercial
account manager: kundenbetreuer, charge daffaires, charge de clientele, kam, accountmanager
support: soporte, assistance, klantenservice, kundenservice, kundendienst, service client, service clients,
  atencion al cliente, assistenza clienti, kundenbetreuung, client service
procurement: inkoop, sourcing
procurement buyer: inkoper, acheteur, comprador, purchaser
procurement manager: category manager
logistics: logistik, logistique, logistica, logistiek, versand, expedition
warehouse: lager, magazijn, entrepot, almacen, magazzino, lagerist, magasinier, warehousing
warehouse storekeeper: lagerist, magasinier, magazijnmedewerker, mozo de almacen, magazziniere
driver: fahrer, chauffeur, conducteur, conductor, camionero, autista, kraftfahrer, lkw fahrer,
  berufskraftfahrer, vrachtwagenchauffeur, chauffeur livreur, livreur, repartidor
production: produktion, fertigung, produccion, produzione, productie, fabrication
construction: bau, hochbau, tiefbau, bouw, construccion, edilizia, batiment, travaux
maintenance: wartung, instandhaltung, entretien, mantenimiento, manutenzione, onderhoud
quality: qualitat, qualite, calidad, qualita, kwaliteit
software: logiciel, logiciels, applicatif
data: daten, donnees, datos, dati
systems: systeme, sistemas, sistemi, systemen, system
network: netzwerk, reseau, reseaux, redes, netwerk
engineer: ingenieurs, bauingenieur, programmeur, informaticien, informatico, informatiker
information_technology: ict, edv, ti, informatica, infrastructure it
information_technology administrator: systeembeheerder, systemadministrator, administrateur systeme
legal: recht, juridique, juridico, juridisch, legale, rechtsabteilung
lawyer: juriste, advocaat, anwalt, fachanwalt, advogado, syndikusrechtsanwalt, jurista
notary: notar, notaire, notario, notaio, notaris
judge: richter, juge, juez, giudice, rechter
physician: oberarzt, chefarzt, facharzt, hausarzt, huisarts, gp, general practitioner, doctors
surgeon: chirurg, chirurgien, cirujano, chirurgo
dentist: zahnarzt, zahnarztin, chirurgien dentiste, odontologo, tandarts, orthodontist
pharmacist: apotheker, pharmacien, farmaceutico, farmacista
midwife: hebamme, sage femme, matrona, ostetrica, verloskundige
caregiver: altenpfleger, aide soignant, auxiliaire de vie, cuidador, verzorgende, verzorger
therapist: kine, kinesitherapeute, logopade, logopedist, orthophoniste, speech pathologist
teacher: leraar, lerares, docent, docente, maestra, erzieher, instituteur, professeur des ecoles,
  kindergartner, kleuterleidster, padagoge, formateur, formador, formatore
professor: professorin, hoogleraar, catedratico, prof, privatdozent
lecturer: dozent, reader, maitre de conferences, wissenschaftlicher mitarbeiter
scientist: wissenschaftler, chercheur, investigador, ricercatore, onderzoeker, biochemist
research: forschung, recherche, investigacion, ricerca, onderzoek
waiter: waitress, kellner, serveur, camarero, cameriere, ober, server, servicekraft
cook: koch, kochin, cuisinier, cocinero, cuoco, kok, line cook, prep cook
hotel: hotelfach, hotellerie, rezeption, hostellerie
receptionist: rezeptionist, receptionniste, recepcionista, empfangsmitarbeiter, telephonist
electrician: elektriker, electricien, electricista, elettricista, elektricien, elektroniker
plumber: klempner, installateur, plombier, fontanero, idraulico, loodgieter, anlagenmechaniker
carpenter: tischler, schreiner, zimmermann, menuisier, charpentier, carpintero, timmerman
mason: maurer, macon, albanil, muratore, metselaar, stonemason
mechanic: mechaniker, mecanicien, mecanico, meccanico, monteur, mechatroniker, mechanical fitter
painter: maler, lackierer, peintre en batiment, pintor, imbianchino, schilder
roofer: dachdecker, couvreur, techador, dakdekker
welder: schweisser, soudeur, soldador, saldatore, lasser
machinist: zerspanungsmechaniker, tourneur, fraiseur, tornero, dreher, industriemechaniker
butcher: metzger, fleischer, boucher, carnicero, macellaio, slager
baker: backer, boulanger, panadero, bakker, fornaio, konditor, patissier
hairdresser: friseur, friseurin, coiffeur, peluquero, parrucchiere, kapper
gardener: gartner, jardinier, jardinero, giardiniere, hovenier
police officer: polizist, polizeibeamter, policier, policia, poliziotto, politieagent, gendarme
firefighter: feuerwehrmann, pompier, sapeur pompier, bombero, pompiere, brandweerman, fireman
mayor: burgermeister, burgermeisterin, maire, alcalde, sindaco, burgemeester, oberburgermeister
soldier: soldat, soldado, soldato, infantryman, marine corps
military: bundeswehr, armed forces, air force, forces
translator: ubersetzer, traducteur, traductor, traduttore, vertaler
interpreter: dolmetscher, interprete, tolk
photographer: fotograf, photographe, fotografo, fotograaf
journalist: redakteur, journaliste, periodista, giornalista, redacteur, reporter
designer: grafiker, graphiste, vormgever, mediengestalter, grafico, concepteur
bank: banque, banco, banca
banker: bankkaufmann, bankkauffrau, banquier, bankier, bancario
tax advisor: steuerberater, conseiller fiscal, asesor fiscal, belastingadviseur, fiscalista
tax specialist: steuerfachangestellter, steuerfachangestellte, steuerfachwirt, fiscalist
auditor: wirtschaftsprufer, commissaire aux comptes, revisor, accountant auditor, auditeur
tax: steuer, steuern, fiscal, belasting, fiscalite, impuestos, taxation
insurance: versicherung, versicherungs, assurance, assurances, seguros, verzekering, assicurazioni
treasurer: tresorier, tesorero, schatzmeister, kassenwart, penningmeester
advisor: adviseur, asesor, consigliere, consejero
estate agent: immobilienmakler, agent immobilier, makelaar, agente inmobiliario, letting agent, agente
  immobiliare, lettings negotiator, makler, real estate agent
estate: real estate, immobilien, property, immobilier, inmobiliario, vastgoed
operations: operaciones, operazioni, exploitation, bedrijfsvoering, operational, operation
administrative: verwaltung, verwaltungs, administratif, administrativo, administratief, amministrativo
clerk: burokaufmann, kaufmann, kauffrau, burokauffrau, verwaltungsangestellter
communications: kommunikation, communicatie, comunicacion, comunicazione, unternehmenskommunikation
security: seguridad, sicherheit, securite, sicurezza, beveiliging
security_guard: security guard, wachmann, agent de securite, vigilante, beveiliger
cleaner: reinigungskraft, agent dentretien, limpiador, schoonmaker, janitor, custodian
surveyor: vermesser, geometre, geometra, landmeter, quantity surveyor, gutachter
pilot: first officer, airline captain, pilote, piloto, pilota, piloot, flugkapitan
flight attendant: flugbegleiter, hotesse de lair, azafata, cabin crew member, air hostess
consultant_physician physician: consultant physician, consultant surgeon
school principal director: vice principal, deputy principal, assistant headteacher, deputy head teacher
captain army: army major, army captain, army officer, air force officer, navy officer, naval officer, major
labourer: laborer, labour, bauhelfer, peon
aide: aides
teacher: leerkracht, lehrkraft, basisonderwijs
privacy: privacy officer
account sales: key account, key accounts, strategic accounts, named accounts, enterprise accounts, major
  accounts, national accounts, regional accounts, global accounts, corporate accounts
demand generation: demand gen, lead gen
scientist senior: principal investigator
assistant: auxiliar, auxiliaire, ausiliario, hulp, aushilfe, ayudante, ajudante
trainer: ausbilder, opleider, istruttore, instructeur
student: studium, studiante, studierende
soldier: paratrooper, trooper, gunner
non_executive director: non exec director
webmaster: web master
veterinarian: vet, tierarzt, veterinaire, veterinario, dierenarts
legal: judicial, judiciary
coastguard: coast guard
# Functions in other languages, as nouns and adjectives.
recruiting: recrutement, reclutamiento, seleccion, selezione, werving, personalgewinnung, recrutamento
payroll: paie, nominas, lohnbuchhaltung, lohnabrechnung, gehaltsabrechnung, loonadministratie,
  salarisadministratie, buste paghe
learning_development: formation, formacion, formazione, schulung, weiterbildung, ausbildung, opleiding,
  opleidingen, formacao
accountant: buchhaltung, contabilita, contabilidade, boekhouding
controller: controlling, controllo di gestione
finance: finanzen, finanze, financas, financieres, vermogen, finanzbuchhaltung
credit: kredit, kredite, krediet, credito, credits
investment: anlage, wertpapier, investissement, investissements, inversiones, investimenti, beleggingen
risk: risiko, risque, risques, riesgos, rischi, risico
banking: bancaire, banca, bankwesen, retail banking, private banking
legal: juridiques, contentieux, giuridico, rechten, juridische, affaires juridiques
sales: verkoop, vendita, commerciaux, vertriebs
customer: clientele, kunde, cliente, clienti, klant, klanten, clients
support: kundensupport, helpdesk, anwendungsbetreuung
communications: offentlichkeitsarbeit, presse, prensa, pressearbeit, presseburo, comunicacao, voorlichting,
  stampa
marketing: mercadotecnia, werbung, vermarktung, mercadeo
creative: artistique, kreativ, creatif, creativo, creatief, artistico, artistica, gestaltung
design: diseno, vormgeving, progettazione, grafik, grafisch, graphique
legal clerk: court reporter, court clerk, court recorder
lawyer: public defender
plumber: pipefitter, pipe fitter, steamfitter, gasfitter, gas fitter
social media manager: community manager
philanthropy: fundraiser, major gifts, major gift, major donor, major donors, annual giving, planned giving
project: major projects, major programs
non_executive director: independent director, outside director, board director
caseworker: case worker, fallmanager
stock_broker finance: stock broker, stockbroker, pawnbroker, broker dealer
revenue_cycle finance: revenue cycle
travel representative: ticket agent, gate agent, ramp agent, baggage handler, booking agent
consumer_insights: consumer insights, customer insights, market insights
musician: orchestra conductor, choir conductor, bandmaster
building_information engineering: bim, building information modeling
support representative: chat agent, complaint handler, complaints handler, customer advocate
tax specialist: enrolled agent, revenue officer
officer military: petty officer, private first class, platoon leader, squadron commander, brigadier general,
  commanding officer, wing commander
account marketing: account coordinator
identity_access engineering: identity and access, access management, iam
continuity operations: business continuity
development organizational: organizational development, organisational development, organization development
server_of_papers legal clerk: process server
parking_attendant trade: parking attendant, car wash attendant, fuel attendant
school: sixth form
editor head: editor in chief, chefredakteur, redacteur en chef, redactrice en chef, redactor jefe
editor lead: managing editor, executive editor
beautician: esthetician, aesthetician, cosmetologist, nail technician, estheticienne, kosmetiker, esteticista
creative manager: stage manager
medical records: medical coder, clinical coder, medical coding, medical billing, medical biller
intellectual_property: intellectual property, ip
detective: special agent, federal agent, secret service agent
typist: data entry
editor: redaktion, redaction, redaccion, redazione, redactie, lektor, lektorat
human_resources: employer branding, branding employer
product: produits, produkte, producten, productos
project: proyectos, projets, projekte, projecten, pmo, obras, project management office
strategy: strategie, estrategia, strategia
operations: direction
facilities: haustechnik, gebaude, facilitair, facility, services generaux
administrative: verwaltungsdienst, administracion, amministrazione, administratie, administracao, assistanat
executive assistant: assistent der geschaftsleitung, assistentin der geschaftsleitung, assistent der
  geschaftsfuhrung, assistentin der geschaftsfuhrung, assistenz der geschaftsleitung, assistenz der
  geschaftsfuhrung, vorstandsassistent, direktionsassistent, directiesecretaresse, assistant de direction,
  assistante de direction, asistente de direccion, secretaire de direction, management assistant
procurement: achat, approvisionnement, approvisionnements, aprovisionamiento, approvvigionamento, acquisto,
  beschaffung
supply chain: lieferkette, toeleveringsketen, cadena de suministro
transport: transports, transporte, trasporti, vervoer, spedition, speditions, fuhrpark
production: montage, producao, herstellung, assemblage
quality assurance: assurance qualite
quality_assurance: qualite logicielle
technical: technik, techniek, tecnologia, tecnologico
infrastructure: infrastruktur, infraestructura, infrastruttura, infrastructuur
security information: cybersecurite, ciberseguridad, informationssicherheit, it sicherheit
research: studien, etudes, investigaciones
research development: forschung und entwicklung, recherche et developpement, investigacion y desarrollo
clinical: klinisch, clinique, clinico, clinica, klinische
medical: medizinisch, medizinische, medisch, medizin
hospital: krankenhaus, hopital, ospedale, ziekenhuis, klinik
nursing: pflegedienst, soins, enfermeria, verpleging
teaching: ensenanza, insegnamento, unterricht, lehre
school: schule, ecole, escuela, scuola
university: universitat, universite, universidad, universita, universiteit, hochschule
kitchen: kuche, cuisine, cocina, cucina, keuken
restaurant: gastronomie, restauration, hosteleria, ristorazione, horeca, ristorante
hotel: hoteles, alberghi
food beverage: f b, f and b, food and beverage, alimentos y bebidas
construction: chantier, cantiere, bouwplaats, baustelle, obra
insurance: seguro, versicherungen
estate: immobilie, inmobiliaria, immobiliare, onroerend
government: regierung, gouvernement, gobierno, governo, overheid, offentlicher dienst
`;

/** The callings that the endings of words tell, in the languages of the phrases. */
export const callingsByEnding: readonly (readonly [ending: RegExp, calling: string])[] = [
  [
    /^(ge|bi|zo|ec|soci|anthrop|arch(a?)e|meteor|climat|crimin|ethn|hydr|seism|entom|astr|microbi|myc|volcan|eth|palaeont|paleont)olog(ist|ue|e|o|a)$/u,
    'scientist',
  ],
  [/^(techn|ge)olog/u, 'specialist'],
  [/ologist$|ologue$|olog(e|in)$|ologo$|oloog$|iatrist$|iatre$|iater$|iatra$|arzt$|physician$/u, 'physician'],
  [/surgeon$|chirurg$/u, 'surgeon'],
  [/therapist$|therapeut(in|e)?$|terapeuta$|terapista$/u, 'therapist'],
  [
    /^(cardi|radi|onc|neur|dermat|gyn(a)?ec|ur|h(a)?emat|immun|path|ophthalm|endocrin|nephr|rheumat|an(a)?esthesi|psych)olog(y|ie|ia|ic|ical)$|iatry$|iatrics?$|paedics?$|pedics?$/u,
    'medical',
  ],
  [/(iron|steel|metal|wood|stone)worker$|layer$/u, 'builder'],
  [/(maker|mfr|smith|wright)$/u, 'maker'],
  [/o?dontist(e|a)?$/u, 'dentist'],
  [/economist$/u, 'economist'],
  [/teacher$/u, 'teacher'],
  [/driver$/u, 'driver'],
];

/** The last parts of German and Dutch compounds, and their meanings. */
export const compoundEndings: readonly (readonly [ending: string, meaning: readonly string[]])[] = [
  ['leiterin', ['head']],
  ['leiter', ['head']],
  ['leitung', ['head']],
  ['direktor', ['director']],
  ['direktorin', ['director']],
  ['directeur', ['director']],
  ['managerin', ['manager']],
  ['manager', ['manager']],
  ['leider', ['manager']],
  ['meister', ['supervisor']],
  ['ingenieurin', ['engineer']],
  ['ingenieur', ['engineer']],
  ['entwicklerin', ['engineer']],
  ['entwickler', ['engineer']],
  ['ontwikkelaar', ['engineer']],
  ['architekt', ['architect']],
  ['techniker', ['technician']],
  ['technicus', ['technician']],
  ['monteur', ['mechanic']],
  ['mechaniker', ['mechanic']],
  ['beraterin', ['consultant']],
  ['berater', ['consultant']],
  ['adviseur', ['advisor']],
  ['assistentin', ['assistant']],
  ['assistent', ['assistant']],
  ['assistenz', ['assistant']],
  ['helferin', ['assistant']],
  ['helfer', ['assistant']],
  ['angestellter', ['specialist']],
  ['angestellte', ['specialist']],
  ['beauftragter', ['officer']],
  ['beauftragte', ['officer']],
  ['verantwortlicher', ['manager']],
  ['verantwortliche', ['manager']],
  ['betreuer', ['representative']],
  ['planer', ['planner']],
  ['mitarbeiterin', ['specialist']],
  ['mitarbeiter', ['specialist']],
  ['medewerker', ['specialist']],
  ['fachkraft', ['specialist']],
  ['referentin', ['specialist']],
  ['referent', ['specialist']],
  ['kaufmann', ['clerk']],
  ['kauffrau', ['clerk']],
  ['lehrerin', ['teacher']],
  ['lehrer', ['teacher']],
  ['leraar', ['teacher']],
  ['pflegerin', ['nurse']],
  ['pfleger', ['nurse']],
  ['arztin', ['physician']],
  ['arzt', ['physician']],
  ['arts', ['physician']],
  ['fahrer', ['driver']],
  ['chauffeur', ['driver']],
  ['arbeiter', ['worker']],
  ['vertreter', ['representative']],
  ['verkaufer', ['sales', 'representative']],
  ['verkoper', ['sales', 'representative']],
  ['prufer', ['inspector']],
  ['anwalt', ['lawyer']],
  ['analyst', ['analyst']],
  ['designer', ['designer']],
  ['buchhalter', ['accountant']],
  ['informatiker', ['engineer']],
  ['elektroniker', ['electrician']],
  ['zeichner', ['drafter']],
  ['schlosser', ['fitter']],
  ['makler', ['broker']],
  ['redakteur', ['editor']],
  ['wissenschaftler', ['scientist']],
  ['laborant', ['laboratory', 'technician']],
  ['entwicklung', ['engineering']],
  ['management', []],
];

/** The words as which each phrase is read. */
export const meaningOfPhrase: ReadonlyMap<string, readonly string[]> = new Map(
  phrasesByMeaning
    .replace(/^#.*\n/gmu, '')
    .replace(/\n {2}/gu, ' ')
    .trim()
    .split('\n')
    .map(line => line.split(': '))
    .flatMap(([meaning = '', phrases = '']) =>
      phrases
        .split(', ')
        .filter(Boolean)
        .map(phrase => [phrase, meaning.split(' ')] as const),
    ),
);

/** The number of words in the longest phrase that begins with each word. */
export const phraseWordsMax: ReadonlyMap<string, number> = longestByFirstWord([...meaningOfPhrase.keys()]);

function longestByFirstWord(phrases: readonly string[]): ReadonlyMap<string, number> {
  const longest = new Map<string, number>();
  for (const words of phrases.map(phrase => phrase.split(' '))) {
    const [first = ''] = words;
    longest.set(first, Math.max(longest.get(first) ?? 0, words.length));
  }
  return longest;
}
