// Says in words what was drawn: the revised prompt. It is an illustration and says so.
import type { PictureStyle } from '../../../draw.ts'
import type { Described, Description, RelationKind } from '../words/description.ts'
import { spell } from '../words/numbers.ts'
import type { Place, Setting, Time, Weather } from '../words/settings.ts'
import { plural } from '../words/things.ts'

const placeWords: Record<Place, string> = {
  meadow: 'in a meadow',
  beach: 'on a beach',
  sea: 'on the sea',
  lake: 'at a lake',
  underwater: 'under water',
  desert: 'in a desert',
  forest: 'in a forest',
  jungle: 'in a jungle',
  mountains: 'before mountains',
  snow: 'in a snowy landscape',
  city: 'in a city',
  street: 'on a street',
  farm: 'on a farm',
  garden: 'in a garden',
  space: 'in space',
  moon: 'on the surface of the moon',
  room: 'in a room',
  kitchen: 'in a kitchen',
  bedroom: 'in a bedroom',
  classroom: 'in a classroom',
  library: 'in a library',
  stage: 'on a stage',
  tabletop: 'on a table top',
  plain: 'before a plain background',
}
const timeWords: Record<Time, string> = { day: '', sunrise: ' at sunrise', sunset: ' at sunset', night: ' at night' }
const weatherWords: Record<Weather, string> = {
  clear: '',
  cloudy: ' under a cloudy sky',
  rain: ' in the rain',
  snow: ' in falling snow',
  storm: ' in a storm',
  fog: ' in fog',
}
const relationWords: Record<RelationKind, string> = {
  on: 'on',
  under: 'under',
  above: 'above',
  beside: 'beside',
  left: 'to the left of',
  right: 'to the right of',
  front: 'in front of',
  behind: 'behind',
  in: 'in',
  between: 'between',
  worn: 'worn by',
  held: 'held by',
}

export function describeScene({ things, title, unknown }: Description, setting: Setting, style: PictureStyle): string {
  const look = style === 'vivid' ? 'A vivid illustration' : 'A plain illustration'
  const named = things.map((described) => phrase(described, things))
  const what = named.length === 0 ? ' of a landscape' : ` of ${list(named)}`
  const where = ` ${placeWords[setting.place]}${timeWords[setting.time]}${weatherWords[setting.weather]}`
  const titled = title === undefined ? '' : `, with the title “${title}”`
  const missing = unknown.length === 0 ? '' : ` Not drawn, for want of a drawing: ${unknown.join(', ')}.`
  return `${look}${what}${where}${titled}.${missing}`
}

function phrase(described: Described, things: readonly Described[]): string {
  const { relation, lettering } = described
  const to = relation && things[relation.to]
  const and = relation?.and === undefined ? undefined : things[relation.and]
  const target =
    to === undefined
      ? ''
      : ` ${relationWords[relation?.kind ?? 'beside']} ${the(to)}${and === undefined ? '' : ` and ${the(and)}`}`
  return `${noun(described)}${lettering === undefined ? '' : ` that says “${lettering}”`}${target}`
}

const the = ({ thing, count }: Described): string => `the ${count === 1 ? thing.name : plural(thing.name)}`

function noun({ thing, count, colours, sizeWord, meant }: Described): string {
  const isDressed = thing.home === 'p' && colours.length > 0
  const named = colours.map(({ name }) => name).join(' and ')
  const colour = isDressed ? '' : named
  const words = [sizeWord, colour, count === 1 ? thing.name : plural(thing.name)].filter(
    (word) => word !== undefined && word !== '',
  )
  const text = `${words.join(' ')}${isDressed ? ` in ${named}` : ''}`
  const isMany = /s$/.test(thing.name) && pairs.has(thing.name)
  const counted =
    count === 1 ? (isMany ? text : `${/^([aeiou]|hour)/.test(text) ? 'an' : 'a'} ${text}`) : `${spell(count)} ${text}`
  return meant === undefined ? counted : `${counted} (for “${meant}”)`
}

const pairs = new Set([
  'glasses',
  'sunglasses',
  'scissors',
  'jeans',
  'headphones',
  'grapes',
  'people',
  'fries',
  'french fries',
  'books',
])

const list = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
