import { analyze, inflect, type VerbForm } from './verbs.ts'

/** A word of a question under construction. */
export type Item = { w: string; space: boolean; p: string; lemma: string; form?: VerbForm }

const read = (text: string): Map<string, string[]> => {
  const map = new Map<string, string[]>()
  for (const entry of text.split(/[;\n]+/)) {
    const [from, to] = entry.split(':')
    if (from?.trim() && to)
      map.set(
        from.trim(),
        to.split('|').map((word) => word.trim()),
      )
  }
  return map
}

/** Verbs that take the same complements as the first. A second word is a particle. */
const verbs = read(`
begin:start; start:begin; create:make; establish:set up|create; found:establish|start; build:construct; construct:build
use:employ|utilize; employ:use; utilize:use; obtain:get|acquire; acquire:get|gain; receive:get; gain:win|obtain
demonstrate:show; reveal:show; illustrate:show; indicate:show; require:need; need:require
aid:help; assist:help; purchase:buy; buy:purchase; construct:build; produce:make|generate; generate:produce
manufacture:make|produce; end:finish|stop; finish:complete; complete:finish; conclude:end; cease:stop; halt:stop
kill:slay; murder:kill; assassinate:kill; injure:hurt|wound; destroy:ruin|wreck; damage:harm; attack:assault; defeat:beat
capture:take|seize; seize:capture|take; conquer:take over; invade:attack; occupy:take over; defend:protect; protect:guard
permit:allow; allow:permit; enable:allow; prohibit:ban|forbid; forbid:prohibit; ban:prohibit; prevent:stop; block:stop
increase:raise; decrease:reduce|lower; reduce:cut; diminish:reduce; expand:enlarge|grow; enlarge:expand
improve:better; enhance:improve; change:alter; alter:change; modify:change; transform:change; convert:change
choose:pick|select; select:choose|pick; elect:choose; appoint:name; argue:claim; claim:assert|say; assert:claim
declare:announce; announce:declare; explain:clarify; describe:portray; depict:show|portray; portray:depict
believe:think; consider:regard; assume:suppose; discover:find; detect:find; locate:find; identify:recognize
observe:notice|see; notice:observe; examine:study|inspect; investigate:examine|study; study:examine; analyze:examine
teach:instruct; understand:grasp; want:desire; desire:want; seek:look for
attempt:try; try:attempt; manage:handle; control:govern; govern:rule; rule:govern; 
support:back; oppose:resist; resist:oppose; reject:refuse|turn down; approve:accept; adopt:take up; endorse:support
own:possess; possess:have|own; contain:hold; comprise:include; supply:provide|give
provide:supply|give|offer; offer:provide; deliver:bring; send:dispatch; dispatch:send; transport:carry; 
travel:journey; depart:leave; enter:go into; return:go back; flee:escape from
live:reside; reside:live; dwell:live; die:pass away; marry:wed; wed:marry; 
write:author|pen; publish:print; compose:write; invent:devise|create; design:plan; devise:invent; develop:create|devise
introduce:bring in; launch:start; initiate:start|begin; commence:begin; organize:arrange; arrange:organize
gather:collect; collect:gather; combine:join|mix; unite:join; divide:split; separate:split|divide; split:divide
remove:take away; eliminate:remove|get rid of; abolish:end|do away with; replace:take the place of; maintain:keep; retain:keep
preserve:keep|save; grow:increase; rise:climb|go up; fall:drop; drop:fall; decline:fall|drop; shrink:get smaller
occur:happen|take place; happen:occur|take place; appear:show up; emerge:appear; arise:emerge; vanish:disappear; disappear:vanish
cause:bring about|produce; trigger:cause|set off; provoke:cause|trigger; inspire:motivate; encourage:urge; urge:encourage; force:compel
compel:force; persuade:convince; convince:persuade; ask:request; request:ask for; demand:insist on; answer:reply to; respond:react
experience:undergo; undergo:go through; encounter:meet; confront:face
achieve:reach|accomplish; accomplish:achieve; attain:reach; reach:attain; 
perform:carry out; conduct:carry out; execute:carry out; implement:put in place; fund:finance; finance:fund; hire:employ
recruit:enlist; train:teach; operate:run; store:keep; measure:gauge; calculate:compute; compute:calculate
decide:determine; resolve:settle; settle:resolve; solve:resolve; emphasize:stress; 
highlight:emphasize; mention:refer to; discuss:talk about; criticize:attack; praise:commend; honor:celebrate; celebrate:mark
limit:restrict; restrict:limit; regulate:control; influence:affect; affect:influence; shape:influence; dominate:control
surround:encircle; connect:link; link:connect; attach:connect; relate:connect; differ:vary; resemble:look like
represent:stand for; symbolize:represent; signify:mean; denote:mean; depend:rely; rely:depend; consume:eat|use up; eat:consume
absorb:take in; release:give off|let go; emit:give off; burn:set fire to; fight:battle; battle:fight; surrender:give up; abandon:give up
`)

