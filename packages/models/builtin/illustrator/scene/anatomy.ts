// Where on a thing others stand, lie or are worn: shares of its height and width, from its lower left.
import type { Thing } from '../words/things.ts'

/** How high one stands on it; 1 is its top. */
const seats: Record<string, number> = {
  ...{ 'own:cake': 0.9, 'birthday-cake': 0.6 },
  ...{
    chair: 0.48,
    'couch-and-lamp': 0.36,
    bed: 0.42,
    'own:bench': 0.44,
    'own:armchair': 0.42,
    horse: 0.56,
    donkey: 0.6,
  },
  ...{ zebra: 0.6, camel: 0.75, elephant: 0.97, bicycle: 0.7, motorcycle: 0.6, 'motor-scooter': 0.5, skateboard: 0.75 },
  ...{
    'own:rug': 0.5,
    sled: 0.45,
    'fork-and-knife-with-plate': 0.55,
    'bowl-with-spoon': 0.6,
    dragon: 0.7,
    unicorn: 0.8,
  },
  ...{ tiger: 0.8, sauropod: 0.55, giraffe: 0.5, cow: 0.8, turtle: 0.85, 'deciduous-tree': 0.97, 'own:mountain': 0.97 },
  ...{
    'own:table': 0.99,
    sailboat: 0.3,
    'motor-boat': 0.6,
    canoe: 0.6,
    ship: 0.85,
    'spouting-whale': 0.8,
    dog: 0.66,
    pig: 0.85,
  },
}
export const seatOf = ({ art }: Thing): number => seats[art] ?? 0.97

export interface Head {
  x: number
  top: number
  eyes: number
  neck: number
  /** Of the thing's width. */
  width: number
}

const standing: Head = { x: 0.5, top: 0.99, eyes: 0.91, neck: 0.81, width: 0.62 }
const seated: Head = { x: 0.5, top: 0.95, eyes: 0.7, neck: 0.44, width: 0.66 }
const bust: Head = { x: 0.5, top: 0.97, eyes: 0.66, neck: 0.4, width: 0.62 }
const onFourLegs: Head = { x: 0.24, top: 0.95, eyes: 0.78, neck: 0.55, width: 0.42 }
const whole: Head = { x: 0.5, top: 0.97, eyes: 0.7, neck: 0.4, width: 0.55 }
const heads: Record<string, Head> = {
  dog: { x: 0.3, top: 0.93, eyes: 0.8, neck: 0.6, width: 0.42 },
  cat: { x: 0.2, top: 0.86, eyes: 0.7, neck: 0.5, width: 0.36 },
  'black-cat': { x: 0.2, top: 0.86, eyes: 0.7, neck: 0.5, width: 0.36 },
  horse: { x: 0.2, top: 0.97, eyes: 0.87, neck: 0.7, width: 0.26 },
  elephant: { x: 0.2, top: 0.97, eyes: 0.72, neck: 0.4, width: 0.45 },
  rabbit: { x: 0.3, top: 0.8, eyes: 0.66, neck: 0.45, width: 0.42 },
  pig: { x: 0.2, top: 0.95, eyes: 0.7, neck: 0.5, width: 0.4 },
  cow: { x: 0.18, top: 0.92, eyes: 0.75, neck: 0.5, width: 0.3 },
  duck: { x: 0.3, top: 0.98, eyes: 0.84, neck: 0.6, width: 0.4 },
  penguin: { x: 0.5, top: 0.98, eyes: 0.8, neck: 0.6, width: 0.6 },
  owl: { x: 0.5, top: 0.92, eyes: 0.72, neck: 0.5, width: 0.8 },
  robot: { x: 0.5, top: 0.9, eyes: 0.55, neck: 0.1, width: 0.7 },
  snowman: { x: 0.42, top: 0.9, eyes: 0.74, neck: 0.55, width: 0.5 },
  'teddy-bear': { x: 0.5, top: 0.95, eyes: 0.72, neck: 0.5, width: 0.6 },
  monkey: { x: 0.3, top: 0.96, eyes: 0.8, neck: 0.55, width: 0.45 },
  giraffe: { x: 0.2, top: 0.98, eyes: 0.9, neck: 0.6, width: 0.3 },
  tiger: { x: 0.22, top: 0.96, eyes: 0.75, neck: 0.45, width: 0.4 },
}

export function headOf({ art, home, metres }: Thing): Head {
  const known = heads[art]
  if (known !== undefined) return known
  if (art.startsWith('sit:')) return seated
  if (/-standing$/.test(art)) return standing
  if (home === 'p') return bust
  return home === 'g' && metres > 0.2 ? onFourLegs : whole
}

/** Where a wearable sits: `at` is the height of its lower edge or, with `isCentred`, of its middle. */
export function wearing(wearable: Thing, head: Head): { at: number; isCentred: boolean; width: number } {
  if (/glasses|goggles/.test(wearable.name)) return { at: head.eyes, isCentred: true, width: head.width * 1.05 }
  if (wearable.name === 'scarf') return { at: head.neck, isCentred: true, width: head.width * 1.1 }
  if (/headphone/.test(wearable.name)) return { at: head.eyes, isCentred: true, width: head.width * 1.5 }
  return { at: head.top - 0.05 * head.width, isCentred: false, width: head.width * 1.25 }
}

/** Above these nothing is heard of legs: whoever is under them is under a roof. */
export const isRoof = ({ home, art }: Thing): boolean =>
  home === 's' || art === 'umbrella' || art === 'own:hot-air-balloon'

/** Front walls hide the lower part of what is in them. */
const openTops = new Set(['bowl-with-spoon', 'fork-and-knife-with-plate', 'cooking', 'bed', 'hot-beverage'])
export const hidesContent = ({ art }: Thing): boolean => !openTops.has(art)
export const isTree = ({ art }: Thing): boolean => /tree|bush/.test(art)

const animals =
  /^(duck|bird|blackbird|parrot|dove|eagle|swan|goose|rooster|turkey|peacock|flamingo|owl|butterfly|fish|tropical-fish|whale|spouting-whale|shark|octopus|jellyfish|dragon|unicorn|snake|turtle|lizard|lady-beetle|beetle|bug|kite|piata)$/
/** Of many colours by nature. */
export const isAnimal = ({ art }: Thing): boolean => animals.test(art) || art.startsWith('sit:')
