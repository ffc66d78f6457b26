/** base past participle, where they are not regular */
const table = `be was been;beat beat beaten;become became become;begin began begun;bend bent bent;bet bet bet;bind bound bound;
bite bit bitten;bleed bled bled;blow blew blown;break broke broken;breed bred bred;bring brought brought;broadcast broadcast broadcast;
build built built;burst burst burst;buy bought bought;cast cast cast;catch caught caught;choose chose chosen;cling clung clung;
come came come;cost cost cost;creep crept crept;cut cut cut;deal dealt dealt;dig dug dug;do did done;draw drew drawn;drink drank drunk;
drive drove driven;eat ate eaten;fall fell fallen;feed fed fed;feel felt felt;fight fought fought;find found found;flee fled fled;
fling flung flung;fly flew flown;forbid forbade forbidden;forget forgot forgotten;forgive forgave forgiven;freeze froze frozen;
get got gotten;give gave given;go went gone;grind ground ground;grow grew grown;hang hung hung;have had had;hear heard heard;
hide hid hidden;hit hit hit;hold held held;hurt hurt hurt;keep kept kept;know knew known;lay laid laid;lead led led;leave left left;
lend lent lent;let let let;lie lay lain;light lit lit;lose lost lost;make made made;mean meant meant;meet met met;mistake mistook mistaken;
overcome overcame overcome;overtake overtook overtaken;overthrow overthrew overthrown;pay paid paid;put put put;read read read;
rebuild rebuilt rebuilt;ride rode ridden;ring rang rung;rise rose risen;run ran run;say said said;see saw seen;seek sought sought;
sell sold sold;send sent sent;set set set;shake shook shaken;shed shed shed;shine shone shone;shoot shot shot;show showed shown;
shrink shrank shrunk;shut shut shut;sing sang sung;sink sank sunk;sit sat sat;sleep slept slept;slide slid slid;speak spoke spoken;
spend spent spent;spin spun spun;split split split;spread spread spread;spring sprang sprung;stand stood stood;steal stole stolen;
stick stuck stuck;sting stung stung;strike struck struck;strive strove striven;swear swore sworn;sweep swept swept;swell swelled swollen;
swim swam swum;swing swung swung;take took taken;teach taught taught;tear tore torn;tell told told;think thought thought;
throw threw thrown;undergo underwent undergone;understand understood understood;undertake undertook undertaken;uphold upheld upheld;
wake woke woken;wear wore worn;weave wove woven;win won won;wind wound wound;withdraw withdrew withdrawn;withstand withstood withstood;
write wrote written;rewrite rewrote rewritten;arise arose arisen;bear bore born;foresee foresaw foreseen;oversee oversaw overseen;
outgrow outgrew outgrown;redo redid redone;reset reset reset;undo undid undone;bid bid bid;quit quit quit;thrust thrust thrust`

type Forms = { base: string; past: string; participle: string }
const byBase = new Map<string, Forms>()
const byPast = new Map<string, Forms>()
const byParticiple = new Map<string, Forms>()
for (const line of table.split(';')) {
  const [base = '', past = '', participle = ''] = line.trim().split(' ')
  const forms = { base, past, participle }
  byBase.set(base, forms)
  if (!byPast.has(past)) byPast.set(past, forms)
  if (!byParticiple.has(participle)) byParticiple.set(participle, forms)
}
const doubling =
  /^(stop|plan|ban|rob|grab|drop|ship|trap|step|slip|map|wrap|tap|top|chop|clap|nod|rub|beg|jog|hug|drag|commit|permit|admit|submit|omit|occur|refer|prefer|transfer|confer|defer|infer|deter|control|patrol|compel|expel|propel|repel|rebel|equip|regret|excel|stir|war|bar|star|scar|format|debug|plug|log|tag|swap|skip|strip|snap|spot|knit|fit|pin|thin|win|scan|span|dim|trim|slam|swim|cram|hop|pop|mop|flip|clip|dip|rip|tip|whip|zip|flop|crop|prop)$/

export const pastOf = (base: string): string => byBase.get(base)?.past ?? regular(base, 'ed')
export const participleOf = (base: string): string => byBase.get(base)?.participle ?? regular(base, 'ed')
export const gerundOf = (base: string): string =>
  base === 'lie' || base === 'die' || base === 'tie' ? `${base[0]}ying` : regular(base, 'ing')

function regular(base: string, ending: 'ed' | 'ing'): string {
  if (
    doubling.test(base) ||
    (ending === 'ing' &&
      /^(run|cut|put|set|get|sit|hit|let|shut|split|begin|forget|bet|quit|dig|spin|reset)$/.test(base))
  ) {
    return base + base.slice(-1) + ending
  }
  if (ending === 'ed' && base.endsWith('e')) return `${base}d`
  if (ending === 'ing' && base.endsWith('e') && !/(ee|oe|ye)$/.test(base) && base !== 'be')
    return base.slice(0, -1) + ending
  if (ending === 'ed' && /[^aeiou]y$/.test(base)) return `${base.slice(0, -1)}ied`
  return base + ending
}

export function thirdOf(base: string): string {
  if (base === 'be') return 'is'
  if (base === 'have') return 'has'
  if (/(s|x|z|ch|sh|o)$/.test(base)) return `${base}es`
  return /[^aeiou]y$/.test(base) ? `${base.slice(0, -1)}ies` : `${base}s`
}

export type VerbForm = 'third' | 'base' | 'past' | 'participle' | 'gerund'

/** The base form and the form of a verb as written; undefined when the two do not fit. */
export function analyze(word: string, lemma: string): { base: string; forms: VerbForm[] } | undefined {
  const written = word.toLowerCase()
  for (const base of candidates(written, lemma)) {
    const forms: VerbForm[] = []
    if (written === base) forms.push('base')
    if (written === thirdOf(base)) forms.push('third')
    if (written === pastOf(base)) forms.push('past')
    if (
      written === participleOf(base) ||
      (base === 'get' && written === 'got') ||
      (base === 'bear' && written === 'borne')
    )
      forms.push('participle')
    if (written === gerundOf(base)) forms.push('gerund')
    if (forms.length > 0) return { base, forms }
  }
  return undefined
}

function candidates(written: string, lemma: string): string[] {
  const found = [lemma]
  if (lemma === written) return found
  const past = byPast.get(written)
  const participle = byParticiple.get(written)
  if (past && past.base !== lemma && !byBase.has(lemma)) found.unshift(past.base)
  if (participle && participle.base !== lemma && !byBase.has(lemma)) found.unshift(participle.base)
  if (written.endsWith('ed'))
    found.push(
      written.slice(0, -1),
      written.slice(0, -2),
      written.replace(/ied$/, 'y'),
      written.replace(/(.)\1ed$/, '$1'),
    )
  if (written.endsWith('ing')) found.push(written.slice(0, -3), `${written.slice(0, -3)}e`)
  return found
}

export function inflect(base: string, form: VerbForm): string {
  if (form === 'base') return base
  if (form === 'third') return thirdOf(base)
  if (form === 'past') return pastOf(base)
  return form === 'participle' ? participleOf(base) : gerundOf(base)
}