const nouns = read(`
war:conflict; conflict:struggle; battle:fight; treaty:agreement; agreement:deal; law:statute; statute:law; country:nation; nation:country
area:region; region:area; town:community; village:settlement; city:town; road:highway; ship:vessel; vessel:ship
leader:head; ruler:leader; king:monarch; monarch:ruler; army:military force; 
child:kid; individual:person; worker:laborer; laborer:worker; employee:worker
job:position; occupation:job; labor:work; money:cash; cash:money; wealth:riches; price:cost; cost:price; wage:pay; salary:pay
business:company; company:firm; firm:company; corporation:company; factory:plant; shop:store; store:shop; 
idea:concept; concept:idea; notion:idea; theory:idea; belief:view; opinion:view; view:opinion; goal:aim; aim:goal; objective:goal; purpose:goal
plan:scheme; method:way; approach:method; technique:method; process:procedure; procedure:process; tool:instrument; device:gadget
problem:issue; issue:problem; difficulty:problem; challenge:difficulty; danger:risk; risk:danger; threat:danger; cause:reason; reason:cause
result:outcome; outcome:result; effect:impact; impact:effect; consequence:result; change:shift; shift:change; increase:rise; 
decline:drop; decrease:drop; growth:increase; portion:part; section:part; piece:part; component:part; element:component
type:kind; kind:type; sort:kind; category:class; amount:quantity; quantity:amount; 
beginning:start; conclusion:end; era:period; period:time; incident:event
illness:sickness; disease:illness; sickness:illness; doctor:physician; physician:doctor; medicine:drug; drug:medication; injury:wound
book:volume; novel:book; author:writer; writer:author; picture:image; image:picture; painting:picture; film:movie; movie:film
student:pupil; pupil:student; teacher:instructor; instructor:teacher; school:academy; scientist:researcher
researcher:scientist; experiment:test; test:trial; evidence:proof; proof:evidence; information:data; data:information; fact:detail
ability:capacity; capacity:ability; skill:ability; strength:power; speed:rate; 
rule:regulation; regulation:rule; freedom:liberty; liberty:freedom; crime:offense; prison:jail; jail:prison
friend:companion; enemy:foe; foe:enemy; opponent:rival; rival:competitor; supporter:backer; citizen:resident; resident:inhabitant
inhabitant:resident; settler:colonist; colonist:settler; immigrant:newcomer; rebellion:revolt; revolt:uprising; uprising:revolt
riot:disturbance; victory:win; defeat:loss; death:demise; murder:killing; attack:assault; assault:attack
sea:ocean; ocean:sea; forest:woods; stone:rock; rock:stone; garment:piece of clothing; meal:dish; error:mistake; mistake:error
advantage:benefit; benefit:advantage; disadvantage:drawback; drawback:disadvantage; characteristic:feature; feature:characteristic; trait:characteristic
`)

const others = read(`
big:large; large:big; huge:enormous; enormous:huge; small:little; tiny:very small; quick:fast; rapid:fast; fast:quick; slow:gradual
important:significant; significant:important; major:main; main:primary; primary:main; principal:main; crucial:key; vital:essential
essential:necessary; necessary:needed; famous:well-known; well-known:famous; rich:wealthy; wealthy:rich; poor:impoverished
difficult:hard; easy:simple; simple:easy; complex:complicated; complicated:complex; dangerous:risky; safe:secure
ancient:very old; contemporary:modern; recent:new; initial:first; final:last; entire:whole
whole:entire; total:overall; common:frequent; frequent:common; rare:uncommon; uncommon:rare; strange:odd; odd:strange
similar:alike; distinct:different; various:different; numerous:many; several:a number of; powerful:strong; strong:powerful
weak:feeble; violent:fierce; fierce:intense; angry:furious; happy:glad; sad:unhappy; afraid:scared; brave:courageous; clever:smart; smart:intelligent
intelligent:smart; beautiful:lovely; terrible:awful; excellent:very good; harmful:damaging; useful:helpful; helpful:useful
wide:broad; broad:wide; tall:high; beneath:under; above:over; 
toward:towards; towards:toward; among:amongst; beside:next to; upon:on; until:till; despite:in spite of
quickly:rapidly; rapidly:quickly; slowly:gradually; gradually:slowly; often:frequently; frequently:often; rarely:seldom; nearly:almost
almost:nearly; approximately:about; roughly:about; primarily:mainly; mainly:mostly; mostly:mainly; largely:mainly; 
fully:completely; completely:entirely; entirely:completely; immediately:instantly
federal:national; worldwide:global; global:worldwide; foreign:overseas; wealthy:rich; extra:additional; additional:extra
`)

export const pairCount = verbs.size + nouns.size + others.size

const plural = (word: string): string =>
  /\s/.test(word)
    ? word.replace(/^\S+/, plural)
    : /[^aeiou]y$/.test(word)
      ? `${word.slice(0, -1)}ies`
      : /(s|x|ch|sh)$/.test(word)
        ? `${word}es`
        : `${word}s`

/** Another word for an item, or undefined. */
export function otherWord(item: Item, choose: (count: number) => number): string | undefined {
  if (/^[A-Z]/.test(item.w)) return undefined
  const pick = (list: string[] | undefined): string | undefined => list?.[choose(list.length)]
  if (item.p === 'VERB') {
    const forms = analyze(item.w, item.lemma)
    const other = forms ? pick(verbs.get(forms.base)) : undefined
    if (!forms || !other) return undefined
    const [first = '', ...rest] = other.split(' ')
    const form = item.form ?? forms.forms[0]
    if (!item.form && forms.forms.length > 1 && new Set(forms.forms.map((each) => inflect(first, each))).size > 1)
      return undefined
    return form ? [inflect(first, form), ...rest].join(' ') : undefined
  }
  if (item.p === 'NOUN') {
    const other = pick(nouns.get(item.lemma))
    if (!other) return undefined
    if (item.w === item.lemma) return other
    return other === 'individuals' || item.w !== plural(item.lemma) ? undefined : plural(other)
  }
  return item.p === 'ADJ' || item.p === 'ADV' || item.p === 'ADP' ? pick(others.get(item.w)) : undefined
}
