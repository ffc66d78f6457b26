// Small words and set phrases: relations, sizes, actions, and what says nothing about what is to be seen.
import type { RelationKind, Spot } from './description.ts'

const listed = <T extends string>(table: Partial<Record<T, string>>): Map<string, T> =>
  new Map(
    (Object.entries(table) as [T, string][]).flatMap(([value, names]) => names.split(',').map((name) => [name, value])),
  )

/** `with` and `of` say less than the others: what they mean depends on the two things. */
export type RelationWord = RelationKind | 'with' | 'of' | 'at'

const relations = listed<RelationWord>({
  on: 'on,atop,on top of,upon,onto,riding,riding on,on the top of,aboard,driving',
  under: 'under,beneath,below,underneath',
  above: 'above,over,flying over,hovering over,floating over,hanging over,jumping over',
  beside:
    'beside,next to,near,by,alongside,close to,along,against,facing,looking at,chasing,watching,talking to,following,with its',
  left: 'left of,to the left of,on the left of,on the left side of',
  right: 'right of,to the right of,on the right of,on the right side of',
  front: 'in front of',
  behind: 'behind,in back of',
  in: 'in,inside,into,within,inside of,full of',
  between: 'between,in between',
  worn: 'wearing,dressed in,wears',
  held: 'holding,carrying,playing,reading,eating,drinking,playing with,holds,plays,eats,reads,drinks,carries,using',
  with: 'with,has,having,containing,filled with,surrounded by,full of',
  of: 'of',
  at: 'at,through,across,during,around,from,beyond,outside,to,towards,toward',
})

const spots = listed<Spot>({
  left: 'on the left,at the left,to the left,on the left side,in the left',
  right: 'on the right,at the right,to the right,on the right side,in the right',
  middle: 'in the middle,in the center,in the centre,at the center',
  background: 'in the background,in the distance,in the back',
  foreground: 'in the foreground,in the front',
  sky: 'in the sky,in the air,in the clouds,high in the sky,up in the air,overhead,in the blue sky,in a blue sky',
})

const phraseAt = <T>(table: ReadonlyMap<string, T>, words: readonly string[], at: number) => {
  for (let length = 5; length >= 1; length--) {
    const value = table.get(words.slice(at, at + length).join(' '))
    if (value !== undefined && at + length <= words.length) return { value, length }
  }
  return undefined
}

export const relationAt = (words: readonly string[], at: number) => phraseAt(relations, words, at)

/** "On the left of" is a relation, not a spot. */
export function spotAt(words: readonly string[], at: number): { value: Spot; length: number } | undefined {
  const found = phraseAt(spots, words, at)
  return found !== undefined && words[at + found.length] === 'of' ? undefined : found
}

/** Of what is usual. */
export const sizes: Readonly<Record<string, number>> = {
  ...{
    tiny: 0.36,
    mini: 0.4,
    miniature: 0.36,
    small: 0.68,
    little: 0.72,
    short: 0.8,
    big: 1.45,
    large: 1.45,
    tall: 1.35,
  },
  ...{ huge: 2.5, giant: 2.9, gigantic: 3, enormous: 2.8, massive: 2.6, oversized: 1.7, colossal: 3, baby: 0.65 },
}

export const determiners = new Set([
  'a',
  'an',
  'the',
  'this',
  'that',
  'these',
  'those',
  'another',
  'each',
  'his',
  'her',
  'its',
  'their',
  'my',
])
export const colourful = new Set([
  'colorful',
  'colourful',
  'multicolored',
  'multicoloured',
  'rainbow-colored',
  'multi-colored',
])
export const linking = new Set(['is', 'are', 'was', 'were', 'painted', 'colored', 'coloured', 'be'])
export const negations = new Set(['no', 'without', 'not', 'never'])
export const carriesText = new Set([
  'says',
  'say',
  'saying',
  'reads',
  'reading',
  'labeled',
  'labelled',
  'written',
  'titled',
  'word',
  'words',
  'text',
  'letters',
  'lettering',
  'named',
  'called',
  'caption',
  'message',
  'spelling',
  'spells',
])

