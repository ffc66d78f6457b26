// Names for containers that were given none, and what a name may be.
import { invalidParameter } from '../../errors.ts'

const pattern = /^\/?[a-zA-Z0-9][a-zA-Z0-9_.-]+$/
const maxLetters = 255

/** Without the slash that old clients put in front. */
export function readName(text: string): string {
  if (!pattern.test(text) || text.length > maxLetters) {
    throw invalidParameter(
      `Invalid container name (${text.slice(0, maxLetters)}), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed`,
    )
  }
  return text.replace(/^\//, '')
}

const moods =
  'amber ample azure balmy bold brave breezy bright brisk calm candid clever coral cosy crisp curious daring deft eager early earnest fair fleet fond frank free fresh gentle glad golden grand happy hardy hearty honest humble jolly keen kind lively lucid lucky mellow merry mild modest neat nimble noble open patient placid plucky polite prompt proud quick quiet ready robust rosy sandy serene silver sincere snug sound spry steady stout sunny swift tidal tidy tranquil true vivid warm wise witty zesty'.split(
    ' ',
  )
const neighbours =
  'albatross anemone anchovy auk barnacle barracuda beluga bonito bream brill cachalot clam clownfish cockle cod conch coot cormorant cowrie crab curlew cuttlefish dab dolphin dory dugong dunlin eel eider gannet garfish goby grouper guillemot gull gurnard haddock halibut herring kelp kittiwake krill lamprey limpet ling lobster lumpfish mackerel manatee marlin mullet mussel narwhal nautilus octopus orca osprey otter oyster pelican penguin perch petrel pilchard plaice plover pollack porpoise prawn puffin ray redfish remora sailfish salmon sandpiper sardine scallop seahorse seal shearwater shrimp skate skua smelt snapper sole sponge sprat squid starfish sturgeon sunfish tern triton trout tuna turbot turnstone turtle urchin walrus whelk whimbrel whiting wrasse'.split(
    ' ',
  )

const pick = (words: readonly string[], random: number): string => words[random % words.length] ?? ''

/** `quiet_puffin`; with digits when many are taken already. `randomHex` gives 32 digits. */
export function newName(randomHex: () => string, isTaken: (name: string) => boolean): string {
  for (let attempt = 0; ; attempt++) {
    const digits = randomHex()
    const words = `${pick(moods, Number.parseInt(digits.slice(0, 8), 16))}_${pick(neighbours, Number.parseInt(digits.slice(8, 16), 16))}`
    const name = attempt < 6 ? words : words + Number.parseInt(digits.slice(16, 16 + attempt - 4), 16)
    if (!isTaken(name)) return name
  }
}