/** How a person may be drawn in motion: the second half of an icon's name. */
export const actions: Readonly<Record<string, string>> = {
  ...{ running: 'running', jogging: 'running', walking: 'walking', strolling: 'walking', hiking: 'walking' },
  ...{ dancing: 'dancing', surfing: 'surfing', swimming: 'swimming', cycling: 'biking', biking: 'biking' },
  ...{ climbing: 'climbing', juggling: 'juggling', rowing: 'rowing-boat', kneeling: 'kneeling', golfing: 'golfing' },
  ...{ meditating: 'in-lotus-position', bowing: 'bowing' },
}

/** What a prompt may begin or end with that asks for a kind of picture, not for something in it. */
export const pictureWords =
  /\b(?:an?|the)?\s*(?:(?:beautiful|stunning|simple|cute|detailed|realistic|photorealistic|high[- ]quality|vibrant|digital|oil|watercolou?r|pencil|cartoon|children'?s book|vector|flat|minimalist|3d|colou?rful|professional|close-?up|wide|cinematic|whimsical|hand[- ]drawn)[ ,]+)*(?:photo(?:graph)?|picture|image|painting|illustration|drawing|sketch|render(?:ing)?|artwork|poster|scene|art|shot|portrait|icon|logo|clip ?art|watercolou?r|cartoon|view|depiction)s?(?: style)? (?:of|showing|depicting|with)\b/gi
export const stylePhrases =
  /\b(?:in the style of [^,.;]*|(?:in|with) an? [\w -]{0,40}style|digital art|oil painting|watercolou?r painting|pixel art|line art|vector art|concept art|trending on \w+|highly detailed|ultra[- ]detailed|high resolution|[48]k|hdr|photorealistic|hyper-?realistic|cinematic lighting|studio lighting|soft light(?:ing)?|depth of field|masterpiece|cartoon style|flat style|children'?s book)\b/gi

/** Words that name nothing by themselves. */
export const silent = new Set(
  (
    'a an the and or but is are was were be being been that which who whose there here it its they them he she his her their this these those ' +
    'very really quite just also while as then so some any other more most such own all both each every only even still ' +
    'sitting standing lying lies sits stands sleeping flying floating swimming running walking jumping hanging leaning looking playing resting ' +
    'sleeps flies floats swims runs walks jumps hangs leans looks plays rests growing parked placed stacked arranged set covered surrounded made ' +
    'sky air background foreground scene picture image photo left right middle center centre top bottom side front back corner edge distance ' +
    'color colors colour colours colored style view day time light lights shadow shadows way kind type part lot group row line pair set bit ' +
    'one thing things something nothing look looks looking feel mood detail details beautiful cute happy sad funny lovely pretty old new young ' +
    'branch branches limb twig trunk leaf-covered wooden metal glass stone fluffy shiny bright dark friendly please draw drawing create make show showing depict depicting give me i want'
  ).split(' '),
)

export const clothing = new Set(
  'shirt,t-shirt,tshirt,dress,gown,coat,jacket,kimono,sweater,suit,uniform,hoodie,clothes,robe,outfit,costume,blouse,vest'.split(
    ',',
  ),
)
/** What others can lie or stand in. */
export const containers = new Set(
  'basket,box,crate,cardboard box,bucket,pail,bathtub,bath,nest,vase,bowl,cup,mug,teacup,pot,jar,bag,shopping bag,backpack,shopping cart,cart,canoe,kayak,rowing boat,rowboat,boat,motorboat,sled,sleigh,glass,pot,potted plant,package,gift box,treasure chest,chest,barrel,bed,pan,frying pan,top hat,hat,boot'.split(
    ',',
  ),
)
